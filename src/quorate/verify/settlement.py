"""Settlement: where a phase settles with some replies in, no completion may decide otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Generic, TypeVar

from quorate.core.types import Node, Replies, Session
from quorate.verify.finding import Finding, Via, where
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

    def settled(self, place: int, session: Session[S], options: Sequence[Options]) -> Iterator[Partial]:
        """Yield the partial replies with which the phase settles, or its settlement raises; each is looked at."""
        node = self.walk.protocol.nodes[session.phase]
        if node.settle is None:
            return
        outlook = Outlook(node, session, options)
        for row in self.walk.rows(session, [each.present + 2 for each in options], options):
            partial = tuple([None if n > each.present else n for n, each in zip(row, options, strict=True)])
            if None not in partial or not any(n is not None for n in partial):
                continue
            try:
                decision = node.settle(session.state, outlook.heard(partial))
            except Exception:
                yield partial  # the engine will raise it too, and the walk tells of it
                continue
            if decision is None:
                continue
            self.phases.add(session.phase)
            self.found += 1
            for other, completion in outlook.of(partial).items():
                if other != (decision.outcome, decision.state):
                    same = other[0] is decision.outcome
                    says = (
                        f"{session.phase.name} settles early with {decision.outcome.name}; with the replies that are "
                        f"still open it would have decided {other[0].name}{' and left another state' * same}"
                    )
                    legs = ((place, Via(partial)), (place, Via(completion)))
                    stands = where(node.settle)
                    name = f"settlement of {session.phase.name}"
                    self.walk.findings.add(Finding(7, name, says, stands, place, legs))
                    break
            yield partial


class Outlook(Generic[S]):
    """What a phase can still decide, for every set of replies that is in."""

    def __init__(self, node: Node[S], session: Session[S], options: Sequence[Options]) -> None:
        self.node, self.session, self.options = node, session, options
        self._known: dict[Partial, dict[tuple[Enum, S], Partial]] = {}

    def heard(self, partial: Partial) -> Replies:
        pairs = zip(self.session.asks, partial, self.options, strict=True)
        return Replies(tuple((ask, each.sealed[n]) for ask, n, each in pairs if n is not None))

    def of(self, partial: Partial) -> dict[tuple[Enum, S], Partial]:
        """Return every outcome and state that some completion gives, with one such completion; two are enough."""
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
