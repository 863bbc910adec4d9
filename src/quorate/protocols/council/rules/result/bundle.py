"""The evidence bundle of a council: everything in the seed's fields, derived from the record and sealed (C43)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from quorate.core.record import Record, Said, Stopped
from quorate.protocols.council.rules.model import Phase
from quorate.protocols.council.rules.result import endings
from quorate.protocols.council.rules.result.artifacts import artifacts
from quorate.protocols.council.rules.result.budget import budget
from quorate.protocols.council.rules.result.findings import finding_id, findings, merged_findings
from quorate.protocols.council.rules.result.gates import gates
from quorate.protocols.council.rules.result.metadata import metadata, moment
from quorate.protocols.council.rules.result.overview import Overview
from quorate.protocols.council.rules.result.remedies import remediation_patch, remediations
from quorate.protocols.council.rules.result.unshown import unshown
from quorate.protocols.council.rules.result.warnings import warnings

SCHEMA_VERSION = "1.0.0"
ALGORITHM = "sha256"
AGREED = ("UNANIMOUS", "MAJORITY", "QUORUM_SUPPORT")


def review_bundle(record: Record) -> dict[str, Any]:
    """Return the bundle as plain JSON values; `rfc_review.schema.json` describes it once the council has concluded."""
    return sealed(unsealed(Overview(record)))


def sealed(bundle: Mapping[str, Any]) -> dict[str, Any]:
    """Return the bundle with its seal."""
    return {**bundle, "seal": {"algorithm": ALGORITHM, "digest": digest(bundle)}}


def digest(bundle: Mapping[str, Any]) -> str:
    """Return the SHA-256 of the canonical JSON (sorted keys, no spaces, UTF-8) of everything but the seal."""
    told = {name: value for name, value in bundle.items() if name != "seal"}
    text = json.dumps(told, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def unsealed(reading: Overview) -> dict[str, Any]:
    """Return everything but the seal."""
    found = findings(reading)
    state, reason = reading.terminal, endings.degraded_reason(reading)
    return {
        "schema_version": SCHEMA_VERSION,
        "rfc_id": reading.rfc.id,
        "rfc_version": reading.rfc.version,
        "version_written": str(reading.rfc.data.get("version_written") or ""),
        "review_timestamp": _reviewed_at(reading),
        "review_depth": reading.depth.value,
        "terminal_state": state.name if state is not None else None,
        "verdict": reading.verdict,
        "verdict_reason": endings.verdict_reason(reading),
        "degraded": bool(reason),
        "degraded_reason": reason,
        "gates": gates(reading),
        "findings": found,
        "merged_findings": merged_findings(reading),
        "remediations": remediations(reading),
        **_lists(reading, found),
        "cycles_completed": endings.cycles_completed(reading),
        "cycles": endings.cycles(reading),
        "artifacts": artifacts(reading),
        "remediation_patch": remediation_patch(reading),
        "covered": reading.state.covered,
        "unshown": [reading.rfc.name(key) for key in unshown(reading)],
        "refused": reading.state.refused,
        "warnings": warnings(reading),
        "budget": budget(reading),
        "rulings": _rulings(reading),
        "council_metadata": metadata(reading),
    }


def _lists(reading: Overview, found: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the lists of findings by resolution, as in the seed."""
    aborted, deadlocked = reading.terminal is Phase.ABORTED, reading.terminal is Phase.DEADLOCKED
    agreed = [
        each
        for each in found
        if each["in_consensus"] and (each["agreement_status"] in AGREED or each["severity_votes"])
    ]
    return {
        "consensus_findings": [each["finding_id"] for each in agreed],
        "deadlocked_findings": [each["finding_id"] for each in found if each["resolution"] == "DEADLOCKED"],
        "escalated_findings": [finding_id(reading, key) for key in endings.escalated(reading)],
        "escalation_target": endings.ESCALATION_TARGET if deadlocked else None,
        "partial_findings": [each["finding_id"] for each in found] if aborted else [],
        "abort_reason": endings.abort_reason(reading),
    }


def _reviewed_at(reading: Overview) -> str | None:
    """Return the time of the last reply or interruption; rulings do not count."""
    times = [line.envelope.at for line in reading.record.log if isinstance(line, Said | Stopped)]
    return moment(max(times, default=0))


def _rulings(reading: Overview) -> list[dict[str, Any]]:
    return [
        {"verdict": each.verdict.name, "by": each.by, "reason": each.reason, "at": moment(each.envelope.at)}
        for each in reading.record.rulings
    ]
