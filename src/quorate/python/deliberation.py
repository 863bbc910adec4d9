"""A session as a Python object: run it, follow it, answer its questions, and read its results."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import Any

from quorate.api import answers, results, session_queries, sessions
from quorate.api.broadcast import Broadcast
from quorate.api.forks import fork
from quorate.api.seats import Seating
from quorate.api.session_end import finish_ended
from quorate.api.sessions import Result
from quorate.api.stream import Told
from quorate.core.types import Reason
from quorate.python.open_sessions import UnderWay
from quorate.python.question import OpenQuestion, open_questions
from quorate.python.seats import Panel, as_seating, held_here
from quorate.python.watch import Event, as_event, cancelled, until_done
from quorate.runtime.happenings import Watcher, nobody_watches
from quorate.store.journal import Journal, SessionBusy
from quorate.workspace import Workspace


class AsyncDeliberation:
    """A session. Its properties (`verdict`, `phase`, `waiting`) are as of the last call."""

    def __init__(
        self,
        workspace: Workspace,
        journal: Journal,
        result: Result,
        under_way: UnderWay,
        *,
        panel: Seating | None = None,
        says: tuple[str, ...] = (),
    ) -> None:
        self._workspace, self._journal, self._result, self._panel = workspace, journal, result, panel
        self._under_way = under_way
        self.says = says
        """What was worth knowing when it was opened, in sentences."""
        self.problems: tuple[str, ...] = ()
        """What it could not leave in the project when it concluded; no verdict hangs on it."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.id}: {self.verdict or self.phase}>"

    # Where it stands

    @property
    def id(self) -> str:
        """The session's id, the same on every surface."""
        return self._result.session

    @property
    def protocol(self) -> str:
        """The name of its protocol."""
        return self._result.record.opening.protocol

    @property
    def title(self) -> str:
        """One-line title of what the session is about."""
        return self._result.record.opening.title

    @property
    def phase(self) -> str:
        """The name of the current phase."""
        return self._result.record.session.phase.name

    @property
    def verdict(self) -> str | None:
        """The name of the verdict; None until the session has concluded."""
        conclusion = self._result.record.session.conclusion
        return conclusion.verdict.name if conclusion is not None else None

    @property
    def exit_code(self) -> int:
        """The exit code of the command line: the verdict's code, 4 while waiting for people, 5 if too degraded."""
        return self._result.exit_code

    @property
    def last(self) -> int:
        """The sequence number of the last event."""
        return self._result.entries[-1].seq

    @property
    def waiting(self) -> tuple[str, ...]:
        """The asks that only people can answer."""
        return tuple(str(ask.id) for ask in self._result.waiting)

    async def refresh(self) -> None:
        """Read the entries that other processes have written since the last call."""
        self._result = await sessions.load(self._workspace, self._journal, self.id)

    # Going on

    async def run(self, panel: Panel | None = None) -> str | None:
        """Run the session until it has a verdict or waits for people only. Return the verdict, or None.

        Finished work is not repeated. `panel` replaces the participants from here on.
        """
        return await self._under_way.do(self._drive(as_seating(panel)))

    async def _drive(self, panel: Seating | None = None, watch: Watcher = nobody_watches) -> str | None:
        self._panel = panel or self._panel
        under_way = self.verdict is None
        try:
            self._result = await sessions.run(self._workspace, self._journal, self.id, panel=self._panel, watch=watch)
        except SessionBusy as error:
            raise SessionBusy(
                f"this deliberation is being driven already: follow it with `watch`, or `run` it later ({error})"
            ) from error
        if under_way:
            await self._finish()
        return self.verdict

    async def _finish(self, *, settle: bool = True) -> None:
        """Write the session's files if it has just concluded and no other process is responsible for that."""
        left = await finish_ended(self._workspace, self._journal, self._result, settle=settle)
        self.problems = left.problems if left is not None else ()

    async def events(self, after: int = -1, *, passing: bool = False) -> AsyncGenerator[Event, None]:
        """Run the session as `run` does, and yield every event after a sequence number, past events first.

        With `passing`, also yield the events that are not recorded: `calling`, `saying` and `called`, without a `seq`.
        Leaving the loop early suspends the session; nothing is lost.
        """
        broadcast = Broadcast(self._workspace, self._journal, self.id)
        work = asyncio.create_task(self._under_way.do(self._drive(watch=broadcast.tell)))
        try:
            async with (
                aclosing(broadcast.follow(after, None, ephemeral=passing)) as told,
                aclosing(until_done(told, work, after, lambda: self.last)) as all_of_it,
            ):
                async for each in all_of_it:
                    yield as_event(each)
        finally:
            await cancelled(work)
            broadcast.close()

    async def watch(self, after: int = -1, *, passing: bool = False) -> AsyncGenerator[Event, None]:
        """Yield every event after a sequence number, without driving the session, until it has concluded."""
        await self.refresh()
        last = self.last if self.verdict is not None else None  # rulings may follow upon the conclusion
        if last is not None and last <= after:
            return
        with self._under_way.watching(Broadcast(self._workspace, self._journal, self.id)) as broadcast:
            async with aclosing(broadcast.follow(after, None, ephemeral=passing)) as told:
                async for each in told:
                    yield as_event(each)
                    if isinstance(each, Told) and _ends(each, last):
                        break
        self._under_way.check_open()
        await self.refresh()

    # Taking part

    async def questions(self) -> list[OpenQuestion]:
        """Return the open questions to people."""
        await self.refresh()
        return open_questions(self._result)

    async def answer(self, ask: str, data: Mapping[str, Any]) -> bool:
        """Answer a question; False if it was answered already. An invalid answer raises InputError and changes nothing.

        The session continues with the next `run`, or in the process that hosts it.
        """
        counted = await answers.answer(self._workspace, self._journal, self.id, ask, dict(data), finishes=False)
        await self.refresh()
        if counted:
            await self._finish()
        return counted

    async def decline(self, ask: str) -> bool:
        """Decline a question: nobody will answer it, and the session continues without."""
        counted = await answers.decline(self._workspace, self._journal, self.id, ask, finishes=False)
        await self.refresh()
        if counted:
            await self._finish()
        return counted

    async def cancel(self, why: str = "") -> None:
        """End the session now; everything recorded is kept."""
        await self._interrupt(Reason.CANCELLED, why)

    async def conclude(self, why: str = "") -> None:
        """Request a wrap-up; the process that drives the session carries it out by the protocol's rules."""
        await self._interrupt(Reason.WISH, why)

    async def _interrupt(self, reason: Reason, why: str) -> None:
        done = sessions.interrupt(self._workspace, self._journal, self.id, reason, why, finishes=False)
        self._result = await done
        await self._finish(settle=False)

    async def fork(
        self,
        at: int | None = None,
        *,
        settings: Mapping[str, Any] | None = None,
        panel: Panel | None = None,
        model: str | None = None,
        budget: Mapping[str, Any] | None = None,
        title: str | None = None,
    ) -> AsyncDeliberation:
        """Return a new session with the same past up to event `at`, and other settings or another panel from there.

        Without `at` the whole past is kept: the verdict is derived again under other settings, without any call.
        """
        await self.refresh()
        seats = as_seating(panel) or self._panel
        made = await fork(
            self._workspace,
            self._journal,
            self.id,
            at=self.last if at is None else at,
            settings=settings,
            panel=seats,
            model=model,
            budget=budget,
            title=title,
        )
        loaded = await sessions.load(self._workspace, self._journal, made)
        return AsyncDeliberation(self._workspace, self._journal, loaded, self._under_way, panel=held_here(seats, model))

    # What came of it

    async def summary(self) -> dict[str, Any]:
        """Return the status and the results of the session as plain data."""
        await self.refresh()
        return results.summary(self._result)

    async def solution(self) -> str:
        """Return the result of the session as Markdown."""
        await self.refresh()
        return results.solution(self._result)

    async def report(self, format: str = "md") -> str:
        """Return a report as md, html, json or yaml; for protocols with findings also sarif, junit or comment."""
        await self.refresh()
        return await asyncio.to_thread(results.report, self._result, format)

    async def bundle(self) -> dict[str, Any]:
        """Return the evidence bundle with its hash chain as plain data; as JSON, `quorate check` accepts it."""
        await self.refresh()
        return results.bundle(self._result)

    async def explain(self) -> str:
        """Explain how the verdict follows: every step, its tests, the rows not taken and why."""
        await self.refresh()
        return results.explain(self._result)

    # What is asked about it afterwards

    async def redecide(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Return what other settings would decide on the recorded answers, as plain data. Calls and writes nothing.

        `redecided` is None if they would have asked something that has no recorded answer; `not_recorded` names it.
        """
        return await session_queries.redecided(self._workspace, self._journal, self.id, settings)

    async def label(self, truth: str, *, finding: str = "", note: str = "") -> dict[str, Any]:
        """Label the session or one of its findings with what turned out to be right; the last label counts.

        Valid truths are in `labels()["truths"]`; for a finding they are `right` and `wrong`.
        """
        found = session_queries.labelled(self._workspace, self._journal, self.id, truth, finding=finding, note=note)
        return await found

    async def labels(self) -> dict[str, Any]:
        """Return the labels of the session in order, and the truths it can be labelled with."""
        return await session_queries.labels_of(self._workspace, self._journal, self.id)


def _ends(event: Told, last: int | None) -> bool:
    """Return whether this is the last event of a concluded session, or its conclusion."""
    return event.seq >= last if last is not None else event.data["conclusion"] is not None
