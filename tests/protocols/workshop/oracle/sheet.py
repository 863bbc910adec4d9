"""The mutable state that the recount of a workshop works on (rules W1 to W31)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import Any

from quorate.core.forms import Key
from quorate.core.protocol import Moment
from quorate.protocols.workshop.rules.lives import Status, TopicStatus
from quorate.protocols.workshop.rules.model import Artifact, Member, State, Topic
from quorate.protocols.workshop.rules.plan import Plan
from quorate.protocols.workshop.rules.taxonomy import MAKES, Agreement, ArtifactType, Workflow

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
    about: tuple[Key, ...] = ()
    raised: bool = False
    backing: Agreement = Agreement.DRAFT
    amended: int = 0
    voted: bool = False
    blocked: int = 0
    blocked_in: int = 0

    @property
    def dispute(self) -> bool:
        """It is a conflict that is open."""
        return self.type is ArtifactType.CONF and self.status is Status.OPEN

    @property
    def waiting(self) -> bool:
        """It is a ruling that is not applied."""
        return self.type is ArtifactType.RUL and self.status is Status.OPEN

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

    @property
    def mute(self) -> tuple[str, ...]:
        """The seats of which nothing counts (W40, W41)."""
        return self.plan.settings.unqualified_seats

    @property
    def voices(self) -> list[Member]:
        """Who has answered in this round, and counts (W40)."""
        return [each for each in self.members if each.confidence is not None and each.seat not in self.mute]

    def thing(self, key: Key | None) -> Thing | None:
        return next((each for each in self.things if each.id == key), None)

    @property
    def disputes(self) -> list[Thing]:
        return [each for each in self.things if each.dispute]

    @property
    def rulings(self) -> list[Thing]:
        return [each for each in self.things if each.waiting]

    def homes(self, matter: Thing) -> set[Key]:
        """The topics that a conflict or a ruling keeps from closing (W21)."""
        return {matter.topic} | {each.topic for each in self.things if each.id in matter.about}

    def weigh_anew(self) -> None:
        """Say of all that is live how far it is agreed upon, with what holds it back (W18, W24)."""
        fought = {key for each in self.disputes for key in each.about}
        ruled = {key for each in self.rulings for key in each.about}
        for thing in self.things:
            if thing.status not in LIVE:
                continue
            if thing.id in fought:
                thing.agreement = Agreement.CONFLICT
            elif {thing.id, thing.topic} & ruled or thing.topic in fought:
                thing.agreement = Agreement.DRAFT
            else:
                thing.agreement = thing.backing

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
        waits = any(topic.key in self.homes(each) for each in self.rulings)
        return topic.status is TopicStatus.CLOSED and self.agreed(topic) >= topic.minimum and not waits

    def drafts(self) -> tuple[Key, ...]:
        """What would be voted upon (W30)."""
        if self.get("focus") is None:
            return ()
        here = self.here.key
        holding = {key for each in self.rulings for key in each.about} | {k for e in self.disputes for k in e.about}
        if here in holding:
            return ()
        return tuple(
            each.id
            for each in self.things
            if each.topic == here
            and each.status in LIVE
            and each.agreement is Agreement.DRAFT
            and each.id not in holding
        )

    def votes(self) -> bool:
        return self.stage == "convergence" and bool(self.drafts())

    def seats(self, positions: Iterable[Key]) -> set[str]:
        """Who stands behind these positions, has answered in this round and counts (W12, W40)."""
        keys = set(positions)
        return {
            str(member.seat)
            for number, member in enumerate(self.members, start=1)
            if f"P{number}" in keys and member in self.voices
        }

    def number(self, kind: ArtifactType) -> Key:
        """The id that comes next (W15)."""
        last = max((int(each.id.split("-")[1]) for each in self.things if each.type is kind), default=0)
        return Key(f"{kind.value}-{last + 1:03d}")

    def ahead(self, workflow: Workflow) -> Iterator[Key]:
        """The four ids of each type that come next, by which a synthesis names what it makes (W15)."""
        for kind in MAKES[workflow]:
            if kind not in (ArtifactType.OQ, ArtifactType.CONF):
                first = int(self.number(kind).split("-")[1])
                yield from (Key(f"{kind.value}-{first + more:03d}") for more in range(4))

    def dispute(self, about: Thing, since: int) -> None:
        """Open a conflict by code (W11, W31)."""
        key = self.number(ArtifactType.CONF)
        opened = (key, ArtifactType.CONF, about.topic, self.get("round"), Status.OPEN, Agreement.DRAFT)
        self.things.append(Thing(*opened, since, False, (about.id,), True))
        self.weigh_anew()

    def rule(self, topic: Key, about: tuple[Key, ...]) -> Key:
        """Issue a ruling of a person (W24)."""
        now = self.get("round")
        for each in self.things:
            if each.type is ArtifactType.RUL and each.made == now and (each.topic, each.about) == (topic, about):
                each.status, each.since = Status.OPEN, now + 1
                self.weigh_anew()
                return each.id
        key = self.number(ArtifactType.RUL)
        made = (key, ArtifactType.RUL, topic, now, Status.OPEN, Agreement.DRAFT, now + 1, False, about)
        self.things.append(Thing(*made))
        self.weigh_anew()
        return key

    def reopen(self, changed: Thing) -> list[tuple[str, str]]:
        """Let the rulings wait anew that were applied and name what has changed; return what is told (W24)."""
        found = [
            each
            for each in self.things
            if each.type is ArtifactType.RUL
            and each.status is Status.RESOLVED
            and {changed.id, changed.topic} & set(each.about)
        ]
        for each in found:
            each.status, each.since = Status.OPEN, self.get("round") + 1
        self.weigh_anew()
        return [("waits anew", each.id) for each in found]

    def confirm(self, said: Iterable[Key]) -> None:
        """Let rulings be applied that somebody says are; what they name is agreed upon (W24)."""
        for key in dict.fromkeys(said):
            ruling = self.thing(key)
            if ruling is None or not ruling.waiting:
                self.told.append(("refused", key))
                continue
            ruling.status = Status.RESOLVED
            for each in self.things:
                if each.id in ruling.about and each.status in LIVE:
                    each.backing = Agreement.CONSENSUS
            self.weigh_anew()
            self.told.append(("applied", key))


def bound_to(topic: Topic) -> str:
    """The stage that a topic waits for; empty for none."""
    return topic.stage.value if topic.stage is not None else ""
