"""Synchronous API: every method runs its async counterpart on an event loop in a background thread."""

from __future__ import annotations

import atexit
from collections.abc import AsyncGenerator, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from quorate.python.deliberation import AsyncDeliberation
from quorate.python.loop import LoopThread
from quorate.python.place import AsyncQuorate
from quorate.python.question import OpenQuestion
from quorate.python.seats import Panel
from quorate.python.watch import Event


class Quorate:
    """Entry point of the synchronous API; use it with `with`, or call `close`. Works inside a running event loop."""

    def __init__(self, folder: str | Path = ".", *, store: str | None = None) -> None:
        """Use the project settings of a folder; `store` is a URL such as `sqlite:work.db` or `memory:`."""
        self._loop = LoopThread()
        try:
            self._place = self._loop.call(AsyncQuorate(folder, store=store).__aenter__())
        except BaseException:
            self._loop.close()
            raise
        atexit.register(self.close)  # a program may end without closing; afterwards the loop's thread is frozen

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Suspend running sessions and close the store. Idempotent.

        Does not wait for functions on seats that are still running: they are called again when the session is resumed.
        """
        if self._loop.is_open:
            self._loop.call(self._place.__aexit__(None, None, None))
            self._loop.close()
            atexit.unregister(self.close)

    def open(
        self,
        protocol: str,
        inputs: str | Mapping[str, Any],
        *,
        settings: Mapping[str, Any] | None = None,
        panel: Panel | None = None,
        model: str | None = None,
        budget: Mapping[str, Any] | None = None,
        seed: int | None = None,
    ) -> Deliberation:
        """Open a session of any installed protocol, without running it.

        `inputs` are the protocol's inputs by name; a plain text is its main input. `settings` and `budget` override
        those of the project. Invalid values raise InputError with their key.
        """
        opening = self._place.open(
            protocol, inputs, settings=settings, panel=panel, model=model, budget=budget, seed=seed
        )
        return Deliberation(self._loop, self._loop.call(opening))

    def get(self, session: str) -> Deliberation:
        """Return a session of this store by id, id prefix, or `latest`."""
        return Deliberation(self._loop, self._loop.call(self._place.get(session)))

    def sessions(self) -> list[dict[str, Any]]:
        """Return all sessions of this store as plain data, newest first."""
        return self._loop.call(self._place.sessions())

    def estimate(
        self,
        protocol: str,
        inputs: str | Mapping[str, Any] | None = None,
        *,
        settings: Mapping[str, Any] | None = None,
        panel: Panel | None = None,
        model: str | None = None,
        budget: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Return the expected and the maximum cost of a session, as plain data. Calls nobody and stores nothing.

        Without `inputs` the material is assumed to have 2,000 tokens.
        """
        made = self._place.estimate(protocol, inputs, settings=settings, panel=panel, model=model, budget=budget)
        return self._loop.call(made)

    def compare(self, *sessions: str) -> dict[str, Any]:
        """Compare sessions of one protocol, as plain data: where each diverges from the first, and why."""
        return self._loop.call(self._place.compare(*sessions))

    def calibration(self, *, protocol: str | None = None, model: str | None = None) -> dict[str, Any]:
        """Return how often verdicts, seats and models were right in the labelled sessions, as plain data."""
        return self._loop.call(self._place.calibration(protocol=protocol, model=model))

    def protocols(self) -> dict[str, str]:
        """Return the installed protocols: descriptions by name."""
        return self._place.protocols()

    def inputs(self, protocol: str) -> dict[str, Any]:
        """Return the JSON Schema of a protocol's inputs."""
        return self._place.inputs(protocol)


class Deliberation:
    """A session. Its properties (`verdict`, `phase`, `waiting`) are as of the last call."""

    def __init__(self, loop: LoopThread, session: AsyncDeliberation) -> None:
        self._loop, self._session = loop, session

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.id}: {self.verdict or self.phase}>"

    # Where it stands

    @property
    def id(self) -> str:
        """The session's id, the same on every surface."""
        return self._session.id

    @property
    def protocol(self) -> str:
        """The name of its protocol."""
        return self._session.protocol

    @property
    def title(self) -> str:
        """One-line title of what the session is about."""
        return self._session.title

    @property
    def says(self) -> tuple[str, ...]:
        """Remarks from when the session was opened, as sentences."""
        return self._session.says

    @property
    def problems(self) -> tuple[str, ...]:
        """Files it could not write to the project when it concluded; the verdict is not affected."""
        return self._session.problems

    @property
    def phase(self) -> str:
        """The name of the current phase."""
        return self._session.phase

    @property
    def verdict(self) -> str | None:
        """The name of the verdict; None until the session has concluded."""
        return self._session.verdict

    @property
    def exit_code(self) -> int:
        """The exit code of the command line: the verdict's code, 4 while waiting for people, 5 if too degraded."""
        return self._session.exit_code

    @property
    def last(self) -> int:
        """The sequence number of the last event."""
        return self._session.last

    @property
    def waiting(self) -> tuple[str, ...]:
        """The asks that only people can answer."""
        return self._session.waiting

    def refresh(self) -> None:
        """Read the entries that other processes have written since the last call."""
        self._loop.call(self._session.refresh())

    # Going on

    def run(self, panel: Panel | None = None) -> str | None:
        """Run the session until it has a verdict or waits for people only. Return the verdict, or None.

        Finished work is not repeated. `panel` replaces the participants from here on.
        """
        return self._loop.call(self._session.run(panel))

    def events(self, after: int = -1, *, passing: bool = False) -> Iterator[Event]:
        """Run the session as `run` does, and yield every event after a sequence number, past events first.

        With `passing`, also yield the events that are not recorded: `calling`, `saying` and `called`, without a `seq`.
        Leaving the loop early suspends the session; nothing is lost.
        """
        return self._each(self._session.events(after, passing=passing))

    def watch(self, after: int = -1, *, passing: bool = False) -> Iterator[Event]:
        """Yield every event after a sequence number, without driving the session, until it has concluded."""
        return self._each(self._session.watch(after, passing=passing))

    def _each(self, events: AsyncGenerator[Event, None]) -> Iterator[Event]:
        try:
            while (event := self._loop.call(_next(events))) is not None:
                yield event
        finally:
            if self._loop.is_open:
                self._loop.call(events.aclose())

    # Taking part

    def questions(self) -> list[OpenQuestion]:
        """Return the open questions to people."""
        return self._loop.call(self._session.questions())

    def answer(self, ask: str, data: Mapping[str, Any]) -> bool:
        """Answer a question; False if it was answered already. An invalid answer raises InputError and changes nothing.

        The session continues with the next `run`, or in the process that hosts it.
        """
        return self._loop.call(self._session.answer(ask, data))

    def decline(self, ask: str) -> bool:
        """Decline a question: nobody will answer it, and the session continues without."""
        return self._loop.call(self._session.decline(ask))

    def cancel(self, why: str = "") -> None:
        """End the session now; everything recorded is kept."""
        self._loop.call(self._session.cancel(why))

    def conclude(self, why: str = "") -> None:
        """Request a wrap-up; the process that drives the session carries it out by the protocol's rules."""
        self._loop.call(self._session.conclude(why))

    def fork(
        self,
        at: int | None = None,
        *,
        settings: Mapping[str, Any] | None = None,
        panel: Panel | None = None,
        model: str | None = None,
        budget: Mapping[str, Any] | None = None,
        title: str | None = None,
    ) -> Deliberation:
        """Return a new session with the same past up to event `at`, and other settings or another panel from there.

        Without `at` the whole past is kept: the verdict is derived again under other settings, without any call.
        """
        made = self._session.fork(at, settings=settings, panel=panel, model=model, budget=budget, title=title)
        return Deliberation(self._loop, self._loop.call(made))

    # What came of it

    def summary(self) -> dict[str, Any]:
        """Return the status and the results of the session as plain data."""
        return self._loop.call(self._session.summary())

    def solution(self) -> str:
        """Return the result of the session as Markdown."""
        return self._loop.call(self._session.solution())

    def report(self, format: str = "md") -> str:
        """Return a report as md, html, json or yaml; for protocols with findings also sarif, junit or comment."""
        return self._loop.call(self._session.report(format))

    def bundle(self) -> dict[str, Any]:
        """Return the evidence bundle with its hash chain as plain data; as JSON, `quorate check` accepts it."""
        return self._loop.call(self._session.bundle())

    def explain(self) -> str:
        """Explain how the verdict follows: every step, its tests, the rows not taken and why."""
        return self._loop.call(self._session.explain())

    # What is asked about it afterwards

    def redecide(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Return what other settings would decide on the recorded answers, as plain data. Calls and writes nothing.

        `redecided` is None if they would have asked something that has no recorded answer; `not_recorded` names it.
        """
        return self._loop.call(self._session.redecide(settings))

    def label(self, truth: str, *, finding: str = "", note: str = "") -> dict[str, Any]:
        """Label the session or one of its findings with what turned out to be right; the last label counts.

        Valid truths are in `labels()["truths"]`; for a finding they are `right` and `wrong`.
        """
        return self._loop.call(self._session.label(truth, finding=finding, note=note))

    def labels(self) -> dict[str, Any]:
        """Return the labels of the session in order, and the truths it can be labelled with."""
        return self._loop.call(self._session.labels())


async def _next(events: AsyncGenerator[Event, None]) -> Event | None:
    return await anext(events, None)
