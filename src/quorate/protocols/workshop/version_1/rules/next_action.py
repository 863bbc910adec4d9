"""What comes after a round, as one ordered rule: the first row that holds decides (W22).

Six conditions have 96 combinations; every one has exactly one next action. The facilitator's wish is none of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from itertools import product


class Action(Enum):
    CONTINUE = "continue"
    CONCLUDE = "conclude"
    ESCALATE = "escalate"


class ConcludeOn(Enum):
    """Which topics have to be closed before a session may conclude."""

    ALL = "all"
    REQUIRED = "required"


class Closed(Enum):
    """Which topics are closed."""

    NOT_ALL_REQUIRED = "a required topic is open"
    REQUIRED = "the required topics"
    ALL = "all topics"


@dataclass(frozen=True, slots=True)
class Conditions:
    """All that the next action depends on."""

    at_maximum: bool
    """max_rounds have begun."""
    under_minimum: bool
    """Fewer than min_rounds are complete."""
    triggered: bool
    """Something asks for escalation (W23)."""
    closed: Closed
    conflict: bool
    """A conflict is open."""
    conclude_on: ConcludeOn

    @property
    def finished(self) -> bool:
        """The topics that have to be closed are."""
        return self.closed is Closed.ALL or (self.closed is Closed.REQUIRED and self.conclude_on is ConcludeOn.REQUIRED)


@dataclass(frozen=True, slots=True)
class Row:
    says: str
    holds: Callable[[Conditions], bool]
    action: Action


RULE: tuple[Row, ...] = (
    Row("max_rounds is reached", lambda c: c.at_maximum, Action.CONCLUDE),
    Row("fewer than min_rounds are complete", lambda c: c.under_minimum, Action.CONTINUE),
    Row("something asks for escalation", lambda c: c.triggered, Action.ESCALATE),
    Row("the topics are closed and no conflict is open", lambda c: c.finished and not c.conflict, Action.CONCLUDE),
    Row("none of the above", lambda c: True, Action.CONTINUE),
)


def next_action(conditions: Conditions) -> tuple[Action, int]:
    """Return what comes next, and the place in the rule of the row that decides."""
    return next((row.action, place) for place, row in enumerate(RULE) if row.holds(conditions))


def combinations() -> Iterator[Conditions]:
    """Every combination of the conditions."""
    flags = (False, True)
    return (Conditions(*each) for each in product(flags, flags, flags, Closed, flags, ConcludeOn))


def as_table() -> str:
    """The rule as a Markdown table, each row with how many of the 96 combinations it decides."""
    decided = [next_action(each)[1] for each in combinations()]
    lines = ["| | if | then | combinations |", "| --- | --- | --- | --- |"]
    for place, row in enumerate(RULE):
        lines.append(f"| {place + 1} | {row.says} | {row.action.value} | {decided.count(place)} |")
    return "\n".join([*lines, f"| | | | {len(decided)} |"])
