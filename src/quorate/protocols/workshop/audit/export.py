"""Exports a workshop's result as a session file, in the fields and vocabulary of that format.

Names that the format has are kept (`risk_id`, `estimated_total`, confidence from 0 to 1), and what is ours is added
beside them: who opposed and contested, how each criterion was met, the settings, and why each round ended as it did.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from quorate.core.forms import Prose, is_blank
from quorate.protocols.workshop.audit.moment import moment
from quorate.protocols.workshop.audit.problem import Severity, verdict
from quorate.protocols.workshop.audit.shape import GROUPS, RULINGS
from quorate.protocols.workshop.audit.validations import examine
from quorate.protocols.workshop.rules.forms import Consent
from quorate.protocols.workshop.rules.lives import SessionStatus
from quorate.protocols.workshop.rules.strategies import DEBATE, DISNEY
from quorate.protocols.workshop.rules.taxonomy import ArtifactType, Workflow

_IF_SAID = ("recommendation", "remark", "misquoted")
"""What a round has in some cases only."""
_RENAMED = {
    (ArtifactType.INT, "kind"): "type",
    (ArtifactType.MIT, "risk"): "risk_id",
    (ArtifactType.COMP, "provides"): "interfaces.provides",
    (ArtifactType.COMP, "requires"): "interfaces.requires",
}
"""Fields that the format calls something else; what follows a dot stands inside of what precedes it."""


def export_session(result: Mapping[str, Any], session: Mapping[str, Any]) -> dict[str, Any]:
    """Return the session file of a workshop's result as plain data, with its own validation in it.

    `session` has `id`, the times `started_at`, `updated_at` and `closed_at` as texts (the last may be empty), and
    `settings`.
    """
    rounds = [_round(each, result["strategy"]) for each in result["rounds"]]
    closed = bool(result.get("verdict"))
    last = result["rounds"][-1] if result["rounds"] else {}
    made: dict[str, Any] = {
        "id": session["id"],
        "topic": result["topic"],
        "workflow_type": result["workflow"],
        "strategy": result["strategy"],
        "status": (SessionStatus.CLOSED if closed else SessionStatus.ACTIVE).value,
        "verdict": result.get("verdict") or None,
        "closed_by": result.get("closed_by") or None,
        "degradation": result.get("degradation") or None,
        "timing": {
            "started_at": session["started_at"],
            "updated_at": session["updated_at"],
            "closed_at": session.get("closed_at") or None if closed else None,
        },
        "participants": list(result["participants"]),
        "settings": dict(session.get("settings") or {}),
        "agent_state": _agents(result),
    }
    if result["strategy"] == DEBATE.name:
        made["debate_sides"] = _sides(result)
    if result["workflow"] == Workflow.BRAINSTORM.value or result["strategy"] == DISNEY.name:
        made["current_phase"] = last.get("stage") or None
        made["phases"] = _phases(result)
    made |= {
        "artifacts": _artifacts(result["artifacts"]),
        "agenda": [_topic(each) for each in result["agenda"]],
        "rounds": rounds,
        "metrics": _metrics(result["metrics"]),
        "linked_sessions": [],
    }
    made |= {name: result[name] for name in ("unread", "judged") if name in result and result[name] not in ([], None)}
    made["validation"] = _validated(made, result.get("warnings", ()), session["updated_at"])
    return made


def _agents(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return the agents: the facilitator keeps its context, participants are fresh each round (W33)."""
    last: Mapping[str, Any] = result["rounds"][-1] if result["rounds"] else {}
    spoke = {name: 0 for name in result["participants"]}
    for each in result["rounds"]:
        spoke |= {position["participant"]: each["round"] for position in each["positions"]}
    action = "synthesis" if last.get("synthesis_summary") else "question" if last else None
    return {
        "facilitator": {"agent_id": "facilitator", "last_round": last.get("round", 0), "last_action": action},
        "participants": {name: {"last_round": number} for name, number in spoke.items()},
    }


def _sides(result: Mapping[str, Any]) -> dict[str, Any]:
    sides: dict[str, list[str]] = {"pro": [], "con": [], "observer": []}
    for name in result["participants"]:
        sides[result["sides"].get(name) or "observer"].append(name)
    return {**sides, "proposal": result["topic"]}


def _phases(result: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the stages in the order in which they began, with their rounds."""
    rounds: dict[str, list[int]] = {}
    for each in result["rounds"]:
        if each["stage"]:
            rounds.setdefault(each["stage"], []).append(each["round"])
    return [{"phase": stage, "rounds": numbers} for stage, numbers in rounds.items()]


# Artifacts


def _artifacts(artifacts: list[Mapping[str, Any]]) -> dict[str, Any]:
    """Artifacts by the map of their type; a type of which there are none has an empty one."""
    mitigations: dict[str, str] = {}
    for each in artifacts:
        if each["type"] == ArtifactType.MIT.value:
            mitigations.setdefault(each["fields"].get("risk") or "", each["id"])
    groups: dict[str, Any] = {name: {} for name in GROUPS.values()}
    for each in artifacts:
        entry = _artifact(each)
        if each["type"] == ArtifactType.RISK.value:
            entry["mitigation_id"] = mitigations.get(each["id"])
        groups[GROUPS[ArtifactType[each["type"]]]][each["id"]] = entry
    return {name: group for name, group in groups.items() if group or name != RULINGS}


def _artifact(each: Mapping[str, Any]) -> dict[str, Any]:
    kind = ArtifactType[each["type"]]
    entry: dict[str, Any] = {"title": each["title"], "status": each["status"]}
    if not kind.is_matter:
        entry["agreement"] = each["agreement"]
    entry |= {"created_round": each["created_round"], "topic_id": each["topic_id"]}
    for name, value in each["fields"].items():
        _place(entry, _RENAMED.get((kind, name), name), value)
    entry["raised_by" if kind is ArtifactType.OQ else "proposed_by"] = each["proposed_by"]
    entry |= {name: list(each[name]) for name in ("supported_by", "opposed_by", "contested_by")}
    if kind.is_matter:
        entry |= {"about": list(each["about"])} if each.get("about") else {}
        entry |= {name: each.get(name) or None for name in ("resolution", "resolution_method", "resolved_round")}
        return entry
    entry["amendments"] = [_amendment(kind, amendment) for amendment in each["amendments"]]
    entry |= {name: each[name] for name in ("superseded_by", "supersedes", "withdrawn_because") if each.get(name)}
    if each.get("history"):
        entry["history"] = [dict(step) for step in each["history"]]
    return entry


def _place(entry: dict[str, Any], name: str, value: Any) -> None:
    outer, _, inner = name.rpartition(".")
    (entry.setdefault(outer, {}) if outer else entry)[inner] = value


def _amendment(kind: ArtifactType, amendment: Mapping[str, Any]) -> dict[str, Any]:
    changes = {_RENAMED.get((kind, name), name): dict(change) for name, change in amendment["changes"].items()}
    return {**amendment, "supported_by": list(amendment["supported_by"]), "changes": changes}


# Agenda, rounds and metrics


def _topic(each: Mapping[str, Any]) -> dict[str, Any]:
    criteria = [dict(criterion) for criterion in each["criteria"]]
    return {**each, "criteria": criteria, "coverage": list(each["coverage"])}


def _round(each: Mapping[str, Any], strategy: str) -> dict[str, Any]:
    made: dict[str, Any] = {
        "round": each["round"],
        "timestamp": moment(each["ended_at_ms"]) or moment(each["started_at_ms"]),
        "topic_id": each["topic_id"],
        "focus": dict(each["focus"]),
        "phase": each["stage"] or None,
    }
    if strategy == DEBATE.name:
        made["debate_phase"] = made["phase"]
    made |= {
        name: each[name] for name in ("facilitator_question", "exploration", "fallback_question", "synthesis_summary")
    }
    made["participant_positions"] = {position["participant"]: _position(position) for position in each["positions"]}
    lists = ("absent", "artifacts_created", "artifacts_amended", "artifacts_resolved", "key_decisions", "refused")
    made |= {name: list(each[name]) for name in lists}
    made |= {name: each[name] for name in ("consensus_reached", "facilitator_wished", "next_action", "because")}
    escalation = each.get("escalation")
    made |= {"escalation": dict(escalation) if escalation else None, "tokens": each["tokens"]}
    return made | {name: each[name] for name in _IF_SAID if each.get(name)}


def _position(position: Mapping[str, Any]) -> dict[str, Any]:
    made = {name: value for name, value in position.items() if name not in ("participant", "side", "stances")}
    made["confidence"] = position["confidence"] / 100
    if position.get("side"):
        made["side"] = position["side"]
    if position.get("stances"):
        made["stances"] = {name: _stance(stance) for name, stance in position["stances"].items()}
    return made


def _stance(stance: Mapping[str, Any]) -> dict[str, Any]:
    """A stance as it counts: a BLOCK that names no change is a STAND_ASIDE, and says so (W30)."""
    if stance["stance"] == Consent.BLOCK.value and is_blank(Prose(stance["minimum_change"])):
        return {**stance, "stance": Consent.STAND_ASIDE.value, "said": Consent.BLOCK.value}
    return dict(stance)


def _metrics(metrics: Mapping[str, Any]) -> dict[str, Any]:
    """The figures as the result has them; tokens by round in the order of the rounds."""
    by_round = metrics["tokens"]["by_round"]
    counts = list(by_round.values()) if isinstance(by_round, Mapping) else list(by_round)
    return {**metrics, "tokens": {"estimated_total": metrics["tokens"]["total"], "by_round": counts}}


def _validated(made: Mapping[str, Any], warnings: Any, checked: str) -> dict[str, Any]:
    """Return what `quorate check` finds in the file, and the session's own warnings."""
    problems = examine(made).problems
    told = [str(each) for each in problems if each.severity is Severity.WARNING]
    errors = [str(each) for each in problems if each.severity is not Severity.WARNING]
    return {
        "last_check": checked,
        "status": verdict(problems),
        "warnings": [*map(str, warnings), *told],
        **({"errors": errors} if errors else {}),
    }
