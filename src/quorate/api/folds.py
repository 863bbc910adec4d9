"""Cache of folded sessions for long-running processes; only new entries are folded."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

from quorate import catalog
from quorate.api.damage import DamagedSession, DamageReport, damaged, entries_of
from quorate.api.readable import restored
from quorate.api.sessions import Result, with_history
from quorate.api.stream import Teller, Told, teller
from quorate.codec.chain import Entry
from quorate.codec.entries import decode_entry, decode_opening
from quorate.codec.journal_reader import BadEntry, check_chain
from quorate.core.errors import StoreError
from quorate.core.record import Record
from quorate.store.journal import Journal
from quorate.workspace import Workspace
from quorate.worth.worth import NOTHING_LEARNT, Learnt

MOST_ENTRIES = 40_000
"""Entries held over all sessions; the least recently used session is evicted first."""
AT_ONCE = 100
"""Entries folded in the event loop; more are folded in a thread, so the loop is not blocked."""


@dataclass
class Fold:
    """One session: its entries, its record and its events. Do not await while reading it."""

    session: str
    entries: list[Entry]
    teller: Teller
    events: list[Told]
    damage: DamageReport | None = None
    """Damage of its journal; it is then read up to there, and read again each time."""
    learnt: Learnt = NOTHING_LEARNT
    """What history teaches of it, as of the last time that somebody asked."""

    @property
    def result(self) -> Result:
        return Result(self.session, self.teller.record, list(self.entries), self.damage, self.learnt)

    @property
    def last(self) -> int:
        """The sequence of the last entry."""
        return self.entries[-1].seq


@dataclass
class Folds:
    """LRU cache of the folded sessions of one journal. For one event loop."""

    workspace: Workspace
    journal: Journal
    most: int = MOST_ENTRIES
    _held: OrderedDict[str, Fold] = field(default_factory=OrderedDict)
    _locks: dict[str, asyncio.Lock] = field(default_factory=dict)

    async def get(self, session: str) -> Fold:
        """Return a session as it stands now, a damaged one up to the damage; raise UnknownSession for an unknown id."""
        lock = self._locks.setdefault(session, asyncio.Lock())
        try:
            async with lock:
                fold = await self._folded(session)
                fold.learnt = (await with_history(self.workspace, self.journal, fold.result)).learnt
        finally:
            if not lock.locked():
                self._locks.pop(session, None)
        return fold

    def forget(self, session: str) -> None:
        """Drop a session from the cache, because its existing journal entries were changed (by a repair)."""
        self._held.pop(session, None)

    async def _folded(self, session: str) -> Fold:
        held = self._held.pop(session, None)
        try:
            held = await self._brought_up_to_date(session, held)
        except StoreError as error:
            return await self._up_to(session, error)
        self._held[session] = held
        self._make_room()
        return held

    async def _brought_up_to_date(self, session: str, held: Fold | None) -> Fold:
        if held is None:
            return await self._afresh(session, await entries_of(self.journal, session))
        new = await self.journal.entries(session, held.last)
        if len(new) > AT_ONCE:
            return await self._afresh(session, [*held.entries, *new])
        if new:
            check_chain(new, held.entries[-1].hash, held.last + 1)
            held.events += [_told(held.teller, entry) for entry in new]
            held.entries += new
        return held

    async def _up_to(self, session: str, error: StoreError) -> Fold:
        """Fold a damaged session up to the damage; not cached, because it may be repaired at any time."""
        found = await damaged(self.journal, session, error)
        if not isinstance(found, DamagedSession) or not found.entries:
            raise found from error
        built, opening, material = await restored(self.journal, found.damage, found.entries)
        made = Teller(built, opening, material, catalog.definition_of(opening).gauges)
        first = made.opened(found.entries[0], decode_opening(found.entries[0].body)[1])
        rest = await asyncio.to_thread(lambda: [made.take(entry) for entry in found.entries[1:]])
        return Fold(session, list(found.entries), made, [first, *rest], found.damage)

    async def _afresh(self, session: str, entries: list[Entry]) -> Fold:
        made, first = await teller(self.workspace, self.journal, entries)

        def rest() -> list[Told]:
            return [_told(made, entry) for entry in entries[1:]]

        told = await asyncio.to_thread(rest) if len(entries) > AT_ONCE else rest()
        return Fold(session, entries, made, [first, *told])

    def _make_room(self) -> None:
        while len(self._held) > 1 and sum(len(each.entries) for each in self._held.values()) > self.most:
            self._held.popitem(last=False)


def _told(made: Teller, entry: Entry) -> Told:
    try:
        return made.take(entry)
    except StoreError as error:
        raise BadEntry(entry.seq, str(error)) from error


def again(fold: Fold, at: int | None = None) -> Callable[[], Result]:
    """Return a function that folds a session again up to an entry, on a record of its own, for use in a thread."""
    known, damage, learnt = fold.teller.record, fold.damage, fold.learnt
    entries = fold.entries[: fold.last + 1 if at is None else at + 1]

    def folded() -> Result:
        record = Record(known.protocol, known.opening, known.material)
        for entry in entries[1:]:
            record.take(*decode_entry(entry.body, record.session.asks))
        return Result(fold.session, record, entries, damage, learnt)

    return folded
