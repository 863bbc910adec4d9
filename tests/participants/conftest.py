"""Fixtures for participants: a provider on this machine that plays every fault."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.provider import Server


@pytest.fixture(scope="session")
def running_provider() -> Iterator[Server]:
    server = Server()
    yield server
    server.http.shutdown()


@pytest.fixture
def server(running_provider: Server) -> Server:
    running_provider.forget()
    return running_provider
