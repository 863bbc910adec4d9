"""A broadcast: one session streamed to all its watchers, from a single fold of its journal.

All watchers read one list of entries, each at its own position, so no entry is lost or repeated and a slow watcher does
not delay the others. Ephemeral events wait in a short queue per watcher.
"""

from __future__ import annotations

import asyncio
import sys
from collections import deque
from collections.abc import AsyncGenerator, Iterable
from time import monotonic

from quorate.api.stream import Ephemeral, Teller, Told, ephemeral, teller
from quorate.codec.chain import Entry
from quorate.codec.journal_reader import check_chain
from quorate.runtime.happenings import Happening, Wrote
from quorate.store.journal import Journal
from quorate.workspace import Workspace

MOST_PASSING = 256
"""Ephemeral events queued for a busy watcher; the oldest are dropped."""
MOST_SAID = 20_000
"""Characters kept of what a participant is saying, for watchers who join meanwhile."""


AT_ONCE = 0.01
"""Seconds of folding before yielding to the event loop."""
TOLD_AT_ONCE = 20
"""Events sent to a watcher in a row before yielding to the event loop."""
LOOK_ANYWAY = 10.0
"""Seconds after which the journal is polled without a notification."""
NOT_YET = sys.maxsize
"""Where something stands that passed by a watcher before it was known which entries come first."""


class Calls:
    """Calls in flight in a driven session, for watchers who join meanwhile."""

    def __init__(self) -> None:
        self._calling: dict[str, Ephemeral] = {}
        self._said: dict[str, str] = {}

    def take(self, happening: Happening) -> None:
        """Update the state of a call."""
        if isinstance(happening, Wrote) and happening.moves:  # the phase is over, and with it whatever it asked
            self._calling.clear()
            self._said.clear()
        if (passing := ephemeral(happening)) is None:
            return
        ask = str(passing.data["ask"])
        match passing.kind:
            case "calling":
                self._calling[ask], self._said[ask] = passing, ""
            case "saying" if ask in self._calling:
                self._said[ask] = (self._said[ask] + passing.data["text"])[-MOST_SAID:]
            case "called":
                self._calling.pop(ask, None)
                self._said.pop(ask, None)

    def so_far(self) -> Iterable[Ephemeral]:
        """Return a summary of these calls for a watcher who joins now."""
        for ask, calling in self._calling.items():
            yield calling
            if self._said[ask]:
                yield Ephemeral("saying", {"ask": ask, "seat": calling.data["seat"], "text": self._said[ask]})

    def ended(self) -> Iterable[Ephemeral]:
        """Return the events that end these calls when the driver abandons them."""
        for ask, calling in self._calling.items():
            yield Ephemeral("called", {"ask": ask, "seat": calling.data["seat"]})


class _Watcher:
    """One watcher: the next entry to send, and its queue of ephemeral events."""

    def __init__(self, first: int, wants_passing: bool, calls: Calls | None) -> None:
        self.next = first
        self.wants_passing = wants_passing
        self.calls = calls
        self.joined = False
        """Whether every entry has been folded that was there when it began to watch."""
        self.passing: deque[tuple[int, Ephemeral]] = deque(maxlen=MOST_PASSING)
        self.ready = asyncio.Event()

    def join(self, place: int) -> None:
        """Queue ephemeral events, or a summary of the calls in flight, behind the entries before `place`."""
        passing = [each for _, each in self.passing] if self.calls is None else list(self.calls.so_far())
        self.joined = True
        self.passing.clear()
        if self.wants_passing:
            self.passing.extend((place, each) for each in passing)

    def take(self, events: list[Told]) -> Told | Ephemeral | None:
        """Return the next event; an ephemeral one only after the entries that preceded it."""
        if self.passing and self.passing[0][0] <= self.next:
            return self.passing.popleft()[1]
        if self.next < len(events):
            self.next += 1
            return events[self.next - 1]
        return None


class Broadcast:
    """One watched session. Reads the journal once for all its watchers, for as long as there are any."""

    def __init__(self, workspace: Workspace, journal: Journal, session: str) -> None:
        self._workspace, self._journal, self._session = workspace, journal, session
        self._events: list[Told] = []
        self._teller: Teller | None = None
        self._head = ""
        self._watchers: set[_Watcher] = set()
        self._lock = asyncio.Lock()
        self._poll: asyncio.Task[None] | None = None
        self._nudge = asyncio.Event()
        self._ended: Exception | None = None
        self._closed = False
        self._left = monotonic()

    @property
    def unwatched(self) -> float:
        """Seconds since the last watcher left."""
        return 0.0 if self._watchers else monotonic() - self._left

    async def follow(
        self, after: int, passing: Calls | None, *, ephemeral: bool
    ) -> AsyncGenerator[Told | Ephemeral, None]:
        """Yield every entry after a sequence once and in order, plus ephemeral events if wanted; never ends by itself.

        `passing` are the calls in flight. The first entries of a long journal are yielded while the rest is folded. An
        invalid journal raises and ends the broadcast.
        """
        watcher = _Watcher(max(after, -1) + 1, ephemeral, passing)
        self._watchers.add(watcher)
        self._nudge.set()
        self._poll = self._poll or asyncio.create_task(self._look_out())
        told = 0
        try:
            while not self._closed:
                if self._ended is not None:
                    raise self._ended
                if (found := watcher.take(self._events)) is not None:
                    yield found
                    told += 1
                    if told % TOLD_AT_ONCE == 0:
                        await asyncio.sleep(0)
                    continue
                watcher.ready.clear()
                await watcher.ready.wait()
        finally:
            self._watchers.discard(watcher)
            self._left = monotonic()
            if not self._watchers:
                self._stop()

    # What comes in

    def tell(self, happening: Happening) -> None:
        """Publish what a driver in this process has just written; an error here never reaches the driver."""
        if isinstance(happening, Wrote):
            if self._teller is not None and self._ended is None and happening.entry.seq <= len(self._events):
                self._take([happening.entry])
            else:
                self._nudge.set()
        elif (passing := ephemeral(happening)) is not None:
            self.pass_by(passing)

    def pass_by(self, passing: Ephemeral) -> None:
        """Publish an ephemeral event."""
        for watcher in self._watchers:
            if watcher.wants_passing:
                watcher.passing.append((len(self._events) if watcher.joined else NOT_YET, passing))
                watcher.ready.set()

    async def look(self) -> None:
        """Read new journal entries, whoever wrote them; raises if the journal is invalid."""
        async with self._lock:
            if self._teller is None:
                entries = await self._journal.entries(self._session)
                self._teller, first = await teller(self._workspace, self._journal, entries)
                self._events, self._head = [first], entries[0].hash
                entries = entries[1:]
                self._wake()
            else:
                entries = await self._journal.entries(self._session, after=len(self._events) - 1)
            since = monotonic()
            for entry in entries:
                self._take([entry])
                if monotonic() - since > AT_ONCE:  # a long journal holds nobody up
                    await asyncio.sleep(0)
                    since = monotonic()
        if self._ended is not None:
            raise self._ended

    def _take(self, entries: list[Entry]) -> None:
        """Fold new entries; an entry that cannot be folded ends the broadcast for all watchers."""
        new = [entry for entry in entries if entry.seq >= len(self._events)]
        if not new or self._teller is None:
            return
        try:
            for entry in new:
                check_chain([entry], self._head, len(self._events))
                self._events.append(self._teller.take(entry))
                self._head = entry.hash
        except Exception as error:
            self._ended = error
        self._wake()

    # Looking out for what others write

    async def _look_out(self) -> None:
        while True:
            try:
                known = len(self._events)
                await self._news()
                if len(self._events) > known and not self._nudge.is_set():
                    continue  # a driver in this process has told it already
                self._nudge.clear()
                await self.look()
                if not self._nudge.is_set():  # else more has been written meanwhile
                    self._join()
            except Exception as error:
                self._ended = self._ended or error
                self._wake()
                return

    async def _news(self) -> None:
        """Wait until a watcher joins, a driver in this process writes, or the journal grows."""
        if self._nudge.is_set() or self._teller is None:
            return
        nudged = asyncio.create_task(self._nudge.wait())
        grown = asyncio.create_task(self._journal.wait(self._session, len(self._events) - 1, LOOK_ANYWAY))
        try:
            await asyncio.wait((nudged, grown), return_when=asyncio.FIRST_COMPLETED)
            if grown.done():
                grown.result()
        finally:
            nudged.cancel()
            grown.cancel()

    def _join(self) -> None:
        for watcher in self._watchers:
            if not watcher.joined:
                watcher.join(len(self._events))
                watcher.ready.set()

    @property
    def broken(self) -> bool:
        """Whether the broadcast ended with an error; new watchers need a new broadcast."""
        return self._ended is not None

    def close(self) -> None:
        """End the broadcast for all watchers."""
        self._closed = True
        self._wake()
        self._stop()

    def _wake(self) -> None:
        for watcher in self._watchers:
            watcher.ready.set()

    def _stop(self) -> None:
        if self._poll is not None:
            self._poll.cancel()
            self._poll = None
