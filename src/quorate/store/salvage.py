"""Salvage what is readable of a session in a damaged SQLite file, entry by entry.

It opens the file separately and read-only, fetches one row at a time, and trusts no row about another.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from quorate.codec.canonical import digest_text
from quorate.codec.chain import Entry
from quorate.core.errors import StoreError
from quorate.store.journal import Hosted, Journal, Listed, UnknownMaterial, UnknownSession
from quorate.store.sqlite import SqliteJournal, listed
from quorate.store.sqlite_errors import Damaged

MOST_ENTRIES = 1_000_000
"""Entries that a damaged row of a session may claim to have; more are not looked for."""


@dataclass(frozen=True, slots=True)
class Salvaged:
    """The readable entries of a session, in order, and why others are not."""

    entries: tuple[Entry, ...]
    unreadable: Mapping[int, str]
    """By sequence: what the store says instead of the entry."""
    last: int
    """The sequence of the last entry that was ever written, as far as anything says; -1 for none."""


async def salvage(journal: Journal, session: str) -> Salvaged:
    """Return what can be read of a session; UnknownSession if nothing is left of it."""
    if isinstance(journal, SqliteJournal | SalvagedJournal):
        return _from_file(journal.path, session)
    listed = next((each for each in await journal.sessions() if each.id == session), None)
    entries = tuple(await journal.entries(session))
    return Salvaged(entries, {}, max(listed.last if listed else -1, entries[-1].seq if entries else -1))


async def last_kept(journal: Journal, session: str) -> int:
    """Return the last known sequence of a session if the store can tell cheaply, else -1.

    Call it before reading the entries: later writes only add to them.
    """
    if not isinstance(journal, SqliteJournal):
        return -1
    found = await journal._file.rows("find_session", session)
    rows = await journal._file.rows("one_session", found[0][0]) if found else []
    return rows[0][4] if rows and isinstance(rows[0][4], int) else -1


@contextmanager
def reading(path: Path, *, strictly: bool = False) -> Iterator[sqlite3.Connection]:
    """Open a file read-only, even if truncated unless `strictly`; damage raises when it is read."""
    address = f"file:{quote(str(path.resolve()))}?mode=ro"
    try:
        connection = sqlite3.connect(address, uri=True, timeout=10.0, isolation_level=None)
    except sqlite3.Error as error:
        raise StoreError(f"{path} cannot be opened: {error}") from error
    with closing(connection):
        connection.text_factory = lambda raw: raw.decode("utf-8", "replace")  # a damaged text fails its hash
        if not strictly:
            with suppress(sqlite3.Error):
                connection.execute("PRAGMA writable_schema = ON")  # SQLite reads a file that was cut only so
        yield connection


def _from_file(path: Path, session: str) -> Salvaged:
    with reading(path) as file:
        row = _row_of(file, session)
        if row is None:
            raise UnknownSession(f"there is no session {session}", str(path))
        number, last = row
        try:
            rows = file.execute(
                "SELECT seq, body, hash FROM entry WHERE session = ? ORDER BY seq", (number,)
            ).fetchall()
            unreadable: dict[int, str] = {}
        except sqlite3.Error as error:
            rows, unreadable = _one_by_one(file, number, last, error)
    entries = tuple(Entry(seq, str(body), _hexadecimal(digest)) for seq, body, digest in rows if isinstance(seq, int))
    places = {entry.seq for entry in entries} | set(unreadable)
    while last + 1 in places:  # it went on; a row with any other number is none that was ever written there
        last += 1
    return Salvaged(tuple(entry for entry in entries if entry.seq <= last), unreadable, last)


def _row_of(file: sqlite3.Connection, session: str) -> tuple[int, int] | None:
    """Return a session's number and last sequence, scanning the table if the index is damaged."""
    for statement in (
        "SELECT number, last FROM session WHERE id = ?",
        "SELECT number, last FROM session NOT INDEXED WHERE +id = ?",
    ):
        try:
            for number, last in file.execute(statement, (session,)):
                return int(number), last if isinstance(last, int) and -1 <= last < MOST_ENTRIES else -1
        except sqlite3.Error:
            continue
    return None


def _one_by_one(
    file: sqlite3.Connection, number: int, last: int, error: sqlite3.Error
) -> tuple[list[tuple[Any, ...]], dict[int, str]]:
    """Read every entry on its own, by the index first, then by scanning the table for the rest."""
    found: dict[int, tuple[Any, ...]] = {}
    unreadable: dict[int, str] = {}
    for seq in range(last + 1):
        try:
            rows = file.execute("SELECT seq, body, hash FROM entry WHERE session = ? AND seq = ?", (number, seq))
            if row := rows.fetchone():
                found[seq] = row
        except sqlite3.Error as each:
            unreadable[seq] = str(each)
    for row in every_row(file, "entry", "session, seq, body, hash"):
        if row[1] == number and isinstance(row[2], int) and row[2] not in found:
            found[row[2]] = row[2:]
            unreadable.pop(row[2], None)
    if len(found) <= last and not unreadable:  # the index does not know of them any more
        unreadable = {seq: str(error) for seq in range(last + 1) if seq not in found}
    return [found[seq] for seq in sorted(found)], unreadable


def every_row(file: sqlite3.Connection, table: str, columns: str) -> Iterator[tuple[Any, ...]]:
    """Yield every readable row of a table, its rowid first; unreadable pages are skipped."""
    try:
        (most,) = file.execute(f"SELECT max(rowid) FROM {table} NOT INDEXED").fetchone()  # noqa: S608 - our own names
    except sqlite3.Error:
        most = None
    place = 1
    wide = f"SELECT rowid, {columns} FROM {table} NOT INDEXED WHERE rowid >= ? ORDER BY rowid LIMIT 1"  # noqa: S608
    misses = 0
    while misses < 10_000 and (most is None or place <= most):
        try:
            row = file.execute(wide, (place,)).fetchone()
        except sqlite3.Error:
            place, misses = place + 1, misses + 1  # the next row may lie on another page
            continue
        if row is None:
            return
        place, misses = int(row[0]) + 1, 0
        yield tuple(row)


def _hexadecimal(digest: Any) -> str:
    return digest.hex() if isinstance(digest, bytes) else ""


def sound_file(path: Path) -> str:
    """Return what SQLite's integrity check finds; empty if the file is sound."""
    with reading(path, strictly=True) as file:
        try:
            found = [str(row[0]) for row in file.execute("PRAGMA integrity_check(3)")]
        except sqlite3.Error as error:
            return str(error)
    return "" if found == ["ok"] else "; ".join(found)


class SalvagedJournal:
    """A read-only `Journal` of what is left in a file that SQLite no longer opens."""

    def __init__(self, path: Path) -> None:
        self.path = path

    async def entries(self, session: str, after: int = -1) -> list[Entry]:
        left = _from_file(self.path, session)
        if left.unreadable:
            place, why = min(left.unreadable.items())
            raise Damaged(f"{self.path} is damaged: entry {place} of session {session} cannot be read ({why})")
        return [entry for entry in left.entries if entry.seq > after]

    async def material(self, digest: str) -> str:
        try:
            with reading(self.path) as file:
                row = file.execute("SELECT text FROM material WHERE digest = ?", (bytes.fromhex(digest),)).fetchone()
        except sqlite3.Error as error:
            raise Damaged(f"{self.path} is damaged: the material {digest[:12]} cannot be read ({error})") from error
        if row is None:
            raise UnknownMaterial(digest, str(self.path))
        if digest_text(str(row[0])) != digest:
            raise Damaged(f"{self.path} is damaged: the material {digest[:12]} is not the text that was kept")
        return str(row[0])

    async def sessions(self) -> list[Listed]:
        columns = "id, protocol, title, opened_at, last, phase, round, verdict, waiting"
        with reading(self.path) as file:
            found = [listed(row[1:]) for row in every_row(file, "session", columns)]
        return sorted(found, key=lambda each: -each.opened_at)

    async def hosted(self) -> list[Hosted]:
        return []

    async def driver(self, session: str) -> str:
        return ""

    async def wait(self, session: str, after: int, seconds: float) -> None:
        return

    async def release(self, session: str, owner: str) -> None:
        return

    async def close(self) -> None:
        return

    async def create(self, session: str, *_: Any, **__: Any) -> Entry:
        raise self._refusal()

    async def append(self, session: str, *_: Any, **__: Any) -> Entry:
        raise self._refusal()

    async def extend(self, session: str, *_: Any, **__: Any) -> list[Entry]:
        raise self._refusal()

    async def host(self, session: str, wanted: bool) -> None:
        raise self._refusal()

    async def lease(self, session: str, owner: str, seconds: float) -> None:
        raise self._refusal()

    def _refusal(self) -> Damaged:
        return Damaged(f"{self.path} is damaged and can only be read; `quorate repair` mends it")
