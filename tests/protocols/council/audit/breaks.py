"""Bundles of councils to be broken in one place, and a table of breaks, each with the rule that it breaks."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from functools import cache
from typing import Any

from quorate.protocols.council.audit import Deviation, Kind
from quorate.protocols.council.audit.seal import digest_of
from quorate.protocols.council.rules.result.bundle import review_bundle
from tests.support.councils import Sitting
from tests.support.councils_ended import ENDED

Bundle = dict[str, Any]
GONE = object()
SHORT = {
    "seats": "council_metadata.subagents",
    "validation": "council_metadata.mode_selection_validation",
    "meta": "council_metadata",
}
"""What stands for a longer beginning of a place in the table."""


def contested() -> Sitting:
    """A council that converged after votes: one finding upheld, one dismissed, one merged, one of a gate."""
    sitting = Sitting().gates("ORPHAN_TICKET T3 requirements")
    sitting.review(
        {
            "SA-1": ["AMBIGUOUS_SCOPE T1 steps L3", "SCOPE_OVERLAP T2 L4"],
            "SA-2": ["AMBIGUOUS_SCOPE T1 steps L3"],
        }
    )
    sitting.respond({"SA-1": "CONFIRM fix", "SA-2": "CONFIRM fix", "SA-3": "DISPUTE"})
    return sitting.vote({"SA-3": "OPPOSE", "SA-2": {"F4": "OPPOSE", "*": "SUPPORT"}}).finish()


MADE: dict[str, Callable[[], Sitting]] = {"contested": contested, **ENDED}


@cache
def _good(name: str) -> str:
    return json.dumps(review_bundle(MADE[name]().record))


def good(name: str = "contested") -> Bundle:
    """A bundle that Quorate made, as it is read from a file."""
    found: Bundle = json.loads(_good(name))
    return found


def sealed(bundle: Bundle) -> Bundle:
    """The bundle with a seal that fits, so that only what was changed can show."""
    bundle["seal"] = {"algorithm": "sha256", "digest": digest_of(bundle)}
    return bundle


def whole(place: str) -> str:
    """A place of the table, written out."""
    for short, long in SHORT.items():
        if place == short or place.startswith((f"{short}.", f"{short}[")):
            return long + place.removeprefix(short)
    return place


def change(bundle: Bundle, place: str, value: Any) -> Bundle:
    """Set, change (a function) or delete what stands at a place such as `findings[0].severity`, and seal it again."""
    words = place.replace("[", ".#").replace("]", "").split(".")
    *path, last = (int(word[1:]) if word.startswith("#") else word for word in words)
    at: Any = bundle
    for part in path:
        at = at[part]
    if value is GONE:
        del at[last]
    else:
        at[last] = value(at[last]) if callable(value) else value
    return sealed(bundle)


def named(found: tuple[Deviation, ...], kind: Kind = Kind.BROKEN) -> set[tuple[str, str]]:
    """The rules that are named, with their places."""
    return {(each.rule, each.place) for each in found if each.kind is kind}


# Bundles by others

SEEDS_EXAMPLE: Bundle = {
    "schema_version": "1.0.0",
    "rfc_id": "RFC-0042",
    "review_timestamp": "2026-01-26T10:00:00Z",
    "review_depth": "COUNCIL",
    "gates": [],
    "findings": [],
    "verdict": "APPROVED",
    "verdict_reason": "Council reached consensus",
    "council_metadata": {
        "session_id": "COUNCIL-RFC-0042-20260126-100000",
        "subagents": [
            {"agent_id": "SA-1", "emergent_role": "Structural Rigorist", "selected_modes": [1, 6, 7, 43, 75]},
            {"agent_id": "SA-2", "emergent_role": "Implementation Feasibility", "selected_modes": [47, 48, 51, 56, 70]},
            {"agent_id": "SA-3", "emergent_role": "Anti-Cousin Guardian", "selected_modes": [14, 15, 32, 33, 79]},
        ],
        "cycles_completed": 3,
        "total_findings_generated": 24,
        "findings_after_dedup": 15,
        "contested_items_resolved": 4,
        "quorum_achieved": True,
        "tokens_consumed": 142500,
        "episodes_consumed": 18,
    },
}
"""The shape of the seed's own example, with its figures."""


def seeds_example(**changes: Any) -> Bundle:
    return {**copy.deepcopy(SEEDS_EXAMPLE), **changes}


def finding(number: int, **more: Any) -> dict[str, Any]:
    """A finding with the fields of the rubric."""
    return {
        "finding_id": f"FND-RFC-0042-{number:03}",
        "gate_id": "GATE-TCK-IMPLEMENTABILITY",
        "category": "IMPLEMENTABILITY_DEFECT",
        "subcategory": "AMBIGUOUS_SCOPE",
        "severity": "MAJOR",
        **more,
    }


# bundle, place, what stands there instead, the rule, and the place that is named where it is another
BREAKS: list[tuple[Any, ...]] = [
    # the verdict and the end
    ("contested", "verdict", "APPROVED", "C31"),
    ("contested", "verdict", "REJECTED", "C31"),
    ("clean", "verdict", "REJECTED", "C31"),
    ("clean", "verdict", "APPROVED_WITH_REMEDIATION", "C31"),
    ("with_remediation", "verdict", "APPROVED", "C31"),
    ("clean", "verdict", "PASSED", "C31"),
    ("clean", "verdict", GONE, "C31"),
    ("rejected_by_gate", "verdict", "APPROVED", "C31"),
    ("stranded", "verdict", "REJECTED", "C30"),
    ("stranded", "terminal_state", "CONVERGED", "C30"),
    ("split", "terminal_state", "CONVERGED", "C30"),
    ("clean", "terminal_state", "DEADLOCKED", "C30"),
    ("clean", "terminal_state", "AGREED", "C2"),
    ("lesser_split", "meta.settings.deadlock_min_severity", "INFO", "C30", "terminal_state"),
    ("split", "escalation_target", None, "C30"),
    ("clean", "escalation_target", "Human review required", "C30"),
    ("deserted", "verdict", "APPROVED", "C33"),
    ("deserted", "abort_reason", None, "C33"),
    ("deserted", "abort_reason", "TIMEOUT", "C33"),
    ("clean", "abort_reason", "STALL_DETECTED", "C33"),
    ("clean", "verdict", "NEEDS_ADJUDICATION", "C32"),
    ("in_doubt", "verdict", "APPROVED", "C32"),
    ("clean", "rulings", [{"verdict": "REJECTED", "by": "Ann", "reason": "No."}], "C30", "rulings[0]"),
    ("ruled", "rulings[0].by", "", "C30"),
    ("deserted", "partial_findings", lambda ids: ids[1:], "C33"),
    # counters
    ("contested", "meta.total_findings_generated", 9, "C25"),
    ("contested", "meta.findings_after_dedup", 9, "C43"),
    ("contested", "meta.contested_items_resolved", 0, "C43"),
    ("contested", "meta.findings_by_severity.MAJOR", 7, "C43"),
    ("contested", "meta.resolutions.UPHELD", 9, "C25", "meta.resolutions"),
    ("contested", "merged_findings", [], "C25", "meta.total_findings_generated"),
    ("contested", "cycles[0].findings_raised", 0, "C25"),
    ("contested", "gates[2].findings", [], "C43"),
    ("contested", "meta.gates_executed", ["GATE-TCK-SCHEMA"], "C43"),
    # taxonomy and gates
    ("contested", "findings[0].category", "SECURITY_DEFECT", "C27"),
    ("contested", "findings[0].category", "OTHER", "C27"),
    ("contested", "findings[0].subcategory", "WRONG_SCOPE", "C27"),
    ("contested", "findings[0].severity", "LOW", "C17"),
    ("contested", "findings[0].default_severity", "INFO", "C17"),
    ("contested", "findings[1].severity", "BLOCKER", "C17", "findings[1].severity_reason"),
    ("contested", "findings[0].gate_id", "GATE-TCK-SCHEMA", "C27"),
    ("contested", "findings[0].gate_id", "GATE-TCK-STYLE", "C7"),
    ("clean", "gates[0].status", "PASS", "C10"),
    ("clean", "gates[4].status", "FAILED", "C10"),
    ("rejected_by_gate", "gates[2].status", "PASSED", "C8"),
    ("clean", "gates[0].type", "LLM-ASSISTED", "C8"),
    ("clean", "gates[0].agent_votes", {"SA-1": "PASSED"}, "C8"),
    ("clean", "gates", lambda gates: gates[::-1], "C7", "gates[1].gate_id"),
    ("clean", "gates", lambda gates: gates[:-1], "C7"),
    ("clean", "gates", lambda gates: [*gates, gates[-1]], "C7", "gates[7].gate_id"),
    ("failed_fast", "gates[5].reason", "", "C10"),
    ("contested", "findings[1].location.type", "PLACE", "C27"),
    # seats and lenses
    ("clean", "seats", lambda seats: seats[:2], "C1"),
    ("clean", "seats[2].agent_id", "SA-4", "C1"),
    ("clean", "seats[0].emergent_role", "Poet", "C43"),
    ("clean", "seats[0].selected_modes", [6, 23, 47, 62, 79], "C3"),
    ("clean", "seats[0].selected_modes", lambda modes: [*modes[:4], 82], "C3", "seats[0].selected_modes[4]"),
    ("clean", "seats[0].selected_modes", lambda modes: modes[:4], "C3"),
    ("clean", "meta.session_seed", 8, "C3", "seats[0].selected_modes"),
    ("clean", "meta.session_seed", 1.5, "C5"),
    ("clean", "seats[1].mode_names.51", "Satire", "C3"),
    ("clean", "seats[0].categories", ["formal"], "C4"),
    ("clean", "validation.total_overlap", 3, "C4"),
    ("clean", "validation.relaxed", ["overlap"], "C4"),
    ("clean", "validation.validation_passed", False, "C4"),
    ("clean", "seats[0].anchor_modes", [1, 2], "C3"),
    ("contested", "findings[1].source_mode", 81, "C6"),
    ("contested", "findings[1].source_mode_name", "Palmistry", "C3"),
    ("contested", "findings[0].source_mode", 44, "C9"),
    # keys and ids
    ("contested", "findings[1].signature", "sha256:0123456789abcdef", "C27"),
    ("contested", "findings[1].signature", "ambiguous-scope-t1", "C27"),
    ("contested", "findings[1].dedup_key", "sha256:0123456789abcdef", "C27"),
    ("contested", "findings[1].finding_id", "finding one", "C43"),
    ("contested", "findings[1].finding_id", "FND-RFC-0043-002", "C43"),
    ("contested", "findings[1].finding_id", "FND-RFC-0042-001", "C43"),
    ("contested", "consensus_findings", lambda ids: [*ids, "FND-RFC-0042-099"], "C43", "consensus_findings[2]"),
    ("contested", "merged_findings[0].merged_into", "FND-RFC-0042-099", "C14"),
    ("contested", "findings[1].merged_from", [], "C14"),
    ("contested", "remediations[0].finding_id", "FND-RFC-0042-099", "C43"),
    ("clean", "meta.session_id", "COUNCIL-RFC-0042", "C43"),
    ("clean", "review_timestamp", "yesterday", "C43"),
    # votes, agreement, fate
    ("contested", "findings[1].agreement_status", "QUORUM_OPPOSE", "C22"),
    ("contested", "findings[1].agreement_status", "DEADLOCKED", "C22"),
    ("contested", "findings[1].agreement_status", "UNANIMOUS", "C21"),
    ("contested", "findings[1].agreement_status", "CONTESTED", "C21"),
    ("contested", "findings[1].votes", {}, "C22", "findings[1].agreement_status"),
    ("contested", "findings[1].votes.SA-1", "OPPOSE", "C22", "findings[1].agreement_status"),
    ("contested", "findings[1].votes.SA-1", "YES", "C22"),
    ("contested", "findings[1].supporting_agents", ["SA-1", "SA-2", "SA-3"], "C22", "findings[1].supporting_agents[2]"),
    ("contested", "findings[1].dissenting_agents", ["SA-3", "SA-1"], "C22", "findings[1].dissenting_agents[1]"),
    ("contested", "findings[1].votes", lambda votes: {**votes, "SA-7": "SUPPORT"}, "C1", "findings[1].votes.SA-7"),
    ("contested", "findings[0].votes", {"SA-1": "OPPOSE", "SA-2": "OPPOSE"}, "C9"),
    ("contested", "findings[0].agreement_status", "MAJORITY", "C9"),
    ("contested", "findings[0].resolution", "DISMISSED", "C9"),
    ("contested", "seats[0].lost", True, "C36", "findings[1].votes.SA-1"),
    ("contested", "findings[2].in_consensus", True, "C26"),
    ("contested", "findings[2].resolution", "UPHELD", "C25"),
    ("contested", "findings[1].resolution", "MERGED", "C25"),
    ("contested", "consensus_findings", [], "C26"),
    ("contested", "meta.quorum", 3, "C22"),
    ("with_remediation", "findings[0].supporting_agents", ["SA-1"], "C20", "findings[0].agreement_status"),
    ("with_remediation", "findings[0].dissenting_agents", ["SA-3"], "C21", "findings[0].agreement_status"),
    ("with_remediation", "remediations[0].agreed", False, "C25"),
    ("with_remediation", "remediations", [], "C25", "findings[0].resolution"),
    ("with_remediation", "findings[0].resolution", "UPHELD", "C25"),
    ("standard", "findings[0].votes", {"SA-1": "SUPPORT"}, "C37"),
    # cycles, budgets, degradation
    ("clean", "meta.cycles_completed", 1, "C2"),
    ("clean", "meta.cycles_completed", 1, "C18", "meta.quorum_achieved"),
    ("clean", "cycles_completed", 4, "C2"),
    ("clean", "meta.quorum_achieved", False, "C22"),
    ("split", "meta.quorum_achieved", True, "C22"),
    ("contested", "findings[1].source_cycle", 3, "C15"),
    ("clean", "cycles[0].onboarding_notes", None, "C19"),
    ("clean", "cycles[1].onboarding_notes.focus_areas", [], "C19"),
    ("clean", "cycles[1].cycle_name", "REMEDIATE", "C2"),
    ("clean", "meta.tokens_consumed", 150_001, "C35"),
    ("clean", "budget.spent.CYCLE_1", 1, "C35", "budget.spent"),
    ("clean", "meta.episodes_consumed", 26, "C34"),
    ("degraded", "degraded", False, "C36"),
    ("degraded", "degraded_reason", "", "C36"),
    # fields
    ("clean", "findings", GONE, "C43"),
    ("clean", "findings", {"a": 1}, "C43"),
    ("contested", "findings[0]", "nothing", "C43"),
    ("clean", "meta.tokens_consumed", "many", "C43"),
]
