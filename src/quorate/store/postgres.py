"""Journal in a PostgreSQL database: for many machines, with notifications and one clock for leases.

Every entry is one row in plain JSON, as in SQLite. Writes are optimistic: the state is read, the changes are written in
one statement, and unique keys refuse whoever was slower. So everything can be retried after a lost connection: an
append whose fate is unknown first checks whether its entry is there.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

from quorate.codec.canonical import digest_text
from quorate.codec.chain import GENESIS, Drafts, Entry, chained
from quorate.store.address import read_address
from quorate.store.bell import Bell, within
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
from quorate.store.notices import Notices
from quorate.store.server import PostgresServer
from quorate.store.sqlite_errors import Damaged

T = TypeVar("T")

LOOK_EVERY = 0.5
"""Seconds between polls while notifications do not work."""
LOOK_ANYWAY = 30.0
"""Seconds between polls while notifications work."""
UNIQUE = "23505"
"""PostgreSQL's code for a unique violation."""

MOST_HEADS = 10_000
"""Sessions whose last entry is cached."""


@dataclass(frozen=True, slots=True)
class _Head:
    """The end of a journal, which the next entry is chained to."""

    number: int
    seq: int
    hash: bytes
    replied: str | None = None
    """One of the asks that were asked about, where it has its reply."""


class PostgresJournal:
    """A `Journal` on a server. Use one object in one event loop; it connects on first use."""

    def __init__(self, url: str, marker: Callable[[], str] = this_user) -> None:
        """Store the address. Sessions are marked as hosted in the name of `marker`, and no other marks count."""
        self._server = PostgresServer(read_address(url))
        self._marker = cache(marker)
        self._bell = Bell()
        self._notices = Notices(self._server, self._bell)
        self._heads: dict[str, _Head] = {}

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
        texts = [(bytes.fromhex(digest), text) for digest, text in sorted(material.items())]  # no two can deadlock
        row = (session, protocol, title, opened_at, len(past), *_told(status))
        entries = chained(GENESIS, 0, [(body, None), *past])
        asks = [None, *(ask for _, ask in past)]
        sql, unsure = self._server.sql, False

        async def work(connection: Any) -> Entry:
            nonlocal unsure
            found = await connection.fetchval(sql["find_session"], session)
            if found is not None:
                if unsure and await connection.fetchval(sql["one_entry"], found, 0, body) is not None:
                    return entries[0]  # it was ours, and all of it is there
                raise Conflict(f"session {session} already exists in {self._server}")
            try:
                async with connection.transaction():
                    await connection.executemany(sql["add_material"], texts)
                    number = await connection.fetchval(sql["add_session"], *row)
                    rows = [
                        (number, e.seq, ask, bytes.fromhex(e.hash), e.body)
                        for e, ask in zip(entries, asks, strict=True)
                    ]
                    await connection.executemany(sql["add_entry"], rows)
            except Exception as error:
                if getattr(error, "sqlstate", "") == UNIQUE:
                    raise Conflict(f"session {session} already exists in {self._server}") from error
                unsure = True
                raise
            return entries[0]

        return await _to_its_end(self._server.patiently(work))

    async def append(self, session: str, expected: int, body: str, ask: str | None, status: Status) -> Entry:
        return (await self.extend(session, expected, [(body, ask)], status))[0]

    async def extend(self, session: str, expected: int, drafts: Drafts, status: Status) -> list[Entry]:
        check_drafts(session, drafts)
        sql, unsure = self._server.sql, False
        asks = [ask for _, ask in drafts]

        async def work(connection: Any) -> list[Entry]:
            nonlocal unsure
            head = self._heads.pop(session, None)
            while True:
                if unsure or head is None or head.seq != expected - 1:
                    head = await self._head(connection, session, asks)
                    first = drafts[0][0]
                    if unsure and (found := await connection.fetchval(sql["one_entry"], head.number, expected, first)):
                        # It was written before the connection was lost, and with it all the others.
                        return [Entry(expected, first, found.hex()), *chained(found.hex(), expected + 1, drafts[1:])]
                    if head.replied is not None:
                        raise AlreadyReplied(f"session {session}: ask {head.replied} already has a reply")
                    if expected != head.seq + 1:
                        raise Conflict(
                            f"session {session}: entry {expected} cannot be written; the next is {head.seq + 1}"
                        )
                entries = chained(head.hash.hex(), expected, drafts)
                last = entries[-1]
                rows = (
                    [entry.seq for entry in entries],
                    asks,
                    [bytes.fromhex(entry.hash) for entry in entries],
                    [entry.body for entry in entries],
                )
                try:
                    notice = (self._server.address.channel, session[:1000])
                    told = (last.seq, *_told(status))
                    written = await connection.fetch(
                        sql["extend"], head.number, expected, head.hash, *rows, *told, *notice
                    )
                except Exception as error:
                    if getattr(error, "sqlstate", "") != UNIQUE:
                        unsure = True
                        raise
                    written = []
                if written:
                    self._remember(session, _Head(head.number, last.seq, bytes.fromhex(last.hash)))
                    return entries
                head = None  # somebody was faster, and is read now

        entries = await _to_its_end(self._server.patiently(work))
        self._bell.ring(session)
        return entries

    async def _head(self, connection: Any, session: str, asks: list[str | None]) -> _Head:
        row = await connection.fetchrow(self._server.sql["before_extending"], session, asks)
        if row is None:
            raise self._unknown(session)
        if row["hash"] is None:
            raise Damaged(f"{self._server} is damaged: the session {session} has no entry, not even its opening")
        return _Head(row["number"], row["last"], row["hash"], row["replied"])

    def _remember(self, session: str, head: _Head) -> None:
        """Cache the end of a session, so that the next append takes one round trip instead of two."""
        self._heads[session] = head
        if len(self._heads) > MOST_HEADS:
            del self._heads[next(iter(self._heads))]

    async def entries(self, session: str, after: int = -1) -> list[Entry]:
        rows = await self._server.rows("entries", session, max(after, -1))
        if not rows:
            raise self._unknown(session)
        return [Entry(seq, body, digest.hex()) for seq, body, digest in rows if seq is not None]

    async def wait(self, session: str, after: int, seconds: float) -> None:
        clock = asyncio.get_running_loop().time
        ends = clock() + seconds
        with self._bell.hearing(session) as heard:
            self._notices.start()
            while True:
                heard.clear()
                rows = await self._server.rows("last_entry", session)
                if not rows:
                    raise self._unknown(session)
                left = ends - clock()
                if rows[0][0] > after or left <= 0:
                    return
                await within(heard, min(left, LOOK_ANYWAY if self._notices.listening else LOOK_EVERY))

    async def material(self, digest: str) -> str:
        rows = await self._server.rows("find_material", bytes.fromhex(digest))
        if not rows:
            raise UnknownMaterial(digest, str(self._server))
        text = str(rows[0][0])
        if digest_text(text) != digest:
            raise Damaged(f"{self._server} is damaged: the material {digest[:12]} is not the text that was kept")
        return text

    async def sessions(self) -> list[Listed]:
        return [_listed(row) for row in await self._server.rows("sessions")]

    async def host(self, session: str, wanted: bool) -> None:
        number = await self._number(session)
        if wanted:
            await self._server.rows("add_hosted", number, self._marker())
        else:
            await self._server.rows("drop_hosted", number)

    async def hosted(self) -> list[Hosted]:
        return [hosted_as(_listed(row), row["mark"]) for row in await self._server.rows("hosted", self._marker())]

    async def lease(self, session: str, owner: str, seconds: float) -> None:
        taken = False
        while not taken:  # unless somebody else has taken or given it back since it was looked at
            number, held, now = await self._leased(session)
            new = take(session, held, owner, seconds, now)
            before = (held.owner, held.until) if held is not None else (None, None)
            taken = bool(await self._server.rows("set_lease", number, new.owner, new.until, *before))

    async def release(self, session: str, owner: str) -> None:
        await self._server.rows("drop_lease", session, owner)

    async def driver(self, session: str) -> str:
        _, held, now = await self._leased(session)
        return living(held, now)

    async def close(self) -> None:
        await self._notices.close()
        await self._server.close()

    async def _leased(self, session: str) -> tuple[int, Lease | None, int]:
        """Return a session's number, its lease, and the server's time."""
        rows = await self._server.rows("find_lease", session)
        if not rows:
            raise self._unknown(session)
        number, holder, until, now = rows[0]
        return number, None if holder is None else Lease(holder, until), now

    async def _number(self, session: str) -> int:
        rows = await self._server.rows("find_session", session)
        if not rows:
            raise self._unknown(session)
        return int(rows[0][0])

    def _unknown(self, session: str) -> UnknownSession:
        return UnknownSession(f"there is no session {session}", str(self._server))


def _told(status: Status) -> tuple[str, int, str, str]:
    return status.phase, status.round, stored_verdict(status), status.waiting


def _listed(row: Any) -> Listed:
    verdict, ruling = read_verdict(row["verdict"])
    status = Status(row["phase"], row["round"], verdict, row["waiting"], ruling)
    return Listed(row["id"], row["protocol"], row["title"], row["opened_at"], row["last"], status)


async def _to_its_end(writing: Coroutine[Any, Any, T]) -> T:
    """Finish a write even if the caller is cancelled, so that a paid reply is not lost."""
    task = asyncio.ensure_future(writing)
    task.add_done_callback(lambda done: done.cancelled() or done.exception())
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise
