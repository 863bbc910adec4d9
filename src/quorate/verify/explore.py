"""The walk over every reachable state of a protocol, through the engine's own `begin` and `step`.

The walk is breadth first, so the path to every vertex is a shortest one, and it is a real one: the session that
stands for a vertex was reached by the events on its path, with no seat renamed.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from quorate.core.engine import begin, step
from quorate.core.forms import Reply
from quorate.core.protocol import Protocol
from quorate.core.session import Session, Step
from quorate.core.types import Absent, AskId, Event, Replied
from quorate.verify.combinations import MOST_COMBINATIONS, Combination, answered, count, every, few
from quorate.verify.comparisons import Comparison
from quorate.verify.counterexamples import Failure, Failures, Via
from quorate.verify.interruption import Interruptions
from quorate.verify.observer import Observer
from quorate.verify.options import REASONS, Choices, Options
from quorate.verify.probe import Probe
from quorate.verify.settlement import Outlook, Settlement
from quorate.verify.symmetry import Symmetry

S = TypeVar("S")

MOST_STATES = 100_000
"""States after which the walk gives up."""
REASONS_CHEAP = 5
"""Further combinations for which the reasons of absences are combined at every state that reads them."""
REASONS_STATES = 2
"""States of each phase at which they are combined even where that is more."""


@dataclass(slots=True)
class Vertex(Generic[S]):
    """A session that waits for replies or has ended, how it was first reached, and its successors."""

    session: Session[S]
    parent: int
    via: Via
    round: int = 0
    next: dict[int, Via] = field(default_factory=dict)
    telling: dict[Hashable, Via] = field(default_factory=dict)
    """For each phase and state that a decision leads to, one combination of replies that gives it."""


class Walk(Generic[S]):
    """The walk of one protocol: `run` performs it, the fields hold what it found."""

    def __init__(self, protocol: Protocol[S], failures: Failures) -> None:
        self.protocol, self.failures = protocol, failures
        self.symmetry = Symmetry(protocol)
        self.choices = Choices(protocol)
        self.probe = Probe(protocol, self.choices.watch)
        self.observer = Observer(protocol, self.probe, failures)
        self.compare = Comparison(self)
        self.settlement = Settlement(self)
        self.interruption = Interruptions(self)
        self.vertices: list[Vertex[S]] = []
        self.combinations = 0
        self.cuts: dict[str, None] = {}
        """What was not walked, in words; empty where everything was."""
        self.unfinished = False
        self._places: dict[Hashable, int] = {}
        self._reading: dict[Hashable, int] = {}

    def run(self) -> None:
        """Walk until nothing new is reached."""
        self.probe.calls.clear()
        try:
            first = begin(self.probe.watched)
        except Exception as error:
            self.observer.broke(error, -1, ())
            return
        self.observer.saw(Session(self.protocol.initial, self.protocol.start), first, -1, ())
        self._arrive(-1, Via(), first.session)
        place = 0
        while place < len(self.vertices):
            if place >= MOST_STATES:
                self.unfinished = True
                self.cuts[f"the walk was given up after {MOST_STATES} states"] = None
                return
            self._expand(place)
            place += 1

    def key(self, session: Session[S]) -> Hashable:
        """Return the key that distinguishes a session from others; counters only if a limit reads them."""
        state, limits = self.symmetry.number(session.state), self.protocol.limits
        if session.conclusion is not None:
            return (session.phase, state, None, session.interrupted, 0, 0)
        return (
            session.phase,
            state,
            session.pending,
            session.interrupted,
            0 if limits.episodes is None else session.episodes,
            0 if limits.stall is None else session.idle,
        )

    def _arrive(self, parent: int, via: Via, session: Session[S]) -> None:
        key = self.key(session)
        place = self._places.get(key)
        if place is None:
            place = self._places[key] = len(self.vertices)
            self.vertices.append(Vertex(session, parent, via))
            self.vertices[place].round = self.observer.rests(session, place)
        else:
            self.compare.merged(place, session, parent, via)
        if parent >= 0:
            self.vertices[parent].next.setdefault(place, via)

    def _expand(self, place: int) -> None:
        vertex = self.vertices[place]
        session = vertex.session
        if session.conclusion is not None:
            return
        try:
            options = [self.choices.of(ask) for ask in session.asks]
        except Exception as error:
            says = f"the domain of {session.phase.name} cannot be used: {error}"
            self.failures.add(Failure(3, f"domain of {session.phase.name}", says, "", place))
            return
        self._hear_all(place, vertex, options)
        self.compare.sampled(place, options)
        self.interruption.every(place, session, options)

    def _hear_all(self, place: int, vertex: Vertex[S], options: Sequence[Options]) -> None:
        """Answer the asks in every combination; if no function reads the reason of an absence, one stands for all."""
        session, watch = vertex.session, self.choices.watch
        watch.read = False
        outlook = self.settlement.outlook(session, options)
        absence = place % len(REASONS)
        for row in self.rows(session, [each.present + 1 for each in options], options):
            named = [(each.present + absence if n == each.present else n) for n, each in zip(row, options, strict=True)]
            self._arrive_in_order(place, session, tuple(named), options, outlook)
        if outlook is not None:
            for partial, order in self.settlement.settled(place, outlook):
                self.hear(place, session, Via(partial, None, order), options)
        if watch.read:
            self._hear_reasons(place, session, options, outlook)

    def _arrive_in_order(
        self,
        place: int,
        session: Session[S],
        row: Combination,
        options: Sequence[Options],
        outlook: Outlook[S] | None,
    ) -> None:
        """Let all these replies arrive, unless in every order the phase settles before the last."""
        order = () if outlook is None else outlook.order(row)
        if order is not None:
            self.hear(place, session, Via(row, None, order), options)

    def rows(self, session: Session[S], sizes: Sequence[int], options: Sequence[Options]) -> Iterator[Combination]:
        """Yield the combinations of replies, as indices, that a session is answered with."""
        twins = self.twins(session, options)
        if count(sizes, twins) <= MOST_COMBINATIONS:
            return every(sizes, twins)
        self.cuts[f"{session.phase.name} has too many combinations: at most two seats differ from the rest"] = None
        return few(sizes)

    def twins(self, session: Session[S], options: Sequence[Options]) -> list[list[int]]:
        """Return the indices of asks in classes whose seats are interchangeable in this state."""
        seats = [ask.seat for ask in session.asks]
        if not self.symmetry.groups or len(set(seats)) < len(seats):
            return [[place] for place in range(len(seats))]
        classes: dict[tuple[int, str, int, int], list[int]] = {}
        for number, alike in enumerate(self.symmetry.twins(session.state, seats)):
            for seat in alike:
                place = seats.index(seat)
                each = options[place]
                own = place if not each.all_plain else -1  # labels differ from seat to seat, so its replies do
                classes.setdefault((number, session.asks[place].brief, each.present, own), []).append(place)
        return list(classes.values())

    def _hear_reasons(
        self, place: int, session: Session[S], options: Sequence[Options], outlook: Outlook[S] | None
    ) -> None:
        """Combine reasons of absence once one was read, as far as that is affordable; note where it is not."""
        sizes = [len(each.sealed) for each in options]
        twins = self.twins(session, options)
        kind = (session.phase, len(sizes))
        known = self._reading[kind] = self._reading.get(kind, 0) + 1
        further = count(sizes, twins) - count([each.present + 1 for each in options], twins)
        if further > REASONS_CHEAP and (known > REASONS_STATES or further > MOST_COMBINATIONS):
            self.cuts[
                f"{session.phase.name} reads why seats are absent: all reasons are combined at its first states only, "
                "elsewhere absent seats share one, each in turn"
            ] = None
            return
        absence = place % len(REASONS)
        for row in every(sizes, twins):
            others = any(
                n >= each.present and n != each.present + absence for n, each in zip(row, options, strict=True)
            )
            if others:
                self._arrive_in_order(place, session, row, options, outlook)

    def hear(self, place: int, session: Session[S], via: Via, options: Sequence[Options]) -> None:
        """Give the last of these replies to a session that already has the others."""
        self.combinations += 1
        asks, row = session.asks, via.replies
        given = [(asks[n].id, options[n].sealed[reply]) for n in via.arrived() if (reply := row[n]) is not None]
        if not via.order:
            given.sort(key=_is_absent)  # the order is nothing, and an absence is the quickest to take
        after = self.step(place, answered(session, dict(given[:-1])), Replied(*given[-1]), via)
        if after is not None and session.pending is None:
            first = after.moves[0]
            if first.to not in self.protocol.verdicts:
                self.vertices[place].telling.setdefault((first.to, self.symmetry.number(first.after)), via)

    def step(self, place: int, session: Session[S], event: Event, via: Via) -> Step[S] | None:
        """Take one step through the engine and observe it; None if it failed or changed nothing."""
        probe, legs = self.probe, ((place, via),)
        probe.calls.clear()
        try:
            after = step(probe.watched, session, event)
        except Exception as error:
            probe.watch.on = False
            self.observer.broke(error, place, legs)
            return None
        if not after.moves:
            return None
        self.observer.saw(session, after, place, legs)
        self._arrive(place, via, after.session)
        return after


def _is_absent(reply: tuple[AskId, Reply | Absent]) -> bool:
    return isinstance(reply[1], Absent)
