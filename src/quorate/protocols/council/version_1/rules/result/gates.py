"""The gates of a bundle: what code and seats said of each, and its final status (C8, C10)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from quorate.kit.strict_json import strict_json
from quorate.protocols.council.version_1.rules.forms import Assessment, GateJudgement, GateRun
from quorate.protocols.council.version_1.rules.model import REMAINING, Finding, Phase, Resolution
from quorate.protocols.council.version_1.rules.result.findings import finding_id
from quorate.protocols.council.version_1.rules.result.overview import Reading
from quorate.protocols.council.version_1.rules.taxonomy import Gate, GateStatus, GateType, Severity, gate_type

NOBODY = "the gates gave no report"


def gates(reading: Reading) -> list[dict[str, Any]]:
    """Return every gate of the profile in order, with its status, findings, and each seat's judgement."""
    runs = {run.gate: run for run in reading.report.gates} if reading.report is not None else {}
    return [_gate(reading, gate, runs.get(gate)) for gate in reading.settings.profile]


def _gate(reading: Reading, gate: Gate, run: GateRun | None) -> dict[str, Any]:
    own = [each for each in reading.state.findings if each.subcategory.gate is gate]
    judged = judgements(reading, gate)
    by_seats = gate_type(gate) is GateType.LLM_ASSISTED
    status, reason = _judged(reading, own, run, judged) if by_seats else _ran(own, run)
    evidence = _counted(run)
    if judged:
        evidence["assessments"] = {seat: each.reason.text for seat, each in judged.items()}
    told = {
        "gate_id": gate.value,
        "type": gate_type(gate).value,
        "status": status.value,
        "reason": reason,
        "findings": [finding_id(reading, each.key) for each in own],
        "evidence": evidence,
    }
    votes = {seat: (GateStatus.PASSED if each.passed else GateStatus.FAILED).value for seat, each in judged.items()}
    return {**told, "agent_votes": votes} if by_seats else told


def judgements(reading: Reading, gate: Gate) -> dict[str, GateJudgement]:
    """Return each seat's judgement of a gate; its first one counts."""
    found: dict[str, GateJudgement] = {}
    for seat in reading.seats:
        for said in reading.record.said(seat, "assess"):
            assert isinstance(said.reply, Assessment)
            for each in said.reply.gates:
                if each.gate is gate:
                    found.setdefault(str(seat), each)
    return found


def _ran(own: list[Finding], run: GateRun | None) -> tuple[GateStatus, str]:
    """Return the status of a gate that code runs: as reported, unless edits mended everything it failed for."""
    if run is None:
        return GateStatus.NOT_APPLICABLE, NOBODY
    blockers = [each for each in own if each.proven and each.severity is Severity.BLOCKER]
    if run.status is GateStatus.FAILED and blockers and all(map(_mended, blockers)):
        return GateStatus.PASSED, f"{run.reason.text.rstrip('. ')}; edits that hold have mended it"
    return run.status, run.reason.text


def _mended(finding: Finding) -> bool:
    return finding.resolution is Resolution.REMEDIATED


def _judged(
    reading: Reading, own: list[Finding], run: GateRun | None, judged: Mapping[str, GateJudgement]
) -> tuple[GateStatus, str]:
    """Return FAILED if a BLOCKER of the gate is upheld and not remediated at the end, else PASSED (C10)."""
    if reading.report is None:
        return GateStatus.NOT_APPLICABLE, NOBODY
    blocked = [each for each in own if each.severity is Severity.BLOCKER]
    if any(each.resolution in REMAINING for each in blocked):
        left = ", ".join(finding_id(reading, each.key) for each in blocked if each.resolution in REMAINING)
        return GateStatus.FAILED, f"a BLOCKER is upheld and not remediated: {left}"
    if run is not None and run.status is GateStatus.NOT_APPLICABLE:
        return run.status, run.reason.text
    if not judged:
        return GateStatus.NOT_APPLICABLE, "nobody assessed it before the council ended"
    if reading.terminal in (None, Phase.ABORTED):
        return GateStatus.NOT_APPLICABLE, "the council did not come to decide upon it"
    stuck = [finding_id(reading, each.key) for each in blocked if each.resolution is Resolution.DEADLOCKED]
    against = [seat for seat, each in judged.items() if not each.passed]
    told = "no BLOCKER of it is upheld"
    if stuck:
        told += f"; deadlocked: {', '.join(stuck)}"
    if against:
        told += f"; {', '.join(against)} would not pass it"
    return GateStatus.PASSED, told


def _counted(run: GateRun | None) -> dict[str, Any]:
    """Return what code counted, as reported."""
    if run is None:
        return {}
    try:
        found = strict_json(run.evidence.text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
