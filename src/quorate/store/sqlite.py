"""Journal in one SQLite file: plain JSON, one row per entry, safe for many processes."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from quorate.codec.canonical import digest_text
from quorate.codec.chain import GENESIS, Drafts, Entry, chained
from quorate.store.bell import Bell
from quorate.store.database import Database
from quorate.store.journal import (
    START,
    AlreadyReplied,
    Conflict,
    Hosted,
    Listed,
    Status,
    UnknownMaterial,
    UnknownSession,
    check_drafts,
    check_material,
    hosted_as,
    read_verdict,
    stored_verdict,
)
from quorate.store.lease import Lease, living, take
from quorate.store.marker import this_user
from quorate.store.sqlite_errors import Damaged

LOOK_EVERY = 0.5
"""Seconds between polls for entries of other processes."""


class SqliteJournal:
    """A `Journal` in a file. Use one object in one event loop; other processes may have their own at the same time."""

    def __init__(self, path: str | Path, marker: Callable[[], str] = this_user) -> None:
        """Open or create a file. Sessions are marked as hosted in the name of `marker`, and no other marks count."""
        self.path = Path(path)
        self._marker = cache(marker)
        self._file = Database(self.path)
        self._bell = Bell()
        self._driven: set[str] = set()
        """The sessions with a lease that was taken here: they are written at any moment, and share their flushes."""

    async def create(
        self,
        session: str,
        protocol: str,
        title: str,
        opened_at: int,
        body: str,
        material: Mapping[str, str],
        status: Status = START,
        past: Drafts = (),
    ) -> Entry:
        check_material(material)
        check_drafts(session, past)
        told = columns_of(status)

        def work() -> Entry:
            self._file.run_each("add_material", [(bytes.fromhex(digest), text) for digest, text in material.items()])
            try:
                added = self._file.run("add_session", session, protocol, title, opened_at, len(past), *told)
            except sqlite3.IntegrityError as error:
                raise Conflict(f"session {session} already exists in {self.path}") from error
            return self._add(added.lastrowid or 0, GENESIS, 0, [(body, None), *past])[0]

        return await self._file.write(work, shared=self._has_company(session))

    async def append(self, session: str, expected: int, body: str, ask: str | None, status: Status) -> Entry:
        return (await self.extend(session, expected, [(body, ask)], status))[0]

    async def extend(self, session: str, expected: int, drafts: Drafts, status: Status) -> list[Entry]:
        check_drafts(session, drafts)
        told = columns_of(status)

        def work() -> list[Entry]:
            number, last, previous = self._one(session, "head")
            try:
                if expected != last + 1:
                    raise Conflict(f"session {session}: entry {expected} cannot be written; the next is {last + 1}")
                self._file.run("set_status", last + len(drafts), *told, number)
                return self._add(number, previous.hex() or GENESIS, expected, drafts)
            except (Conflict, sqlite3.IntegrityError):
                self._refuse_second_reply(session, number, drafts)
                raise

        entries = await self._file.write(work, shared=self._has_company(session))
        self._bell.ring(session)
        return entries

    def _add(self, number: int, previous: str, first: int, drafts: Drafts) -> list[Entry]:
        entries = chained(previous, first, drafts)
        rows = [
            (number, entry.seq, ask, bytes.fromhex(entry.hash), entry.body)
            for entry, (_, ask) in zip(entries, drafts, strict=True)
        ]
        self._file.run_each("add_entry", rows)
        return entries

    def _refuse_second_reply(self, session: str, number: int, drafts: Drafts) -> None:
        for _, ask in drafts:
            if ask is not None and self._file.run("find_reply", number, ask).fetchone():
                raise AlreadyReplied(f"session {session}: ask {ask} already has a reply")

    async def entries(self, session: str, after: int = -1) -> list[Entry]:
        rows = await self._file.rows("entries", after, session)
        if not rows:
            raise self._unknown(session)
        return [Entry(seq, body, digest.hex()) for seq, body, digest in rows if seq is not None]

    async def wait(self, session: str, after: int, seconds: float) -> None:
        clock = asyncio.get_running_loop().time
        end = clock() + seconds
        while not await self._grown(session, after) and (left := end - clock()) > 0:
            await self._bell.wait(session, min(left, LOOK_EVERY))

    async def _grown(self, session: str, after: int) -> bool:
        rows = await self._file.rows("head", session)
        if not rows:
            raise self._unknown(session)
        return bool(rows[0][1] > after)

    async def material(self, digest: str) -> str:
        try:
            key = bytes.fromhex(digest)
        except ValueError as error:
            raise Damaged(f"{self.path} is damaged: {digest[:64]!r} is not the digest of a material") from error
        rows = await self._file.rows("find_material", key)
        if not rows:
            raise UnknownMaterial(digest, str(self.path))
        text = str(rows[0][0])
        if digest_text(text) != digest:
            raise Damaged(f"{self.path} is damaged: the material {digest[:12]} is not the text that was kept")
        return text

    async def sessions(self) -> list[Listed]:
        try:
            rows = await self._file.rows("sessions")
        except Damaged:
            return await self._readable_sessions()
        return [listed(row) for row in rows]

    async def _readable_sessions(self) -> list[Listed]:
        """List sessions one by one; an unreadable one is listed as such."""
        ((most,),) = await self._file.rows("most_sessions")
        found: list[Listed] = []
        for number in range(most or 0, 0, -1):
            try:
                found += [listed(row) for row in await self._file.rows("one_session", number)]
            except Damaged:
                found.append(Listed(f"damaged-{number}", "", "this session's row is damaged", 0, -1, START))
        return sorted(found, key=lambda listed: -listed.opened_at)

    async def host(self, session: str, wanted: bool) -> None:
        def work() -> None:
            (number,) = self._one(session, "find_session")
            if wanted:
                self._file.run("add_hosted", number, time.time_ns(), self._marker())
            else:
                self._file.run("drop_hosted", number)

        await self._file.write(work)

    async def hosted(self) -> list[Hosted]:
        return [hosted_as(listed(row[:-1]), _whole(row[-1])) for row in await self._file.rows("hosted", self._marker())]

    async def lease(self, session: str, owner: str, seconds: float) -> None:
        def work() -> None:
            now = time.time_ns() // 1_000_000
            mine = take(session, None, owner, seconds, now)
            if self._file.run("take_lease", mine.owner, mine.until, session, owner).rowcount:
                return  # nobody's, or ours already
            number, holder, until = self._one(session, "find_lease")
            take(session, Lease(str(holder), int(until)), owner, seconds, now)
            self._file.run("set_lease", mine.owner, mine.until, number)

        # Who held it is gone after a power cut.
        await self._file.write(work, durable=False, shared=self._has_company(session))
        self._driven.add(session)

    async def release(self, session: str, owner: str) -> None:
        self._driven.discard(session)
        # Not shared: whoever is being cancelled gives it back without waiting for anybody.
        await self._file.write(lambda: self._file.run("drop_lease", session, owner), durable=False)

    def _has_company(self, session: str) -> bool:
        """Whether another session is driven here too and may be written at the same moment."""
        return len(self._driven) > (session in self._driven)

    async def driver(self, session: str) -> str:
        rows = await self._file.rows("find_lease", session)
        if not rows:
            raise self._unknown(session)
        ((_, holder, until),) = rows
        return living(None if holder is None else Lease(str(holder), int(until)), time.time_ns() // 1_000_000)

    async def close(self) -> None:
        self._file.close()

    def _one(self, session: str, statement: str) -> Any:
        """Return the row that a statement finds for a session; UnknownSession if there is none."""
        row = self._file.run(statement, session).fetchone()
        if row is None:
            raise self._unknown(session)
        return row

    def _unknown(self, session: str) -> UnknownSession:
        return UnknownSession(f"there is no session {session}", str(self.path))


def columns_of(status: Status) -> tuple[str, int, str, str]:
    """Return a status as the columns phase, round, verdict and waiting."""
    return status.phase, status.round, stored_verdict(status), status.waiting


def listed(row: tuple[Any, ...]) -> Listed:
    """Build a listing from a row, tolerating invalid values, so that one bad session does not hide the others."""
    session, protocol, title, opened_at, last, phase, round_, verdict, waiting = row
    concluded, ruling = read_verdict(str(verdict))
    status = Status(str(phase), _whole(round_), concluded, str(waiting), ruling)
    return Listed(str(session), str(protocol), str(title), _whole(opened_at), _whole(last), status)


def _whole(value: Any) -> int:
    return value if isinstance(value, int) else 0
