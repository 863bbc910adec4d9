"""A project with a scripted debate, and its store: what most use cases begin with."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from quorate.store.journal import Journal
from quorate.workspace import Workspace, find_workspace
from tests.cli.shell import Shell, script


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    Shell(tmp_path).write(script())
    return find_workspace(tmp_path, {}, store=f"sqlite:{tmp_path / 'quorate.db'}")


@pytest.fixture
async def journal(workspace: Workspace) -> AsyncIterator[Journal]:
    opened = workspace.open()
    yield opened
    await opened.close()
