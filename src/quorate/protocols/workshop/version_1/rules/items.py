"""The twelve types of artifacts as the facilitator fills them in, each with its own fields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Annotated

from quorate.core.forms import AtMost, Between, Prose
from quorate.protocols.workshop.version_1.rules.forms import Ref
from quorate.protocols.workshop.version_1.rules.taxonomy import Agreement, ArtifactType

MOST_EACH = 8
"""New artifacts of one type in one synthesis."""
Line = Annotated[Prose, AtMost(300)]


class AgreementSeen(Enum):
    """How the facilitator sees it; it counts where the strategy leaves it to the facilitator (W18)."""

    CONSENSUS = "consensus"
    DRAFT = "draft"

    @property
    def agreement(self) -> Agreement:
        return Agreement(self.value)


@dataclass(frozen=True, kw_only=True)
class Made:
    """What every new artifact has."""

    title: Annotated[Prose, AtMost(160), "a short name"]
    proposed_by: Annotated[tuple[Ref, ...], AtMost(1), "the position (P1, P2, ...) that it comes from"]
    supported_by: Annotated[tuple[Ref, ...], AtMost(11), "positions that support it"]
    opposed_by: Annotated[tuple[Ref, ...], AtMost(11), "positions that speak against it"]
    supersedes: Annotated[tuple[Ref, ...], AtMost(1), "the id of an artifact that this one replaces; mostly none"]
    agreement: Annotated[AgreementSeen, "whether those who spoke of it agree"]


class Priority(Enum):
    MUST = "must"
    SHOULD = "should"
    COULD = "could"
    WONT = "wont"


@dataclass(frozen=True, kw_only=True)
class Requirement(Made):
    description: Annotated[Prose, AtMost(1_200), "what the system does, for whom, and why"]
    acceptance: Annotated[tuple[Line, ...], AtMost(6), "how anyone could tell that it is met"]
    priority: Priority


@dataclass(frozen=True, kw_only=True)
class BusinessRule(Made):
    description: Annotated[Prose, AtMost(1_200), "the rule"]
    conditions: Annotated[tuple[Line, ...], AtMost(6), "when it applies"]
    actions: Annotated[tuple[Line, ...], AtMost(6), "what follows"]


class Category(Enum):
    PERFORMANCE = "performance"
    RELIABILITY = "reliability"
    SECURITY = "security"
    USABILITY = "usability"
    SCALABILITY = "scalability"


@dataclass(frozen=True, kw_only=True)
class Quality(Made):
    description: Annotated[Prose, AtMost(1_200), "what has to be true of the system"]
    target: Annotated[Prose, AtMost(200), "the figure to reach"]
    minimum: Annotated[Prose, AtMost(200), "the figure that is just acceptable"]
    measurement: Annotated[Prose, AtMost(400), "how it is measured"]
    category: Category


@dataclass(frozen=True, kw_only=True)
class Exclusion(Made):
    description: Annotated[Prose, AtMost(1_200), "what is not part of it"]
    rationale: Annotated[Prose, AtMost(800), "why not"]
    future_consideration: Annotated[bool, "whether it may come later"]


@dataclass(frozen=True, kw_only=True)
class OpenQuestion(Made):
    description: Annotated[Prose, AtMost(1_200), "what is not known, and who could say"]
    blocking: Annotated[bool, "whether work cannot go on without an answer"]


@dataclass(frozen=True, kw_only=True)
class Conflict(Made):
    description: Annotated[Prose, AtMost(1_200), "what the disagreement is about; the parties' words are added by code"]
    parties: Annotated[tuple[Ref, ...], AtMost(11), "the positions that contradict each other"]


@dataclass(frozen=True, kw_only=True)
class Option:
    name: Annotated[Prose, AtMost(160), "the option"]
    pros: Annotated[Prose, AtMost(400), "what speaks for it"]
    cons: Annotated[Prose, AtMost(400), "what speaks against it"]


@dataclass(frozen=True, kw_only=True)
class ArchitectureDecision(Made):
    context: Annotated[Prose, AtMost(1_200), "what forces the decision"]
    options: Annotated[tuple[Option, ...], AtMost(5), "what was considered"]
    decision: Annotated[Prose, AtMost(1_200), "what is done"]
    rationale: Annotated[Prose, AtMost(1_200), "why"]
    consequences: Annotated[Prose, AtMost(1_200), "what follows, good and bad"]


@dataclass(frozen=True, kw_only=True)
class Component(Made):
    responsibility: Annotated[Prose, AtMost(800), "what it is there for"]
    provides: Annotated[tuple[Line, ...], AtMost(6), "interfaces that it offers"]
    requires: Annotated[tuple[Line, ...], AtMost(6), "interfaces that it needs"]
    dependencies: Annotated[tuple[Line, ...], AtMost(6), "components that it depends on"]
    technology: Annotated[Prose, AtMost(200), "what it is built with"]


class InterfaceKind(Enum):
    REST = "REST"
    GRAPHQL = "GraphQL"
    GRPC = "gRPC"
    MESSAGE = "message"
    FILE = "file"


@dataclass(frozen=True, kw_only=True)
class Interface(Made):
    description: Annotated[Prose, AtMost(1_200), "who talks to whom about what"]
    endpoints: Annotated[tuple[Line, ...], AtMost(8), "operations, topics or files"]
    kind: InterfaceKind


class Level(Enum):
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


@dataclass(frozen=True, kw_only=True)
class Idea(Made):
    description: Annotated[Prose, AtMost(1_200), "the idea"]
    implementation_notes: Annotated[Prose, AtMost(1_200), "how it could be done; empty if nobody said"]
    builds_on: Annotated[tuple[Ref, ...], AtMost(4), "ids of ideas that it builds on"]
    potential_value: Level
    feasibility: Level


@dataclass(frozen=True, kw_only=True)
class Risk(Made):
    description: Annotated[Prose, AtMost(1_200), "what could go wrong, and what then"]
    affected_ideas: Annotated[tuple[Ref, ...], AtMost(6), "ids of ideas that it affects"]
    severity: Level
    likelihood: Level


@dataclass(frozen=True, kw_only=True)
class Mitigation(Made):
    description: Annotated[Prose, AtMost(1_200), "what would lessen the risk"]
    risk: Annotated[tuple[Ref, ...], AtMost(1), "the id of the risk, if it has one"]
    new_risk: Annotated[int, Between(0, MOST_EACH), "its place in your list of risks, from 1; 0 if it has an id"]
    effort: Level
    effectiveness: Level


KINDS: Mapping[ArtifactType, type[Made]] = {
    ArtifactType.REQ: Requirement,
    ArtifactType.BR: BusinessRule,
    ArtifactType.NFR: Quality,
    ArtifactType.EX: Exclusion,
    ArtifactType.ARCH: ArchitectureDecision,
    ArtifactType.COMP: Component,
    ArtifactType.INT: Interface,
    ArtifactType.IDEA: Idea,
    ArtifactType.RISK: Risk,
    ArtifactType.MIT: Mitigation,
    ArtifactType.OQ: OpenQuestion,
    ArtifactType.CONF: Conflict,
}
