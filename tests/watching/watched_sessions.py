"""Sessions to watch: a scripted debate in a project of its own, with whatever settings of `watch`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from quorate import api
from quorate.store.journal import Journal
from quorate.watching.process import forget
from quorate.workspace import Workspace, find_workspace
from tests.cli.shell import CONFIG, Shell, script

PROBLEM = "Where should a zebra keep its audit log?"
"""A text whose words stand nowhere else, so that a leak is seen."""
PROSE = ("zebra", "Use one queue", "It is simple", "append-only log")
"""Words of the problem and of the replies."""


def place(folder: Path, watch: Mapping[str, Any] | None = None, panel: Any = None, **changes: Any) -> Workspace:
    """Write a project with a scripted panel and settings of `watch`, and return where it is."""
    config = {**CONFIG, **({"watch": dict(watch)} if watch else {})}
    Shell(folder).write(panel if panel is not None else script(**changes), config)
    return find_workspace(folder, {}, store=f"sqlite:{folder / 'store.db'}")


@asynccontextmanager
async def at_work(workspace: Workspace) -> AsyncIterator[Journal]:
    """Open the store; at the end whoever watched this process under these settings is forgotten."""
    journal = workspace.open()
    try:
        yield journal
    finally:
        await journal.close()
        forget(workspace.config.watch)


async def opened(workspace: Workspace, journal: Journal, **more: Any) -> str:
    return await api.open_session(workspace, journal, "debate", {"problem": PROBLEM}, seed=5, **more)
