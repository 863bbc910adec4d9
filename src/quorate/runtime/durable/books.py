"""Books: the sessions that a worker's activities have open, folded once and extended by what is new.

Several activities may work on one session at the same time. Each book has a lock, under which its record is read
further and written to, so that the fold never takes an entry twice.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from quorate.core.record import Envelope, Record
from quorate.core.types import Ask, Event, Seat
from quorate.participants.port import Participant, Tools
from quorate.runtime.asking import Clean
from quorate.runtime.durable.decisions import decision
from quorate.runtime.durable.messages import News
from quorate.runtime.executor import append, catch_up
from quorate.runtime.happenings import Happening, Watcher, Wrote, nobody_watches
from quorate.store.journal import Journal

MOST_BOOKS = 500
"""Sessions that are kept open; of more the one that was used least lately is closed."""
MOST_NEWS = 500
"""Decisions in one piece of news."""
MOST_BYTES = 500_000
"""Bytes of the decisions in one piece of news: a message of Temporal holds two million at most."""


@dataclass(frozen=True)
class Seated:
    """A session as an activity needs it: what was said so far, who sits there, and what is masked."""

    record: Record
    panel: Mapping[Seat, Participant]
    tools: Tools | None
    clean: Clean
    clean_text: Callable[[str], str]
    budget: Mapping[str, Any]
    watch: Watcher = nobody_watches
    leave: Callable[[], Awaitable[None]] | None = None
    """What is done when the session is open here no more."""


@dataclass(frozen=True)
class Ports:
    """What activities need of the rooms above."""

    journal: Journal
    seat: Callable[[str], Awaitable[Seated]]
    """Load a session and seat its panel."""


@dataclass
class Book:
    """One open session."""

    session: str
    seated: Seated
    journal: Journal
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    decisions: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.decisions = [decision(event, envelope) for event, envelope in self.record.events()]

    @property
    def record(self) -> Record:
        return self.seated.record

    def open_ask(self, ask_id: str) -> Ask | None:
        """Return an ask that waits for its reply."""
        return next((ask for ask in self.record.session.open if ask.id == ask_id), None)

    def news(self, after: int) -> News:
        """Return the decisions after an entry, or as many of them as one message takes."""
        found, size, last = list[str](), 0, len(self.decisions)
        for each in self.decisions[after : after + MOST_NEWS]:
            size += len(each.encode())
            if found and size > MOST_BYTES:
                break
            found.append(each)
        return News(after + 1, found, after + len(found) < last)

    async def read_on(self) -> None:
        """Take what others have written; under the lock."""
        await catch_up(self.session, self.record, self.journal, self._wrote)

    async def write(self, event: Event, envelope: Envelope) -> bool:
        """Write an event unless it has become pointless; under the lock."""
        return await append(self.session, self.record, self.journal, event, envelope, self._wrote)

    def _wrote(self, happening: Happening) -> None:
        if isinstance(happening, Wrote):
            self.decisions.append(decision(happening.event, happening.envelope))
        self.watch(happening)

    def watch(self, happening: Happening) -> None:
        """Tell those who watch."""
        self.seated.watch(happening)


class Books:
    """The books of one process."""

    def __init__(self, ports: Ports) -> None:
        self.ports = ports
        self._open: OrderedDict[str, asyncio.Task[Book]] = OrderedDict()

    @asynccontextmanager
    async def at(self, session: str) -> AsyncIterator[Book]:
        """Give a session's book, read to its last entry, with its lock held."""
        book = await self.book(session)
        async with book.lock:
            await book.read_on()
            yield book

    async def book(self, session: str) -> Book:
        """Return a session's book; one that cannot be opened is tried anew the next time."""
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
        """Let go of a session; whoever works on it still goes on with the book at hand."""
        task = self._open.pop(session, None)
        if task is not None and task.done() and not task.cancelled() and task.exception() is None:
            leave = task.result().seated.leave
            if leave is not None:
                await leave()

    async def close_all(self) -> None:
        """Let go of all sessions."""
        for session in list(self._open):
            await self.close(session)

    async def _load(self, session: str) -> Book:
        return Book(session, await self.ports.seat(session), self.ports.journal)
