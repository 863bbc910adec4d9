"""Damage that disks, programs and people do to a store, for tests: to rows, to pages, to the file."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

from quorate import api
from quorate.store.database import PAGE
from quorate.store.journal import Journal
from quorate.workspace import Workspace

PROBLEM = "Where should a small shop keep its audit log, so that nobody can change it without being seen? " * 12
LAST = 7
"""The last entry of the scripted debate."""
FLIPPED = "UPDATE entry SET body = replace(body, 'vague', 'clear') WHERE seq = 3"


async def debated(workspace: Workspace) -> str:
    """Hold a debate, and close the store."""
    async with opened(workspace) as journal:
        made = await api.open_session(workspace, journal, "debate", {"problem": PROBLEM})
        done = await api.run(workspace, journal, made)
        assert (done.exit_code, done.entries[-1].seq) == (0, LAST)
    return made


@asynccontextmanager
async def opened(workspace: Workspace) -> AsyncIterator[Journal]:
    journal = workspace.open()
    try:
        yield journal
    finally:
        await journal.close()


def file_of(workspace: Workspace) -> Path:
    (file,) = workspace.files
    return file


def change(file: Path, *statements: str) -> None:
    """Change rows behind the back of the store."""
    with closing(sqlite3.connect(file)) as store:
        for statement in statements:
            store.execute(statement)
        store.commit()


def spoil_page(file: Path, words: bytes) -> None:
    """Overwrite the page that these words stand on, as a bad disk would."""
    data = bytearray(file.read_bytes())
    start = data.index(words) // PAGE * PAGE
    data[start : start + PAGE] = b"\xa5" * PAGE
    file.write_bytes(data)
