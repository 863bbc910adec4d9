"""Folds: sessions as they stand, for a process that is asked about them again and again; only what is new is folded."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

from quorate.api.sessions import Result
from quorate.api.stream import Teller, Told, teller
from quorate.core.record import Record
from quorate.store.entries import decode_entry
from quorate.store.journal import Entry, Journal
from quorate.store.reading import check_chain
from quorate.workspace import Workspace

MOST_ENTRIES = 40_000
"""Entries of all sessions together that are held; the session that was longest not asked for goes first."""
AT_ONCE = 100
"""Entries that are folded in between; more are folded in a thread, so that others are answered meanwhile."""


@dataclass
class Fold:
    """One session: its entries, its record, and every event that is told of it. Read it without waiting in between."""

    session: str
    entries: list[Entry]
    teller: Teller
    events: list[Told]

    @property
    def result(self) -> Result:
        return Result(self.session, self.teller.record, list(self.entries))

    @property
    def last(self) -> int:
        """The sequence of the last entry."""
        return self.entries[-1].seq


@dataclass
class Folds:
    """The sessions of one journal that were asked for of late. For one event loop."""

    workspace: Workspace
    journal: Journal
    most: int = MOST_ENTRIES
    _held: OrderedDict[str, Fold] = field(default_factory=OrderedDict)
    _locks: dict[str, asyncio.Lock] = field(default_factory=dict)

    async def get(self, session: str) -> Fold:
        """Return a session as it stands now; an unknown one raises UnknownSession, a damaged one StoreError."""
        lock = self._locks.setdefault(session, asyncio.Lock())
        try:
            async with lock:
                fold = await self._folded(session)
        finally:
            if not lock.locked():
                self._locks.pop(session, None)
        return fold

    def forget(self, session: str) -> None:
        """Read a session anew when it is next asked for: somebody has changed what stood in its journal."""
        self._held.pop(session, None)

    async def _folded(self, session: str) -> Fold:
        held = self._held.pop(session, None)
        new = await self.journal.entries(session, -1 if held is None else held.last)
        if held is None or len(new) > AT_ONCE:
            held = await self._afresh(session, new if held is None else [*held.entries, *new])
        elif new:
            check_chain(new, held.entries[-1].hash, new[0].seq)
            held.events += [held.teller.take(entry) for entry in new]
            held.entries += new
        self._held[session] = held
        self._make_room()
        return held

    async def _afresh(self, session: str, entries: list[Entry]) -> Fold:
        made, first = await teller(self.workspace, self.journal, entries)

        def rest() -> list[Told]:
            return [made.take(entry) for entry in entries[1:]]

        told = await asyncio.to_thread(rest) if len(entries) > AT_ONCE else rest()
        return Fold(session, entries, made, [first, *told])

    def _make_room(self) -> None:
        while len(self._held) > 1 and sum(len(each.entries) for each in self._held.values()) > self.most:
            self._held.popitem(last=False)


def again(fold: Fold, at: int | None = None) -> Callable[[], Result]:
    """Return what folds a session once more, up to an entry: for a thread, where nothing else changes the record."""
    known, entries = fold.teller.record, fold.entries[: fold.last + 1 if at is None else at + 1]

    def folded() -> Result:
        record = Record(known.protocol, known.opening, known.material)
        for entry in entries[1:]:
            record.take(*decode_entry(entry.body, record.session.asks))
        return Result(fold.session, record, entries)

    return folded
