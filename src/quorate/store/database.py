"""One SQLite file: safe opening, short transactions, and errors that say what to do.

Calls run inside the event loop, because they take tens of microseconds and a commit one flush to disk. Only waiting for
another process can take long, so it is done by retrying, with the loop free in between.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, cast

from quorate.core.errors import StoreError
from quorate.store.named_sql import statements
from quorate.store.sqlite_errors import garbled, in_words, is_locked

T = TypeVar("T")

APPLICATION = 0x51756F72
"""Marks a file as Quorate's own: the letters `Quor`."""
VERSION = 2
"""The version of the schema; a file with a higher one was written by a newer Quorate."""
PAGE = 512
"""Entries are a few kilobytes long, and what an entry leaves free on its last page is lost: small pages lose least.
Measured by benchmarks/storage.py: about 1.25 times the prose with pages of 512 bytes, 2.1 times with 4,096."""
PATIENCE = 10.0
"""Seconds to wait for another process that is writing."""
PAUSE = 0.005
MOST_TOGETHER = 100
"""Pieces of work per transaction; more would block the loop for longer than a few milliseconds."""


@dataclass(eq=False, slots=True)
class _Piece:
    """Work to be written in a shared transaction, and its result."""

    work: Callable[[], Any]
    durable: bool
    result: Any = None
    error: BaseException | None = None
    done: bool = False


class Database:
    """An open file. `rows` reads, `write` runs a transaction; both wait for other processes without blocking."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._pieces: list[_Piece] = []
        """What waits to be written, by whoever comes first."""
        self._sql = statements("sqlite.sql")
        if path.is_dir():
            raise StoreError(f"{path} is a folder; name a file in it, such as {path / 'quorate.db'}")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"{path}: its folder cannot be made: {error.strerror}; choose another --store") from error
        with suppress(OSError):  # it is there, or SQLite will say what is wrong
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        with self._told():
            self._connection = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None)
        try:
            with self._told():
                self._prepare()
        except BaseException:
            self._connection.close()
            raise
        self._place = str(path)
        self._identity = self._identify()

    def _prepare(self) -> None:
        run = self._connection.execute
        self._connection.text_factory = lambda raw: raw.decode("utf-8", "replace")  # a damaged text fails its hash
        run(f"PRAGMA page_size = {PAGE}")
        self._check_owner()
        run("PRAGMA journal_mode = WAL")
        run("PRAGMA synchronous = FULL")
        if self._pragma("user_version") < VERSION:
            self._bring_up_to_date()
        self._check_owner()
        run("PRAGMA busy_timeout = 0")

    def _bring_up_to_date(self) -> None:
        """Create the schema, or migrate a file of an earlier version without losing data."""
        run = self._connection.execute
        run("BEGIN IMMEDIATE")
        try:
            version = self._pragma("user_version")  # somebody else may have been faster
            names = ["schema"] if version == 0 else [f"to_version_{each}" for each in range(version + 1, VERSION + 1)]
            for statement in [each for name in names for each in self._sql[name].split(";\n")]:
                run(statement)
            if version < VERSION:
                run(f"PRAGMA application_id = {APPLICATION}")
                run(f"PRAGMA user_version = {VERSION}")
            run("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                run("ROLLBACK")
            raise

    def _check_owner(self) -> None:
        """Raise for a file of another program, or of a newer Quorate."""
        tables = self._connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        version = self._pragma("user_version")
        if (tables or version) and self._pragma("application_id") != APPLICATION:
            raise StoreError(f"{self.path} is a database of another program; name another file with --store")
        if self._connection.execute("SELECT count(*) FROM sqlite_master WHERE type = 'trigger'").fetchone()[0]:
            raise StoreError(f"{self.path} has triggers, which Quorate never makes; name another file with --store")
        if version > VERSION:
            raise StoreError(
                f"{self.path} was written by a newer Quorate (schema {version}, this one knows {VERSION}); "
                "upgrade, or name another file with --store"
            )

    def _pragma(self, name: str) -> int:
        return int(self._connection.execute(f"PRAGMA {name}").fetchone()[0])

    async def rows(self, statement: str, *values: Any) -> list[Any]:
        """Run a named query."""
        with self._told():
            return await self._patiently(lambda: self.run(statement, *values).fetchall())

    async def write(self, work: Callable[[], T], *, durable: bool = True, shared: bool = False) -> T:
        """Run a function in a transaction: durable when this returns, rolled back if it raises.

        A write that is not `durable` may be lost in a power cut, but not in a crash of this process: it costs no flush.
        With `shared` it joins other writes of this moment, and all share one flush.
        """
        piece = _Piece(work, durable)
        self._pieces.append(piece)
        try:
            if shared:
                await asyncio.sleep(0)
            while not piece.done:
                await self._patiently(lambda: None if piece.done else self._flush())
        except asyncio.CancelledError as error:
            if not piece.done:
                raise
            _cancel_next(*error.args)
        finally:
            if not piece.done:
                self._pieces.remove(piece)
        if piece.error is not None:
            raise piece.error
        return cast("T", piece.result)

    def _flush(self) -> None:
        """Write all queued pieces in one transaction; a piece that fails is rolled back alone."""
        run, pieces = self._connection.execute, self._pieces[:MOST_TOGETHER]
        durable = any(piece.durable for piece in pieces)
        self._begin(durable)
        try:
            with self._told():
                self._check_place()
                for piece in pieces:
                    self._do(piece, alone=len(pieces) == 1)
                run("COMMIT")
            self._end(pieces)
        except Exception as error:
            for piece in pieces:
                piece.error = error  # whatever became of them, it is undone
            self._end(pieces)
            self._undo()
        except BaseException:  # somebody stops the program: the others try once more
            for piece in pieces:
                piece.error = None
            self._undo()
            raise
        finally:
            if not durable:
                run("PRAGMA synchronous = FULL")

    def _end(self, pieces: list[_Piece]) -> None:
        del self._pieces[: len(pieces)]
        for piece in pieces:
            piece.done = True

    def _undo(self) -> None:
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")

    def _do(self, piece: _Piece, *, alone: bool) -> None:
        """Run one piece in a savepoint, so that it can be rolled back alone."""
        run = self._connection.execute
        if alone:
            piece.result = piece.work()
            return
        run("SAVEPOINT piece")
        try:
            with self._told():
                piece.result = piece.work()
        except Exception as error:
            if not self._connection.in_transaction:
                raise  # SQLite has undone everything by itself
            run("ROLLBACK TO piece")
            piece.error = error
        run("RELEASE piece")

    def _begin(self, durable: bool) -> None:
        run = self._connection.execute
        if durable:
            run("BEGIN IMMEDIATE")
            return
        run("PRAGMA synchronous = NORMAL")  # it cannot be changed once a transaction has begun
        try:
            run("BEGIN IMMEDIATE")
        except BaseException:
            run("PRAGMA synchronous = FULL")
            raise

    def run(self, statement: str, *values: Any) -> sqlite3.Cursor:
        """Run one named statement now, within `write` or on its own."""
        return self._connection.execute(self._sql[statement], values)

    def run_each(self, statement: str, rows: list[tuple[Any, ...]]) -> None:
        """Run one named statement for each of these rows."""
        self._connection.executemany(self._sql[statement], rows)

    def _identify(self) -> tuple[int, int] | None:
        """Return the identity of the file at the path, if there is one."""
        try:
            found = os.stat(self._place)
        except OSError:
            return None
        return found.st_dev, found.st_ino

    def _check_place(self) -> None:
        """Raise if the file is no longer at its path: what is written to it could not be found again."""
        if self._identify() != self._identity:
            raise StoreError(f"{self.path} was moved, deleted or replaced while it was open; put it back and try again")

    async def _patiently(self, call: Callable[[], T]) -> T:
        end = time.monotonic() + PATIENCE
        while True:
            try:
                return call()
            except sqlite3.OperationalError as error:
                if not is_locked(error) or time.monotonic() > end:
                    raise in_words(error, self.path) from error
            except sqlite3.Error as error:
                raise in_words(error, self.path) from error
            except UnicodeDecodeError as error:
                raise garbled(self.path) from error
            await asyncio.sleep(PAUSE)

    def close(self) -> None:
        """Checkpoint everything into the one file if nobody else uses it, and close it."""
        # Where that cannot be done (a full disk, a reader) the log beside the file keeps it, and the next one does it.
        with suppress(sqlite3.Error):
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self._connection.close()

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise in_words(error, self.path) from error
        except UnicodeEncodeError as error:
            raise StoreError(
                f"{self.path}: a text contains half of a surrogate pair, which cannot be stored"
            ) from error
        except UnicodeDecodeError as error:
            raise garbled(self.path) from error


def _cancel_next(*words: object) -> None:
    """Defer cancellation to the next await, so that the result of a finished write is returned first."""
    task = asyncio.current_task()
    assert task is not None, "or nobody could have cancelled it"

    def cancel() -> None:
        if task.cancelling():  # a time limit that was left meanwhile has taken it back
            task.uncancel()
            task.cancel(*words)

    task.get_loop().call_soon(cancel)
