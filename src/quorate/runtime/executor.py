"""Drives one session: sends open asks to participants and writes each reply before acting on it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from quorate.core.forms import Reply
from quorate.core.record import Envelope, Record
from quorate.core.session import Session
from quorate.core.types import Ask, AskId, Event, Interrupted, Reason, Replied, Seat
from quorate.core.values import replace
from quorate.core.view import Cut
from quorate.participants.port import MOST_REPAIRS, Answer, Participant, Request, Tools
from quorate.runtime.asks import affordable, cleaned, envelope_of, failed, request_of, usable, who_answers, worst_of
from quorate.runtime.budget import Amount, Purse
from quorate.runtime.happenings import (
    Called,
    Calling,
    Concluded,
    Saying,
    Waiting,
    Watcher,
    nobody_watches,
)
from quorate.runtime.waves import due
from quorate.runtime.writer import catch_up, extend
from quorate.safety.livewords import LiveWords
from quorate.store.journal import Journal

LEASE_SECONDS = 30.0
LOOK_EVERY = 0.5
"""Seconds between polls of the journal for entries of others."""


@dataclass
class Executor:
    """Drives one session until it concludes or waits for people."""

    session_id: str
    record: Record
    journal: Journal
    panel: Mapping[Seat, Participant]
    purse: Purse
    owner: str
    """Lease owner id, unique per driver even within one process."""
    holds: bool = False
    """Whether the caller takes and releases the lease, because it does more than driving."""
    watch: Watcher = nobody_watches
    tools: Tools | None = None
    clean: Callable[[Ask, Reply], Reply] = lambda _, reply: reply
    """Applied to every reply before it is stored."""
    clean_text: Callable[[str], str] = lambda text: text
    """Applied to every detail before it is stored: that of an absence may quote an invalid reply."""
    slots: dict[str, asyncio.Semaphore] = field(default_factory=dict)
    """Limits on concurrent calls by provider; pass the same dictionary to share them between sessions."""
    curtail: bool = False
    """Ask a phase that may settle early in waves, which saves calls that cannot matter."""
    _calls: dict[AskId, asyncio.Task[Answer | None]] = field(default_factory=dict)
    _left_open: set[AskId] = field(default_factory=set)
    _began: dict[AskId, float] = field(default_factory=dict)
    _cuts: dict[AskId, tuple[Cut, ...]] = field(default_factory=dict)
    _over_budget: str | None = None
    _started: float = 0.0

    async def drive(self) -> Session[Any]:
        """Run until the session concludes or waits for people; cancelling suspends it cleanly."""
        self._started = monotonic()
        await self._drive()
        while self.record.session.conclusion is None and await self._catch_up():
            await self._drive()  # somebody wrote while we were about to leave
        session = self.record.session
        self.watch(Concluded(session.conclusion) if session.conclusion else Waiting(session.open))
        return session

    async def _drive(self) -> None:
        if self.record.session.conclusion is not None:
            return
        await self.journal.lease(self.session_id, self.owner, LEASE_SECONDS)
        try:
            await self._catch_up()  # somebody else may have driven between our reading and our lease
            await self._loop()
        finally:
            await self._withdraw(set(self._calls))
            if not self.holds:
                await self.journal.release(self.session_id, self.owner)

    async def _loop(self) -> None:
        renewed = monotonic()
        while self.record.session.conclusion is None:
            self._send_open_asks()
            if not self._calls:
                if self._over_budget is None:
                    return  # only people can go on
                await self._write((Interrupted(Reason.BUDGET), Envelope(detail=self._over_budget)))
                continue
            done, _ = await asyncio.wait(self._calls.values(), timeout=LOOK_EVERY, return_when=asyncio.FIRST_COMPLETED)
            await self._take_answers([ask for ask in self.record.session.open if self._calls.get(ask.id) in done])
            if monotonic() - renewed > LEASE_SECONDS / 3:
                await self.journal.lease(self.session_id, self.owner, LEASE_SECONDS)
                renewed = monotonic()
            if not done:
                await self._catch_up()
            await self._withdraw(set(self._calls) - {ask.id for ask in self.record.session.open})

    # Effects out

    def _send_open_asks(self) -> None:
        """Call the participants of open asks; an ask beyond the budget waits for calls in flight to settle."""
        self._over_budget = None
        session = self.record.session
        for ask in due(self.record.protocol, session, self._left_open) if self.curtail else session.open:
            if ask.id in self._calls or ask.id in self._left_open:
                continue
            participant = who_answers(self.panel, self.record, ask)
            request, cuts = request_of(self.record, ask, participant, self.tools)
            worst = worst_of(participant, request)
            repairs = self._repairs(worst)
            if isinstance(repairs, str):
                self._over_budget = repairs
                return
            self.purse.reserve(ask.id, worst[repairs])
            request = request if request.repairs == repairs else replace(request, repairs=repairs)
            call = self._call(ask, participant, request, cuts)
            self._calls[ask.id] = asyncio.create_task(call)

    def _repairs(self, worst: tuple[Amount, ...]) -> int | str:
        """Return how many repairs of a call fit into the budget, or why the call does not fit."""
        if self.record.session.interrupted is Reason.BUDGET:  # its wrap-up has been let through
            return MOST_REPAIRS
        worked = int((monotonic() - self._started) * 1000)
        return affordable(self.purse, worst, worked, under_way=bool(self._calls))

    async def _call(self, ask: Ask, participant: Participant, request: Request, cuts: tuple[Cut, ...]) -> Answer | None:
        async with self._slot(participant):
            self._began[ask.id], self._cuts[ask.id] = monotonic(), cuts
            self.watch(Calling(ask, participant.name, cuts))
            if self.watch is nobody_watches:
                return await participant.reply(request, lambda _: None)
            live = LiveWords(lambda text: self.watch(Saying(ask, text)))
            answer = await participant.reply(request, live.take)
            live.end()
            return answer

    def _slot(self, participant: Participant) -> asyncio.Semaphore:
        slot = self.slots.get(participant.provider)
        if slot is None:
            slot = self.slots[participant.provider] = asyncio.Semaphore(participant.concurrency)
        return slot

    # Events in

    async def _take_answers(self, asks: list[Ask]) -> None:
        """Write all answers that have arrived, in one batch."""
        replied: list[tuple[Replied, Envelope]] = []
        for ask in asks:
            answer = self._answer(ask)
            self.watch(Called(ask))
            if answer is None:
                self.purse.release(ask.id)
                self._left_open.add(ask.id)
                continue
            elapsed = monotonic() - self._began[ask.id]
            envelope = envelope_of(
                answer, who_answers(self.panel, self.record, ask), elapsed, self._cuts.get(ask.id, ())
            )
            replied.append((Replied(ask.id, answer.reply), envelope))
        await self._write(*replied)
        for event, envelope in replied:
            self.purse.settle(event.ask, envelope)

    def _answer(self, ask: Ask) -> Answer | None:
        task = self._calls.pop(ask.id)
        error = task.exception()
        answer = failed(error) if error is not None else task.result()
        return answer if answer is None else usable(self.record, ask, answer, self.clean, self._cuts.get(ask.id, ()))

    async def _write(self, *events: tuple[Event, Envelope]) -> None:
        kept = [(event, cleaned(envelope, self.clean_text)) for event, envelope in events]
        await extend(self.session_id, self.record, self.journal, kept, self.watch)

    async def _catch_up(self) -> bool:
        return await catch_up(self.session_id, self.record, self.journal, self.watch)

    async def _withdraw(self, asks: set[AskId]) -> None:
        """Cancel calls whose reply would no longer count."""
        if not asks:
            return
        calls = [self._calls.pop(ask) for ask in asks]
        for ask in asks:
            self.purse.release(ask)
        for call in calls:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)
