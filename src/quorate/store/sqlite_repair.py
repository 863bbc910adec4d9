"""Repair a SQLite file: replace damaged entries and texts by ones known to be right.

Nothing is written before the existing rows are backed up. A file with sound pages is repaired in place, in one
transaction; a file that SQLite itself finds damaged is rebuilt from every readable row, and the old one is kept.
"""

from __future__ import annotations

import base64
import json
import os
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quorate.codec.chain import Entry
from quorate.core.errors import StoreError
from quorate.files.replacement import flush_folder
from quorate.store.journal import SessionBusy, Status
from quorate.store.lease import Lease, living
from quorate.store.salvage import every_row, reading
from quorate.store.sqlite import SqliteJournal, columns_of

_SESSION = "number, id, protocol, title, opened_at, last, phase, round, verdict, waiting, owner, until"
_ADD_SESSION = f"INSERT OR IGNORE INTO session ({_SESSION}) VALUES ({', '.join('?' * 12)})"  # noqa: S608 - our own
_FIND_SESSION = f"SELECT {_SESSION} FROM session WHERE id = ?"  # noqa: S608 - our own names
_TEXTS = (
    ("SELECT digest, CAST(text AS BLOB) FROM material WHERE digest > ? ORDER BY digest LIMIT 1", b""),
    ("SELECT digest, CAST(text AS BLOB) FROM material WHERE digest < ? ORDER BY digest DESC LIMIT 1", b"\xff" * 33),
)


@dataclass(frozen=True, slots=True)
class Rows:
    """The right rows of one session."""

    session: str
    protocol: str
    title: str
    opened_at: int
    entries: Sequence[tuple[Entry, str | None]]
    """Entries to be written, each with the ask that it replies to; those that stand there already stay as they are."""
    kept: frozenset[int]
    """The sequences whose rows are right, or past mending, and are left alone; every other row is taken out."""
    texts: Mapping[str, str]
    """By digest."""
    last: int
    status: Status | None
    """Where the session stands; None where that is not known, because it is not whole yet."""


def backup_name(path: Path, stamp: str, *, whole: bool) -> Path:
    """Return the path for the backup of the damaged rows, or of the whole file."""
    return path.with_name(f"{path.name}.damaged-{stamp}{'' if whole else '.json'}")


def mend_in_place(path: Path, rows: Rows, backup: Path) -> None:
    """Back up the session's rows to `backup`, then replace the wrong ones; all or none."""
    try:
        with closing(sqlite3.connect(path, timeout=10.0, isolation_level=None)) as file:
            file.execute("PRAGMA synchronous = FULL")
            file.execute("BEGIN IMMEDIATE")
            try:
                _refuse_driven(file, rows.session)
                _save(file, rows, backup)
                _put(file, rows)
                file.execute("COMMIT")
            except BaseException:
                if file.in_transaction:
                    file.execute("ROLLBACK")
                raise
    except sqlite3.Error as error:
        raise StoreError(f"{path} could not be repaired: {error}; nothing was changed") from error


def rebuild(path: Path, rows: Rows, backup: Path) -> None:
    """Build a new file from every readable row, repair the session in it, and keep the old file as `backup`."""
    made = path.with_name(f"{path.name}.repairing")
    for each in _with_logs(made):
        each.unlink(missing_ok=True)
    os.close(os.open(made, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    SqliteJournal(made)._file.close()  # which makes the tables
    try:
        with closing(sqlite3.connect(path, timeout=10.0, isolation_level=None)) as lock:
            with suppress(sqlite3.DatabaseError):  # a file that was cut cannot be locked, nor written by anybody
                lock.execute("BEGIN IMMEDIATE")
            with reading(path) as old, closing(sqlite3.connect(made, isolation_level=None)) as new:
                with suppress(sqlite3.Error):
                    _refuse_driven(old, rows.session)
                _copy(old, new, rows)
            for place, to in zip(_with_logs(path), _with_logs(backup), strict=True):
                with suppress(FileNotFoundError):
                    os.rename(place, to)
            # Whoever has the old file open finds it gone from its place, and refuses to write into it.
            with suppress(sqlite3.Error):
                lock.execute("ROLLBACK")
    except sqlite3.Error as error:
        raise StoreError(f"{path} could not be repaired: {error}") from error
    os.replace(made, path)
    flush_folder(path.parent)


def _with_logs(path: Path) -> list[Path]:
    return [path, path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")]


def _copy(old: sqlite3.Connection, new: sqlite3.Connection, rows: Rows) -> None:
    new.execute("PRAGMA synchronous = FULL")
    new.execute("BEGIN IMMEDIATE")
    for row in every_row(old, "session", _SESSION):
        new.execute(_ADD_SESSION, row[1:])
    for row in every_row(old, "hosted", "session, mark, marker"):
        new.execute("INSERT OR IGNORE INTO hosted (session, mark, marker) VALUES (?, ?, ?)", row[1:])
    for row in every_row(old, "entry", "session, seq, ask, hash, CAST(body AS BLOB)"):
        new.execute(
            "INSERT OR IGNORE INTO entry (session, seq, ask, hash, body) VALUES (?, ?, ?, ?, CAST(? AS TEXT))", row[1:]
        )
    for digest, text in _texts(old):
        new.execute("INSERT OR IGNORE INTO material (digest, text) VALUES (?, CAST(? AS TEXT))", (digest, text))
    _put(new, rows)
    new.execute("COMMIT")
    new.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _texts(old: sqlite3.Connection) -> Iterator[tuple[bytes, bytes]]:
    """Return every readable text, reading from both ends: without rowids a bad page cannot be skipped."""
    for statement, first in _TEXTS:
        place = first
        with suppress(sqlite3.Error):
            while (row := old.execute(statement, (place,)).fetchone()) is not None:
                yield row
                place = row[0]
            return


def _refuse_driven(file: sqlite3.Connection, session: str) -> None:
    for owner, until in file.execute("SELECT owner, until FROM session WHERE id = ?", (session,)):
        held = Lease(str(owner), int(until)) if owner is not None else None
        if driver := living(held, time.time_ns() // 1_000_000):
            raise SessionBusy(f"session {session} is being driven by {driver}; end that process and try again")


def _put(file: sqlite3.Connection, rows: Rows) -> None:
    """Write the right rows, inside a transaction."""
    for digest, text in rows.texts.items():
        file.execute("INSERT OR REPLACE INTO material (digest, text) VALUES (?, ?)", (bytes.fromhex(digest), text))
    told = (rows.session, rows.protocol, rows.title, rows.opened_at, rows.last)
    file.execute(
        "INSERT OR IGNORE INTO session (id, protocol, title, opened_at, last, phase, round, verdict, waiting) "
        "VALUES (?, ?, ?, ?, ?, '', 0, '', '')",
        told,
    )
    ((number,),) = file.execute("SELECT number FROM session WHERE id = ?", (rows.session,)).fetchall()
    for place, seq in file.execute("SELECT rowid, seq FROM entry WHERE session = ?", (number,)).fetchall():
        if seq not in rows.kept:
            file.execute("DELETE FROM entry WHERE rowid = ?", (place,))
    for entry, ask in rows.entries:
        file.execute(
            "INSERT INTO entry (session, seq, ask, hash, body) VALUES (?, ?, ?, ?, ?)",
            (number, entry.seq, ask, bytes.fromhex(entry.hash), entry.body),
        )
    if rows.status is not None:
        file.execute(
            "UPDATE session SET last = ?, phase = ?, round = ?, verdict = ?, waiting = ? WHERE number = ?",
            (rows.last, *columns_of(rows.status), number),
        )


def _save(file: sqlite3.Connection, rows: Rows, backup: Path) -> None:
    """Write every row of the session, and every text to be replaced, to the backup file, flushed to disk."""
    entries = file.execute(
        "SELECT seq, ask, lower(hex(hash)), CAST(body AS BLOB) FROM entry JOIN session ON number = session "
        "WHERE id = ? ORDER BY seq",
        (rows.session,),
    )
    saved = {
        "session": rows.session,
        "row": [_plain(each) for each in file.execute(_FIND_SESSION, (rows.session,))],
        "entries": [_plain(each) for each in entries],
        "material": [
            _plain(row)
            for digest in rows.texts
            for row in file.execute(
                "SELECT lower(hex(digest)), CAST(text AS BLOB) FROM material WHERE digest = ?", (bytes.fromhex(digest),)
            )
        ],
    }
    with open(os.open(backup, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as target:
        json.dump(saved, target, ensure_ascii=False, indent=1)
        target.flush()
        os.fsync(target.fileno())
    flush_folder(backup.parent)


def _plain(row: tuple[Any, ...]) -> list[Any]:
    """Return a row as JSON data; bytes that are not text are kept as base64."""
    return [_text(value) if isinstance(value, bytes) else value for value in row]


def _text(value: bytes) -> str | dict[str, str]:
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(value).decode("ascii")}
