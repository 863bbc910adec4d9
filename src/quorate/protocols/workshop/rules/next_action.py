"""What comes after a round, as one ordered rule: the first row that holds decides (W22).

Seven conditions have 192 combinations; every one has exactly one next action. The facilitator's wish is none of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from itertools import product

from quorate.kit.interpretation import Interpretation


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
    sent_on: bool
    """A person has just let the discussion go on (W24)."""
    closed: Closed
    barred: bool
    """Something stands against COMPLETE: a conflict, a ruling, too few who judged, or a part that nobody read (W26)."""
    conclude_on: ConcludeOn

    @property
    def finished(self) -> bool:
        """The topics that have to be closed are, and nothing stands against COMPLETE."""
        closed = self.closed is Closed.ALL or (
            self.closed is Closed.REQUIRED and self.conclude_on is ConcludeOn.REQUIRED
        )
        return closed and not self.barred


@dataclass(frozen=True, slots=True)
class ActionRow:
    says: str
    holds: Callable[[Conditions], bool]
    action: Action


LAST = ActionRow("max_rounds is reached", lambda c: c.at_maximum, Action.CONCLUDE)
FIRST = ActionRow("fewer than min_rounds are complete", lambda c: c.under_minimum, Action.CONTINUE)
_ASKS = ActionRow("something asks for escalation", lambda c: c.triggered, Action.ESCALATE)
_SENT_ON = ActionRow("a person lets the discussion go on", lambda c: c.sent_on, Action.CONTINUE)
DONE = ActionRow("the topics are closed and nothing stands against it", lambda c: c.finished, Action.CONCLUDE)
_ELSE = ActionRow("none of the above", lambda c: True, Action.CONTINUE)
RULE: tuple[ActionRow, ...] = (LAST, FIRST, _ASKS, _SENT_ON, DONE, _ELSE)
BY_READING: Mapping[Interpretation, tuple[ActionRow, ...]] = {
    Interpretation.RULES: RULE,
    Interpretation.SEED: (LAST, FIRST, DONE, _ASKS, _ELSE),
}
"""In the seed's table closed topics go before escalation, and a person who lets them go on has no row."""


def next_action(conditions: Conditions, rule: tuple[ActionRow, ...] = RULE) -> tuple[Action, int]:
    """Return what comes next, and the place in the rule of the row that decides."""
    return next((row.action, place) for place, row in enumerate(rule) if row.holds(conditions))


def combinations() -> Iterator[Conditions]:
    """Every combination of the conditions."""
    flags = (False, True)
    return (Conditions(*each) for each in product(flags, flags, flags, flags, Closed, flags, ConcludeOn))


def as_table() -> str:
    """The rule as a Markdown table, each row with how many of the 192 combinations it decides."""
    decided = [next_action(each)[1] for each in combinations()]
    lines = ["| | if | then | combinations |", "| --- | --- | --- | --- |"]
    for place, row in enumerate(RULE):
        lines.append(f"| {place + 1} | {row.says} | {row.action.value} | {decided.count(place)} |")
    return "\n".join([*lines, f"| | | | {len(decided)} |"])
