"""Every test gets a project of its own, and leaves no worker behind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.shell import Shell, script
from tests.mcp.assistant import Project, end, workers_of


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """A project with a scripted panel."""
    return Shell(tmp_path).write(script())


@pytest.fixture
def stdio(shell: Shell) -> Iterator[Project]:
    yield from _project(shell, "stdio")


@pytest.fixture
def http(shell: Shell) -> Iterator[Project]:
    yield from _project(shell, "http")


@pytest.fixture(params=["stdio", "http"])
def project(request: pytest.FixtureRequest, shell: Shell) -> Iterator[Project]:
    """A project whose server is reached in one way after the other."""
    yield from _project(shell, request.param)


def _project(shell: Shell, transport: str) -> Iterator[Project]:
    yield Project(shell, transport)
    for worker in workers_of(shell.folder):
        end(worker)
