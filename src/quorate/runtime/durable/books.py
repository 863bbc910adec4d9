"""Books: the open sessions of a worker, folded once and extended with new entries.

Several activities may work on one session at the same time. Each book has a lock for reading and writing its record, so
that no entry is folded twice.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from quorate.core.record import Envelope, Record
from quorate.core.types import Ask, Event, Seat
from quorate.participants.port import Participant, Tools
from quorate.runtime.asks import Clean
from quorate.runtime.durable.decisions import decision
from quorate.runtime.durable.messages import News
from quorate.runtime.happenings import Happening, Watcher, Wrote, nobody_watches
from quorate.runtime.writer import append, catch_up
from quorate.store.journal import Journal
from quorate.store.slots import Slots

MOST_BOOKS = 500
"""Sessions kept open; beyond it the least recently used one is closed."""
KEEP = 60.0
"""Seconds for which an idle session is kept open."""
MOST_NEWS = 500
"""Decisions in one piece of news."""
MOST_BYTES = 500_000
"""Bytes of the decisions in one piece of news: a message of Temporal holds two million at most."""


@dataclass(frozen=True)
class Seated:
    """A session as activities need it: its record, participants and masks."""

    record: Record
    panel: Mapping[Seat, Participant]
    tools: Tools | None
    clean: Clean
    clean_text: Callable[[str], str]
    budget: Mapping[str, Any]
    watch: Watcher = nobody_watches
    leave: Callable[[], Awaitable[None]] | None = None
    """Called when the session is closed here."""
    curtail: bool = False
    """Whether a phase that may settle early is asked in waves."""


@dataclass(frozen=True)
class Ports:
    """What activities need from the layers above."""

    journal: Journal
    seat: Callable[[str], Awaitable[Seated]]
    """Load a session and seat its panel."""
    slots: Slots
    """What all workers share, where a limit holds for them together."""


@dataclass
class Book:
    """One open session."""

    session: str
    seated: Seated
    journal: Journal
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    decisions: list[str] = field(default_factory=list)
    calls: int = 0
    """Calls under way in this process."""
    used: float = field(default_factory=monotonic)

    def __post_init__(self) -> None:
        self.decisions = [decision(event, envelope) for event, envelope in self.record.events()]

    @property
    def record(self) -> Record:
        return self.seated.record

    @contextmanager
    def kept_open(self) -> Iterator[None]:
        """Keep the book open while a call is in flight."""
        self.calls += 1
        try:
            yield
        finally:
            self.calls -= 1
            self.used = monotonic()

    def idle(self) -> float:
        """Seconds since it was last used."""
        return 0.0 if self.calls or self.lock.locked() else monotonic() - self.used

    def open_ask(self, ask_id: str) -> Ask | None:
        """Return an open ask; None if it is not open."""
        return next((ask for ask in self.record.session.open if ask.id == ask_id), None)

    def news(self, after: int) -> News:
        """Return the decisions after an entry, at most as many as fit into one message."""
        found, size, last = list[str](), 0, len(self.decisions)
        for each in self.decisions[after : after + MOST_NEWS]:
            size += len(each.encode())
            if found and size > MOST_BYTES:
                break
            found.append(each)
        return News(after + 1, found, after + len(found) < last)

    async def read_on(self) -> None:
        """Fold what others have written; call it with the lock held."""
        await catch_up(self.session, self.record, self.journal, self._wrote)

    async def write(self, event: Event, envelope: Envelope) -> bool:
        """Write an event unless it has become pointless; call it with the lock held."""
        return await append(self.session, self.record, self.journal, event, envelope, self._wrote)

    def _wrote(self, happening: Happening) -> None:
        if isinstance(happening, Wrote):
            self.decisions.append(decision(happening.event, happening.envelope))
        self.watch(happening)

    def watch(self, happening: Happening) -> None:
        """Notify the watcher."""
        self.seated.watch(happening)


class Books:
    """The books of one process."""

    def __init__(self, ports: Ports) -> None:
        self.ports = ports
        self._open: OrderedDict[str, asyncio.Task[Book]] = OrderedDict()

    @asynccontextmanager
    async def at(self, session: str) -> AsyncIterator[Book]:
        """Yield a session's book, read to its last entry, with its lock held."""
        book = await self.book(session)
        async with book.lock:
            await book.read_on()
            yield book
        book.used = monotonic()

    async def book(self, session: str) -> Book:
        """Return a session's book; a failed opening is retried the next time."""
        task = self._open.get(session)
        if task is None:
            task = self._open[session] = asyncio.create_task(self._load(session))
        self._open.move_to_end(session)
        while len(self._open) > MOST_BOOKS:
            await self.close(next(iter(self._open)))
        try:
            return await asyncio.shield(task)
        except Exception:
            if self._open.get(session) is task:
                del self._open[session]
            raise

    async def close(self, session: str) -> None:
        """Close a session; activities that still use its book keep it."""
        book = _loaded(self._open.pop(session, None))
        if book is not None and book.seated.leave is not None:
            await book.seated.leave()

    async def close_idle(self, seconds: float = KEEP) -> None:
        """Close sessions that have been idle for a while."""
        for session, task in list(self._open.items()):
            if (book := _loaded(task)) is not None and book.idle() > seconds:
                await self.close(session)

    async def close_all(self) -> None:
        """Close all sessions."""
        for session in list(self._open):
            await self.close(session)

    async def _load(self, session: str) -> Book:
        return Book(session, await self.ports.seat(session), self.ports.journal)


def _loaded(task: asyncio.Task[Book] | None) -> Book | None:
    """Return a book that is open; None if it is still opening or failed to."""
    if task is None or not task.done() or task.cancelled() or task.exception() is not None:
        return None
    return task.result()
