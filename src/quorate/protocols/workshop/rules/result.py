"""The result of a workshop, as plain data and as Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from quorate.core.forms import Key
from quorate.core.record import Moved, Record
from quorate.kit.qualification import WHY, heading_words
from quorate.protocols.workshop.rules.artifacts import artifacts
from quorate.protocols.workshop.rules.closure import Bar, Lack, bars, is_unvoted, lacks
from quorate.protocols.workshop.rules.history import state_of, topic_named
from quorate.protocols.workshop.rules.lives import TopicStatus
from quorate.protocols.workshop.rules.model import State, Topic
from quorate.protocols.workshop.rules.parts import parts_of, unread
from quorate.protocols.workshop.rules.plan import Plan, plan_in
from quorate.protocols.workshop.rules.qualification import unqualified_in
from quorate.protocols.workshop.rules.rounds import rounds

Data = dict[str, Any]
LONGEST = 200
"""Characters of a ruling on its one line."""


def result(record: Record) -> dict[str, Any]:
    """Return the result of the session so far."""
    plan, state, notes = plan_in(record), state_of(record), unqualified_in(record)
    made, held = artifacts(record), rounds(record)
    conclusion = record.session.conclusion
    return {
        "topic": record.material.get("topic", ""),
        "workflow": plan.settings.workflow.value,
        "format": plan.settings.format.value,
        "strategy": plan.strategy.name,
        "participants": [str(seat) for seat in plan.participants],
        "sides": {str(seat): side.value for seat, side in plan.sides},
        "verdict": conclusion.verdict.name if conclusion is not None else "",
        "closed_by": state.closed_by.value if state.closed_by is not None else "",
        "degradation": conclusion.degradation.value if conclusion is not None else "",
        "agenda": topics(record),
        "artifacts": made,
        "rounds": held,
        "metrics": metrics(state, made, held),
        "unread": documents_unread(record),
        "judged": sum(member.judged for member in state.members),
        "warnings": warnings(record, held),
        **({"heading": list(heading_words(plan.participants, notes, "participant"))} if notes else {}),
    }


def topics(record: Record) -> list[Data]:
    """Every topic of the agenda as it stands, in order; none before the agenda was read."""
    state, met, closed = state_of(record), *_progress(record)
    return [_topic(record, state, topic, met.get(topic.key, {}), closed.get(topic.key)) for topic in state.topics]


def _topic(record: Record, state: State, topic: Topic, when: Mapping[int, int], closed: int | None) -> Data:
    named = topic_named(record, topic.key)
    criteria = [
        {"text": text, "met": number in topic.met, "round": when.get(number)}
        for number, text in enumerate(named["done_when"]["criteria"], start=1)
    ]
    return {
        "topic_id": named["id"],
        "name": named["name"],
        "critical": topic.required,
        "status": topic.status.value,
        "criteria": criteria,
        "closed_round": closed,
        "stage": topic.stage.value if topic.stage is not None else "",
        "minimum": topic.minimum,
        "counts": [kind.name for kind in topic.counts],
        "counted": state.agreed(topic),
        "coverage": [each["text"] for each in criteria if each["met"]],
    }


def _progress(record: Record) -> tuple[dict[Key, dict[int, int]], dict[Key, int]]:
    """By topic, the round in which each criterion was met, and the round in which it was closed."""
    met: dict[Key, dict[int, int]] = {}
    closed: dict[Key, int] = {}
    for line in record.log:
        if not isinstance(line, Moved) or line.move.after.topics is line.move.before.topics:
            continue
        for topic in line.move.after.topics:
            when = met.setdefault(topic.key, {})
            for number in topic.met:
                when.setdefault(number, line.round)
            if topic.status is TopicStatus.CLOSED:
                closed.setdefault(topic.key, line.round)
    return met, closed


def metrics(state: State, made: list[Data], held: list[Data]) -> Data:
    """The figures of a session; a rate is in whole percent."""
    things = [each for each in made if each["status"] in ("active", "amended")]
    agreed = sum(each["agreement"] == "consensus" for each in things)
    return {
        "rounds_completed": state.complete,
        "artifacts": {
            "total": len(made),
            "by_type": dict(sorted(Counter(each["type"] for each in made).items())),
            "by_status": dict(sorted(Counter(each["status"] for each in made).items())),
        },
        "topics": {
            "total": len(state.topics),
            "closed": sum(topic.status is TopicStatus.CLOSED for topic in state.topics),
        },
        "consensus_rate": 100 * agreed // len(things) if things else 0,
        "tokens": {"total": sum(each["tokens"] for each in held), "by_round": [each["tokens"] for each in held]},
    }


def documents_unread(record: Record) -> list[str]:
    """Return what was brought and shown to nobody who answered (W38)."""
    state, parts = state_of(record), parts_of(record)
    gone = [section.title for number in unread(state) if number <= len(parts) for section in parts[number - 1]]
    if state.unlisted:
        listing = record.material.get("context", "").rstrip().splitlines()
        gone.append(f"Context folder: {listing[-1].strip('[]')}" if listing else "parts beyond the most")
    return gone


def warnings(record: Record, held: list[Data]) -> list[str]:
    """Say what a reader must not overlook; `held` are the rounds."""
    return list(_warnings(record, state_of(record), held))


def _warnings(record: Record, state: State, held: list[Data]) -> Iterator[str]:
    if notes := unqualified_in(record):
        yield f"what {', '.join(notes)} said is a note: {WHY} (W40, W41)"
    for each in held:
        if each["absent"]:
            yield f"round {each['round']}: no answer from {', '.join(each['absent'])}"
        if each["fallback_question"]:
            yield f"round {each['round']}: the facilitator asked nothing; code asked a plain question"
        if each["positions"] and not each["synthesis_summary"] and each["next_action"]:
            yield f"round {each['round']}: there was no synthesis"
        if each["misquoted"]:
            yield f"round {each['round']}: the synthesis quotes words that nobody said"
        wished, came = each["facilitator_wished"], each["next_action"]
        if wished and came and wished != came:
            yield f"round {each['round']}: the facilitator wished to {wished}; the rule says {came}"
        yield from (f"round {each['round']}: refused, {text}" for text in each["refused"])
        yield from (f"round {each['round']}: not put to a person: {text}" for text in each["not_put"])
    if record.session.conclusion is not None:
        if Bar.JUDGED in bars(state):
            judged = sum(member.judged for member in state.members)
            yield f"{judged} of {len(state.members)} participants have judged anything"
        if state.topics:
            yield from (f"shown to nobody who answered: {text}" for text in documents_unread(record))
        for topic in state.topics:
            if not state.done(topic):
                name = topic_named(record, topic.key)["name"]
                yield f"{name} is {topic.status.value}: {', '.join(_lacks(state, plan_in(record), topic))}"


def _lacks(state: State, plan: Plan, topic: Topic) -> Iterator[str]:
    """What keeps a topic from being done (W21)."""
    lacking = lacks(state, plan, topic)
    if Lack.CRITERIA in lacking:
        yield f"{len(topic.met)} of {topic.criteria} criteria met"
    if Lack.ARTIFACTS in lacking:
        yield f"{state.agreed(topic)} of {topic.minimum} artifacts agreed upon"
    if Lack.RESOLUTION in lacking:
        yield f"{', '.join(each.id for each in state.conflicts if topic.key in state.topics_of(each))} open"
    if Lack.RULING in lacking:
        waiting = ", ".join(each.id for each in state.rulings if topic.key in state.topics_of(each))
        yield f"{waiting} not applied"
    if Lack.VOTE in lacking:
        drafts = [each for each in state.artifacts if each.topic == topic.key and is_unvoted(each)]
        for blocked, says in ((False, "not voted upon"), (True, "blocked, and not voted upon again")):
            if own := [each.id for each in drafts if (each.blocked > 0) is blocked]:
                yield f"{', '.join(own)} {says}"
    if topic.status is not TopicStatus.CLOSED and not set(lacking) - {Lack.ARTIFACTS}:
        yield "its pass through the stages was not over"


# For people


def show(data: Mapping[str, Any]) -> str:
    """Return the result as Markdown."""
    notes = "".join(f", {each}" for each in data.get("heading", ()))
    lines = [
        f"# {_first_line(data['topic'])}{notes}",
        "",
        *_agenda(data),
        *_artifacts(data),
        *_rulings(data),
        *_open(data),
    ]
    if data["warnings"]:
        lines += ["", "## Warnings", "", *(f"- {text}" for text in data["warnings"])]
    return "\n".join(lines)


def _first_line(text: str) -> str:
    return next((line.lstrip("# ").strip() for line in text.splitlines() if line.strip()), "Workshop")


def _agenda(data: Mapping[str, Any]) -> Iterator[str]:
    figures = data["metrics"]
    yield (
        f"{data['workflow']} workshop, {data['strategy']}, {len(data['rounds'])} rounds, "
        f"{figures['topics']['closed']} of {figures['topics']['total']} topics closed"
    )
    yield from ("", "## Agenda", "")
    for topic in data["agenda"]:
        met = sum(each["met"] for each in topic["criteria"])
        needed = f" of {topic['minimum']}" if topic["minimum"] else ""
        yield (
            f"- {topic['name']}: {topic['status']} ({met} of {len(topic['criteria'])} criteria met, "
            f"{topic['counted']}{needed} agreed)"
        )


def _artifacts(data: Mapping[str, Any]) -> Iterator[str]:
    things = [each for each in data["artifacts"] if each["status"] in ("active", "amended")]
    yield from ("", "## Artifacts", "")
    for each in things:
        behind = f", supported by {', '.join(each['supported_by'])}" if each["supported_by"] else ""
        yield f"- {each['id']} {each['title']} ({each['agreement']}, round {each['created_round']}{behind})"
    if not things:
        yield "None."


def _rulings(data: Mapping[str, Any]) -> Iterator[str]:
    """What a person has ruled, and what became of it (W24)."""
    found = [each for each in data["artifacts"] if each["type"] == "RUL"]
    if found:
        yield from ("", "## Rulings", "")
    for each in found:
        fields = each["fields"]
        became = each["resolution"] if fields["applied"] else "NOT APPLIED"
        words = " ".join(fields["decision"].split())
        said = words if len(words) <= LONGEST else f"{words[:LONGEST]} …"
        yield f"- {each['id']} by {each['proposed_by']} on {', '.join(each['about'])} ({became}): {said}"


def _open(data: Mapping[str, Any]) -> Iterator[str]:
    for kind, title in (("CONF", "Open conflicts"), ("OQ", "Open questions")):
        found = [each for each in data["artifacts"] if each["type"] == kind and each["status"] == "open"]
        if found:
            yield from ("", f"## {title}", "")
            yield from (f"- {each['id']} {each['title']}" for each in found)
