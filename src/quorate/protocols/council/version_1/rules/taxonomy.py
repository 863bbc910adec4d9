"""The words of findings: gates, severities, the seven categories with their 28 subcategories, and places."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from hashlib import sha256

from quorate.core.forms import Key

MOST_TICKETS = 200


class Severity(Enum):
    """How bad it is, the worst first."""

    BLOCKER = "BLOCKER"
    MAJOR = "MAJOR"
    MINOR = "MINOR"
    INFO = "INFO"

    @property
    def rank(self) -> int:
        """0 for the worst."""
        return _RANKS[self]

    def at_least(self, other: Severity) -> bool:
        return self.rank <= other.rank


_RANKS = {severity: rank for rank, severity in enumerate(Severity)}


class Gate(Enum):
    """The nine gates in their fixed order; the seed's profile runs seven of them (C7)."""

    SCHEMA = "GATE-TCK-SCHEMA"
    ACYCLICITY = "GATE-TCK-DEPENDENCY-ACYCLICITY"
    COVERAGE = "GATE-TCK-SCOPE-COVERAGE"
    CCP_MAPPING = "GATE-TCK-CCP-MAPPING"
    ATOMICITY = "GATE-TCK-ATOMICITY"
    IMPLEMENTABILITY = "GATE-TCK-IMPLEMENTABILITY"
    SECURITY = "GATE-TCK-SECURITY-AND-INTEGRITY"
    FIDELITY = "GATE-TCK-REQUIREMENT-FIDELITY"
    ANTI_COUSIN = "GATE-TCK-ANTI-COUSIN"


BY_CODE = (Gate.SCHEMA, Gate.ACYCLICITY, Gate.COVERAGE, Gate.CCP_MAPPING)
"""Run by code alone, which is authoritative (C8)."""
SEVEN = (*BY_CODE, Gate.ATOMICITY, Gate.IMPLEMENTABILITY, Gate.ANTI_COUSIN)
NINE = tuple(Gate)


class GateType(Enum):
    TRUSTED = "TRUSTED"
    DETERMINISTIC = "DETERMINISTIC"
    LLM_ASSISTED = "LLM-ASSISTED"


def gate_type(gate: Gate) -> GateType:
    if gate is Gate.SCHEMA:
        return GateType.TRUSTED
    return GateType.DETERMINISTIC if gate in BY_CODE else GateType.LLM_ASSISTED


class GateStatus(Enum):
    PASSED = "PASSED"
    FAILED = "FAILED"
    NOT_APPLICABLE = "NOT_APPLICABLE"


class Category(Enum):
    STRUCTURE_DEFECT = "STRUCTURE_DEFECT"
    COVERAGE_DEFECT = "COVERAGE_DEFECT"
    COUSIN_DEFECT = "COUSIN_DEFECT"
    IMPLEMENTABILITY_DEFECT = "IMPLEMENTABILITY_DEFECT"
    ATOMICITY_DEFECT = "ATOMICITY_DEFECT"
    SECURITY_DEFECT = "SECURITY_DEFECT"
    FIDELITY_DEFECT = "FIDELITY_DEFECT"


class Subcategory(Enum):
    DEPENDENCY_CYCLE = "DEPENDENCY_CYCLE"
    BROKEN_REF = "BROKEN_REF"
    SCHEMA_VIOLATION = "SCHEMA_VIOLATION"
    PHASE_MISORDERING = "PHASE_MISORDERING"
    SCOPE_GAP = "SCOPE_GAP"
    ORPHAN_TICKET = "ORPHAN_TICKET"
    SCOPE_OVERLAP = "SCOPE_OVERLAP"
    EVIDENCE_GAP = "EVIDENCE_GAP"
    COUSIN_VIOLATION = "COUSIN_VIOLATION"
    CCP_MISMATCH = "CCP_MISMATCH"
    IGNORED_EXTENSION_POINT = "IGNORED_EXTENSION_POINT"
    DECISION_CONFLICT = "DECISION_CONFLICT"
    INCOMPLETE_PLAN = "INCOMPLETE_PLAN"
    MISSING_VERIFICATION = "MISSING_VERIFICATION"
    AGENT_CONTEXT_GAP = "AGENT_CONTEXT_GAP"
    AMBIGUOUS_SCOPE = "AMBIGUOUS_SCOPE"
    ATOMICITY_VIOLATION = "ATOMICITY_VIOLATION"
    SCOPE_TOO_LARGE = "SCOPE_TOO_LARGE"
    MULTI_COMPONENT = "MULTI_COMPONENT"
    MERGE_UNSAFE = "MERGE_UNSAFE"
    BOUNDARY_VIOLATION = "BOUNDARY_VIOLATION"
    INVARIANT_FAILURE = "INVARIANT_FAILURE"
    UNMITIGATED_THREAT = "UNMITIGATED_THREAT"
    SECRET_EXPOSURE = "SECRET_EXPOSURE"  # noqa: S105 - the name of a defect
    REQUIREMENT_GAP = "REQUIREMENT_GAP"
    INTENT_MISMATCH = "INTENT_MISMATCH"
    ANOMALY_IGNORED = "ANOMALY_IGNORED"
    INSUFFICIENT_SUBSTANCE = "INSUFFICIENT_SUBSTANCE"

    @property
    def category(self) -> Category:
        return _TABLE[self][0]

    @property
    def gate(self) -> Gate:
        return _TABLE[self][1]

    @property
    def default(self) -> Severity:
        """The severity that it has unless a reason is given for another."""
        return _TABLE[self][2]

    @property
    def means(self) -> str:
        return _TABLE[self][3]


def _table() -> Mapping[Subcategory, tuple[Category, Gate, Severity, str]]:
    s, c, g = Subcategory, Category, Gate
    blocker, major, minor = Severity.BLOCKER, Severity.MAJOR, Severity.MINOR
    return {
        s.DEPENDENCY_CYCLE: (c.STRUCTURE_DEFECT, g.ACYCLICITY, blocker, "tickets wait for each other"),
        s.BROKEN_REF: (c.STRUCTURE_DEFECT, g.SCHEMA, blocker, "names a ticket or requirement that does not exist"),
        s.SCHEMA_VIOLATION: (c.STRUCTURE_DEFECT, g.SCHEMA, blocker, "a file does not have the shape it must have"),
        s.PHASE_MISORDERING: (c.STRUCTURE_DEFECT, g.ACYCLICITY, major, "the order does not suit the work"),
        s.SCOPE_GAP: (c.COVERAGE_DEFECT, g.COVERAGE, blocker, "a requirement has no ticket"),
        s.ORPHAN_TICKET: (c.COVERAGE_DEFECT, g.COVERAGE, major, "a ticket has no requirement"),
        s.SCOPE_OVERLAP: (c.COVERAGE_DEFECT, g.COVERAGE, minor, "two tickets cover the same without knowing it"),
        s.EVIDENCE_GAP: (c.COVERAGE_DEFECT, g.COVERAGE, major, "evidence that is promised is linked nowhere"),
        s.COUSIN_VIOLATION: (c.COUSIN_DEFECT, g.ANTI_COUSIN, blocker, "repeats something that exists already"),
        s.CCP_MISMATCH: (c.COUSIN_DEFECT, g.CCP_MAPPING, blocker, "a path that the index of the code does not know"),
        s.IGNORED_EXTENSION_POINT: (c.COUSIN_DEFECT, g.ANTI_COUSIN, major, "an existing hook is not used"),
        s.DECISION_CONFLICT: (c.COUSIN_DEFECT, g.ANTI_COUSIN, blocker, "contradicts a decision of the RFC"),
        s.INCOMPLETE_PLAN: (c.IMPLEMENTABILITY_DEFECT, g.IMPLEMENTABILITY, blocker, "steps are missing or unclear"),
        s.MISSING_VERIFICATION: (
            c.IMPLEMENTABILITY_DEFECT,
            g.IMPLEMENTABILITY,
            major,
            "nobody could tell that it is done",
        ),
        s.AGENT_CONTEXT_GAP: (
            c.IMPLEMENTABILITY_DEFECT,
            g.IMPLEMENTABILITY,
            major,
            "the one who implements it is not told enough",
        ),
        s.AMBIGUOUS_SCOPE: (c.IMPLEMENTABILITY_DEFECT, g.IMPLEMENTABILITY, major, "unclear what is to be built"),
        s.ATOMICITY_VIOLATION: (c.ATOMICITY_DEFECT, g.ATOMICITY, blocker, "takes more than one pull request"),
        s.SCOPE_TOO_LARGE: (c.ATOMICITY_DEFECT, g.ATOMICITY, major, "too many files or parts"),
        s.MULTI_COMPONENT: (c.ATOMICITY_DEFECT, g.ATOMICITY, major, "touches more than two components"),
        s.MERGE_UNSAFE: (c.ATOMICITY_DEFECT, g.ATOMICITY, blocker, "breaks the system when merged alone"),
        s.BOUNDARY_VIOLATION: (c.SECURITY_DEFECT, g.SECURITY, blocker, "crosses a trust boundary unchecked"),
        s.INVARIANT_FAILURE: (c.SECURITY_DEFECT, g.SECURITY, major, "breaks an invariant of security"),
        s.UNMITIGATED_THREAT: (c.SECURITY_DEFECT, g.SECURITY, major, "leaves a known threat open"),
        s.SECRET_EXPOSURE: (c.SECURITY_DEFECT, g.SECURITY, blocker, "a credential may leak"),
        s.REQUIREMENT_GAP: (c.FIDELITY_DEFECT, g.FIDELITY, blocker, "does not meet the need at its core"),
        s.INTENT_MISMATCH: (c.FIDELITY_DEFECT, g.FIDELITY, major, "contradicts what was meant"),
        s.ANOMALY_IGNORED: (c.FIDELITY_DEFECT, g.FIDELITY, major, "a known anomaly is not dealt with"),
        s.INSUFFICIENT_SUBSTANCE: (c.FIDELITY_DEFECT, g.FIDELITY, major, "too thin to succeed"),
    }


_TABLE = _table()


class Field(Enum):
    """Where in a ticket or document something stands: its top field, whatever its shape calls it."""

    WHOLE = "whole"
    ID = "id"
    TITLE = "title"
    STATUS = "status"
    RFC = "rfc"
    REQUIREMENTS = "requirements"
    DEPENDENCIES = "dependencies"
    SCOPE = "scope"
    SUMMARY = "summary"
    FILES_TO_MODIFY = "files_to_modify"
    FILES_TO_CREATE = "files_to_create"
    STEPS = "steps"
    EXAMPLES = "examples"
    CRITERIA = "criteria"
    TESTS = "tests"
    EVIDENCE = "evidence"
    COMPONENT = "component"
    NOTES = "notes"


WHOLE_RFC = Key("RFC")
"""The RFC as a whole, where a finding is about no single file."""
DOCUMENTS = tuple(Key(f"R{number:02}") for number in range(10))
"""The ten files of an RFC by their numbers, `R06` for the ticket decomposition."""


def ticket_keys(count: int) -> tuple[Key, ...]:
    return tuple(Key(f"T{number}") for number in range(1, count + 1))


def place_keys(tickets: int) -> tuple[Key, ...]:
    """Return every place that a finding may name: the RFC, its files, its tickets."""
    return (WHOLE_RFC, *DOCUMENTS, *ticket_keys(tickets))


def location_type(place: Key, gate: Gate) -> str:
    """Return TICKET, RFC or CCP, as the recurrence key has it."""
    if gate is Gate.CCP_MAPPING:
        return "CCP"
    return "TICKET" if place.startswith("T") else "RFC"


def recurrence_key(subcategory: Subcategory, place: Key) -> str:
    """Return the key of a kind of defect, equal in every review and for every ticket (C27)."""
    gate = subcategory.gate
    parts = (subcategory.category.value, subcategory.value, gate.value, location_type(place, gate))
    return "sha256:" + sha256("\0".join(parts).encode()).hexdigest()[:16]


def dedup_key(subcategory: Subcategory, place: str, field: Field) -> str:
    """Return the key shared by findings of the same defect in the same place; `place` is a ticket's id (C27)."""
    parts = (subcategory.category.value, subcategory.value, place, field.value)
    return "sha256:" + sha256("\0".join(parts).encode()).hexdigest()[:16]
