"""The clerk's job as data: what to add to which document, and the record of an elaboration (T23, T24)."""

from __future__ import annotations

from typing import Any

from quorate.core.record import Record
from quorate.protocols.roundtable.rules.attribution import tamed
from quorate.protocols.roundtable.rules.elaborations import elaborations, step_id
from quorate.protocols.roundtable.rules.forms import ActionItem, Decided, Insight, OpenQuestion
from quorate.protocols.roundtable.rules.harvest import LISTS, KeptItem
from quorate.protocols.roundtable.rules.matter import cast_of, documents, topic
from quorate.protocols.roundtable.rules.personas import Cast


def additions(record: Record) -> dict[str, Any]:
    """What the clerk adds after a synthesis, document by document; forms.py lists the fields."""
    cast, now = cast_of(record), elaborations(record)[-1]
    brought = documents(record)
    return {
        "session": record.opening.session,
        "elaboration": now.number,
        "topic": topic(record),
        "phase": cast.settings.phase,
        "step": cast.settings.step,
        "turns": now.turns,
        "max_turns": cast.settings.turns,
        "exit": now.exit,
        "participants": [each.full for each in cast.personas],
        "spoke": [cast.called(key) for key in now.spoken],
        "documents": [
            {name: value for name, value in brought[key].items() if name != "text"}
            | {
                kind: [item_data(cast, each) for each in now.items if each.kind == kind and each.document == key]
                for kind in LISTS
            }
            for key in now.targets
        ],
    }


def entry(record: Record) -> dict[str, Any]:
    """The record that the clerk appends to meta.json."""
    cast, now = cast_of(record), elaborations(record)[-1]
    return {
        "session": record.opening.session,
        "elaboration": now.number,
        "step_id": step_id(record),
        "turn_count": now.turns,
        "personas_active": [str(key) for key in cast.keys],
        "synthesis_summary": now.summary,
    }


def item_data(cast: Cast, kept: KeptItem) -> dict[str, str]:
    """An item in words: its texts, none of which can pass for an attribution, and who said, resolves or does it."""
    item = kept.item
    who = cast.called(kept.names[0]) if kept.names else ""
    text = tamed(cast, item.text.text)
    match item:
        case Insight():
            return {"text": text, "by": cast.attribution(kept.names)}
        case Decided():
            by = cast.attribution(kept.names)
            return {"text": text, "rationale": tamed(cast, item.rationale.text), "by": by}
        case OpenQuestion():
            return {"text": text, "why_open": tamed(cast, item.why_open.text), "resolver": who}
        case ActionItem():
            return {"text": text, "owner": who}
