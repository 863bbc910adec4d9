"""The rounds of a workshop as plain data: what was asked, said, made and decided in each."""

from __future__ import annotations

from typing import Any

from quorate.core.record import Record, Said
from quorate.core.session import Cause
from quorate.core.types import Absent, Seat
from quorate.protocols.workshop.version_1.rules.artifacts import plain
from quorate.protocols.workshop.version_1.rules.forms import Focus, PauseReply, Response, Ruling, Votes
from quorate.protocols.workshop.version_1.rules.history import Happened, absent, happened, topic_named
from quorate.protocols.workshop.version_1.rules.model import Phase, State
from quorate.protocols.workshop.version_1.rules.plan import Plan, plan_in
from quorate.protocols.workshop.version_1.rules.taxonomy import ArtifactType

Data = dict[str, Any]
FALLBACK = "What should be written down about {name}? Say what matters from your field, and why."
"""What code asks where the facilitator does not (W8)."""


def rounds(record: Record) -> list[Data]:
    """Every round that has begun, in order."""
    plan = plan_in(record)
    found: dict[int, Data] = {}
    for each in happened(record):
        number = each.round
        if number == 0:
            continue
        if number not in found:
            found[number] = _begun(number)
        _take(found[number], record, plan, each)
    return [each for each in found.values() if each["facilitator_question"] or each["rulings"]]


def _begun(number: int) -> Data:
    return {
        "round": number,
        "topic_id": "",
        "focus": {"type": "", "id": ""},
        "stage": "",
        "facilitator_question": "",
        "exploration": "",
        "fallback_question": False,
        "synthesis_summary": "",
        "positions": [],
        "absent": [],
        "artifacts_created": [],
        "artifacts_amended": [],
        "artifacts_resolved": [],
        "key_decisions": [],
        "consensus_reached": False,
        "refused": [],
        "facilitator_wished": "",
        "next_action": "",
        "because": "",
        "escalation": None,
        "rulings": [],
        "remark": "",
        "misquoted": False,
        "started_at_ms": 0,
        "ended_at_ms": 0,
        "tokens": 0,
    }


def _take(data: Data, record: Record, plan: Plan, each: Happened) -> None:
    state: State = each.move.after
    cut_short = each.move.cause is Cause.INTERRUPTED
    data["tokens"] += sum(said.envelope.tokens_in + said.envelope.tokens_out for said in each.said)
    times = [said.envelope.at for said in each.said]
    if times:
        data["started_at_ms"] = data["started_at_ms"] or min(
            said.envelope.at - said.envelope.elapsed for said in each.said
        )
        data["ended_at_ms"] = max(times)
    match each.move.phase:
        case Phase.QUESTION if state.focus is None:
            return
        case Phase.PROCESSING | Phase.ESCALATION if cut_short:
            return
        case Phase.QUESTION:
            _asked(data, record, plan, each, state)
        case Phase.RESPONSES:
            data["positions"] = [_position(plan, said) for said in each.said if not isinstance(said.reply, Absent)]
            data["absent"] = [str(seat) for seat in absent(each)]
            data["artifacts_created"] += [fact["conflict"] for fact in each.facts("contested", "blocked")]
        case Phase.SYNTHESIS:
            _synthesised(data, each)
        case Phase.PROCESSING:
            data["next_action"] = _action(each)
            data["because"] = next((test.claim for test in each.move.because if test.held), "")
            data["consensus_reached"] = any(
                artifact.made == each.round and artifact.agreed for artifact in state.artifacts
            ) and not any(conflict.made == each.round for conflict in state.conflicts)
        case Phase.ESCALATION:
            data["escalation"] = _ruling(each)
            data["rulings"] += [data["escalation"]] if data["escalation"] is not None else []
            for fact in each.facts("ruling"):
                if fact["choice"] != "go_on":
                    data["artifacts_resolved"] += list(filter(None, fact["conflicts"].split(", ")))
        case Phase.PAUSE:
            said = next((said.reply for said in each.said if isinstance(said.reply, PauseReply)), None)
            data["remark"] = said.remark.text if said is not None else ""
        case _:
            return


def _action(each: Happened) -> str:
    """The next action in the words of the rule; a pause comes before going on, a failure concludes."""
    name = each.move.outcome.name
    return {"PAUSE": "continue", "FAILED": "conclude"}.get(name, name.lower())


def _asked(data: Data, record: Record, plan: Plan, each: Happened, state: State) -> None:
    reply = next((said.reply for said in each.said if isinstance(said.reply, Focus)), None)
    focus = state.focus
    matter = state.artifact(focus) if focus is not None else None
    topic = topic_named(record, str(matter.topic if matter is not None else focus))
    if matter is None:
        data["focus"] = {"type": "agenda", "id": topic["id"]}
    else:
        kind = "conflict" if matter.type is ArtifactType.CONF else "open_question"
        data["focus"] = {"type": kind, "id": str(matter.id)}
    data["topic_id"] = topic["id"]
    data["stage"] = plan.strategy.scenes[state.scene].stage.value
    if reply is None or reply.blank or not reply.question.text.strip():  # a forged mark may say otherwise
        data["facilitator_question"] = FALLBACK.format(name=data["focus"]["id"] if matter else topic["name"])
        data["fallback_question"] = True
        return
    data["facilitator_question"], data["exploration"] = reply.question.text, reply.exploration.text


def _position(plan: Plan, said: Said) -> Data:
    reply, seat = said.reply, said.ask.seat
    assert isinstance(reply, Response | Votes)
    side = plan.side(Seat(seat))
    data: Data = {
        "participant": str(seat),
        "position": reply.position.text,
        "rationale": [],
        "concerns": [],
        "suggestions": [],
        "context_gaps": [],
        "confidence": reply.confidence,
        "side": side.value if side is not None else "",
        "contested": [],
        "stances": {},
    }
    if isinstance(reply, Response):
        for name in ("rationale", "concerns", "suggestions", "context_gaps", "contested"):
            data[name] = plain(getattr(reply, name))
        data["trade_offs"] = plain(reply.trade_offs)
    else:
        data["stances"] = {
            str(key): {
                "stance": vote.stance.value,
                "reason": vote.reason.text,
                "minimum_change": vote.minimum_change.text,
            }
            for key, vote in reply.votes.items()
        }
    return data


def _synthesised(data: Data, each: Happened) -> None:
    synthesis = each.synthesis
    if synthesis is None:
        return
    data["synthesis_summary"] = synthesis.synthesis.text
    data["facilitator_wished"] = synthesis.wish.value
    data["recommendation"] = synthesis.recommendation.text
    data["misquoted"] = synthesis.misquoted
    for fact in each.facts("issued"):
        data["artifacts_created"].append(fact["id"])
    for fact in each.facts("amended", "reverted", "withdrawn", "superseded", "endorsed"):
        data["artifacts_amended"].append(fact["id"])
    data["artifacts_resolved"] += [fact["id"] for fact in each.facts("resolved")]
    data["refused"] = [f"{fact['id']}: {fact['why']}" for fact in each.facts("refused")]
    data["key_decisions"] = [change.summary.text for change in synthesis.changes if change.becomes.value == "resolve"]


def _ruling(each: Happened) -> Data | None:
    reply = next((said.reply for said in each.said if isinstance(said.reply, Ruling)), None)
    fact = next(each.facts("ruling"), None)
    if fact is None:
        return None
    return {
        "choice": fact["choice"],
        "decision": reply.decision.text if reply is not None else "",
        "reason": reply.reason.text if reply is not None else "nobody answered",
        "conflicts": list(filter(None, fact["conflicts"].split(", "))),
    }
