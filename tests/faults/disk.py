"""A file of SQLite in a world: real errors where SQLite can be made to have them, and at its own door where it cannot.

A full disk is a real limit on the file's pages, a locked database a real transaction of another connection, a crash a
copy of what was on disk at that moment with a torn end, and damage is bytes that are flipped in the file.
"""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from pathlib import Path
from typing import Any

from tests.faults.kinds import Kind
from tests.faults.world import World

TORN = 700
"""The most bytes of a write that a crash has left half done."""
MOST_FLIPPED = 3


class Crash(BaseException):
    """A process has died: nothing of it does anything any more."""


class Disk:
    """The file of a world, through crashes, damage and repair."""

    def __init__(self, world: World, folder: Path) -> None:
        self.world, self.folder, self.images = world, folder, 0
        self.replica: Path | None = None
        """The copy that was kept before the file was damaged, while it is."""
        self.locked_until = 0.0

    @property
    def file(self) -> Path:
        return self.folder / str(self.images) / "journal.db"

    def crash_image(self) -> None:
        """Go on with what is on disk now, as after a power cut; nobody may have the file open afterwards."""
        old = self.file
        self.images += 1
        self._copy(old, self.file)
        log = self.file.with_name("journal.db-wal")
        if log.exists():
            with log.open("ab") as stream:  # what was not flushed is anything
                stream.write(self.world.chance.randbytes(self.world.chance.randrange(TORN)))

    def damage(self) -> bool:
        """Keep a copy of the file, and flip some of its bits; True where that was in the log beside it.

        SQLite takes a log from its first damaged frame on for one that a crash has torn. So the last entries may be
        gone without a word, as after a power cut on a disk that lies; all others must be there.
        """
        self.replica = self.folder / f"replica-{self.images}" / "journal.db"
        self._copy(self.file, self.replica)
        logged = self.file.with_name("journal.db-wal")
        victim = logged if logged.exists() and logged.stat().st_size and self.world.chance.random() < 0.3 else self.file
        content = bytearray(victim.read_bytes())
        for _ in range(self.world.chance.randint(1, MOST_FLIPPED)):
            place = self.world.chance.randrange(len(content))
            content[place] ^= 1 << self.world.chance.randrange(8)
            self.world.note("disk", f"flips a bit of byte {place} of {victim.name}")
        victim.write_bytes(content)
        self.world.fire(Kind.CORRUPTED, "disk")
        return victim is logged

    def restore(self) -> None:
        """Put the copy back that was kept before the damage."""
        assert self.replica is not None, "nothing was damaged"
        self.images += 1
        self._copy(self.replica, self.file)
        self.replica = None
        self.world.note("disk", "is put back from its copy")

    def _copy(self, old: Path, new: Path) -> None:
        new.parent.mkdir(parents=True)
        for name in ("journal.db", "journal.db-wal"):
            if old.with_name(name).exists():
                shutil.copyfile(old.with_name(name), new.with_name(name))


class Door:
    """A connection of one process, behind which statements meet faults; once dead it does nothing."""

    def __init__(self, disk: Disk, process: str, connection: sqlite3.Connection) -> None:
        self.disk, self.world, self.process, self.real, self.file = disk, disk.world, process, connection, disk.file
        self.dead = False
        self.calm = False
        """Whether nothing is struck: somebody else than a process of the world looks."""
        self.lied = False
        """Whether the last transaction was kept although it was said to have failed."""
        self._full = False

    @property
    def in_transaction(self) -> bool:
        return self.real.in_transaction

    def execute(self, sql: str, values: Any = ()) -> Any:
        if self.dead:
            raise Crash
        if self.calm:
            return self.real.execute(sql, values)
        if sql.startswith("BEGIN"):
            self._before_transaction()
        elif sql == "COMMIT":
            self._commit_fails()
        elif self.real.in_transaction and self._die(0.03, "before a statement"):
            raise Crash
        try:
            return self.real.execute(sql, values)
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_FULL:
                self.world.fire(Kind.FULL_DISK, self.process)
            raise

    def executemany(self, sql: str, rows: list[tuple[Any, ...]]) -> None:
        """Row by row, so that a process may die between two of them."""
        for row in rows:
            self.execute(sql, row)

    def close(self) -> None:
        self.real.close()

    def _die(self, likely: float, when: str) -> bool:
        if not self.world.strikes(Kind.CRASH_INSIDE_WRITE, likely):
            return False
        self.world.fire(Kind.CRASH_INSIDE_WRITE, self.process, when)
        self.dead = True
        return True

    def _before_transaction(self) -> None:
        if self.world.clock.now >= self.disk.locked_until and self.world.strikes(Kind.LOCKED, 0.06):
            self._lock()
        if not self._full and self.world.strikes(Kind.FULL_DISK, 0.15):
            self._full = True
            (pages,) = self.real.execute("PRAGMA page_count").fetchone()
            self.real.execute(f"PRAGMA max_page_count = {pages}")
            self.world.note(self.process, f"the disk has room for {pages} pages and no more")

    def _commit_fails(self) -> None:
        if self.world.strikes(Kind.FAILING_FSYNC, 0.06):
            self.world.fire(Kind.FAILING_FSYNC, self.process)
            self.real.execute("ROLLBACK")  # as SQLite does by itself after such an error
            raise _io_error()
        if self.world.strikes(Kind.LYING_FSYNC, 0.06):
            self.world.fire(Kind.LYING_FSYNC, self.process)
            self.real.execute("COMMIT")
            self.lied = True
            raise _io_error()
        if self._die(0.05, "before the commit"):
            raise Crash

    def _lock(self) -> None:
        seconds = self.world.chance.choice((0.02, 0.3, 2.0, 11.0))
        other = sqlite3.connect(self.file, timeout=0, isolation_level=None)
        try:
            other.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError:
            other.close()  # somebody writes at this moment
            return
        self.world.fire(Kind.LOCKED, self.process, f"for {seconds:g} s")
        self.disk.locked_until = self.world.clock.now + seconds
        asyncio.get_running_loop().call_later(seconds, other.close)


def _io_error() -> sqlite3.OperationalError:
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = sqlite3.SQLITE_IOERR_FSYNC
    error.sqlite_errorname = "SQLITE_IOERR_FSYNC"
    return error
