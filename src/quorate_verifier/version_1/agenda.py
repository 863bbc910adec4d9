"""The agenda of a workshop: topics and when they close, the stages of a strategy, and what a round may be about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

WEIGHTED, CONSENT, JUDGEMENT = "weighted majority", "consent", "the facilitator's judgement"
STRATEGIES: dict[str, tuple[str, tuple[str, ...]]] = {
    "standard": (WEIGHTED, ("discussion",)),
    "disney": (WEIGHTED, ("dreamer", "realist", "critic")),
    "debate": (JUDGEMENT, ("opening", "rebuttal", "closing")),
    "consensus-driven": (CONSENT, ("proposal", "refinement", "convergence")),
    "six-hats": (JUDGEMENT, ("blue-open", "white", "red", "black", "yellow", "green", "blue-close")),
}
"""By strategy what counts as agreement, and the stages in order (W27, W29)."""
REFINEMENT, CONVERGENCE = "refinement", "convergence"
TAKES_TWO = frozenset(("dreamer", "realist", "critic"))
"""Stages that take a second round where the first brought nothing (W28)."""
WORKFLOWS: dict[str, tuple[str, tuple[str, ...]]] = {
    "specs": ("consensus-driven", ("product-manager", "ux-researcher", "business-analyst", "qa-lead")),
    "design": ("debate", ("software-architect", "security-champion", "technical-lead", "devops-engineer")),
    "brainstorm": ("disney", ("product-manager", "software-architect", "technical-lead", "devops-engineer")),
    "open": ("standard", ("software-architect", "technical-lead")),
}
"""By workflow its strategy and its roster (W3, W32)."""


@dataclass(slots=True)
class Topic:
    """One topic of the agenda."""

    key: str
    required: bool
    criteria: int
    minimum: int
    counts: tuple[str, ...]
    stage: str
    """The stage that it is bound to, or `none`."""
    met: set[str] = field(default_factory=set)
    status: str = "open"


def read_topics(listed: Sequence[Mapping[str, Any]]) -> dict[str, Topic]:
    """Return the topics that the clerk reports; where none is required all are (W2)."""
    none = not any(each["required"] for each in listed)
    return {
        each["key"]: Topic(
            each["key"],
            each["required"] or none,
            each["criteria"],
            each["minimum"],
            tuple(each["counts"]),
            each["stage"],
        )
        for each in listed
    }


class Pass:
    """Where a workshop stands in its strategy."""

    def __init__(self, strategy: str) -> None:
        self.rule, self.stages = STRATEGIES[strategy]
        self.place = self.rounds = 0
        """The stage under way, and the rounds that it has taken before this one."""

    @property
    def stage(self) -> str:
        return self.stages[self.place]

    def is_bound(self, topics: Mapping[str, Topic]) -> bool:
        """Whether the agenda binds topics to stages of this strategy (W6)."""
        return any(each.stage in self.stages for each in topics.values())

    def after(self, sent_back: bool, done: bool) -> tuple[int, int] | None:
        """Return stage and rounds taken of the next round; None where a new pass begins (W28, W31).

        `sent_back`: a vote has blocked a draft that goes back to refinement; `done`: the stage needs no second round.
        """
        if self.stage == CONVERGENCE and sent_back:
            return self.stages.index(REFINEMENT), 0
        if self.stage in TAKES_TWO and self.rounds == 0 and not done:
            return self.place, 1
        return (self.place + 1, 0) if self.place + 1 < len(self.stages) else None

    def pass_over(self, left: set[str]) -> None:
        """On a bound agenda go on to the next stage with topics that are left; without any, stay (W6)."""
        if "none" in left:
            return
        ahead = [place % len(self.stages) for place in range(self.place, self.place + len(self.stages))]
        place = next((each for each in ahead if self.stages[each] in left), self.place)
        if place != self.place:
            self.place, self.rounds = place, 0
