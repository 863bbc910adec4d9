"""Early settlement: when a phase settles on partial replies, no completion may decide otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Generic, TypeVar

from quorate.core.decisions import Decision
from quorate.core.protocol import Node
from quorate.core.session import Session
from quorate.core.types import Replies
from quorate.verify.counterexamples import Failure, Via, where
from quorate.verify.options import Options

if TYPE_CHECKING:
    from quorate.verify.explore import Walk

S = TypeVar("S")
Partial = tuple[int | None, ...]
"""For each ask the place of its reply among its options, or None while it is open."""


class Settlement(Generic[S]):
    """Looks for settlements in one walk, and for completions that would have decided otherwise."""

    def __init__(self, walk: Walk[S]) -> None:
        self.walk = walk
        self.phases: set[Enum] = set()
        self.found = 0

    def outlook(self, session: Session[S], options: Sequence[Options]) -> Outlook[S] | None:
        """Return what the session's phase can still decide, or None for a phase that never settles early."""
        node = self.walk.protocol.nodes[session.phase]
        return None if node.settle is None else Outlook(node, session, options)

    def settled(self, place: int, outlook: Outlook[S]) -> Iterator[tuple[Partial, tuple[int, ...]]]:
        """Yield the partial replies, the fewest first, with an order of arrival, with which the phase settles."""
        session, options = outlook.session, outlook.options
        found: list[Partial] = []
        for row in self.walk.rows(session, [each.present + 2 for each in options], options):
            partial = tuple([None if n > each.present else n for n, each in zip(row, options, strict=True)])
            if None in partial and any(n is not None for n in partial) and outlook.stops(partial):
                found.append(partial)
        for partial in sorted(found, key=lambda each: -each.count(None)):
            order = outlook.order(partial)
            if order is not None:
                self._compare(place, outlook, partial, order)
                yield partial, order

    def _compare(self, place: int, outlook: Outlook[S], partial: Partial, order: tuple[int, ...]) -> None:
        """Look for a completion that decides otherwise."""
        decision, phase = outlook.settles(partial), outlook.session.phase
        if decision is None:
            return
        self.phases.add(phase)
        self.found += 1
        for other, completion in outlook.of(partial).items():
            if other != (decision.outcome, decision.state):
                left = " and left another state" if other[0] is decision.outcome else ""
                says = (
                    f"{phase.name} settles early with {decision.outcome.name}; with the replies that are still open "
                    f"it could have decided {other[0].name}{left}"
                )
                legs = ((place, Via(partial, None, order)), (place, Via(completion)))
                stands = where(outlook.settle)
                self.walk.failures.add(Failure(7, f"settlement of {phase.name}", says, stands, place, legs))
                return


class Outlook(Generic[S]):
    """What a phase that may settle early can still decide, for every set of replies that is in."""

    def __init__(self, node: Node[S], session: Session[S], options: Sequence[Options]) -> None:
        assert node.settle is not None
        self.node, self.settle, self.session, self.options = node, node.settle, session, options
        self._known: dict[Partial, dict[tuple[Enum, S], Partial]] = {}
        self._settled: dict[Partial, Decision[S] | None] = {}
        self._raises: set[Partial] = set()
        self._orders: dict[Partial, tuple[int, ...] | None] = {}

    def settles(self, partial: Partial) -> Decision[S] | None:
        """Return the decision with which the phase settles on these replies; None if it does not."""
        if partial not in self._settled:
            self._settled[partial] = None
            try:
                self._settled[partial] = self.settle(self.session.state, self.heard(partial))
            except Exception:
                self._raises.add(partial)  # the engine will raise it too, and the walk tells of it
        return self._settled[partial]

    def stops(self, partial: Partial) -> bool:
        """Whether the phase stops at these replies: it settles, or raises."""
        return self.settles(partial) is not None or partial in self._raises

    def order(self, partial: Partial) -> tuple[int, ...] | None:
        """Return an order in which these replies can arrive with no settlement before the last, or None."""
        if partial not in self._orders:
            self._orders[partial] = self._order(partial)
        return self._orders[partial]

    def _order(self, partial: Partial) -> tuple[int, ...] | None:
        places = [place for place, n in enumerate(partial) if n is not None]
        if len(places) < 2:
            return tuple(places)
        for last in reversed(places):
            before = (*partial[:last], None, *partial[last + 1 :])
            if not self.stops(before) and (order := self.order(before)) is not None:
                return (*order, last)
        return None

    def heard(self, partial: Partial) -> Replies:
        pairs = zip(self.session.asks, partial, self.options, strict=True)
        return Replies(tuple((ask, each.sealed[n]) for ask, n, each in pairs if n is not None))

    def of(self, partial: Partial) -> dict[tuple[Enum, S], Partial]:
        """Return the outcomes and states that may follow these replies, each with an example; stops at two."""
        if partial not in self._known:
            self._known[partial] = self._find(partial)
        return self._known[partial]

    def _find(self, partial: Partial) -> dict[tuple[Enum, S], Partial]:
        if None not in partial:
            try:
                decision = self.node.decide(self.session.state, self.heard(partial))
            except Exception:
                return {}  # the walk itself tells of it
            return {(decision.outcome, decision.state): partial}
        place = partial.index(None)
        found: dict[tuple[Enum, S], Partial] = {}
        for n in range(self.options[place].present + 1):
            found = self.of((*partial[:place], n, *partial[place + 1 :])) | found
            if len(found) > 1:
                return found
        return found
