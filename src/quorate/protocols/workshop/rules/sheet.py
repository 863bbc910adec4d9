"""The mutable state of the independent recount of a workshop (rules W1 to W31).

Nothing here or in recount.py, remaking.py and promises.py calls the functions that decide; what the rules say is said
a second time, so that `verify` can hold one against the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import Any

from quorate.core.forms import Key
from quorate.core.protocol import Moment
from quorate.protocols.workshop.rules.lives import Status, TopicStatus
from quorate.protocols.workshop.rules.model import Artifact, Member, State, Topic
from quorate.protocols.workshop.rules.plan import Plan
from quorate.protocols.workshop.rules.taxonomy import Agreement, ArtifactType

M = Moment[State]
STAGES: Mapping[str, tuple[str, ...]] = {
    "standard": ("discussion",),
    "disney": ("dreamer", "realist", "critic"),
    "debate": ("opening", "rebuttal", "closing"),
    "consensus-driven": ("proposal", "refinement", "convergence"),
    "six-hats": ("blue-open", "white", "red", "black", "yellow", "green", "blue-close"),
}
"""The stages in their order (W27)."""
WEIGHTED, CONSENT, JUDGED = "weighted", "consent", "judged"
RULES: Mapping[str, str] = {
    "standard": WEIGHTED,
    "disney": WEIGHTED,
    "debate": JUDGED,
    "consensus-driven": CONSENT,
    "six-hats": JUDGED,
}
"""What counts as agreement (W29)."""
LIVE = (Status.ACTIVE, Status.AMENDED)


@dataclass(slots=True)
class Thing:
    """An artifact that can be changed in place."""

    id: Key
    type: ArtifactType
    topic: Key
    made: int
    status: Status
    agreement: Agreement
    since: int
    blocking: bool
    about: Key | None = None
    blocked: int = 0
    blocked_in: int = 0

    @property
    def dispute(self) -> bool:
        """It is a conflict that is open."""
        return self.type is ArtifactType.CONF and self.status is Status.OPEN

    @property
    def counts(self) -> bool:
        return self.status in LIVE and self.agreement is Agreement.CONSENSUS


_parts = attrgetter(*(each.name for each in fields(Artifact)))


def things(state: State) -> list[Thing]:
    return [Thing(*_parts(each)) for each in state.artifacts]


@dataclass(slots=True)
class Sheet:
    """A state that can be changed in place, with what was said of the session's plan."""

    plan: Plan
    state: State
    things: list[Thing]
    topics: list[Topic]
    members: list[Member]
    values: dict[str, Any] = field(default_factory=dict)
    """Everything else that has changed, by the names of the state."""
    told: list[tuple[str, str]] = field(default_factory=list)
    """What the record has to be told: the name of a fact and what it is about."""

    @classmethod
    def of(cls, plan: Plan, state: State) -> Sheet:
        return cls(plan, state, things(state), list(state.topics), list(state.members))

    def get(self, name: str) -> Any:
        return self.values[name] if name in self.values else getattr(self.state, name)

    def thing(self, key: Key | None) -> Thing | None:
        return next((each for each in self.things if each.id == key), None)

    @property
    def disputes(self) -> list[Thing]:
        return [each for each in self.things if each.dispute]

    @property
    def stages(self) -> tuple[str, ...]:
        return STAGES[self.plan.strategy.name]

    @property
    def stage(self) -> str:
        """The stage of the strategy under way."""
        place: int = self.get("scene")
        return self.stages[place]

    @property
    def bound(self) -> bool:
        """Topics wait for their stages (W6)."""
        return any(bound_to(each) in self.stages for each in self.topics)

    @property
    def here(self) -> Topic:
        """The topic in focus, or that of the matter in focus."""
        focus = self.get("focus")
        matter = self.thing(focus)
        wanted = focus if matter is None else matter.topic
        return next(each for each in self.topics if each.key == wanted)

    def agreed(self, topic: Topic) -> int:
        return sum(each.topic == topic.key and each.counts and each.type in topic.counts for each in self.things)

    def left(self) -> list[Topic]:
        """The topics that are not done: not closed, or short of what they were closed with (W21)."""
        return [each for each in self.topics if not self.done(each)]

    def done(self, topic: Topic) -> bool:
        return topic.status is TopicStatus.CLOSED and self.agreed(topic) >= topic.minimum

    def drafts(self) -> tuple[Key, ...]:
        """What would be voted upon (W30)."""
        if self.get("focus") is None:
            return ()
        here = self.here.key
        return tuple(
            each.id
            for each in self.things
            if each.topic == here and each.status in LIVE and each.agreement is Agreement.DRAFT
        )

    def votes(self) -> bool:
        return self.stage == "convergence" and bool(self.drafts())

    def seats(self, positions: Iterable[Key]) -> set[str]:
        """Who stands behind these positions and has answered in this round (W12)."""
        keys = set(positions)
        return {
            str(member.seat)
            for number, member in enumerate(self.members, start=1)
            if f"P{number}" in keys and member.confidence is not None
        }

    def number(self, kind: ArtifactType) -> Key:
        """The id that comes next (W15)."""
        last = max((int(each.id.split("-")[1]) for each in self.things if each.type is kind), default=0)
        return Key(f"{kind.value}-{last + 1:03d}")

    def dispute(self, about: Thing, since: int) -> None:
        """Open a conflict by code (W11, W31)."""
        key = self.number(ArtifactType.CONF)
        opened = (key, ArtifactType.CONF, about.topic, self.get("round"), Status.OPEN, Agreement.DRAFT)
        self.things.append(Thing(*opened, since, False, about.id))
        about.agreement = Agreement.CONFLICT


def bound_to(topic: Topic) -> str:
    """The stage that a topic waits for; empty for none."""
    return topic.stage.value if topic.stage is not None else ""
