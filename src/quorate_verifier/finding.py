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
ASSESSABLE = ("ATOMICITY", "IMPLEMENTABILITY", "SECURITY-AND-INTEGRITY", "REQUIREMENT-FIDELITY", "ANTI-COUSIN")
"""The gates that seats assess; code decides the others (C8, C10)."""
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
    """The worst that anybody gave it, until a vote lowers it (C17)."""
    gate: bool
    """Whether a gate found it, so that no vote takes it away (C9)."""
    backers: dict[str, int] = field(default_factory=dict)
    """By seat the severity that it holds right."""
    raisers: set[str] = field(default_factory=set)
    disputed: list[int] = field(default_factory=list)
    """The severities with which what is disputed of it was raised."""
    by: str = ""
    """Who raised it."""
    words: str = ""
    """What it says."""
    first: int = 0
    """The severity that it was raised with itself."""
    raised: int = 0
    """The worst severity that it, or what became part of it, was raised with."""
    fate: str = "OPEN"
    into: str = ""
    """The finding that it became part of (C14)."""
    doubted: bool = False
    lower: int | None = None
    """What the others hold of its severity, where that is voted upon (C17)."""
    lowered: bool = False
    """Whether a vote has lowered its severity (C17)."""
    agreed: bool = False
    """Whether a remediation has the quorum (C25)."""
    tries: list[str] = field(default_factory=list)

    @property
    def identity(self) -> tuple[str, str, str]:
        """The signature of its group (C14)."""
        return self.kind, self.place, self.where

    def weigh(self, alone: bool) -> None:
        """Take the worst that anybody gave it; of BLOCKER and MAJOR the milder ones are put to the vote (C17, C21)."""
        held = list(self.backers.values())
        if alone:
            self.severity = max([*held, *self.disputed]) if held else self.severity
            self.fate = "UPHELD" if held else "DISMISSED"
            return
        self.severity = max([self.severity, *held])
        milder = [each for each in held if each < self.severity]
        self.lower = max(milder) if milder and self.is_at_least("MAJOR") else None
        self.doubted = bool(self.disputed) or len(held) < 2
        self.fate = "OPEN" if self.doubted or self.lower is not None else "UPHELD"

    def settle(self, truth: str, severity: str | None) -> None:
        """Take what the votes came to: whether it is true, and if it is, how severe it is (C17, C22)."""
        if self.gate:
            return
        self.fate = truth
        if truth == "UPHELD" and severity == "DEADLOCKED":
            self.fate = severity
        elif truth == "UPHELD" and severity == "DISMISSED" and self.lower is not None:
            self.severity, self.lowered = self.lower, True
        self.doubted, self.lower = False, None

    @property
    def regraded(self) -> bool:
        """Whether its severity is not the one it was raised with, or was lowered by a vote (C47)."""
        return self.lowered or self.severity != self.raised

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


def stands(lone: bool, support: int, oppose: int, refuted: bool, quorum: int) -> str:
    """What becomes of an item with these votes; a lone BLOCKER is only dismissed by a refutation (C22, C23)."""
    if support >= quorum:
        return "UPHELD"
    return "DISMISSED" if oppose >= quorum and (refuted or not lone) else "DEADLOCKED"


def possible(heard: Sequence[Heard], key: str, lone: bool, quorum: int) -> set[str]:
    """What may become of an item, whatever those say who have not voted (C24)."""
    silent = sum(each.reply is None for each in heard)
    support, oppose, refuted = count(heard, key)
    return {
        stands(lone, support + ayes, oppose + noes, refuted or (quoted and noes > 0), quorum)
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
