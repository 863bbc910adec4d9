"""What seats fill in: the agenda as the clerk reads it, questions, responses, votes, and what a person rules."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from quorate.core.forms import AtMost, Between, Key, Keyed, Prose, Refers, Reply, is_blank, mark
from quorate.core.values import value
from quorate.protocols.workshop.rules.model import MOST_CRITERIA, MOST_PARTS, MOST_TOPICS
from quorate.protocols.workshop.rules.strategies import Stage
from quorate.protocols.workshop.rules.taxonomy import ArtifactType

Ref = Annotated[Key, Refers()]
"""A key that is only referred to."""


# The clerk


class Bound(Enum):
    """The stage that a topic is bound to."""

    NONE = "none"
    DREAMER = "dreamer"
    REALIST = "realist"
    CRITIC = "critic"

    @property
    def stage(self) -> Stage | None:
        return None if self is Bound.NONE else Stage(self.value)


@value(frozen=True, slots=True)
class AgendaTopic:
    key: Annotated[Key, "the topic"]
    required: bool
    criteria: Annotated[int, Between(1, MOST_CRITERIA)]
    minimum: Annotated[int, Between(0, 20)]
    counts: Annotated[tuple[ArtifactType, ...], AtMost(12)]
    stage: Bound


@value(frozen=True, slots=True)
class AgendaReport(Reply):
    """What the agenda holds, and into how many parts the documents are divided (W2, W38)."""

    topics: Annotated[tuple[AgendaTopic, ...], AtMost(MOST_TOPICS)]
    parts: Annotated[int, Between(1, MOST_PARTS), "parts that the documents are divided into"]
    unlisted: Annotated[bool, "whether some of them can be shown to nobody"]


@value(frozen=True, slots=True)
class Reading(Reply):
    """Which responses name a critical word (W23)."""

    critical: Annotated[tuple[Key, ...], AtMost(11)]


# The round


@value(frozen=True, slots=True)
class Focus(Reply):
    """The facilitator's question (W5, W8)."""

    rationale: Annotated[Prose, AtMost(800), "why this comes next"]
    question: Annotated[Prose, AtMost(1_500), "one question to all participants, about one thing"]
    exploration: Annotated[Prose, AtMost(1_500), "what to look at, and where the limits are"]
    focus: Annotated[Key, "what the round is about"]
    blank: bool = mark(lambda reply: is_blank(reply.question))


@value(frozen=True, slots=True)
class TradeOffs:
    optimizing_for: Annotated[Prose, AtMost(400), "what this gains"]
    accepting_as_cost: Annotated[Prose, AtMost(400), "what it costs"]
    risks: Annotated[tuple[Prose, ...], AtMost(5), "what could go wrong"]


@value(frozen=True, slots=True)
class Response(Reply):
    """A participant's position (W10)."""

    position: Annotated[Prose, AtMost(2_500), "your answer to the question, from your field"]
    rationale: Annotated[tuple[Prose, ...], AtMost(6), "the reasons, one each"]
    trade_offs: TradeOffs
    concerns: Annotated[tuple[Prose, ...], AtMost(6), "what worries you"]
    suggestions: Annotated[tuple[Prose, ...], AtMost(6), "what should be written down, concretely"]
    context_gaps: Annotated[tuple[Prose, ...], AtMost(6), "what you would have to know and are not told"]
    contested: Annotated[
        tuple[Ref, ...], AtMost(6), "ids of artifacts that are wrong or that you never supported; mostly none"
    ]
    applied: Annotated[
        tuple[Ref, ...],
        AtMost(12, may_lack=True),
        "ids of rulings that the texts of what they are about follow now; mostly none",
    ]
    confidence: Annotated[int, Between(0, 100), "80 and more: you know enough; under 50: large gaps; under 30: a guess"]


class Consent(Enum):
    SUPPORT = "SUPPORT"
    STAND_ASIDE = "STAND_ASIDE"
    BLOCK = "BLOCK"


@value(frozen=True, slots=True)
class Vote:
    reason: Annotated[Prose, AtMost(600), "why"]
    minimum_change: Annotated[Prose, AtMost(600), "for a block: the least change that would lift it; else empty"]
    stance: Annotated[Consent, "support it, live with it, or block it"]
    groundless: bool = mark(lambda vote: is_blank(vote.minimum_change))


@value(frozen=True, slots=True)
class Votes(Reply):
    """A participant's votes on the drafts, and on whether rulings are applied: SUPPORT says that one is (W24, W30)."""

    position: Annotated[Prose, AtMost(1_500), "how the drafts look from your field"]
    votes: Annotated[Keyed[Vote], "a vote on each draft and each ruling, by its id"]
    confidence: Annotated[int, Between(0, 100), "80 and more: you know enough; under 50: large gaps; under 30: a guess"]


# A person


class RulingChoice(Enum):
    ACCEPT = "accept"
    DECIDE = "decide"
    APPLIED = "applied"
    GO_ON = "go_on"


@value(frozen=True, slots=True)
class Ruling(Reply):
    """What a person rules on what was escalated (W24)."""

    reason: Annotated[Prose, AtMost(2_000), "why"]
    decision: Annotated[Prose, AtMost(4_000), "your decision, where you decide otherwise"]
    choice: Annotated[
        RulingChoice,
        "accept the recommendation, decide otherwise, say that what you ruled is applied, or let them go on",
    ]
    undecided: bool = mark(lambda ruling: is_blank(ruling.decision))


class PauseChoice(Enum):
    GO_ON = "go_on"
    APPLIED = "applied"
    CONCLUDE = "conclude"
    ESCALATE = "escalate"


@value(frozen=True, slots=True)
class PauseReply(Reply):
    """What a person says between two rounds (W25)."""

    remark: Annotated[Prose, AtMost(2_000), "what the facilitator should know; it is shown to nobody else"]
    choice: Annotated[
        PauseChoice, "go on, say that what you ruled is applied, conclude now, or have open conflicts put to you"
    ]
