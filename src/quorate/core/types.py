"""The nouns of the engine: what goes out, what comes in, and what a protocol is.

A protocol is a value. All its transitions stand in `table` and nowhere else; a missing row is an error with a
name. `asks` and `decide` are pure functions of the state, and a state never holds prose or history.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from quorate.core.errors import DefinitionError
from quorate.core.forms import Key, Reply

if TYPE_CHECKING:
    from quorate.core.record import Record
    from quorate.core.view import View

S = TypeVar("S")


class Seat(str):
    """A place at the table, by its name."""

    __slots__ = ()


class AskId(str):
    """`<entry>.<index>`: the phase entry that asked, and the place among its asks; the same after a crash."""

    __slots__ = ()


class AbsentReason(Enum):
    """Why there is no usable reply. Five different things, in the tally and in the report."""

    FAILED = "failed"
    TIMED_OUT = "timed_out"
    MALFORMED = "malformed"
    REFUSED = "refused"
    SILENT = "silent"


@dataclass(frozen=True, slots=True)
class Absent:
    """An ordinary typed reply: this seat gave nothing usable. Abstaining is a stance, not an absence."""

    reason: AbsentReason


@dataclass(frozen=True, slots=True)
class Question:
    """What a phase wants to ask: one seat, one brief, one form, and the keys the reply may name."""

    seat: Seat
    brief: str
    form: type[Reply]
    keys: tuple[Key, ...] = ()


@dataclass(frozen=True, slots=True)
class Ask:
    """An effect: one question to one seat, with the id under which exactly one reply counts."""

    id: AskId
    seat: Seat
    brief: str
    form: type[Reply]
    keys: tuple[Key, ...] = ()


class Reason(Enum):
    """Why a session is interrupted."""

    CANCELLED = "cancelled"
    BUDGET = "budget"
    EPISODES = "episodes"
    STALL = "stall"
    WISH = "wish"


@dataclass(frozen=True, slots=True)
class Replied:
    """An event: a seat answered an ask, or was absent."""

    ask: AskId
    reply: Reply | Absent


@dataclass(frozen=True, slots=True)
class Interrupted:
    """An event: a limit was hit, or somebody stopped the session or wished it to wrap up."""

    reason: Reason


Event = Replied | Interrupted


@dataclass(frozen=True, slots=True)
class Replies:
    """What a phase has heard, in the order of its asks, never in the order of arrival."""

    pairs: tuple[tuple[Ask, Reply | Absent], ...] = ()

    def __iter__(self) -> Iterator[tuple[Ask, Reply | Absent]]:
        return iter(self.pairs)

    def __len__(self) -> int:
        return len(self.pairs)

    def of(self, seat: Seat) -> Reply | Absent | None:
        """Return what `seat` replied, or None where it was not asked or has not replied."""
        return next((reply for ask, reply in self.pairs if ask.seat == seat), None)

    def present(self) -> tuple[Seat, ...]:
        return tuple(ask.seat for ask, reply in self.pairs if not isinstance(reply, Absent))

    def absent(self) -> tuple[Seat, ...]:
        """The seats without a usable reply. Why they are absent stands in the record; few rules need to know."""
        return tuple(ask.seat for ask, reply in self.pairs if isinstance(reply, Absent))


@dataclass(frozen=True, slots=True)
class Test:
    """One test that a decision made: the rule it comes from, what was compared, whether it held, where it leads."""

    rule: str
    outcome: Enum
    claim: str
    held: bool


_COMPARISONS: Mapping[str, Callable[[int, int], bool]] = {
    ">=": lambda a, b: a >= b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    "<": lambda a, b: a < b,
    "==": lambda a, b: a == b,
}


def compare(rule: str, outcome: Enum, left: tuple[str, int], op: str, right: tuple[str, int] | int) -> Test:
    """Make the test `left op right`; its words and its truth come from the same values."""
    label, bound = ("", right) if isinstance(right, int) else (f"{right[0]} ", right[1])
    return Test(rule, outcome, f"{left[0]} {left[1]} {op} {label}{bound}", _COMPARISONS[op](left[1], bound))


def otherwise(rule: str, outcome: Enum) -> Test:
    """Make the last test of a decision, which holds where no other did."""
    return Test(rule, outcome, "none of the above", True)


@dataclass(frozen=True, slots=True)
class Fact:
    """Something a decision issued, refused, dropped, merged or tallied, for the record."""

    name: str
    values: tuple[tuple[str, str | int | bool], ...] = ()

    @classmethod
    def of(cls, name: str, **values: str | int | bool) -> Fact:
        return cls(name, tuple(values.items()))


@dataclass(frozen=True, slots=True)
class Decision(Generic[S]):
    """What a phase decided, the next state, the tests that led there in order, and what came of it."""

    outcome: Enum
    state: S
    because: tuple[Test, ...] = ()
    facts: tuple[Fact, ...] = ()


def choose(state: S, tests: Iterable[Test], facts: Iterable[Fact] = ()) -> Decision[S]:
    """Decide for the outcome of the first test that holds; the ones before it are the rows not taken, and why."""
    made = tuple(tests)
    for test in made:
        if test.held:
            return Decision(test.outcome, state, made, tuple(facts))
    raise DefinitionError("no test of this decision held: " + "; ".join(f"{t.rule} {t.claim}" for t in made))


@dataclass(frozen=True, slots=True)
class Node(Generic[S]):
    """A phase: whom it asks what, how it decides once all have replied, and when it may settle before that."""

    asks: Callable[[S], tuple[Question, ...]]
    decide: Callable[[S, Replies], Decision[S]]
    settle: Callable[[S, Replies], Decision[S] | None] | None = None


class When(Enum):
    NOW = "now"
    AFTER_PHASE = "after the phase"


@dataclass(frozen=True, slots=True)
class Interrupt(Generic[S]):
    """Where an interruption leads, when it acts, and how the replies already in are kept in the state."""

    to: Enum
    when: When
    fold: Callable[[S, Replies], S]


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds counted by the engine: replies from counted seats, and such replies in a row without progress."""

    episodes: int | None = None
    stall: int | None = None


class Degradation(Enum):
    """How much of the table was missing when the session concluded."""

    NONE = "none"
    WITHIN_SETTINGS = "within settings"
    BELOW_SETTINGS = "below settings"


@dataclass(frozen=True, slots=True)
class Domain:
    """The finite set of replies that a form is walked over, and why that is enough."""

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


@dataclass(frozen=True, slots=True)
class Invariant(Generic[S]):
    """A named promise of the protocol that holds at every move."""

    name: str
    rule: str
    holds: Callable[[Moment[S]], bool]


@dataclass(frozen=True, slots=True)
class Blindness:
    """What a view must not show: replies hidden from an ask, and seats whose names it must not carry."""

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
    """The rules, as a value."""

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
    uncounted: frozenset[Seat] = frozenset()
    """Seats whose replies are no episodes: people and checks."""
    limits: Limits = Limits()
    progress: Callable[[Reply], bool] = _always
    round: Callable[[S], int] = _first
    degradation: Callable[[S], Degradation] = _whole

    def __post_init__(self) -> None:
        ends = set(self.verdicts)
        known = set(self.nodes) | ends
        if set(self.table) != set(self.nodes):
            odd = set(self.table) ^ set(self.nodes)
            raise DefinitionError(f"{self.name}: node or table row missing for {_names(odd)}")
        if both := ends & set(self.nodes):
            raise DefinitionError(f"{self.name}: {_names(both)} cannot be both a phase that asks and an end")
        targets = {to for rows in self.table.values() for to in rows.values()}
        targets |= {self.initial} | {interrupt.to for interrupt in self.interrupts.values()}
        if strange := targets - known:
            raise DefinitionError(f"{self.name}: {_names(strange)} is led to but is neither a phase nor an end")
        if missing := set(Reason) - set(self.interrupts):
            raise DefinitionError(f"{self.name}: no interrupt is declared for {_names(missing)}")


def _names(members: Iterable[Enum]) -> str:
    return ", ".join(sorted(member.name for member in members))


@dataclass(frozen=True, slots=True)
class Conclusion:
    """How a session ended."""

    phase: Enum
    verdict: Enum
    degradation: Degradation
    interrupted: Reason | None


@dataclass(frozen=True, slots=True)
class Conclude:
    """An effect: the session is over."""

    conclusion: Conclusion


@dataclass(frozen=True, slots=True)
class Withdraw:
    """An effect: this ask is no longer wanted; a reply to it would not count."""

    ask: AskId


Effect = Ask | Withdraw | Conclude


class Cause(Enum):
    """What made a session move."""

    DECIDED = "decided"
    SETTLED = "settled early"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class Move:
    """One transition as it happened: from where, why, and to where."""

    entry: int
    phase: Enum
    outcome: Enum
    to: Enum
    cause: Cause
    before: Any
    """The state in which the phase was entered."""
    after: Any
    because: tuple[Test, ...] = ()
    facts: tuple[Fact, ...] = ()


@dataclass(frozen=True, slots=True)
class Session(Generic[S]):
    """Where a deliberation stands: what decisions need, and no more."""

    phase: Enum
    state: S
    entry: int = 0
    asks: tuple[Ask, ...] = ()
    replies: Mapping[AskId, Reply | Absent] = field(default_factory=dict)
    pending: Reason | None = None
    interrupted: Reason | None = None
    episodes: int = 0
    idle: int = 0
    conclusion: Conclusion | None = None

    @property
    def open(self) -> tuple[Ask, ...]:
        """The asks that wait for a reply."""
        return tuple(ask for ask in self.asks if ask.id not in self.replies)

    def heard(self) -> Replies:
        return Replies(tuple((ask, self.replies[ask.id]) for ask in self.asks if ask.id in self.replies))


@dataclass(frozen=True, slots=True)
class Step(Generic[S]):
    """What one event led to: the session after it, what must go out, and the moves it made."""

    session: Session[S]
    effects: tuple[Effect, ...] = ()
    moves: tuple[Move, ...] = ()
