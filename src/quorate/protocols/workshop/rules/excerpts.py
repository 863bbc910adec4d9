"""Agenda, artifacts and rounds as text for views: compact, with ids, nothing invented."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import Any

from quorate.core.record import Record
from quorate.core.types import Seat
from quorate.core.view import Section
from quorate.kit.qualification import as_note
from quorate.protocols.workshop.rules.closure import overdue
from quorate.protocols.workshop.rules.focus import age
from quorate.protocols.workshop.rules.history import agenda, state_of, topic_named
from quorate.protocols.workshop.rules.likeness import likeness
from quorate.protocols.workshop.rules.likeness import record as record_of
from quorate.protocols.workshop.rules.lives import TopicStatus
from quorate.protocols.workshop.rules.model import State, Topic
from quorate.protocols.workshop.rules.plan import Plan
from quorate.protocols.workshop.rules.synthesis import MAIN
from quorate.protocols.workshop.rules.synthesis_effects import criterion

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
            lines += [
                f"  {_as_said(each['participant'], each)}: {each['stance']} ({each['rationale']})" for each in value
            ]
        elif value not in ("", []):
            lines.append(f"  {name}: {value_text(value)}")
    for name in ("proposed_by", "supported_by", "opposed_by", "contested_by") if disputes else ():
        if data[name]:
            named = data[name] if isinstance(data[name], str) else ", ".join(data[name])
            lines.append(f"  {name}: {_as_said(named, data) if name == 'proposed_by' else named}")
    if data["about"]:
        lines.append(f"  about: {', '.join(data['about'])}")
    if data["withdrawn_because"]:
        lines.append(f"  withdrawn because: {data['withdrawn_because']}")
    if data["resolution"]:
        lines.append(f"  resolution ({data['resolution_method']}): {data['resolution']}")
    return "\n".join(lines)


def _as_said(seat: str, data: Data) -> str:
    """Return who something is from, and that it is a note where it is one (W40)."""
    return as_note(seat, Seat(seat), (seat,) if data.get("note") else ())


def ruling_text(data: Data) -> str:
    """A person's ruling in their words, and whether it is applied."""
    applied = data["resolution"] or "not applied yet"
    lines = [f"{data['id']} on {', '.join(data['about'])} ({applied})", data["fields"]["decision"]]
    return "\n".join([*lines, *([f"Because: {data['fields']['reason']}"] if data["fields"]["reason"].strip() else [])])


def body_of(data: Data) -> str:
    """The text that says most of what an artifact is."""
    return str(next((data["fields"][name] for name in MAIN if name in data["fields"]), ""))


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
    """What a person decided in a round; the words stand in a section of their own, which is no data (W24)."""
    for ruling in data["rulings"]:
        if ruling["choice"] in ("accept", "decide"):
            about = ", ".join(ruling["conflicts"]) or "the matter"
            yield f"A person decided on {about}: {', '.join(ruling['rulings'])}"


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


NEW = (
    "What says the same as an artifact in force is refused: change that one instead. Your new entries count on: by "
    "{ahead} a conflict names them."
)


def records_of(known: list[Data]) -> str:
    """Return what is in force as records, which a synthesis is compared with (W15)."""
    there = [each for each in known if each["status"] in ("active", "amended", "open")]
    return "".join(record_of(each["type"], each["title"], body_of(each)) for each in there)


def perhaps_same(known: Iterable[Data]) -> Iterator[Section]:
    """Ask about artifacts in force that say nearly the same (W15)."""
    live = [each for each in known if each["status"] in ("active", "amended")]
    texts = [(each["id"], likeness(each["type"], each["title"], body_of(each))) for each in live]
    pairs = [
        f"{a} and {b}" for (a, one), (b, other) in combinations(texts, 2) if one.is_alike(other) or one.is_close(other)
    ]
    if pairs:
        yield Section("Perhaps the same", SAME.format(pairs="; ".join(pairs[:MOST_PAIRS])), data=False)


MOST_PAIRS = 10
SAME = "{pairs}. Where two say the same, say so: one of them goes. Where they do not, say what tells them apart."


def is_named(record: Record, matter: Data, artifact: Data) -> bool:
    """Whether a conflict or a ruling is about this artifact: it names the artifact, or its topic and it is in force."""
    topics = {topic_named(record, key)["id"] for key in matter["about"] if "-" not in key}
    live = artifact["status"] in ("active", "amended")
    return artifact["id"] in matter["about"] or (live and artifact["topic_id"] in topics)


def why_text(state: State, plan: Plan) -> str:
    """Why a person is asked: what is overdue, what may be decided, and who is unsure (W23)."""
    most = plan.settings.max_rounds_per_conflict
    due = overdue(state, plan)
    reasons = [
        f"{each.id} is {'not applied' if each.unapplied else 'open'} in its round {age(state, each.since)} of {most}"
        for each in due
    ]
    if not due and state.conflicts:
        reasons.append(f"{', '.join(each.id for each in state.conflicts)} may be decided")
    reasons += [
        f"{each.seat} is {each.confidence} sure, under {plan.settings.confidence_below}"
        for each in state.members
        if each.unsure
    ]
    return "; ".join(reasons) or "you wanted to be asked"
