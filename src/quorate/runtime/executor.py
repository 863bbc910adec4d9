"""Drives one session: sends open asks to their participants and writes each reply before anything follows from it.

The journal may grow under our hands: a person answers from another process, somebody cancels. An append that meets
a longer journal reads what is new, and goes on from there. So nothing is lost and nothing is counted twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from time import monotonic, time
from typing import Any, assert_never

from quorate.core.engine import step
from quorate.core.errors import RuleViolation
from quorate.core.forms import Reply
from quorate.core.record import Envelope, Record
from quorate.core.session import Session, Step
from quorate.core.types import Ask, AskId, Event, Interrupted, Reason, Replied, Ruled, Seat
from quorate.core.view import Cut
from quorate.participants.port import MOST_REPAIRS, Answer, Participant, Request, Tools
from quorate.runtime.asking import affordable, envelope_of, failed, request_of, usable, worst_of
from quorate.runtime.budget import Amount, Purse
from quorate.runtime.happenings import (
    Called,
    Calling,
    Concluded,
    Saying,
    Waiting,
    Watcher,
    Writing,
    Wrote,
    nobody_watches,
)
from quorate.store.codec import decode_entry, encode_entry
from quorate.store.journal import Conflict, Journal, Status

LEASE_SECONDS = 30.0
LOOK_EVERY = 0.5
"""Seconds between looks at the journal for what others wrote."""
RULED = ", ruled "
"""What stands in a list between what was concluded and what was ruled on it."""
FOR_RULING = "a ruling"
"""What a concluded session waits for, in a list."""


@dataclass
class Executor:
    """Drives one session to its conclusion, or to where only people can go on."""

    session_id: str
    record: Record
    journal: Journal
    panel: Mapping[Seat, Participant]
    purse: Purse
    owner: str
    """Whose lease it is: nobody else's, in this process either."""
    holds: bool = False
    """Whether the owner has taken the lease and gives it back, when more is done than driving."""
    watch: Watcher = nobody_watches
    tools: Tools | None = None
    clean: Callable[[Ask, Reply], Reply] = lambda _, reply: reply
    """What becomes of every reply before it is kept."""
    clean_text: Callable[[str], str] = lambda text: text
    """What becomes of every detail before it is kept: that of an absence may quote a reply that was none."""
    slots: dict[str, asyncio.Semaphore] = field(default_factory=dict)
    """Limits on concurrent calls by provider; hand in one dictionary to share them between sessions."""
    _calls: dict[AskId, asyncio.Task[Answer | None]] = field(default_factory=dict)
    _left_open: set[AskId] = field(default_factory=set)
    _began: dict[AskId, float] = field(default_factory=dict)
    _cuts: dict[AskId, tuple[Cut, ...]] = field(default_factory=dict)
    _over_budget: str | None = None
    _started: float = 0.0

    async def drive(self) -> Session[Any]:
        """Run until the session has concluded or waits for people; cancelling this suspends it cleanly."""
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
                await self._write(Interrupted(Reason.BUDGET), Envelope(detail=self._over_budget))
                continue
            done, _ = await asyncio.wait(self._calls.values(), timeout=LOOK_EVERY, return_when=asyncio.FIRST_COMPLETED)
            for ask in [ask for ask in self.record.session.open if self._calls.get(ask.id) in done]:
                await self._take_answer(ask)
            if monotonic() - renewed > LEASE_SECONDS / 3:
                await self.journal.lease(self.session_id, self.owner, LEASE_SECONDS)
                renewed = monotonic()
            if not done:
                await self._catch_up()
            await self._withdraw(set(self._calls) - {ask.id for ask in self.record.session.open})

    # Effects out

    def _send_open_asks(self) -> None:
        """Call whoever is asked; what does not fit the budget waits for what calls under way leave of theirs."""
        self._over_budget = None
        for ask in self.record.session.open:
            if ask.id in self._calls or ask.id in self._left_open:
                continue
            participant = self.panel[ask.seat]
            request, cuts = request_of(self.record, ask, participant, self.tools)
            worst = worst_of(participant, request)
            repairs = self._repairs(worst)
            if isinstance(repairs, str):
                self._over_budget = repairs
                return
            self.purse.reserve(ask.id, worst[repairs])
            call = self._call(ask, participant, replace(request, repairs=repairs), cuts)
            self._calls[ask.id] = asyncio.create_task(call)

    def _repairs(self, worst: tuple[Amount, ...]) -> int | str:
        """With how many repairs a call fits into the budget, or why it does not."""
        if self.record.session.interrupted is Reason.BUDGET:  # its wrap-up has been let through
            return MOST_REPAIRS
        worked = int((monotonic() - self._started) * 1000)
        return affordable(self.purse, worst, worked, under_way=bool(self._calls))

    async def _call(self, ask: Ask, participant: Participant, request: Request, cuts: tuple[Cut, ...]) -> Answer | None:
        slot = self.slots.setdefault(participant.provider, asyncio.Semaphore(participant.concurrency))
        async with slot:
            self._began[ask.id], self._cuts[ask.id] = monotonic(), cuts
            self.watch(Calling(ask, participant.name, cuts))
            return await participant.reply(request, lambda text: self.watch(Saying(ask, text)))

    # Events in

    async def _take_answer(self, ask: Ask) -> None:
        task = self._calls.pop(ask.id)
        error = task.exception()
        answer = failed(error) if error is not None else task.result()
        if answer is not None:
            answer = usable(self.record, ask, answer, self.clean)
        self.watch(Called(ask))
        if answer is None:
            self.purse.release(ask.id)
            self._left_open.add(ask.id)
            return
        elapsed = monotonic() - self._began[ask.id]
        envelope = envelope_of(answer, self.panel[ask.seat], elapsed, self._cuts.get(ask.id, ()))
        await self._write(Replied(ask.id, answer.reply), envelope)
        self.purse.settle(ask.id, envelope)

    async def _write(self, event: Event, envelope: Envelope) -> None:
        kept = replace(envelope, detail=self.clean_text(envelope.detail))
        await append(self.session_id, self.record, self.journal, event, kept, self.watch)

    async def _catch_up(self) -> bool:
        return await catch_up(self.session_id, self.record, self.journal, self.watch)

    async def _withdraw(self, asks: set[AskId]) -> None:
        """Stop calls whose reply would not count any more."""
        calls = [self._calls.pop(ask) for ask in asks]
        for ask in asks:
            self.purse.release(ask)
        for call in calls:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)


async def append(
    session_id: str, record: Record, journal: Journal, event: Event, envelope: Envelope, watch: Watcher = nobody_watches
) -> bool:
    """Write an event and take it into the record; False where others' entries have made it pointless.

    Whatever others wrote in the meantime is read first. An event that the rules do not allow raises RuleViolation
    and nothing is written.
    """
    while True:
        if not _wanted(event, record):
            return False
        after = step(record.protocol, record.session, event)
        stamped = replace(envelope, seq=len(record.envelopes) + 1, at=int(time() * 1000))
        watch(Writing(stamped.seq))
        ask = event.ask if isinstance(event, Replied) else None
        try:
            entry = await journal.append(
                session_id, stamped.seq, encode_entry(event, stamped), ask, status_of(record, after, event)
            )
        except Conflict:
            if not await catch_up(session_id, record, journal, watch):
                raise
            continue
        record.take(event, stamped, after)
        watch(Wrote(entry, event, stamped, after.moves))
        return True


async def catch_up(session_id: str, record: Record, journal: Journal, watch: Watcher = nobody_watches) -> bool:
    """Take what others have written into the record; True where there was something."""
    entries = await journal.entries(session_id, after=len(record.envelopes))
    for entry in entries:
        event, envelope = decode_entry(entry.body, record.session.asks)
        after = record.take(event, envelope)
        watch(Wrote(entry, event, envelope, after.moves))
    return bool(entries)


def _wanted(event: Event, record: Record) -> bool:
    """Whether an event still changes anything; one that is strange to this session is the caller's error."""
    match event:
        case Ruled(verdict, by, reason):
            last = record.ruling  # the same ruling twice is harmless
            return last is None or (last.verdict.name, last.by, last.reason) != (verdict, by, reason)
        case Interrupted():
            return record.session.conclusion is None
        case Replied(ask_id):
            if any(ask.id == ask_id for ask in record.session.open):
                return True
            if record.session.conclusion is not None or record.was_asked(ask_id):
                return False
            raise RuleViolation(f"ask {ask_id} was never asked in this session")
    assert_never(event)


def status_of(record: Record, after: Step[Any], event: Event | None = None) -> Status:
    """Say where a session stands after a step, for lists."""
    session = after.session
    waiting: list[str] = sorted({ask.seat for ask in record.waits_for_people(session)})
    verdict = ""
    if session.conclusion is not None:
        verdict = session.conclusion.verdict.name
        if isinstance(event, Ruled):
            verdict = f"{verdict}{RULED}{event.verdict}"
        elif session.conclusion.verdict in record.protocol.rulings:
            waiting = [FOR_RULING]
    return Status(session.phase.name, record.protocol.round(session.state), verdict, ",".join(waiting))
