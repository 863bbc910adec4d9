"""The result of a council for programs, people, pipelines and auditors, derived from the record (C43)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from quorate.core.record import Record, Said
from quorate.kit.qualification import heading_words
from quorate.protocols.council.rules.result.bundle import review_bundle
from quorate.protocols.council.rules.result.log import deliberation
from quorate.protocols.council.rules.result.open_findings import Opened, Told, findings
from quorate.protocols.council.rules.result.overview import Overview
from quorate.protocols.council.rules.result.receipts import coverage
from quorate.protocols.council.rules.result.remedies import owed, patch
from quorate.protocols.council.rules.result.terminal import show

__all__ = ["documents", "files", "findings", "owes", "result", "review_bundle", "show"]

BUNDLE = "rfc_review"
"""The bundle's file name, without what follows the dot."""
PATCH = "remediation.patch"
STATUSES = {"PASSED": "pass", "FAILED": "fail", "NOT_APPLICABLE": "skip"}


def result(record: Record) -> Mapping[str, Any]:
    """Return the bundle's fields plus those for comments, test reports and the terminal."""
    reading, bundle = Overview(record), review_bundle(record)
    told = [_as_found(each) for each in Opened(reading).every]
    seats, notes = [str(each.seat) for each in reading.state.seats], reading.settings.unqualified_seats
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
        **({"heading": list(heading_words(seats, notes, "seat"))} if notes else {}),
    }


def _as_found(told: Told) -> dict[str, Any]:
    """Return a finding for the test report; its own gate counts as a finder too, whoever raised it."""
    by = dict.fromkeys((told.finding.subcategory.gate.value, *told.core.raised_by))
    return {"key": told.core.key, "blocking": told.core.blocking, "raised_by": list(by)}


def _check(gate: Mapping[str, Any]) -> dict[str, Any]:
    """Return a gate in the form of a check that ran."""
    status, count = STATUSES[gate["status"]], len(gate["findings"])
    return {"check": gate["gate_id"], "status": status, "reason": gate["reason"], "findings": count}


def _member(reading: Overview, subagent: Mapping[str, Any]) -> dict[str, Any]:
    """Return a seat in the form of a committee member: `synthesis` unless it was lost or never asked."""
    seat = subagent["agent_id"]
    heard = any(isinstance(line, Said) and line.ask.seat == seat for line in reading.record.log)
    position = "absent" if subagent["lost"] else "synthesis" if heard else "not asked"
    why = next((f"lost in {said.phase.name}" for lost, said in reading.lost.items() if lost == seat), "")
    return {"seat": seat, "position": position, "why": why, "veto": None}


def owes(record: Record) -> str:
    """Return what must still be done for the verdict to hold for the submitted RFC; empty if nothing (C40)."""
    return owed(Overview(record))


def documents(record: Record) -> Mapping[str, Mapping[str, Any]]:
    """Return the bundle by name once the council has concluded; it is written as JSON and YAML."""
    return {BUNDLE: review_bundle(record)} if record.session.conclusion is not None else {}


def files(record: Record) -> Mapping[str, str]:
    """Return further output files by name: the edits that hold, as a patch."""
    made = patch(Overview(record))
    return {PATCH: made} if made else {}
