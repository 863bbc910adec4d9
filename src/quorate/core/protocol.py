"""A protocol as a value: a table of phases, two pure functions for each, and what it promises.

All transitions are in `table`; a missing row raises DefinitionError. `asks` and `decide` are pure
functions of the state, and a state never holds prose or history.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from quorate.core.decisions import Decision, Fact
from quorate.core.errors import DefinitionError
from quorate.core.forms import Reply
from quorate.core.types import Ask, Question, Reason, Replies, Seat

if TYPE_CHECKING:
    from quorate.core.record import Record
    from quorate.core.view import View

S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class Node(Generic[S]):
    """A phase: its asks, how it decides once all have replied, and when it may settle before that."""

    asks: Callable[[S], tuple[Question, ...]]
    decide: Callable[[S, Replies], Decision[S]]
    settle: Callable[[S, Replies], Decision[S] | None] | None = None


class When(Enum):
    """When an interruption takes effect: at once, or after all open asks of the phase are answered."""

    NOW = "now"
    AFTER_PHASE = "after the phase"


@dataclass(frozen=True, slots=True)
class Interrupt(Generic[S]):
    """Where an interruption leads, when it takes effect, and how replies already received are folded into the state."""

    to: Enum
    when: When
    fold: Callable[[S, Replies], S]
    detour: bool = False
    """The session goes on from there as if nothing had happened; every other interruption leads to its end."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits counted by the engine: replies from counted seats, and consecutive such replies without progress."""

    episodes: int | None = None
    stall: int | None = None


class Degradation(Enum):
    """How much of the table was missing when the session concluded."""

    NONE = "none"
    WITHIN_SETTINGS = "within settings"
    BELOW_SETTINGS = "below settings"


@dataclass(frozen=True, slots=True)
class Domain:
    """The finite set of replies that `verify` tries for a form, and why that is enough."""

    values: Callable[[Question], tuple[Reply, ...]]
    why: str
    exact: bool


@dataclass(frozen=True, slots=True)
class Moment(Generic[S]):
    """One move of a session, as an invariant sees it."""

    phase: Enum
    state: S
    asks: tuple[Ask, ...]
    replies: Replies
    outcome: Enum
    to: Enum
    after: S
    verdict: Enum | None
    interrupted: Reason | None = None
    facts: tuple[Fact, ...] = ()
    degradation: Degradation | None = None


@dataclass(frozen=True, slots=True)
class Invariant(Generic[S]):
    """A named promise of the protocol that must hold at every move."""

    name: str
    rule: str
    holds: Callable[[Moment[S]], bool]


@dataclass(frozen=True, slots=True)
class Blindness:
    """What a view must not show: replies hidden from an ask, and names of seats."""

    hidden: Callable[[Ask, Ask], bool]
    """hidden(ask, other): the words said in reply to `other` must not be shown to `ask`."""
    nameless: Callable[[Ask], frozenset[Seat]]


def _always(_: Any) -> bool:
    return True


def _first(_: Any) -> int:
    return 1


def _whole(_: Any) -> Degradation:
    return Degradation.NONE


@dataclass(frozen=True)
class Protocol(Generic[S]):
    """A protocol as an immutable value: phases, table, limits, interrupts, views and invariants."""

    name: str
    version: str
    start: S
    initial: Enum
    nodes: Mapping[Any, Node[S]]
    """By phase. Phases, outcomes and verdicts are members of the protocol's own enums."""
    table: Mapping[Any, Mapping[Any, Enum]]
    """phase -> outcome -> phase: all transitions, none elsewhere."""
    interrupts: Mapping[Reason, Interrupt[S]]
    verdicts: Mapping[Any, Callable[[S], Enum]]
    """The phases that end a session, and what each concludes."""
    exit_codes: Mapping[Any, int]
    seats: tuple[Seat, ...]
    view: Callable[[Record, Ask], View]
    briefs: Mapping[str, str]
    domains: Mapping[type[Reply], Domain]
    settings: Mapping[str, Any] = field(default_factory=dict)
    """The settings it was built with, as plain JSON values; a part of its digest."""
    blindness: Blindness | None = None
    invariants: tuple[Invariant[S], ...] = ()
    interchangeable: tuple[frozenset[Seat], ...] = ()
    people: frozenset[Seat] = frozenset()
    """Seats that are people's, whoever a panel seats there; their replies are no episodes."""
    checks: frozenset[Seat] = frozenset()
    """Seats of deterministic functions; their replies are no episodes either."""
    limits: Limits = Limits()
    progress: Callable[[Reply], bool] = _always
    round: Callable[[S], int] = _first
    degradation: Callable[[S], Degradation] = _whole
    rulings: Mapping[Any, tuple[Enum, ...]] = field(default_factory=dict)
    """verdict -> what a person may rule once a session has concluded with it; the others wait for nobody."""

    @cached_property
    def uncounted(self) -> frozenset[Seat]:
        """The seats whose replies do not count as episodes."""
        return self.people | self.checks

    def __post_init__(self) -> None:
        ends = set(self.verdicts)
        known = set(self.nodes) | ends
        if set(self.table) != set(self.nodes):
            odd = set(self.table) ^ set(self.nodes)
            raise DefinitionError(f"{self.name}: {_names(odd)} needs both a node and a row in the table")
        if both := ends & set(self.nodes):
            raise DefinitionError(f"{self.name}: {_names(both)} cannot be both a phase that asks and an end")
        targets = {to for rows in self.table.values() for to in rows.values()}
        targets |= {self.initial} | {interrupt.to for interrupt in self.interrupts.values()}
        if strange := targets - known:
            raise DefinitionError(
                f"{self.name}: the table leads to {_names(strange)}, which is neither a phase nor an end"
            )
        if missing := set(Reason) - {Reason.ESCALATION} - set(self.interrupts):
            raise DefinitionError(f"{self.name}: no interrupt is declared for {_names(missing)}")
        for verdict, allowed in self.rulings.items():
            if unknown := {verdict, *allowed} - set(self.exit_codes):
                raise DefinitionError(f"{self.name}: the ruling {_names(unknown)} has no exit code")
            if not allowed or verdict in allowed:
                raise DefinitionError(f"{self.name}: a ruling on {verdict.name} must lead to another verdict")


def _names(members: Iterable[Enum]) -> str:
    return ", ".join(sorted(member.name for member in members))
