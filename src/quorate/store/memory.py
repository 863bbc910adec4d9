"""Journal in memory, for tests, dry runs and sessions that need not be kept."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from quorate.codec.chain import GENESIS, Drafts, Entry, chained
from quorate.store.bell import Bell
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
)
from quorate.store.lease import Lease, living, take


@dataclass
class _Kept:
    """One session and its entries."""

    listed: Listed
    entries: list[Entry]
    asks: set[str] = field(default_factory=set)
    lease: Lease | None = None
    mark: int | None = None


class MemoryJournal:
    """A `Journal` that lasts as long as the object; safe for all tasks of one event loop."""

    def __init__(self) -> None:
        self._sessions: dict[str, _Kept] = {}
        self._material: dict[str, str] = {}
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
        past: Drafts = (),
    ) -> Entry:
        check_material(material)
        check_drafts(session, past)
        if session in self._sessions:
            raise Conflict(f"session {session} already exists")
        entries = chained(GENESIS, 0, [(body, None), *past])
        listed = Listed(session, protocol, title, opened_at, len(past), status)
        self._sessions[session] = _Kept(listed, entries, {ask for _, ask in past if ask is not None})
        self._material.update(material)
        return entries[0]

    async def append(self, session: str, expected: int, body: str, ask: str | None, status: Status) -> Entry:
        return (await self.extend(session, expected, [(body, ask)], status))[0]

    async def extend(self, session: str, expected: int, drafts: Drafts, status: Status) -> list[Entry]:
        kept = self._find(session)
        check_drafts(session, drafts)
        asks = {ask for _, ask in drafts if ask is not None}
        for ask in asks & kept.asks:
            raise AlreadyReplied(f"session {session}: ask {ask} already has a reply")
        if expected != len(kept.entries):
            raise Conflict(f"session {session}: entry {expected} cannot be written; the next is {len(kept.entries)}")
        entries = chained(kept.entries[-1].hash, expected, drafts)
        kept.entries += entries
        kept.asks |= asks
        kept.listed = replace(kept.listed, last=entries[-1].seq, status=status)
        self._bell.ring(session)
        return entries

    async def entries(self, session: str, after: int = -1) -> list[Entry]:
        return self._find(session).entries[max(0, after + 1) :]

    async def wait(self, session: str, after: int, seconds: float) -> None:
        if self._find(session).listed.last <= after:
            await self._bell.wait(session, seconds)

    async def material(self, digest: str) -> str:
        if digest not in self._material:
            raise UnknownMaterial(digest, "this store")
        return self._material[digest]

    async def sessions(self) -> list[Listed]:
        newest = reversed([kept.listed for kept in self._sessions.values()])
        return sorted(newest, key=lambda listed: -listed.opened_at)

    async def host(self, session: str, wanted: bool) -> None:
        self._find(session).mark = time.time_ns() if wanted else None

    async def hosted(self) -> list[Hosted]:
        marks = {listed: self._sessions[listed.id].mark for listed in await self.sessions()}
        return [hosted_as(listed, mark) for listed, mark in marks.items() if mark is not None]

    async def lease(self, session: str, owner: str, seconds: float) -> None:
        kept = self._find(session)
        kept.lease = take(session, kept.lease, owner, seconds, time.time_ns() // 1_000_000)

    async def driver(self, session: str) -> str:
        return living(self._find(session).lease, time.time_ns() // 1_000_000)

    async def release(self, session: str, owner: str) -> None:
        kept = self._sessions.get(session)
        if kept is not None and kept.lease is not None and kept.lease.owner == owner:
            kept.lease = None

    async def close(self) -> None:
        """Do nothing; there is nothing to close."""

    def _find(self, session: str) -> _Kept:
        if session not in self._sessions:
            raise UnknownSession(f"there is no session {session}", "this store")
        return self._sessions[session]
