"""The walk: every reachable state of a protocol, through the engine's own `begin` and `step`.

The walk is breadth first, so the path to every vertex is a shortest one, and it is a real one: the session that
stands for a vertex was reached by the events on its path, seats not renamed.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Generic, NamedTuple, TypeVar

from quorate.core.engine import begin, step
from quorate.core.types import Ask, Event, Interrupted, Protocol, Reason, Replied, Replies, Session, Step, When
from quorate.verify.combine import MOST_COMBINATIONS, Combination, count, every, few
from quorate.verify.options import Choices, Options
from quorate.verify.probe import Probe
from quorate.verify.symmetry import Symmetry

S = TypeVar("S")

MOST_STATES = 200_000
"""States after which the walk gives up."""


class Via(NamedTuple):
    """How a step was made: for each ask the place of its reply among the options, None for none; an interruption."""

    replies: tuple[int | None, ...] = ()
    reason: Reason | None = None


@dataclass(slots=True)
class Vertex(Generic[S]):
    """A session at rest, the way it was first reached, and where it can go."""

    session: Session[S]
    parent: int
    via: Via
    next: dict[int, Via] = field(default_factory=dict)
    telling: list[Combination] = field(default_factory=list)
    """One combination of replies for each different decision."""


class Unread(Replies):
    """Replies that must not be looked at: a fold that runs with these does not depend on any."""

    __slots__ = ()

    def __getattribute__(self, name: str) -> Any:
        raise Touched(name)

    def __iter__(self) -> Any:
        raise Touched("iter")

    def __len__(self) -> int:
        raise Touched("len")


class Touched(Exception):
    """A fold looked at its replies."""


class Enough(Exception):
    """A failure was found, and only the first is wanted."""


UNREAD: Unread = object.__new__(Unread)


class Walk(Generic[S]):
    """One protocol, walked. `run` does it; the rest is what it found."""

    def __init__(self, protocol: Protocol[S]) -> None:
        self.protocol = protocol
        self.probe = Probe(protocol)
        self.symmetry = Symmetry(protocol)
        self.choices = Choices(protocol)
        self.vertices: list[Vertex[S]] = []
        self.combinations = 0
        self.cuts: dict[str, None] = {}
        self._places: dict[Hashable, int] = {}

    def run(self) -> None:
        first = begin(self.probe.watched)
        self._arrive(-1, Via(), first.session)
        place = 0
        while place < len(self.vertices):
            self._expand(place)
            place += 1

    def key(self, session: Session[S]) -> Hashable:
        """Return what makes this session different from others; counters only where a limit reads them."""
        limits, over = self.protocol.limits, session.conclusion is not None
        return (
            session.phase,
            self.symmetry.key(session.state),
            session.pending,
            session.interrupted,
            session.episodes if limits.episodes is not None and not over else 0,
            session.idle if limits.stall is not None and not over else 0,
        )

    def _arrive(self, parent: int, via: Via, session: Session[S]) -> None:
        key = self.key(session)
        place = self._places.get(key)
        if place is None:
            place = self._places[key] = len(self.vertices)
            self.vertices.append(Vertex(session, parent, via))
        if parent >= 0:
            self.vertices[parent].next.setdefault(place, via)

    def _expand(self, place: int) -> None:
        vertex = self.vertices[place]
        session = vertex.session
        if session.conclusion is not None:
            return
        if session.pending is None:
            self._hear_all(place, vertex)
        else:
            for row in self.vertices[vertex.parent].telling:
                self._hear(place, session, row, [self.choices.of(ask) for ask in session.asks])
        for reason in self.protocol.interrupts:
            self._interrupt(place, session, reason)

    def _hear_all(self, place, vertex) -> None:
        session = vertex.session
        options = [self.choices.of(ask) for ask in session.asks]
        sizes = [len(each) for each in options]
        twins = self._twins(session, options)
        told = set()
        for row in every(sizes, twins):
            self._hear(place, session, row, options)
            call = self.probe.calls[0]
            tell = (call.decision.outcome, call.after)
            if tell not in told:
                told.add(tell); vertex.telling.append(row)

    def _hear(self, place, session, row, options):
        self.combinations += 1
        replies = {ask.id: each.sealed[i] for ask, i, each in zip(session.asks[:-1], row, options)}
        self._step(place, replace(session, replies=replies), Replied(session.asks[-1].id, options[-1].sealed[row[-1]]), Via(row))

    def _step(self, place, session, event, via):
        self.probe.calls.clear()
        after = step(self.probe.watched, session, event)
        if after.session is session: return
        self._observe(session, after)
        self._arrive(place, via, after.session)

    def _observe(self, session, after):
        from quorate.core.types import Moment, Cause
        asks = session.asks
        for n, (move, call) in enumerate(zip(after.moves, self.probe.calls, strict=True)):
            con = after.session.conclusion if n == len(after.moves)-1 else None
            m = Moment(move.phase, call.state, asks if n == 0 else (), call.replies, move.outcome, move.to, call.after, con.verdict if con else None, move.outcome if move.cause is Cause.INTERRUPTED else None)
            if n and not call.replies.pairs:
                k = (m.phase, m.state, m.outcome, m.to, m.verdict, m.interrupted)
                if k in self.seen: continue
                self.seen.add(k)
            for inv in self.protocol.invariants:
                if not inv.holds(m): print("BROKEN", inv.name, m); raise SystemExit
    seen=set()

    def _twins(self, session, options):
        seats = [a.seat for a in session.asks]
        cl = self.symmetry.twins(session.state, seats)
        return [[seats.index(s) for s in c] for c in cl]

    def _interrupt(self, place, session, reason):
        self._step(place, session, Interrupted(reason), Via((), reason))
