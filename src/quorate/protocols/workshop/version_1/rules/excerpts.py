"""Agenda, artifacts and rounds as text for views: compact, with ids, nothing invented."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from quorate.core.record import Record
from quorate.protocols.workshop.version_1.rules.history import agenda, state_of, topic_named
from quorate.protocols.workshop.version_1.rules.lives import TopicStatus
from quorate.protocols.workshop.version_1.rules.model import State, Topic
from quorate.protocols.workshop.version_1.rules.synthesis_effects import criterion

Data = dict[str, Any]


def agenda_text(record: Record) -> str:
    """The agenda with where every topic stands."""
    state = state_of(record)
    lines = [f"{agenda(record).get('title', '')}".strip()]
    for topic in state.topics:
        named = topic_named(record, topic.key)
        required = "required, " if topic.required else ""
        lines.append(
            f"{topic.key} {named['name']} ({required}{topic.status.value}; "
            f"{len(topic.met)} of {topic.criteria} criteria met, {state.agreed(topic)} of {topic.minimum} agreed)"
        )
    return "\n".join(line for line in lines if line)


def topic_text(record: Record, topic: Topic, *, to_ask: bool = False) -> str:
    """A topic with its criteria by key, and which of them are met; for the facilitator also what to ask."""
    named = topic_named(record, topic.key)
    lines = [f"{topic.key} {named['name']}: {named.get('description', '')}"]
    texts = dict(enumerate(named["done_when"]["criteria"], start=1))
    for number in range(1, topic.criteria + 1):
        met = "met" if number in topic.met else "not met yet"
        lines.append(f"{criterion(number)} {texts.get(number, '')} ({met})")
    types = ", ".join(kind.name for kind in topic.counts)
    lines.append(f"At least {topic.minimum} agreed artifacts of {types}" if topic.minimum else "No least number")
    if named.get("exploration"):
        lines.append(f"To explore: {named['exploration']}")
    lines += [f"Ask: {question}" for question in named.get("questions", ()) if to_ask]
    return "\n".join(lines)


def focus_text(record: Record, state: State, key: str, known: Iterable[Data]) -> str:
    """What a round may be about, in one line."""
    for each in known:
        if each["id"] == key:
            return f"{key} {each['title']}"
    topic = state.topic(next(topic.key for topic in state.topics if topic.key == key))
    closed = ", closed" if topic.status is TopicStatus.CLOSED else ""
    return f"{key} {topic_named(record, key)['name']}{closed}"


def artifact_line(data: Data) -> str:
    return f"{data['id']} {data['title']} ({data['status']}, {data['agreement']})"


def artifact_text(data: Data, *, disputes: bool = True, parties: bool = True) -> str:
    """Return an artifact with all its fields and supporters; optionally without disputes or the parties' words."""
    agreement = f", {data['agreement']}" if disputes and data["status"] not in ("open", "resolved") else ""
    lines = [f"{data['id']} {data['title']} ({data['status']}{agreement}, round {data['created_round']})"]
    for name, value in data["fields"].items():
        if name == "positions" and not parties:
            lines.append(f"  between {', '.join(each['participant'] for each in value)}")
        elif name == "positions":
            lines += [f"  {each['participant']}: {each['stance']} ({each['rationale']})" for each in value]
        elif value not in ("", []):
            lines.append(f"  {name}: {value_text(value)}")
    for name in ("proposed_by", "supported_by", "opposed_by", "contested_by") if disputes else ():
        if data[name]:
            lines.append(f"  {name}: {data[name] if isinstance(data[name], str) else ', '.join(data[name])}")
    if data["resolution"]:
        lines.append(f"  resolution ({data['resolution_method']}): {data['resolution']}")
    return "\n".join(lines)


def value_text(value: Any) -> str:
    """A field of an artifact on one line."""
    if isinstance(value, list):
        return "; ".join(value_text(each) for each in value)
    if isinstance(value, dict):
        return ", ".join(f"{name}: {value_text(inner)}" for name, inner in value.items())
    return str(value)


def round_text(data: Data) -> str:
    """A round as the facilitator remembers it: question, synthesis, and what came of it."""
    lines = [
        f"Round {data['round']} ({data['stage']}, {data['focus']['id']})",
        f"Question: {data['facilitator_question']}",
    ]
    lines.append(f"Synthesis: {data['synthesis_summary'] or 'there was none'}")
    lines += decided(data)
    return "\n".join(lines)


def decided(data: Data) -> Iterator[str]:
    """What a person decided in a round."""
    for ruling in data["rulings"]:
        if ruling["choice"] != "go_on":
            text = ruling["decision"] if ruling["choice"] == "decide" else "the facilitator's recommendation"
            yield f"A person decided on {', '.join(ruling['conflicts']) or 'the matter'}: {text}"


def position_text(position: Data) -> str:
    """What a participant said, in its own words."""
    lines = [position["position"]]
    for name in ("rationale", "concerns", "suggestions", "context_gaps"):
        lines += [f"{name}: {each}" for each in position[name]]
    for name, value in position.get("trade_offs", {}).items():
        if value:
            lines.append(f"{name}: {value_text(value)}")
    for key, vote in position["stances"].items():
        change = f" Least change: {vote['minimum_change']}" if vote["minimum_change"].strip() else ""
        lines.append(f"{key}: {vote['stance']}. {vote['reason']}{change}")
    if position["contested"]:
        lines.append(f"contests: {', '.join(position['contested'])}")
    return "\n".join(lines)
