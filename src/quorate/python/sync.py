"""The same without `await`: every method runs its counterpart in the loop of a thread, and adds nothing."""

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
    """A place to deliberate; used with `with`, or closed with `close`. Works inside a running event loop too."""

    def __init__(self, folder: str | Path = ".", *, store: str | None = None) -> None:
        """Work in a folder with the settings of its project; `store` is a URL such as `sqlite:work.db` or `memory:`."""
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
        """Suspend what is under way and close the store; to do it twice is harmless.

        Nobody waits for a function on a seat that is still at work: it is asked again when the session goes on.
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
        """Open a session of any installed protocol; nothing is asked yet.

        `inputs` are what the protocol asks for, by name; a text alone is the one that it is about. `settings` and
        `budget` go over those of the project. What is wrong raises InputError with its key.
        """
        opening = self._place.open(
            protocol, inputs, settings=settings, panel=panel, model=model, budget=budget, seed=seed
        )
        return Deliberation(self._loop, self._loop.call(opening))

    def get(self, session: str) -> Deliberation:
        """Return a session of this store by its id, the start of one, or `latest`."""
        return Deliberation(self._loop, self._loop.call(self._place.get(session)))

    def sessions(self) -> list[dict[str, Any]]:
        """Return all sessions of this store as plain data, the newest first."""
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
        """Return what a session would cost, at worst and as expected, as plain data; nobody is asked, nothing kept.

        Without `inputs` the material is assumed to have 2,000 tokens.
        """
        made = self._place.estimate(protocol, inputs, settings=settings, panel=panel, model=model, budget=budget)
        return self._loop.call(made)

    def compare(self, *sessions: str) -> dict[str, Any]:
        """Return sessions of one protocol side by side, as plain data: where each parts from the first, and why."""
        return self._loop.call(self._place.compare(*sessions))

    def calibration(self, *, protocol: str | None = None, model: str | None = None) -> dict[str, Any]:
        """Return how right verdicts, seats and models were in the labelled sessions, as plain data."""
        return self._loop.call(self._place.calibration(protocol=protocol, model=model))

    def protocols(self) -> dict[str, str]:
        """Return the protocols that are installed: what happens in each, by name."""
        return self._place.protocols()

    def inputs(self, protocol: str) -> dict[str, Any]:
        """Return the JSON Schema of what a session of a protocol is opened with."""
        return self._place.inputs(protocol)


class Deliberation:
    """A session. What it says of itself (`verdict`, `phase`, `waiting`) is as of the last call."""

    def __init__(self, loop: LoopThread, session: AsyncDeliberation) -> None:
        self._loop, self._session = loop, session

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.id}: {self.verdict or self.phase}>"

    # Where it stands

    @property
    def id(self) -> str:
        """The session's id, by which every surface knows it."""
        return self._session.id

    @property
    def protocol(self) -> str:
        """The name of its protocol."""
        return self._session.protocol

    @property
    def title(self) -> str:
        """What it is about, in a line."""
        return self._session.title

    @property
    def says(self) -> tuple[str, ...]:
        """What was worth knowing when it was opened, in sentences."""
        return self._session.says

    @property
    def problems(self) -> tuple[str, ...]:
        """What it could not leave in the project when it concluded; no verdict hangs on it."""
        return self._session.problems

    @property
    def phase(self) -> str:
        """The name of the phase in which it stands."""
        return self._session.phase

    @property
    def verdict(self) -> str | None:
        """The name of the verdict; None until it has concluded."""
        return self._session.verdict

    @property
    def exit_code(self) -> int:
        """What the command line would exit with: the verdict's code, 4 while it waits, 5 where it is too degraded."""
        return self._session.exit_code

    @property
    def last(self) -> int:
        """The sequence of its last event."""
        return self._session.last

    @property
    def waiting(self) -> tuple[str, ...]:
        """The asks that only people can answer."""
        return self._session.waiting

    def refresh(self) -> None:
        """Read what others have written meanwhile."""
        self._loop.call(self._session.refresh())

    # Going on

    def run(self, panel: Panel | None = None) -> str | None:
        """Go on until there is a verdict, which is returned, or until only people can go on.

        Finished work is not repeated. With `panel` others sit on the seats from here on.
        """
        return self._loop.call(self._session.run(panel))

    def events(self, after: int = -1, *, passing: bool = False) -> Iterator[Event]:
        """Go on as `run` does and yield every event after a sequence, those that are past first.

        With `passing` also what is only seen while it happens: `calling`, `saying` and `called`, without a `seq`.
        Leaving the loop early suspends the session; nothing that was said is lost.
        """
        return self._each(self._session.events(after, passing=passing))

    def watch(self, after: int = -1, *, passing: bool = False) -> Iterator[Event]:
        """Yield every event after a sequence while somebody else drives the session, until it has concluded."""
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
        """Return what waits for a person now."""
        return self._loop.call(self._session.questions())

    def answer(self, ask: str, data: Mapping[str, Any]) -> bool:
        """Answer a question; False where somebody was first. What does not fit raises InputError and changes nothing.

        The session goes on with the next `run`, or in the process that hosts it.
        """
        return self._loop.call(self._session.answer(ask, data))

    def decline(self, ask: str) -> bool:
        """Say that nobody will answer a question; the session goes on without."""
        return self._loop.call(self._session.decline(ask))

    def cancel(self, why: str = "") -> None:
        """End the session now; what was said is kept."""
        self._loop.call(self._session.cancel(why))

    def conclude(self, why: str = "") -> None:
        """Wish the session to wrap up; whoever drives it does so as its protocol has it."""
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
        """Return a new session with the same past up to an event, and other settings or another panel from there on.

        Without `at` the whole past is taken: the verdict is derived again under other settings, and nobody is called.
        """
        made = self._session.fork(at, settings=settings, panel=panel, model=model, budget=budget, title=title)
        return Deliberation(self._loop, self._loop.call(made))

    # What came of it

    def summary(self) -> dict[str, Any]:
        """Return how the session stands and what it came to, as plain data."""
        return self._loop.call(self._session.summary())

    def solution(self) -> str:
        """Return what the session came to, as Markdown."""
        return self._loop.call(self._session.solution())

    def report(self, format: str = "md") -> str:
        """Return a report: md, html, json, yaml, and for protocols that make findings sarif, junit and comment."""
        return self._loop.call(self._session.report(format))

    def bundle(self) -> dict[str, Any]:
        """Return the evidence bundle: everything, with the hash chain, as `quorate check` takes it."""
        return self._loop.call(self._session.bundle())

    def explain(self) -> str:
        """Say how the verdict follows: every step, its tests, the rows not taken and why."""
        return self._loop.call(self._session.explain())

    # What is asked about it afterwards

    def redecide(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Return what other settings make of the recorded answers, as plain data; nobody is asked, nothing written.

        `redecided` is None where they would have asked what nobody has answered; `not_recorded` names it.
        """
        return self._loop.call(self._session.redecide(settings))

    def label(self, truth: str, *, finding: str = "", note: str = "") -> dict[str, Any]:
        """Record what turned out to be right about the session, or about one of its findings; the last label counts.

        What the truth may be is in `labels()["truths"]`; of a finding it is `right` or `wrong`.
        """
        return self._loop.call(self._session.label(truth, finding=finding, note=note))

    def labels(self) -> dict[str, Any]:
        """Return the labels of the session in order, and the truths that it may be labelled with."""
        return self._loop.call(self._session.labels())


async def _next(events: AsyncGenerator[Event, None]) -> Event | None:
    return await anext(events, None)
