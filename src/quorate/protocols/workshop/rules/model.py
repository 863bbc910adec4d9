"""Types of the workshop: seats, phases, outcomes, verdicts and state."""

from __future__ import annotations

from enum import Enum

from quorate.core.forms import Key
from quorate.core.types import Seat
from quorate.core.values import value
from quorate.protocols.workshop.rules.lives import RoundStage, SessionStatus, Status, TopicStatus, Trigger
from quorate.protocols.workshop.rules.strategies import Stage
from quorate.protocols.workshop.rules.taxonomy import Agreement, ArtifactType

FACILITATOR = Seat("facilitator")
PERSON = Seat("person")
CLERK = Seat("clerk")
MOST_TOPICS = 12
MOST_CRITERIA = 8
MOST_ARTIFACTS = 60
MOST_NAMED = 4
"""New artifacts of each type that a conflict of the same synthesis can name (W15)."""
LASTING = 2
"""Rounds from which a conflict goes before what is not required (W5)."""
MOST_LOST = 2
"""Rounds in a row without a result that end the session (W13)."""
LEAST_JUDGED = 50
"""Percent of the participants that must have judged before a session is COMPLETE (W37)."""
MOST_PARTS = 99
"""Parts that long documents are divided into (W38)."""
MOST_BLOCKED = 2
"""Votes that may block a draft before it asks for escalation (W31)."""


class Phase(Enum):
    OPENING = "opening"
    QUESTION = "question"
    RESPONSES = "responses"
    SYNTHESIS = "synthesis"
    PROCESSING = "processing"
    PAUSE = "pause"
    ESCALATION = "escalation"
    CLOSED = "closed"
    ABORTED = "aborted"


class Outcome(Enum):
    OPENED = "opened"
    UNREADABLE = "unreadable"
    ASKED = "asked"
    FALLBACK = "fallback"
    RESPONDED = "responded"
    NO_RESPONSES = "no_responses"
    SYNTHESISED = "synthesised"
    CONTINUE = "continue"
    PAUSE = "pause"
    ESCALATE = "escalate"
    CONCLUDE = "conclude"
    FAILED = "failed"
    RESUME_QUESTION = "resume_question"
    RESUME_RESPONSES = "resume_responses"
    RESUME_SYNTHESIS = "resume_synthesis"
    RESUME_PROCESSING = "resume_processing"


class Verdict(Enum):
    COMPLETE = "complete"
    INCOMPLETE = "incomplete"
    CLOSED = "closed"
    ABORTED = "aborted"


@value(frozen=True, slots=True)
class Topic:
    """An item of the agenda, as far as decisions need to know it."""

    key: Key
    required: bool
    criteria: int
    minimum: int
    counts: tuple[ArtifactType, ...]
    """Types of artifacts that count towards the minimum."""
    stage: Stage | None = None
    """The stage it is bound to (W6)."""
    met: tuple[int, ...] = ()
    """Numbers of the criteria that are met, from 1, in order."""
    status: TopicStatus = TopicStatus.OPEN


def is_done(status: TopicStatus, agreed: int, minimum: int) -> bool:
    """Whether a topic with so many agreed artifacts is closed and still has what it was closed with (W21)."""
    return status is TopicStatus.CLOSED and agreed >= minimum


@value(frozen=True, slots=True)
class Artifact:
    """Something that the workshop has made, as far as decisions need to know it."""

    id: Key
    type: ArtifactType
    topic: Key
    made: int
    """The round that made it."""
    status: Status
    agreement: Agreement = Agreement.DRAFT
    since: int = 0
    """Of a conflict: the round that counts as its first."""
    blocking: bool = False
    """Of a question: work cannot go on without an answer."""
    about: tuple[Key, ...] = ()
    """Of a conflict or a ruling: the artifacts that it names, or a topic for all of its artifacts (W19, W24)."""
    raised: bool = False
    """Of a conflict: a participant has raised it, by a contest or a second block."""
    backing: Agreement = Agreement.DRAFT
    """The agreement that support, votes or a person give it, whatever holds it back (W18)."""
    amended: int = 0
    """Amendments in force (W16)."""
    voted: bool = False
    """It was voted upon as it stands, and not blocked (W30, W31)."""
    blocked: int = 0
    """Votes that have blocked it, or what it replaces."""
    blocked_in: int = 0
    """The round of the last of them."""

    @property
    def live(self) -> bool:
        """It is part of the result: neither superseded nor withdrawn, and no matter."""
        return self.status in (Status.ACTIVE, Status.AMENDED)

    @property
    def open(self) -> bool:
        return self.status is Status.OPEN

    @property
    def agreed(self) -> bool:
        return self.live and self.agreement is Agreement.CONSENSUS

    @property
    def open_conflict(self) -> bool:
        return self.open and self.type is ArtifactType.CONF

    @property
    def unapplied(self) -> bool:
        """It is a ruling that nobody has said to be applied (W24)."""
        return self.open and self.type is ArtifactType.RUL


@value(frozen=True, slots=True)
class Member:
    """What decisions need to know about one participant."""

    seat: Seat
    heard: bool = False
    """It has answered at least once (W35)."""
    confidence: int | None = None
    """What it said in the round under way; None where it has not answered."""
    judged: bool = False
    """It has answered with some confidence, or voted for or against something, at least once (W37)."""
    unsure: bool = False
    """Its response of the round under way asks for escalation (W23)."""


@value(frozen=True, slots=True)
class State:
    members: tuple[Member, ...]
    topics: tuple[Topic, ...] = ()
    artifacts: tuple[Artifact, ...] = ()
    status: SessionStatus = SessionStatus.ACTIVE
    closed_by: Trigger | None = None
    round: int = 0
    """Rounds begun."""
    complete: int = 0
    """Rounds that brought a synthesis."""
    stage: RoundStage = RoundStage.JOURNAL
    """What the round under way waits for."""
    scene: int = 0
    """The place of the stage under way in its strategy (W28)."""
    attempt: int = 0
    """Rounds that this stage has taken before this one."""
    focus: Key | None = None
    fresh: bool = False
    """The round under way has brought an artifact or met a criterion (W28)."""
    led: bool = False
    """The round under way has its synthesis."""
    advised: int = 0
    """The round of the last synthesis that recommended something to a person (W24)."""
    lost: int = 0
    """Rounds in a row without a result (W13)."""
    missed: bool = False
    """Somebody was absent at some time (W35)."""
    parts: int = 1
    """Parts that the documents are divided into (W38)."""
    unlisted: bool = False
    """Some of what was brought can be shown to nobody (W38)."""
    read: tuple[int, ...] = ()
    """The parts that were shown to somebody who answered, in order."""

    @property
    def answered(self) -> tuple[Member, ...]:
        return tuple(member for member in self.members if member.confidence is not None)

    @property
    def conflicts(self) -> tuple[Artifact, ...]:
        return tuple(each for each in self.artifacts if each.open_conflict)

    @property
    def rulings(self) -> tuple[Artifact, ...]:
        """The rulings that are not applied yet."""
        return tuple(each for each in self.artifacts if each.unapplied)

    @property
    def unsure(self) -> bool:
        """A response of the round under way asks for escalation."""
        return any(member.unsure for member in self.members)

    def artifact(self, key: Key) -> Artifact | None:
        return next((each for each in self.artifacts if each.id == key), None)

    def topic(self, key: Key) -> Topic:
        return next(each for each in self.topics if each.key == key)

    def done(self, topic: Topic) -> bool:
        """Whether a topic is closed, still has what it was closed with, and waits for no ruling (W21)."""
        return self.has_enough(topic) and not any(topic.key in self.topics_of(ruling) for ruling in self.rulings)

    def has_enough(self, topic: Topic) -> bool:
        """Whether a topic is closed and still has what it was closed with (W17)."""
        return is_done(topic.status, self.agreed(topic), topic.minimum)

    def topics_of(self, matter: Artifact) -> frozenset[Key]:
        """Return the topics that a conflict or a ruling concerns: its own, and those of what it names (W21)."""
        named = (self.artifact(key) for key in matter.about)
        return frozenset((matter.topic, *(each.topic for each in named if each is not None)))

    def agreed(self, topic: Topic) -> int:
        """How many artifacts of the topic count towards its minimum (W21)."""
        return sum(each.topic == topic.key and each.type in topic.counts and each.agreed for each in self.artifacts)
