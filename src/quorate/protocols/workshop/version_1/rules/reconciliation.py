"""`context_reconciliation`: what has changed since the facilitator was asked last (W33)."""

from __future__ import annotations

import json
from typing import Any

from quorate.core.record import Record
from quorate.core.types import Absent
from quorate.protocols.workshop.version_1.rules.history import Happened, happened
from quorate.protocols.workshop.version_1.rules.model import FACILITATOR

AUTHORITATIVE = "The current context is authoritative: where it differs from what you remember, it is right."
_UPDATED = ("issued", "amended", "reverted", "withdrawn", "superseded", "endorsed", "contested", "blocked", "covered")


def reconciliation(record: Record) -> dict[str, Any] | None:
    """Return what was updated, resolved, refused and decided since the facilitator's last word; None for its first."""
    since: list[Happened] = []
    asked_before = False
    for each in happened(record):
        if any(said.ask.seat == FACILITATOR and not isinstance(said.reply, Absent) for said in each.said):
            asked_before, since = True, []
        since.append(each)
    if not asked_before:
        return None
    facts = [fact for each in since for fact in each.facts(*_UPDATED, "resolved", "refused", "topic", "ruling", "vote")]
    ruled = [fact for fact in facts if fact["fact"] == "ruling"]
    resolved = [fact["id"] for fact in facts if fact["fact"] == "resolved"]
    for fact in ruled:
        if fact["choice"] != "go_on":
            resolved += list(filter(None, fact["conflicts"].split(", ")))
    return {
        "artifacts_updated": [_told(fact) for fact in facts if fact["fact"] in _UPDATED],
        "artifacts_resolved": resolved,
        "topics": [f"{fact['key']} is {fact['now']}" for fact in facts if fact["fact"] == "topic"],
        "refused": [f"{fact['id']}: {fact['why']}" for fact in facts if fact["fact"] == "refused"],
        "votes": [
            f"{fact['id']}: {fact['support']} support, {fact['block']} block"
            for fact in facts
            if fact["fact"] == "vote"
        ],
        "a_person_decided": [f"{fact['choice']} on {fact['conflicts'] or 'no conflict'}" for fact in ruled],
        "instruction": AUTHORITATIVE,
    }


def as_text(found: dict[str, Any]) -> str:
    return json.dumps(found, ensure_ascii=False, indent=1)


def _told(fact: dict[str, Any]) -> str:
    match fact["fact"]:
        case "issued":
            return f"{fact['id']} made for {fact['topic']}, {fact['agreement']}"
        case "superseded":
            return f"{fact['id']} superseded by {fact['by']}"
        case "contested" | "blocked" as name:
            return f"{fact['id']} {name}, see {fact['conflict']}"
        case "covered":
            return f"{fact['topic']}: {fact['met']} of {fact['of']} criteria met"
        case name:
            return f"{fact['id']} {name}"
