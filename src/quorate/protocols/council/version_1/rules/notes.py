"""Onboarding notes between the cycles, made by code from the findings and the gates (C19)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from quorate.core.record import Record
from quorate.protocols.council.version_1.rules.history import moves, report
from quorate.protocols.council.version_1.rules.material import brought
from quorate.protocols.council.version_1.rules.model import Agreement, Finding, Outcome, Phase, State
from quorate.protocols.council.version_1.rules.taxonomy import BY_CODE, Gate, Severity


def notes(record: Record) -> dict[int, dict[str, Any]]:
    """Return the notes after each finished cycle, by the cycle's number."""
    found: dict[int, dict[str, Any]] = {}
    for move in moves(record):
        if move.phase is Phase.CYCLE_1 and move.outcome is Outcome.MERGED:
            found[1] = after_structure(record, move.after)
        if move.phase is Phase.CYCLE_2 and move.outcome is Outcome.BOUND:
            found[2] = after_feasibility(record, move.after)
    return found


def after_structure(record: Record, state: State) -> dict[str, Any]:
    """Return the notes for CYCLE_2: blockers, gaps, dependencies, gates, and disagreements."""
    groups = {
        "Structural blockers found": [each for each in state.findings if each.severity is Severity.BLOCKER],
        "CCP mapping gaps": [each for each in state.findings if each.subcategory.gate is Gate.CCP_MAPPING],
        "Dependency issues": [each for each in state.findings if each.subcategory.gate is Gate.ACYCLICITY],
    }
    known = {each.key for found in groups.values() for each in found}
    groups["Other findings"] = [each for each in state.findings if each.key not in known]
    return {
        "focus_areas": [f"{title}: {_listed(record, found)}" for title, found in groups.items() if found]
        or ["No defect was found: look at what the tickets leave out"],
        "gate_results": gate_results(record),
        "contested_items": [
            _line(record, each) for each in state.findings if each.agreement is Agreement.PENDING and not each.proven
        ],
    }


def after_feasibility(record: Record, state: State) -> dict[str, Any]:
    """Return the notes for CYCLE_3: what is contested, what lacks a remediation, what is already agreed."""
    contested = [each for each in state.findings if each.agreement is Agreement.CONTESTED]
    stuck = [each for each in state.findings if each.severity is Severity.BLOCKER and not each.proposals]
    agreed = [
        each
        for each in state.findings
        if not each.proven and each.agreement in (Agreement.MAJORITY, Agreement.UNANIMOUS)
    ]
    focus = [
        *([f"Items requiring a vote: {_listed(record, contested)}"] if contested else []),
        *([f"BLOCKER findings without a remediation: {_listed(record, stuck)}"] if stuck else []),
    ]
    return {
        "focus_areas": focus or ["Nothing is contested"],
        "convergence_targets": [_line(record, each) for each in dict.fromkeys((*contested, *stuck))],
        "consensus_candidates": [_line(record, each) for each in agreed],
    }


def gate_results(record: Record) -> list[dict[str, Any]]:
    """Return the results of the gates that code runs."""
    found = report(record)
    if found is None:
        return []
    return [
        {
            "gate_id": run.gate.value,
            "status": run.status.value,
            "finding_count": sum(each.subcategory.gate is run.gate for each in found.findings),
        }
        for run in found.gates
        if run.gate in BY_CODE
    ]


def _line(record: Record, finding: Finding) -> str:
    place = brought(record).name(finding.place)
    return f"{finding.key} {finding.subcategory.value} in {place} ({finding.severity.value})"


def _listed(record: Record, findings: list[Finding]) -> str:
    return ", ".join(_line(record, each) for each in findings)


def as_text(note: Mapping[str, Any]) -> str:
    """Return the notes as lines, for a view."""
    lines = []
    for title, entries in note.items():
        lines.append(f"{title}:")
        for each in entries or ["none"]:
            told = each if isinstance(each, str) else ", ".join(f"{name} {value}" for name, value in each.items())
            lines.append(f"- {told}")
    return "\n".join(lines)
