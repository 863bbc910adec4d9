"""The expected result of a moment: the sheet that the recount fills in, and comparison of states by parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from quorate.core.decisions import Fact
from quorate.core.forms import Key
from quorate.core.protocol import Moment
from quorate.core.types import Absent, Replies, Seat
from quorate.protocols.council.rules.forms import Fix, Lens, Proposal
from quorate.protocols.council.rules.model import Backing, Finding, Join, Outcome, Reviewer, State, Step
from quorate.protocols.council.rules.taxonomy import Severity

M = Moment[State]
WORST_FIRST = (Severity.BLOCKER, Severity.MAJOR, Severity.MINOR, Severity.INFO)
GRAVE = WORST_FIRST[:2]
Held = dict[Seat, dict[Key, Severity]]
"""Who holds which findings true, and how severe."""


@dataclass(slots=True)
class Sheet:
    """The expected next state, outcome and facts, filled in step by step from the state before."""

    seats: list[Reviewer]
    cycle: int
    step: Step
    tickets: int
    findings: list[Finding]
    raised: int
    joined: list[Join]
    assessable: bool
    covered: bool
    refused: int
    attempts: int
    outcome: Outcome = Outcome.INSUFFICIENT_AGENTS
    facts: list[Fact] = field(default_factory=list)

    @classmethod
    def of(cls, state: State) -> Sheet:
        return cls(
            list(state.seats),
            state.cycle,
            state.step,
            state.tickets,
            list(state.findings),
            state.raised,
            list(state.joined),
            state.assessable,
            state.covered,
            state.refused,
            state.attempts,
        )

    def state(self) -> State:
        return State(
            tuple(self.seats),
            self.cycle,
            self.step,
            self.tickets,
            tuple(self.findings),
            self.raised,
            tuple(self.joined),
            self.assessable,
            self.covered,
            self.refused,
            self.attempts,
        )

    @property
    def active(self) -> int:
        return sum(not each.lost for each in self.seats)

    def tell(self, name: str, *values: tuple[str, str | int | bool]) -> None:
        self.facts.append(Fact(name, values))

    def lose(self, replies: Replies) -> None:
        """Mark seats without a usable reply as lost, for good (C36)."""
        gone = [ask.seat for ask, reply in replies if isinstance(reply, Absent)]
        if gone:
            self.seats = [reviewer(s, lost=s.lost or s.seat in gone) for s in self.seats]

    def bind(self, bound: Mapping[Seat, set[Lens]]) -> None:
        """Remove used lenses from those a seat has left unbound (C6)."""
        left = [tuple(lens for lens in s.unbound if lens not in bound.get(s.seat, ())) for s in self.seats]
        self.seats = [reviewer(s, unbound=own) for s, own in zip(self.seats, left, strict=True)]

    def held(self) -> Held:
        return {each.seat: {back.key: back.severity for back in each.backs} for each in self.seats}

    def back(self, held: Held) -> None:
        self.seats = [reviewer(s, backs=_backing(held[s.seat])) for s in self.seats]

    def go_on(self, needed: int, outcome: Outcome, step: Step) -> None:
        """Continue with the next step unless fewer seats are left than needed (C36)."""
        self.step = step
        if self.active >= needed:
            self.outcome = outcome


def reviewer(seat: Reviewer, **changes: Any) -> Reviewer:
    return Reviewer(**{**{name: getattr(seat, name) for name in Reviewer.__slots__}, **changes})


def _backing(held: Mapping[Key, Severity]) -> tuple[Backing, ...]:
    return tuple(Backing(key, held[key]) for key in sorted(held, key=lambda key: int(key[1:])))


PARTS: Mapping[str, Callable[[State], Any]] = {
    "numbers": lambda state: (
        state.raised,
        state.joined,
        [(each.key, each.subcategory, each.place, each.field, each.proven) for each in state.findings],
    ),
    "severities": lambda state: [each.severity for each in state.findings],
    "agreements": lambda state: [(each.agreement, each.lone, each.doubted, each.lower) for each in state.findings],
    "resolutions": lambda state: [each.resolution for each in state.findings],
    "remedies": lambda state: [each.proposals for each in state.findings],
    "attempts": lambda state: (state.attempts, [each.prosaic for each in state.findings]),
    "backing": lambda state: [(each.seat, each.backs) for each in state.seats],
    "losses": lambda state: [each.lost for each in state.seats],
    "doubts": lambda state: [each.low for each in state.seats],
    "judging": lambda state: (state.assessable, [each.judged for each in state.seats]),
    "coverage": lambda state: state.covered,
    "lenses": lambda state: [each.unbound for each in state.seats],
    "course": lambda state: (state.cycle, state.step, state.tickets),
}
"""A state in parts, each the matter of one promise; together they are all of it."""


def differing(one: State, other: State) -> frozenset[str]:
    """Return the names of the parts in which two states differ."""
    if one == other:
        return frozenset()
    return frozenset(name for name, part in PARTS.items() if part(one) != part(other))


def changed(finding: Finding, **changes: Any) -> Finding:
    """Return a finding with these fields changed; the same object if nothing differs."""
    if all(getattr(finding, name) is value for name, value in changes.items()):
        return finding
    return Finding(**{**{name: getattr(finding, name) for name in Finding.__slots__}, **changes})


def worse(one: Severity, other: Severity) -> Severity:
    return one if WORST_FIRST.index(one) <= WORST_FIRST.index(other) else other


def offered(proposal: Proposal) -> bool:
    """Return whether a remediation is proposed: it has a kind and text (C18)."""
    return not (proposal.fix is Fix.NONE or proposal.blank)
