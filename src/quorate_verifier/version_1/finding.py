"""A finding of a council: its gate, who backs it, how severe it is, and what has become of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from quorate_verifier.rules import Heard, given

SEVERITIES = ("INFO", "MINOR", "MAJOR", "BLOCKER")
_GATES = """
    SCHEMA: BROKEN_REF SCHEMA_VIOLATION
    DEPENDENCY-ACYCLICITY: DEPENDENCY_CYCLE PHASE_MISORDERING
    SCOPE-COVERAGE: SCOPE_GAP ORPHAN_TICKET SCOPE_OVERLAP EVIDENCE_GAP
    CCP-MAPPING: CCP_MISMATCH
    ATOMICITY: ATOMICITY_VIOLATION SCOPE_TOO_LARGE MULTI_COMPONENT MERGE_UNSAFE
    IMPLEMENTABILITY: INCOMPLETE_PLAN MISSING_VERIFICATION AGENT_CONTEXT_GAP AMBIGUOUS_SCOPE
    SECURITY-AND-INTEGRITY: BOUNDARY_VIOLATION INVARIANT_FAILURE UNMITIGATED_THREAT SECRET_EXPOSURE
    REQUIREMENT-FIDELITY: REQUIREMENT_GAP INTENT_MISMATCH ANOMALY_IGNORED INSUFFICIENT_SUBSTANCE
    ANTI-COUSIN: COUSIN_VIOLATION IGNORED_EXTENSION_POINT DECISION_CONFLICT
"""
GATE_OF = {
    kind: f"GATE-TCK-{line.partition(':')[0].strip()}"
    for line in _GATES.strip().splitlines()
    for kind in line.partition(":")[2].split()
}
STANDING = {"UPHELD": "supported", "DISMISSED": "opposed", "DEADLOCKED": "split"}
"""What the votes on an item are said to come to, by what becomes of it."""


@dataclass
class Finding:
    """One finding and what has become of it."""

    key: str
    kind: str
    place: str
    where: str
    """The field of that place."""
    severity: int
    gate: bool
    """Whether a gate found it, so that no vote takes it away (C9)."""
    backers: dict[str, int] = field(default_factory=dict)
    """By seat the severity that it holds right."""
    disputed: set[str] = field(default_factory=set)
    fate: str = "OPEN"
    merged: bool = False
    agreed: bool = False
    """Whether a remediation has the quorum (C25)."""
    tries: list[str] = field(default_factory=list)

    @property
    def identity(self) -> tuple[str, str, str]:
        """What makes two findings one (C14)."""
        return self.kind, self.place, self.where

    def weigh(self) -> None:
        """Take the median of what its backers hold right, the worse of two in the middle (C17)."""
        if not self.gate and self.backers:
            held = sorted(self.backers.values())
            self.severity = held[len(held) // 2]

    def is_at_least(self, severity: str) -> bool:
        return self.severity >= SEVERITIES.index(severity)


def order(raised: Mapping[str, Any]) -> tuple[str, str, str, int]:
    """What findings of one phase are numbered by: place, kind, field, and the worst first (C14)."""
    return raised["place"], raised["subcategory"], raised["field"], -SEVERITIES.index(raised["severity"])


def count(heard: Sequence[Heard], key: str) -> tuple[int, int, bool]:
    """Count the votes on one item, and say whether one against it refutes; a vote that is missing abstains (C22)."""
    votes = [reply["votes"].get(key) for _, reply in given(heard)]
    said = [each for each in votes if each is not None]
    support, oppose = (sum(each["vote"] == word for each in said) for word in ("SUPPORT", "OPPOSE"))
    return support, oppose, any(each["vote"] == "OPPOSE" and each["refuted"] for each in said)


def stands(about: Finding | None, support: int, oppose: int, refuted: bool, quorum: int) -> str:
    """What becomes of an item with these votes; a lone BLOCKER is only dismissed by a refutation (C22, C23)."""
    if support >= quorum:
        return "UPHELD"
    lone = about is not None and len(about.backers) == 1 and about.is_at_least("BLOCKER")
    return "DISMISSED" if oppose >= quorum and (refuted or not lone) else "DEADLOCKED"


def possible(heard: Sequence[Heard], key: str, about: Finding | None, quorum: int) -> set[str]:
    """What may become of an item, whatever those say who have not voted (C24)."""
    silent = sum(each.reply is None for each in heard)
    support, oppose, refuted = count(heard, key)
    return {
        stands(about, support + ayes, oppose + noes, refuted or (quoted and noes > 0), quorum)
        for ayes in range(silent + 1)
        for noes in range(silent + 1 - ayes)
        for quoted in (False, True)
    }


def approval(findings: Sequence[Finding], most_majors: int) -> str:
    """What follows from the findings that are upheld and not remediated (C31)."""
    upheld = [each for each in findings if each.fate == "UPHELD" and each.is_at_least("MAJOR")]
    majors = [each for each in upheld if not each.is_at_least("BLOCKER")]
    if len(majors) < len(upheld) or len(majors) > most_majors or any(not each.agreed for each in majors):
        return "REJECTED"
    return "APPROVED_WITH_REMEDIATION" if majors else "APPROVED"
