"""Fix requests: what blocks, one for each path and rule, numbered FIX-001 and on, the worst first."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from quorate.kit.findings import Finding
from quorate.protocols.review.version_1.rules.model import CLAIM_SEVERITY, Judgement
from quorate.protocols.review.version_1.rules.result.committee_findings import Raised

CODE_FIX = "code-fix"
HARVEST = "harvest-required"
"""What is missing is evidence, not a change of the code."""


def fix_requests(found: Iterable[Raised]) -> list[dict[str, Any]]:
    """Return the fix requests as plain data; equal findings give equal numbers."""
    grouped: dict[tuple[str, str], list[Raised]] = {}
    for each in found:
        if each.finding.blocking:
            grouped.setdefault((each.finding.path, each.finding.rule), []).append(each)
    return [_request(number, group) for number, group in enumerate(grouped.values(), start=1)]


def _request(number: int, group: list[Raised]) -> dict[str, Any]:
    """Return one request; the group's findings are sorted worst first."""
    worst, all_ = group[0].finding, [each.finding for each in group]
    return {
        "id": f"FIX-{number:03}",
        "severity": worst.severity.value,
        "source": worst.source,
        "type": type_of(worst),
        "path": worst.path,
        "lines": sorted({each.line for each in all_ if each.line}),
        "rule": worst.rule,
        "message": worst.message,
        "evidence": worst.evidence,
        "consequence": worst.consequence,
        "action": worst.action or worst.message,
        "raised_by": list(dict.fromkeys(seat for each in all_ for seat in each.raised_by)),
        "veto": worst.veto,
        "standing": group[0].standing,
        "keys": [each.key for each in all_],
    }


def type_of(finding: Finding) -> str:
    """Return the kind of work a finding calls for."""
    lacking = finding.source == "claim" and finding.severity is CLAIM_SEVERITY[Judgement.INSUFFICIENT_EVIDENCE]
    return HARVEST if lacking else CODE_FIX
