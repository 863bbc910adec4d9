"""The journal in one SQLite file that anyone can open: plain JSON, one row for an entry, safe for many processes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from quorate.core.errors import StoreError
from quorate.store.bell import Bell
from quorate.store.canonical import digest_text
from quorate.store.database import Damaged, Database
from quorate.store.journal import (
    GENESIS,
    START,
    AlreadyReplied,
    Conflict,
    Entry,
    Hosted,
    Listed,
    Past,
    Status,
    UnknownSession,
    chain,
    check_material,
    check_past,
    hosted_as,
)
from quorate.store.lease import Lease, living, take
from quorate.store.marker import this_user

LOOK_EVERY = 0.5
"""Seconds between looks for what other processes wrote."""


class SqliteJournal:
    """A `Journal` in a file. Use one object in one event loop; other processes may have their own at the same time."""

    def __init__(self, path: str | Path, marker: Callable[[], str] = this_user) -> None:
        """Open a file, or make it. Marks of hosted sessions are made in the name of `marker`, and no others count."""
        self.path = Path(path)
        self._marker = cache(marker)
        self._file = Database(self.path)
        self._bell = Bell()

    async def create(
        self,
        session: str,
        protocol: str,
        title: str,
        opened_at: int,
        body: str,
        material: Mapping[str, str],
        status: Status = START,
        past: Past = (),
    ) -> Entry:
        check_material(material)
        check_past(session, past)
        told = (status.phase, status.round, status.verdict, status.waiting)

        def work() -> Entry:
            if self._file.run("find_session", session):
                raise Conflict(f"session {session} exists already in {self.path}")
            for digest, text in material.items():
                self._file.run("add_material", bytes.fromhex(digest), text)
            self._file.run("add_session", session, protocol, title, opened_at, len(past), *told)
            number = self._number(session)
            first = last = self._add(number, 0, None, GENESIS, body)
            for seq, (each, ask) in enumerate(past, start=1):
                last = self._add(number, seq, ask, last.hash, each)
            return first

        return await self._file.write(work)

    async def append(self, session: str, expected: int, body: str, ask: str | None, status: Status) -> Entry:
        told = (status.phase, status.round, status.verdict, status.waiting)

        def work() -> Entry:
            number = self._number(session)
            if ask is not None and self._file.run("find_reply", number, ask):
                raise AlreadyReplied(f"session {session}: ask {ask} has its reply already")
            ((last, previous),) = self._file.run("last_entry", number) or [(-1, b"")]
            if expected != last + 1:
                raise Conflict(f"session {session}: entry {expected} cannot be written, {last + 1} is the next")
            self._file.run("set_status", expected, *told, number)
            return self._add(number, expected, ask, previous.hex() or GENESIS, body)

        entry = await self._file.write(work)
        self._bell.ring(session)
        return entry

    def _add(self, number: int, seq: int, ask: str | None, previous: str, body: str) -> Entry:
        entry = Entry(seq, body, chain(previous, body))
        self._file.run("add_entry", number, seq, ask, bytes.fromhex(entry.hash), body)
        return entry

    async def entries(self, session: str, after: int = -1) -> list[Entry]:
        found = await self._file.rows("find_session", session)
        if not found:
            raise self._unknown(session)
        rows = await self._file.rows("entries", found[0][0], after)
        return [Entry(seq, body, digest.hex()) for seq, body, digest in rows]

    async def wait(self, session: str, after: int, seconds: float) -> None:
        clock = asyncio.get_running_loop().time
        end = clock() + seconds
        while not await self._grown(session, after) and (left := end - clock()) > 0:
            await self._bell.wait(session, min(left, LOOK_EVERY))

    async def _grown(self, session: str, after: int) -> bool:
        found = await self._file.rows("find_session", session)
        if not found:
            raise self._unknown(session)
        last = await self._file.rows("last_entry", found[0][0])
        return bool(last) and last[0][0] > after

    async def material(self, digest: str) -> str:
        try:
            key = bytes.fromhex(digest)
        except ValueError as error:
            raise Damaged(f"{self.path} is damaged: {digest[:64]!r} names no material") from error
        rows = await self._file.rows("find_material", key)
        if not rows:
            raise StoreError(f"there is no material with the digest {digest[:12]} in {self.path}")
        text = str(rows[0][0])
        if digest_text(text) != digest:
            raise Damaged(f"{self.path} is damaged: the material {digest[:12]} is not the text that was kept")
        return text

    async def sessions(self) -> list[Listed]:
        try:
            rows = await self._file.rows("sessions")
        except Damaged:
            return await self._readable_sessions()
        return [_listed(row) for row in rows]

    async def _readable_sessions(self) -> list[Listed]:
        """List one session after the other; what cannot be read is listed as that."""
        ((most,),) = await self._file.rows("most_sessions")
        found: list[Listed] = []
        for number in range(most or 0, 0, -1):
            try:
                found += [_listed(row) for row in await self._file.rows("one_session", number)]
            except Damaged:
                found.append(Listed(f"damaged-{number}", "", "this session's row is damaged", 0, -1, START))
        return sorted(found, key=lambda listed: -listed.opened_at)

    async def host(self, session: str, wanted: bool) -> None:
        def work() -> None:
            number = self._number(session)
            if wanted:
                self._file.run("add_hosted", number, time.time_ns(), self._marker())
            else:
                self._file.run("drop_hosted", number)

        await self._file.write(work)

    async def hosted(self) -> list[Hosted]:
        return [
            hosted_as(_listed(row[:-1]), _whole(row[-1])) for row in await self._file.rows("hosted", self._marker())
        ]

    async def lease(self, session: str, owner: str, seconds: float) -> None:
        def work() -> None:
            rows = self._file.run("find_lease", session)
            if not rows:
                raise self._unknown(session)
            ((number, holder, until),) = rows
            held = None if holder is None else Lease(str(holder), int(until))
            lease = take(session, held, owner, seconds, time.time_ns() // 1_000_000)
            self._file.run("set_lease", lease.owner, lease.until, number)

        await self._file.write(work)

    async def release(self, session: str, owner: str) -> None:
        await self._file.write(lambda: self._file.run("drop_lease", session, owner))

    async def driver(self, session: str) -> str:
        rows = await self._file.rows("find_lease", session)
        if not rows:
            raise self._unknown(session)
        ((_, holder, until),) = rows
        return living(None if holder is None else Lease(str(holder), int(until)), time.time_ns() // 1_000_000)

    async def close(self) -> None:
        self._file.close()

    def _number(self, session: str) -> int:
        rows = self._file.run("find_session", session)
        if not rows:
            raise self._unknown(session)
        return int(rows[0][0])

    def _unknown(self, session: str) -> UnknownSession:
        return UnknownSession(f"there is no session {session} in {self.path}")


def _listed(row: tuple[Any, ...]) -> Listed:
    """Make the best of a row: values that somebody spoilt by hand must not hide the other sessions."""
    session, protocol, title, opened_at, last, phase, round_, verdict, waiting = row
    status = Status(str(phase), _whole(round_), str(verdict), str(waiting))
    return Listed(str(session), str(protocol), str(title), _whole(opened_at), _whole(last), status)


def _whole(value: Any) -> int:
    return value if isinstance(value, int) else 0
