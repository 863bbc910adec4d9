"""What the facilitator fills in after a round: new artifacts of twelve types, and what becomes of the others (W12-W20).

A workflow makes some types only, so each has a form of its own, put together from the same parts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from enum import Enum
from typing import Annotated, Any

from quorate.core.forms import AtMost, Key, Prose, Reply, is_blank, mark, mark_in_material
from quorate.protocols.workshop.version_1.rules.forms import Ref
from quorate.protocols.workshop.version_1.rules.items import (
    KINDS,
    MOST_EACH,
    ArchitectureDecision,
    BusinessRule,
    Component,
    Conflict,
    Exclusion,
    Idea,
    Interface,
    Made,
    Mitigation,
    OpenQuestion,
    Quality,
    Requirement,
    Risk,
)
from quorate.protocols.workshop.version_1.rules.lives import Happening
from quorate.protocols.workshop.version_1.rules.model import MOST_CRITERIA
from quorate.protocols.workshop.version_1.rules.next_action import Action
from quorate.protocols.workshop.version_1.rules.taxonomy import ArtifactType, Workflow

_QUOTED = re.compile(r"\"([^\"]*)\"|“([^”]*)”|„([^“”]*)[“”]|«([^»]*)»|‹([^›]*)›|(?<!\w)‘([^’]*)’")
"""Quotations, paired from left to right."""
LEAST_QUOTED = 20
"""Characters from which words in quotation marks count as somebody's."""


# What becomes of artifacts that exist


class Becomes(Enum):
    """Moves of the life cycles, and a new look at the agreement."""

    AMEND = "amend"
    REVERT = "revert"
    WITHDRAW = "withdraw"
    RESOLVE = "resolve"
    ENDORSE = "endorse"

    @property
    def happening(self) -> Happening | None:
        return None if self is Becomes.ENDORSE else Happening(self.value)


class Method(Enum):
    CONSENSUS = "consensus"
    MAJORITY = "majority"
    FACILITATOR_DECISION = "facilitator_decision"


class EditKind(Enum):
    ADDED = "added"
    CHANGED = "changed"


class Field(Enum):
    """The fields that an amendment may change, those of all types together."""

    TITLE = "title"
    DESCRIPTION = "description"
    ACCEPTANCE = "acceptance"
    PRIORITY = "priority"
    CONDITIONS = "conditions"
    ACTIONS = "actions"
    CATEGORY = "category"
    TARGET = "target"
    MINIMUM = "minimum"
    MEASUREMENT = "measurement"
    RATIONALE = "rationale"
    CONTEXT = "context"
    DECISION = "decision"
    CONSEQUENCES = "consequences"
    RESPONSIBILITY = "responsibility"
    PROVIDES = "provides"
    REQUIRES = "requires"
    DEPENDENCIES = "dependencies"
    TECHNOLOGY = "technology"
    KIND = "kind"
    ENDPOINTS = "endpoints"
    IMPLEMENTATION_NOTES = "implementation_notes"
    POTENTIAL_VALUE = "potential_value"
    FEASIBILITY = "feasibility"
    SEVERITY = "severity"
    LIKELIHOOD = "likelihood"
    EFFORT = "effort"
    EFFECTIVENESS = "effectiveness"


@dataclass(frozen=True, kw_only=True)
class Edit:
    """One field of an amendment (W16)."""

    field: Annotated[Field, "the field; it has to be one of the artifact's type"]
    text: Annotated[Prose, AtMost(1_200), "the entry to add, or the new text"]
    kind: Annotated[EditKind, "an entry added to a list, or a text changed"]


@dataclass(frozen=True, kw_only=True)
class Change:
    artifact: Annotated[Ref, "its id"]
    summary: Annotated[Prose, AtMost(800), "what changes and why; how it is resolved; why it is withdrawn"]
    edits: Annotated[tuple[Edit, ...], AtMost(6), "for an amendment: field by field"]
    proposed_by: Annotated[tuple[Ref, ...], AtMost(1), "the position that it comes from"]
    supported_by: Annotated[tuple[Ref, ...], AtMost(11), "positions that support it"]
    opposed_by: Annotated[tuple[Ref, ...], AtMost(11), "positions that speak against it"]
    method: Annotated[Method, "how it was resolved; for other moves it counts for nothing"]
    becomes: Annotated[Becomes, "amend, revert the last amendment, withdraw, resolve, or endorse a draft"]
    unexplained: bool = mark(lambda change: is_blank(change.summary))


@dataclass(frozen=True, kw_only=True)
class Summary:
    synthesis: Annotated[Prose, AtMost(3_000), "what the responses come to: where they agree, where not, and why"]


@dataclass(frozen=True, kw_only=True)
class Consequences:
    changes: Annotated[tuple[Change, ...], AtMost(8), "what becomes of artifacts that exist"]
    covered: Annotated[tuple[Ref, ...], AtMost(MOST_CRITERIA), "criteria (K1, K2, ...) that are now met"]
    recommendation: Annotated[Prose, AtMost(1_200), "what you recommend to a person, if it comes to that"]
    wish: Annotated[Action, "what you would do next; code decides"]


def _misquotes(reply: Any, material: str) -> bool:
    """Whether words stand in quotation marks that stand in no response (W12)."""
    said = _plain(material)
    texts = [reply.synthesis, reply.recommendation, *(each.summary for each in reply.changes)]
    texts += [each.description for each in reply.conflicts]
    for prose in texts:
        for found in _QUOTED.finditer(prose.text):
            quoted = _plain(next(filter(None, found.groups()), ""))
            if len(quoted) >= LEAST_QUOTED and quoted not in said:
                return True
    return False


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


def _advises(reply: Any) -> bool:
    return not is_blank(reply.recommendation)


class Synthesis(Reply):
    """What the syntheses of all workflows share."""

    synthesis: Prose
    changes: tuple[Change, ...]
    covered: tuple[Key, ...]
    recommendation: Prose
    wish: Action
    misquoted: bool
    advises: bool


Requirements = Annotated[tuple[Requirement, ...], AtMost(MOST_EACH), "new requirements"]
BusinessRules = Annotated[tuple[BusinessRule, ...], AtMost(MOST_EACH), "new business rules"]
Qualities = Annotated[tuple[Quality, ...], AtMost(MOST_EACH), "new non-functional requirements"]
Exclusions = Annotated[tuple[Exclusion, ...], AtMost(MOST_EACH), "what is ruled out"]
Questions = Annotated[tuple[OpenQuestion, ...], AtMost(MOST_EACH), "new open questions"]
Conflicts = Annotated[tuple[Conflict, ...], AtMost(MOST_EACH), "new conflicts between positions"]
Decisions = Annotated[tuple[ArchitectureDecision, ...], AtMost(MOST_EACH), "new architecture decisions"]
Components = Annotated[tuple[Component, ...], AtMost(MOST_EACH), "new components"]
Interfaces = Annotated[tuple[Interface, ...], AtMost(MOST_EACH), "new interfaces"]
Ideas = Annotated[tuple[Idea, ...], AtMost(MOST_EACH), "new ideas"]
Risks = Annotated[tuple[Risk, ...], AtMost(MOST_EACH), "new risks"]
Mitigations = Annotated[tuple[Mitigation, ...], AtMost(MOST_EACH), "new mitigations"]


@dataclass(frozen=True, kw_only=True)
class _Specs:
    requirements: Requirements
    business_rules: BusinessRules
    qualities: Qualities
    exclusions: Exclusions


@dataclass(frozen=True, kw_only=True)
class _Design:
    decisions: Decisions
    components: Components
    interfaces: Interfaces


@dataclass(frozen=True, kw_only=True)
class _Brainstorm:
    ideas: Ideas
    risks: Risks
    mitigations: Mitigations


@dataclass(frozen=True, kw_only=True)
class _Matters:
    questions: Questions
    conflicts: Conflicts


# The last base comes first in a form: what was said, what is new, what follows.


@dataclass(frozen=True, kw_only=True)
class SpecsSynthesis(Consequences, _Matters, _Specs, Summary, Synthesis):
    misquoted: bool = mark_in_material(_misquotes)
    advises: bool = mark(_advises)


@dataclass(frozen=True, kw_only=True)
class DesignSynthesis(Consequences, _Matters, _Design, Summary, Synthesis):
    misquoted: bool = mark_in_material(_misquotes)
    advises: bool = mark(_advises)


@dataclass(frozen=True, kw_only=True)
class BrainstormSynthesis(Consequences, _Matters, _Brainstorm, Summary, Synthesis):
    misquoted: bool = mark_in_material(_misquotes)
    advises: bool = mark(_advises)


@dataclass(frozen=True, kw_only=True)
class OpenSynthesis(Consequences, _Matters, _Brainstorm, _Design, _Specs, Summary, Synthesis):
    misquoted: bool = mark_in_material(_misquotes)
    advises: bool = mark(_advises)


SYNTHESES: Mapping[Workflow, type[Synthesis]] = {
    Workflow.SPECS: SpecsSynthesis,
    Workflow.DESIGN: DesignSynthesis,
    Workflow.BRAINSTORM: BrainstormSynthesis,
    Workflow.OPEN: OpenSynthesis,
}

LISTS: Mapping[str, ArtifactType] = {
    "requirements": ArtifactType.REQ,
    "business_rules": ArtifactType.BR,
    "qualities": ArtifactType.NFR,
    "exclusions": ArtifactType.EX,
    "decisions": ArtifactType.ARCH,
    "components": ArtifactType.COMP,
    "interfaces": ArtifactType.INT,
    "ideas": ArtifactType.IDEA,
    "risks": ArtifactType.RISK,
    "mitigations": ArtifactType.MIT,
    "questions": ArtifactType.OQ,
    "conflicts": ArtifactType.CONF,
}
"""The lists of a synthesis and what they hold, in the order in which ids are issued (W15)."""


def made(reply: Synthesis) -> Iterator[tuple[ArtifactType, Made]]:
    """Every new artifact of a synthesis, in the order in which ids are issued."""
    for name, kind in LISTS.items():
        for each in getattr(reply, name, ()):
            yield kind, each


def has_field(kind: ArtifactType, field: Field) -> bool:
    """Whether an amendment of this type may change this field."""
    return any(each.name == field.value for each in fields(KINDS[kind]))
