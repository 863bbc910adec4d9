"""Sessions as plain data, for the tests of documents: an artifact of any type, rounds, and a whole small session."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

SEATS = ("product-manager", "qa-lead", "ux-researcher")

FIELDS: Mapping[str, Mapping[str, Any]] = {
    "REQ": {"priority": "must", "description": "The user can pay by card.", "acceptance": ["A valid card is charged"]},
    "BR": {"description": "No sale to minors.", "conditions": ["age below 18"], "actions": ["refuse the order"]},
    "NFR": {
        "category": "performance",
        "description": "Pages are fast.",
        "target": "200 ms",
        "minimum": "500 ms",
        "measurement": "95th percentile of a load test",
    },
    "EX": {"description": "No crypto.", "rationale": "Nobody asked for it.", "future_consideration": True},
    "OQ": {"description": "Which currencies?", "blocking": True},
    "CONF": {
        "description": "Guest checkout or accounts.",
        "positions": [
            {"participant": "qa-lead", "stance": "against", "rationale": "Cannot be tested."},
            {"participant": "ux-researcher", "stance": "for", "rationale": "Users leave."},
        ],
    },
    "RUL": {"decision": "Thirty days.", "reason": "The law says so.", "applied": False},
    "ARCH": {
        "context": "Two teams, one release a week.",
        "decision": "One process.",
        "options": [{"name": "One process", "pros": "simple", "cons": "one failure stops all"}],
        "rationale": "The team is small.",
        "consequences": "It scales by copies.",
    },
    "COMP": {
        "responsibility": "Takes orders.",
        "provides": ["Order API"],
        "requires": ["Payment API"],
        "dependencies": ["Postgres"],
        "technology": "Python",
    },
    "INT": {"kind": "REST", "description": "Orders come in.", "endpoints": ["POST /orders"]},
    "IDEA": {
        "description": "A shop that speaks.",
        "potential_value": "high",
        "feasibility": "medium",
        "implementation_notes": "Begin with one shelf.",
        "builds_on": [],
        "disney_phase": "dreamer",
    },
    "RISK": {"description": "It annoys.", "severity": "high", "likelihood": "medium", "affected_ideas": ["IDEA-001"]},
    "MIT": {"description": "A mute button.", "risk": "RISK-001", "effort": "low", "effectiveness": "high"},
}


def artifact(id_: str, title: str = "", /, **changes: Any) -> dict[str, Any]:
    """An artifact with every field filled in; `fields` given here are laid over them."""
    kind = id_.partition("-")[0]
    matter = kind in ("OQ", "CONF", "RUL")
    fields = {**FIELDS[kind], **changes.pop("fields", {})}
    return {
        "id": id_,
        "type": kind,
        "title": title or f"About {id_.lower().replace('-', ' ')}",
        "status": "open" if matter else "active",
        "agreement": "draft" if matter else "consensus",
        "created_round": 1,
        "topic_id": "user-workflows",
        "about": [],
        "proposed_by": "product-manager",
        "supported_by": ["qa-lead"],
        "opposed_by": [],
        "contested_by": [],
        "fields": fields,
        "amendments": [],
        "superseded_by": "",
        "supersedes": [],
        "withdrawn_because": "",
        "resolution": "",
        "resolution_method": "",
        "resolved_round": None,
        **changes,
    }


def amendment(
    round_: int, changes: Mapping[str, Any], *, reverted: bool = False, summary: str = "Made it clearer"
) -> Any:
    return {
        "round": round_,
        "summary": summary,
        "proposed_by": "ux-researcher",
        "supported_by": ["qa-lead"],
        "changes": changes,
        "reverted": reverted,
    }


def round_(number: int, /, **changes: Any) -> dict[str, Any]:
    position = {
        "participant": "product-manager",
        "position": "We need it.",
        "rationale": ["Customers ask for it", "Others have it"],
        "concerns": [],
        "suggestions": [],
        "confidence": 80,
        "side": "",
        "stances": {},
    }
    return {
        "round": number,
        "topic_id": "user-workflows",
        "focus": {"type": "agenda", "id": "user-workflows"},
        "stage": "discussion",
        "facilitator_question": "Who pays, and when?",
        "exploration": "",
        "fallback_question": False,
        "synthesis_summary": "Cards first.",
        "positions": [position],
        "absent": [],
        "artifacts_created": [],
        "artifacts_amended": [],
        "artifacts_resolved": [],
        "key_decisions": [],
        "consensus_reached": True,
        "refused": [],
        "facilitator_wished": "continue",
        "next_action": "continue",
        "because": "",
        "escalation": None,
        "rulings": [],
        "started_at_ms": 1_772_323_200_000 + number * 1_000,
        "ended_at_ms": 1_772_323_200_500 + number * 1_000,
        "tokens": 100,
        **changes,
    }


def topic(id_: str, status: str = "closed", **changes: Any) -> dict[str, Any]:
    return {
        "topic_id": id_,
        "name": id_.replace("-", " ").capitalize(),
        "critical": True,
        "status": status,
        "criteria": [{"text": f"Criterion of {id_}", "met": status == "closed", "round": 1}],
        "minimum": 1,
        "counted": 1 if status == "closed" else 0,
        "coverage": [],
        **changes,
    }


def session(workflow: str, artifacts: Sequence[Any] = (), rounds: Sequence[Any] | None = None, **changes: Any) -> Any:
    """A session that ended well unless `changes` say otherwise."""
    made = list(artifacts)
    return {
        "topic": "The shop",
        "workflow": workflow,
        "strategy": "standard",
        "participants": list(SEATS),
        "sides": {},
        "verdict": "COMPLETE",
        "closed_by": "agenda closed",
        "agenda": [topic("user-workflows")],
        "artifacts": made,
        "rounds": [round_(1, artifacts_created=[each["id"] for each in made])] if rounds is None else list(rounds),
        "metrics": {},
        "warnings": [],
        **changes,
    }


def eventful() -> list[dict[str, Any]]:
    """Artifacts of a specification to which everything happened that can happen."""
    changes = {"priority": {"changed_from": "should", "changed_to": "must"}, "acceptance": {"added": ["It is refused"]}}
    return [
        artifact("REQ-001", "Pay by card", status="amended", amendments=[amendment(2, changes)]),
        artifact("REQ-002", "Pay by cheque", status="superseded", superseded_by="REQ-003"),
        artifact("REQ-003", "Pay by transfer", supersedes=["REQ-002"], fields={"priority": "should"}),
        artifact("REQ-004", "Pay by fax", status="withdrawn", withdrawn_because="Nobody has one."),
        artifact("REQ-005", "Pay later", agreement="draft", opposed_by=["qa-lead"], fields={"priority": "could"}),
        artifact(
            "REQ-006", "Refunds", agreement="conflict", contested_by=["ux-researcher"], fields={"priority": "wont"}
        ),
        artifact(
            "REQ-007",
            "Receipts",
            amendments=[amendment(3, {"description": {"changed_from": "a", "changed_to": "b"}}, reverted=True)],
        ),
        artifact("BR-001", "Age"),
        artifact("NFR-001", "Speed"),
        artifact("EX-001", "Crypto"),
        artifact("OQ-001", "Currencies"),
        artifact(
            "OQ-002",
            "Taxes",
            status="resolved",
            resolution="By country.",
            resolution_method="facilitator_decision",
            resolved_round=2,
        ),
        artifact("CONF-001", "Guests", proposed_by=""),
    ]
