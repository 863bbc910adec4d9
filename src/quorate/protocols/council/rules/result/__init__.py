"""What a council came to, for programs, people, pipelines and auditors: all of it read from the record (C43)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from quorate.core.record import Record, Said
from quorate.protocols.council.rules.result.bundle import review_bundle
from quorate.protocols.council.rules.result.log import deliberation
from quorate.protocols.council.rules.result.open_findings import Opened, Told, findings
from quorate.protocols.council.rules.result.overview import Reading
from quorate.protocols.council.rules.result.receipts import coverage
from quorate.protocols.council.rules.result.remedies import owed, patch
from quorate.protocols.council.rules.result.terminal import show

__all__ = ["documents", "files", "findings", "owes", "result", "review_bundle", "show"]

BUNDLE = "rfc_review"
"""The bundle's file name, without what follows the dot."""
PATCH = "remediation.patch"
STATUSES = {"PASSED": "pass", "FAILED": "fail", "NOT_APPLICABLE": "skip"}


def result(record: Record) -> Mapping[str, Any]:
    """Return the bundle's fields, and what a comment, a test report and the terminal show beside them."""
    reading, bundle = Reading(record), review_bundle(record)
    told = [_as_found(each) for each in Opened(reading).every]
    return {
        **{name: value for name, value in bundle.items() if name not in ("seal", "findings")},
        "findings": [{**each, **more} for each, more in zip(bundle["findings"], told, strict=True)],
        "bundle_seal": bundle["seal"],
        "grounds": [bundle["verdict_reason"]] if bundle["verdict_reason"] else [],
        "owes": owed(reading),
        "checks": {"ran": [_check(each) for each in bundle["gates"]]},
        "committee": [_member(reading, each) for each in bundle["council_metadata"]["subagents"]],
        "tallies": [],
        "log": deliberation(reading),
        "receipt": coverage(reading),
    }


def _as_found(told: Told) -> dict[str, Any]:
    """What a test report asks of a finding: by its own gate too it is found, whoever raised it."""
    by = dict.fromkeys((told.finding.subcategory.gate.value, *told.core.raised_by))
    return {"key": told.core.key, "blocking": told.core.blocking, "raised_by": list(by)}


def _check(gate: Mapping[str, Any]) -> dict[str, Any]:
    """A gate as a check that ran."""
    status, count = STATUSES[gate["status"]], len(gate["findings"])
    return {"check": gate["gate_id"], "status": status, "reason": gate["reason"], "findings": count}


def _member(reading: Reading, subagent: Mapping[str, Any]) -> dict[str, Any]:
    """A seat as a member of a committee: it took part in the synthesis unless it was lost or never asked."""
    seat = subagent["agent_id"]
    heard = any(isinstance(line, Said) and line.ask.seat == seat for line in reading.record.log)
    position = "absent" if subagent["lost"] else "synthesis" if heard else "not asked"
    why = next((f"lost in {said.phase.name}" for lost, said in reading.lost.items() if lost == seat), "")
    return {"seat": seat, "position": position, "why": why, "veto": None}


def owes(record: Record) -> str:
    """Return what has to be done before the verdict is true of what was brought; empty for nothing (C40)."""
    return owed(Reading(record))


def documents(record: Record) -> Mapping[str, Mapping[str, Any]]:
    """Return the bundle by its name, once the council has concluded: it is written as JSON and as YAML."""
    return {BUNDLE: review_bundle(record)} if record.session.conclusion is not None else {}


def files(record: Record) -> Mapping[str, str]:
    """Return what else a council leaves, by file name: the edits that hold, as a patch."""
    made = patch(Reading(record))
    return {PATCH: made} if made else {}
