"""Temporal activities: the side effects of a workflow. All are idempotent; the journal counts each reply once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import timedelta
from time import monotonic
from typing import Any

from temporalio import activity
from temporalio.exceptions import ApplicationError

from quorate.core.errors import QuorateError, RuleViolation, StoreError
from quorate.core.record import Envelope
from quorate.core.types import Ask, Interrupted, Reason, Replied
from quorate.participants.port import Answer, Participant
from quorate.runtime.asks import cleaned, envelope_of, failed, request_of, usable, who_answers, worst_of
from quorate.runtime.durable.books import Book, Books
from quorate.runtime.durable.messages import After, Asked, Begun, News, Quote, Quoted, Stop, ToAsk, Wanted
from quorate.runtime.executor import LEASE_SECONDS
from quorate.runtime.happenings import Called, Calling, Concluded, Saying, Waiting
from quorate.safety.livewords import LiveWords
from quorate.store.journal import SessionBusy, UnknownSession

PERSON = "person"
"""Provider name of participants that are not called."""
OWNER = "temporal:"
"""Prefix of the lease owner of a workflow."""
TRY_ELSEWHERE = timedelta(seconds=2)
"""Delay before an ask that this worker could not make is retried, on any worker."""
BEATS = 5
"""Signs of life in the time after which a worker that gives none is taken for dead: a busy machine may be late."""
CALL_SECONDS = 6 * 3600.0
"""The most that one call may take: participants have time-outs of their own, and a check may run a test suite."""


@dataclass
class Activities:
    """The activities of one worker process."""

    books: Books
    heartbeat: float = 10.0
    most_entries: int = 2_000
    limits: Mapping[str, int] = field(default_factory=dict)
    """The most calls at the same time to a provider, from all workers together."""
    slots: dict[str, asyncio.Semaphore] = field(default_factory=dict)
    """Limits on this worker's own calls at the same time, by provider and address."""

    def local(self) -> list[Callable[..., Any]]:
        """Activities that run on the workflow's own worker."""
        return [self.begin, self.news, self.quote, self.stop]

    # Where the workflow runs

    @activity.defn(name="begin")
    async def begin(self, session: str) -> Begun:
        """Return a session's rules; raise a final error if this worker has other rules."""
        with _telling():
            book = await self.books.book(session)
            opening = book.record.opening
            briefs = dict(book.record.protocol.briefs)
            return Begun(
                protocol=opening.protocol,
                settings=dict(opening.settings),
                seed=opening.seed,
                briefs=briefs,
                budget=dict(book.seated.budget),
                most_entries=self.most_entries,
                curtail=book.seated.curtail,
            )

    @activity.defn(name="news")
    async def news(self, wish: After) -> News:
        """Return the decisions after an entry."""
        with _telling():
            async with self.books.at(wish.session) as book:
                found = book.news(wish.after)
                if book.record.session.conclusion is not None and not found.more:
                    await self.books.close(wish.session)  # somebody's word has ended it
                return found

    @activity.defn(name="quote")
    async def quote(self, wanted: Wanted) -> Quoted:
        """Return the participant and worst-case cost of each ask that is still open."""
        with _telling():
            async with self.books.at(wanted.session) as book:
                news = book.news(wanted.after)
                if news.decisions:  # the workflow takes these first, and asks again
                    return Quoted(news, [])
                asks = [ask for each in wanted.asks if (ask := book.open_ask(each)) is not None]
                return Quoted(news, [self._quote(book, ask) for ask in asks])

    def _quote(self, book: Book, ask: Ask) -> Quote:
        participant = who_answers(book.seated.panel, book.record, ask)
        if participant.provider == PERSON:
            return Quote(ask.id, "", [], self.heartbeat, CALL_SECONDS)
        request, _ = request_of(book.record, ask, participant, book.seated.tools)
        worst = [[each.tokens, each.money] for each in worst_of(participant, request)]
        return Quote(ask.id, participant.provider, worst, self.heartbeat, CALL_SECONDS)

    @activity.defn(name="stop")
    async def stop(self, stop: Stop) -> News:
        """Write an interruption; one that the protocol does not handle ends the workflow, except a cancellation."""
        reason = Reason(stop.reason)
        with _telling():
            async with self.books.at(stop.session) as book:
                try:
                    detail = book.seated.clean_text(stop.detail)
                    wrote = await book.write(Interrupted(reason), Envelope(detail=detail))
                except RuleViolation:
                    if reason is not Reason.CANCELLED:
                        raise
                    wrote = False
                await self._let_go(book, wrote=wrote)
                return book.news(stop.after)

    # On the queue of a provider

    @activity.defn(name="ask")
    async def ask(self, to: ToAsk) -> Asked:
        """Make one call and write its reply; no call is made if the reply is already there."""
        with _telling(elsewhere=True):
            async with self._alive():
                return await self._ask(to)

    async def _ask(self, to: ToAsk) -> Asked:
        async with self.books.at(to.session) as book:
            ask = book.open_ask(to.ask)
            if ask is None:
                return Asked(book.news(to.after))
            participant = who_answers(book.seated.panel, book.record, ask)
        with book.kept_open():
            async with self._driving(book), self._slot(participant):
                async with self.books.at(to.session) as book:  # others may have driven before we had lease and slot
                    if book.open_ask(to.ask) is None:
                        await self._let_go(book, wrote=False)
                        return Asked(book.news(to.after))
                    request, cuts = request_of(book.record, ask, participant, book.seated.tools)
                began = monotonic()
                book.watch(Calling(ask, participant.name, cuts))
                answer = await _answer(book, ask, participant, replace(request, repairs=to.repairs))
                book.watch(Called(ask))
                elapsed = monotonic() - began
                async with self.books.at(to.session) as book:
                    if answer is None:
                        await self._let_go(book, wrote=False)
                        return Asked(book.news(to.after), left_open=True)
                    said = usable(book.record, ask, answer, book.seated.clean, cuts)
                    envelope = envelope_of(said, participant, elapsed, cuts)
                    kept = cleaned(envelope, book.seated.clean_text)
                    wrote = await book.write(Replied(ask.id, said.reply), kept)
                    await self._let_go(book, wrote=wrote)
                    return Asked(book.news(to.after))

    @asynccontextmanager
    async def _slot(self, participant: Participant) -> AsyncIterator[None]:
        """Wait for a free slot of the provider, in this worker and across all workers."""
        provider = participant.provider
        async with self.slots.setdefault(provider, asyncio.Semaphore(participant.concurrency)):
            if (most := self.limits.get(provider)) is None:
                yield
                return
            async with self.books.ports.slots.held(provider, most):
                yield

    @asynccontextmanager
    async def _alive(self) -> AsyncIterator[None]:
        """Heartbeat while an ask is under way, from the start: reading a long session takes time too."""

        async def beat() -> None:
            while True:
                activity.heartbeat()
                await asyncio.sleep(self.heartbeat / BEATS)

        async with _beside(beat()):
            yield

    @asynccontextmanager
    async def _driving(self, book: Book) -> AsyncIterator[None]:
        """Hold the session's lease on behalf of its workflow."""
        owner = f"{OWNER}{book.session}"

        async def renew() -> None:
            while True:
                await asyncio.sleep(LEASE_SECONDS / 3)
                with suppress(StoreError):  # the call goes on; the sequence of the journal decides what counts
                    await book.journal.lease(book.session, owner, LEASE_SECONDS)

        await book.journal.lease(book.session, owner, LEASE_SECONDS)
        async with _beside(renew()):
            yield

    async def _let_go(self, book: Book, *, wrote: bool) -> None:
        """Release the lease if no worker can continue, so that others may finish or answer."""
        session = book.record.session
        if len(session.open) != len(book.record.waits_for_people()):
            return
        await book.journal.release(book.session, f"{OWNER}{book.session}")
        if wrote:
            book.watch(Concluded(session.conclusion) if session.conclusion is not None else Waiting(session.open))
        if session.conclusion is not None:
            await self.books.close(book.session)


@asynccontextmanager
async def _beside(work: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Run a coroutine in the background until the block ends."""
    task = asyncio.create_task(work)
    try:
        yield
    finally:
        task.cancel()


async def _answer(book: Book, ask: Ask, participant: Participant, request: Any) -> Answer | None:
    try:
        live = LiveWords(lambda text: book.watch(Saying(ask, text)))
        answer = await participant.reply(request, live.take)
        live.end()
        return answer
    except Exception as error:
        return failed(error)


@contextmanager
def _telling(*, elsewhere: bool = False) -> Iterator[None]:
    """Convert errors to Temporal's: a store may recover, and another worker may have the rules."""
    try:
        yield
    except SessionBusy as error:
        raise ApplicationError(str(error), type="SessionBusy", next_retry_delay=TRY_ELSEWHERE) from error
    except UnknownSession as error:
        raise ApplicationError(str(error), type="UnknownSession", non_retryable=True) from error
    except StoreError as error:
        raise ApplicationError(str(error), type=type(error).__name__) from error
    except QuorateError as error:
        raise ApplicationError(
            str(error),
            type=type(error).__name__,
            non_retryable=not elsewhere,
            next_retry_delay=TRY_ELSEWHERE if elsewhere else None,
        ) from error
