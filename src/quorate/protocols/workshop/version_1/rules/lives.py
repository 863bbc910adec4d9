"""The life cycles of a workshop as tables: session, round, topic, artifact, and the matters that are open or resolved.

They are the seed's, row by row. The artifact has the two rows that the seed leaves out and its guideline has: what is
amended may also be superseded or withdrawn (W14). Everything else is refused by name.
"""

from __future__ import annotations

from enum import Enum

from quorate.kit.lifecycle import Lifecycle


class SessionStatus(Enum):
    ACTIVE = "active"
    CLOSED = "closed"


class Trigger(Enum):
    """What closes a session (W26)."""

    AGENDA_CLOSED = "agenda closed"
    MAX_ROUNDS = "max_rounds reached"
    PERSON = "closed by a person"
    ERROR = "unrecoverable error"


SESSION: Lifecycle[SessionStatus, Trigger] = Lifecycle(
    name="session",
    initial=SessionStatus.ACTIVE,
    table={SessionStatus.ACTIVE: dict.fromkeys(Trigger, SessionStatus.CLOSED)},
    ends=frozenset({SessionStatus.CLOSED}),
)


class RoundStage(Enum):
    """What a round waits for (W4)."""

    QUESTION = "facilitator question"
    RESPONSES = "participant responses"
    SYNTHESIS = "facilitator synthesis"
    ARTIFACTS = "process artifacts"
    JOURNAL = "update session file"


class RoundEvent(Enum):
    ASKED = "asked"
    RESPONDED = "responded"
    SYNTHESISED = "synthesised"
    PROCESSED = "processed"


ROUND: Lifecycle[RoundStage, RoundEvent] = Lifecycle(
    name="round",
    initial=RoundStage.QUESTION,
    table={
        RoundStage.QUESTION: {RoundEvent.ASKED: RoundStage.RESPONSES},
        RoundStage.RESPONSES: {RoundEvent.RESPONDED: RoundStage.SYNTHESIS},
        RoundStage.SYNTHESIS: {RoundEvent.SYNTHESISED: RoundStage.ARTIFACTS},
        RoundStage.ARTIFACTS: {RoundEvent.PROCESSED: RoundStage.JOURNAL},
    },
    ends=frozenset({RoundStage.JOURNAL}),
)


class TopicStatus(Enum):
    OPEN = "open"
    PARTIAL = "partial"
    CLOSED = "closed"


class TopicEvent(Enum):
    COVERED = "first coverage item addressed"
    COMPLETED = "all criteria met"


TOPIC: Lifecycle[TopicStatus, TopicEvent] = Lifecycle(
    name="topic",
    initial=TopicStatus.OPEN,
    table={
        TopicStatus.OPEN: {TopicEvent.COVERED: TopicStatus.PARTIAL, TopicEvent.COMPLETED: TopicStatus.CLOSED},
        TopicStatus.PARTIAL: {TopicEvent.COMPLETED: TopicStatus.CLOSED},
    },
    ends=frozenset({TopicStatus.CLOSED}),
)


class Status(Enum):
    """Where an artifact stands; questions and conflicts are open or resolved."""

    ACTIVE = "active"
    AMENDED = "amended"
    SUPERSEDED = "superseded"
    WITHDRAWN = "withdrawn"
    OPEN = "open"
    RESOLVED = "resolved"


class Happening(Enum):
    """What can happen to an artifact after it was created."""

    AMEND = "amend"
    REVERT = "revert"
    SUPERSEDE = "supersede"
    WITHDRAW = "withdraw"
    RESOLVE = "resolve"


ARTIFACT: Lifecycle[Status, Happening] = Lifecycle(
    name="artifact",
    initial=Status.ACTIVE,
    table={
        Status.ACTIVE: {
            Happening.AMEND: Status.AMENDED,
            Happening.SUPERSEDE: Status.SUPERSEDED,
            Happening.WITHDRAW: Status.WITHDRAWN,
        },
        Status.AMENDED: {
            Happening.AMEND: Status.AMENDED,
            Happening.REVERT: Status.ACTIVE,
            Happening.SUPERSEDE: Status.SUPERSEDED,
            Happening.WITHDRAW: Status.WITHDRAWN,
        },
    },
    ends=frozenset({Status.SUPERSEDED, Status.WITHDRAWN}),
)

MATTER: Lifecycle[Status, Happening] = Lifecycle(
    name="question or conflict",
    initial=Status.OPEN,
    table={Status.OPEN: {Happening.RESOLVE: Status.RESOLVED}},
    ends=frozenset({Status.RESOLVED}),
)
