"""The workflow of one session. It runs the pure core on typed decisions, and always holds a prefix of the journal.

It holds no prose and writes nothing itself: activities ask and write, and return what was decided, in the order of the
journal. While it waits for people it waits for a signal, and occupies no worker.
"""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

from temporalio import workflow
from temporalio.common import RetryPolicy
from temporalio.exceptions import ActivityError

from quorate.core.engine import begin, step
from quorate.core.protocol import Protocol
from quorate.core.record import Envelope
from quorate.core.session import Session
from quorate.core.types import AskId, Reason
from quorate.participants.port import MOST_REPAIRS
from quorate.runtime.asks import affordable
from quorate.runtime.budget import Amount, Budget, Purse
from quorate.runtime.durable.decisions import event_of
from quorate.runtime.durable.messages import (
    GO_ON,
    LOOK,
    REST,
    STANDING,
    WORKFLOW,
    After,
    Asked,
    Begun,
    Ended,
    News,
    Quote,
    Quoted,
    Standing,
    Start,
    Stop,
    ToAsk,
    Wanted,
)
from quorate.runtime.durable.rules import ask_queue, built
from quorate.runtime.waves import due

LOOK_ANYWAY = timedelta(hours=1)
"""How long a workflow waits for people before it reads the journal without a signal."""
LOCAL = timedelta(seconds=60)
"""Timeout of a journal read."""
AGAIN = RetryPolicy(
    initial_interval=timedelta(milliseconds=500), backoff_coefficient=2.0, maximum_interval=timedelta(seconds=30)
)


@workflow.defn(name=WORKFLOW)
class Deliberation:
    """Drives one session to its conclusion."""

    _protocol: Protocol[Any]
    _session: Session[Any]
    _purse: Purse
    _most_entries: int

    def __init__(self) -> None:
        self._id = ""
        self._entries = 0
        self._first = 0
        self._calls: dict[AskId, asyncio.Task[None]] = {}
        self._replies: list[tuple[AskId, Asked | BaseException]] = []
        self._quotes: dict[AskId, Quote] = {}
        self._left_open: set[AskId] = set()
        self._looks = False
        self._cancelled = False
        self._rests = False
        self._over_budget = ""
        self._curtail = False
        self._worked_ms = 0
        self._busy_since = 0.0

    @workflow.run
    async def run(self, start: Start) -> Ended:
        """Drive the session until it concludes; cancelling interrupts it, and the wrap-up still happens."""
        driving = asyncio.create_task(self._drive(start.session))
        while not driving.done():
            try:
                await asyncio.shield(driving)
            except asyncio.CancelledError:
                self._cancelled = True
        driving.result()
        if self._session.conclusion is None and not self._rests:
            workflow.continue_as_new(start)
        verdict = self._session.conclusion.verdict.name if self._session.conclusion is not None else ""
        return Ended(verdict, self._entries)

    @workflow.signal(name=LOOK)
    def look(self) -> None:
        """Signal: somebody else wrote to the journal."""
        self._looks = True

    @workflow.signal(name=REST)
    def rest(self) -> None:
        """Signal: stop driving; replies so far are kept."""
        self._rests = True

    @workflow.signal(name=GO_ON)
    def go_on(self) -> None:
        """Signal: drive the session again; the later of this and `rest` counts."""
        self._rests, self._looks = False, True

    @workflow.query(name=STANDING)
    def standing(self) -> Standing:
        """Query: return the status of the session."""
        if not self._id:
            return Standing("", "", 0, [], [])
        seats = {ask.id: str(ask.seat) for ask in self._session.open}
        calling = [seats[ask] for ask in self._calls if ask in seats]
        waiting = [seat for ask, seat in seats.items() if ask in self._left_open]
        return Standing(self._protocol.name, self._session.phase.name, self._entries, calling, waiting)

    # The loop

    async def _drive(self, session_id: str) -> None:
        await self._open(session_id)
        while self._session.conclusion is None and not self._rests:
            if self._looks:
                await self._read_on()
            elif self._cancelled:
                self._cancelled = False
                await self._stop(Reason.CANCELLED, "cancelled by Temporal")
            elif await self._send_open_asks():
                await self._next()
            elif self._over_budget:
                await self._stop(Reason.BUDGET, self._over_budget)
            elif self._is_full():
                return
            else:
                await self._people()
            self._withdraw({ask.id for ask in self._session.open})
        self._withdraw(set())

    async def _open(self, session_id: str) -> None:
        begun: Begun = await workflow.execute_local_activity(
            "begin", session_id, result_type=Begun, start_to_close_timeout=LOCAL, retry_policy=AGAIN
        )
        self._protocol = built(begun)
        self._session = begin(self._protocol).session
        self._most_entries = begun.most_entries
        self._curtail = begun.curtail
        self._id = session_id
        envelopes = list[Envelope]()
        more = True
        while more:
            news = await self._news()
            envelopes += self._take(news)
            more = news.more
        self._first = self._entries
        self._looks = False
        self._purse = Purse.of(Budget(**begun.budget), envelopes)

    async def _next(self) -> None:
        """Wait for a reply or a signal, and process it."""
        await workflow.wait_condition(lambda: bool(self._replies) or self._looks or self._cancelled or self._rests)
        came, self._replies = self._replies, []
        for ask, asked in came:
            if isinstance(asked, BaseException):
                if ask in self._calls:
                    raise asked
                continue  # it was withdrawn
            await self._spend(asked.news)
            self._called(ask)
            if asked.left_open:
                self._left_open.add(ask)

    async def _people(self) -> None:
        """Wait until somebody writes to the journal; no activity runs, and no worker is occupied."""
        try:
            await workflow.wait_condition(lambda: self._looks or self._cancelled or self._rests, timeout=LOOK_ANYWAY)
        except TimeoutError:
            self._looks = True

    def _is_full(self) -> bool:
        """Whether the history is long enough to continue as new; only asked with no call in flight."""
        taken = self._entries - self._first
        return workflow.info().is_continue_as_new_suggested() or taken >= self._most_entries

    # Effects out

    async def _send_open_asks(self) -> bool:
        """Send open asks as far as the budget allows; return whether any call is in flight."""
        self._over_budget = ""
        wave = due(self._protocol, self._session, self._left_open) if self._curtail else self._session.open
        new = [ask for ask in wave if ask.id not in self._calls and ask.id not in self._left_open]
        unknown = [str(ask.id) for ask in new if ask.id not in self._quotes]
        if unknown and not self._calls and self._is_full():
            return False
        if unknown:
            quoted: Quoted = await workflow.execute_local_activity(
                "quote",
                Wanted(self._id, self._entries, unknown),
                result_type=Quoted,
                start_to_close_timeout=LOCAL,
                retry_policy=AGAIN,
            )
            if quoted.news.decisions:
                await self._spend(quoted.news)
                return await self._send_open_asks()
            self._quotes |= {AskId(each.ask): each for each in quoted.quotes}
        for ask in new:
            quote = self._quotes[ask.id]
            if not quote.provider:
                self._left_open.add(ask.id)
                if self._curtail:  # another one is asked in its place
                    return await self._send_open_asks()
                continue
            worst = [Amount(*each) for each in quote.worst]
            repairs = self._repairs(worst)
            if isinstance(repairs, str):
                self._over_budget = repairs
                break
            self._purse.reserve(ask.id, worst[repairs])
            if not self._calls:
                self._busy_since = workflow.time()
            self._calls[ask.id] = asyncio.create_task(self._call(ask.id, quote, repairs))
        return bool(self._calls)

    def _repairs(self, worst: list[Amount]) -> int | str:
        if self._session.interrupted is Reason.BUDGET:  # its wrap-up has been let through
            return MOST_REPAIRS
        now = int((workflow.time() - self._busy_since) * 1000) if self._calls else 0
        return affordable(self._purse, worst, self._worked_ms + now, under_way=bool(self._calls))

    async def _call(self, ask: AskId, quote: Quote, repairs: int) -> None:
        """Have one ask made by any free worker, and process the result."""
        try:
            asked: Asked = await workflow.execute_activity(
                "ask",
                ToAsk(self._id, self._entries, str(ask), repairs),
                result_type=Asked,
                task_queue=ask_queue(quote.provider),
                heartbeat_timeout=timedelta(seconds=quote.heartbeat),
                start_to_close_timeout=timedelta(seconds=quote.timeout),
                retry_policy=AGAIN,
                cancellation_type=workflow.ActivityCancellationType.TRY_CANCEL,
            )
            self._replies.append((ask, asked))
        except ActivityError as error:
            self._replies.append((ask, error))

    # Events in

    async def _read_on(self) -> None:
        self._looks = False
        await self._spend(await self._news())

    async def _news(self) -> News:
        found: News = await workflow.execute_local_activity(
            "news",
            After(self._id, self._entries),
            result_type=News,
            start_to_close_timeout=LOCAL,
            retry_policy=AGAIN,
        )
        return found

    async def _stop(self, reason: Reason, detail: str) -> None:
        found: News = await workflow.execute_local_activity(
            "stop",
            Stop(self._id, self._entries, reason.value, detail),
            result_type=News,
            start_to_close_timeout=LOCAL,
            retry_policy=AGAIN,
        )
        await self._spend(found)

    async def _spend(self, news: News) -> None:
        """Fold new decisions into the session, and book what they cost."""
        self._purse.book(self._take(news))
        while news.more:
            news = await self._news()
            self._purse.book(self._take(news))

    def _take(self, news: News) -> list[Envelope]:
        """Fold the decisions that are new; other results may have brought some of them already."""
        taken = list[Envelope]()
        for text in news.decisions[self._entries + 1 - news.first :]:
            event, envelope = event_of(text, self._session.asks)
            self._session = step(self._protocol, self._session, event).session
            self._entries += 1
            taken.append(envelope)
        return taken

    def _called(self, ask: AskId) -> None:
        self._calls.pop(ask, None)
        self._quotes.pop(ask, None)
        self._purse.release(ask)
        if not self._calls:
            self._worked_ms += int((workflow.time() - self._busy_since) * 1000)

    def _withdraw(self, still_open: set[AskId]) -> None:
        """Cancel calls whose reply would no longer count."""
        for ask in [ask for ask in self._calls if ask not in still_open]:
            call = self._calls[ask]
            self._called(ask)
            call.cancel()
