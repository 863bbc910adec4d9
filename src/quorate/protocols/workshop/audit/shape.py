"""The words of a session file: the groups of artifacts, the fields that must be there, and every closed vocabulary."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum
from typing import Any

from quorate.protocols.workshop.rules.forms import Consent
from quorate.protocols.workshop.rules.items import Category, InterfaceKind, Level, Priority
from quorate.protocols.workshop.rules.lives import ARTIFACT, MATTER, SessionStatus, Status, TopicStatus
from quorate.protocols.workshop.rules.next_action import Action
from quorate.protocols.workshop.rules.strategies import BY_NAME
from quorate.protocols.workshop.rules.synthesis import Method
from quorate.protocols.workshop.rules.taxonomy import Agreement, ArtifactType, Side, Workflow

RULINGS = "rulings"
"""The map of a person's rulings, which is left out where there are none."""
GROUPS: Mapping[ArtifactType, str] = {
    ArtifactType.REQ: "requirements",
    ArtifactType.BR: "business_rules",
    ArtifactType.NFR: "nfr",
    ArtifactType.EX: "exclusions",
    ArtifactType.OQ: "open_questions",
    ArtifactType.CONF: "conflicts",
    ArtifactType.ARCH: "architecture_decisions",
    ArtifactType.COMP: "components",
    ArtifactType.INT: "interfaces",
    ArtifactType.IDEA: "ideas",
    ArtifactType.RISK: "risks",
    ArtifactType.MIT: "mitigations",
    ArtifactType.RUL: RULINGS,
}
"""The maps under `artifacts`, by the type that each holds."""
TYPES: Mapping[str, ArtifactType] = {name: kind for kind, name in GROUPS.items()}

_ID = re.compile(r"([A-Z]{2,8})-([0-9]{3,6})", re.ASCII)


def id_parts(text: str) -> tuple[ArtifactType, int] | None:
    """Return type and number of an id such as REQ-001; None where it is none."""
    found = _ID.fullmatch(text) if len(text) <= 20 else None
    if found is None or found[1] not in ArtifactType.__members__:
        return None
    number = int(found[2])
    # REQ-0001 would be a second name of REQ-001.
    return (ArtifactType[found[1]], number) if found[2] == f"{number:03}" else None


def type_of(name: str) -> ArtifactType | None:
    """Return the artifact type for the name of a group or of a type."""
    return TYPES.get(name) or ArtifactType.__members__.get(name)


# Fields that must be there

KINDS = ("a text", "a list", "a mapping")
REQUIRED: Mapping[tuple[str, ...], str] = {
    ("id",): "a text",
    ("workflow_type",): "a text",
    ("strategy",): "a text",
    ("status",): "a text",
    ("timing", "started_at"): "a text",
    ("artifacts",): "a mapping",
    ("agenda",): "a list",
    ("rounds",): "a list",
    ("metrics",): "a mapping",
}
"""Without these nothing can be said about a session (STR-001)."""

_TELLING = {"workflow_type", "strategy", "agenda", "rounds", "artifacts", "metrics", "timing", "agent_state"}
_OTHERS = {"format", "rfc_id"}
"""Fields of a journal's bundle and of a council's review, which are other files."""


def looks_like_session_file(data: Any) -> bool:
    """Return whether plain data, or the names of its fields, seem to be a session file, be it a broken one."""
    names = {name for name in data if isinstance(name, str)} if isinstance(data, Mapping | set | frozenset) else set()
    return not names & _OTHERS and len(names & _TELLING) >= 3


# Vocabularies


def words(vocabulary: type[Enum]) -> tuple[str, ...]:
    return tuple(str(each.value) for each in vocabulary)


WORKFLOWS = (*words(Workflow), "roundtable")
"""`open` is ours; others call a session without a workflow of its own a roundtable."""
STRATEGIES = tuple(BY_NAME)
SESSION_STATES = words(SessionStatus)
TOPIC_STATES = words(TopicStatus)
ARTIFACT_STATES = tuple(each.value for each in Status if each in ARTIFACT.table or each in ARTIFACT.ends)
MATTER_STATES = tuple(each.value for each in Status if each in MATTER.table or each in MATTER.ends)
AGREEMENTS = words(Agreement)
ACTIONS = words(Action)
SIDES = words(Side)
STANCES = words(Consent)
PERSON = "person"
"""How a conflict is settled that the participants could not settle."""
METHODS = (*words(Method), PERSON)
FOCUSES = ("agenda", "conflict", "open_question")

_LEVELS = words(Level)
FIELD_WORDS: Mapping[ArtifactType, Mapping[str, tuple[str, ...]]] = {
    ArtifactType.REQ: {"priority": words(Priority)},
    ArtifactType.NFR: {"category": words(Category)},
    ArtifactType.INT: {"type": words(InterfaceKind)},
    ArtifactType.IDEA: {"potential_value": _LEVELS, "feasibility": _LEVELS},
    ArtifactType.RISK: {"severity": _LEVELS, "likelihood": _LEVELS},
    ArtifactType.MIT: {"effort": _LEVELS, "effectiveness": _LEVELS},
    ArtifactType.CONF: {"resolution_method": METHODS},
}
"""The fields of each type that take one of a few words."""

REFERENCES: Mapping[str, ArtifactType | None] = {
    "superseded_by": None,
    "supersedes": None,
    "related_to": None,
    "builds_on": ArtifactType.IDEA,
    "affected_ideas": ArtifactType.IDEA,
    "risk_id": ArtifactType.RISK,
    "mitigation_id": ArtifactType.MIT,
}
"""The fields of artifacts that name other artifacts, and of which type; None for any."""


def stance_of(text: str | None) -> Consent | None:
    """Return the stance that is meant, small letters and hyphens forgiven."""
    if text is None or len(text) > 40:
        return None
    return Consent.__members__.get("_".join(text.upper().replace("-", " ").replace("_", " ").split()))
