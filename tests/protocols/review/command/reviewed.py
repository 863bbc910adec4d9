"""A review run in this process, and everything that it keeps."""

from __future__ import annotations

import sqlite3

from tests.cli.shell import Ran, Shell
from tests.support.reviewing import Project


def review(project: Project, *words: str) -> Ran:
    """Run `quorate review` in a project with its scripted panel."""
    return Shell(project.folder).call("review", "--panel", str(project.beside / "panel.yaml"), *words)


def everything_kept(project: Project) -> bytes:
    """All bytes of the store, and of every other file that a review has left."""
    database = project.folder / ".quorate" / "quorate.db"
    with sqlite3.connect(database) as store:
        store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return b"".join(path.read_bytes() for path in sorted((project.folder / ".quorate").rglob("*")) if path.is_file())
