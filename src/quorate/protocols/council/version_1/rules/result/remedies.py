"""Proposed remediations, which were agreed, and the edits that hold (C18, C25, C38)."""

from __future__ import annotations

from typing import Any

from quorate.core.forms import Key
from quorate.protocols.council.version_1.rules.forms import Applied
from quorate.protocols.council.version_1.rules.history import applications
from quorate.protocols.council.version_1.rules.model import APPROVALS, Resolution
from quorate.protocols.council.version_1.rules.result.findings import finding_id
from quorate.protocols.council.version_1.rules.result.overview import Reading


def remediations(reading: Reading) -> list[dict[str, Any]]:
    """Return every remediation with the key it was voted on under."""
    return [
        {
            "remediation_id": str(key),
            "finding_id": finding_id(reading, each.finding),
            "proposed_by": str(each.by),
            "kind": each.proposal.fix.value,
            "text": each.proposal.remediation.text,
            "votes": reading.votes(key),
            "agreed": reading.agreed(key),
        }
        for key, each in reading.proposals.items()
    ]


def remediation_patch(reading: Reading) -> dict[str, Any] | None:
    """Return the result of the last edits tried for each finding; None if none were tried."""
    tried = applications(reading.record)
    results = {
        finding_id(reading, Key(str(values["key"]))): Applied[str(values["result"])].name
        for values in reading.facts("edited")
    }
    if not results:
        return None
    return {"holds": mended(reading), "diff": tried[-1].diff.text if tried else "", "results": results}


def mended(reading: Reading) -> bool:
    """Whether any edit holds."""
    return any(each.resolution is Resolution.REMEDIATED for each in reading.state.findings)


def patch(reading: Reading) -> str:
    """Return the edits that hold as a unified diff; empty if there are none."""
    made = remediation_patch(reading)
    return str(made["diff"]) if made is not None and made["holds"] and str(made["diff"]).strip() else ""


def owed(reading: Reading) -> str:
    """Return the note that approved edits must still be applied to the files; empty if there are none (C40)."""
    conclusion, ruling = reading.record.session.conclusion, reading.record.ruling
    counts = ruling.verdict if ruling is not None else conclusion.verdict if conclusion is not None else None
    if counts not in APPROVALS or not patch(reading):
        return ""
    return "what is approved is the RFC as edited; what was brought is not, until remediation.patch is applied to it"
