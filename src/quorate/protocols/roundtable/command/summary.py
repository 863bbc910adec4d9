"""The result of an elaboration as text: the synthesis with attributions, and what was written where."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from quorate.cli.text import count
from quorate.protocols.roundtable.world.roundtable import Elaboration, Written, cast_of, documents, item_data

if TYPE_CHECKING:
    from quorate.core.record import Record

TITLES = {
    "insights": "Key insights",
    "decisions": "Decisions made",
    "open_questions": "Open questions",
    "action_items": "Action items",
}
Noted = tuple[str, str]
"""A remark and its style."""


def synthesis_text(record: Record, each: Elaboration) -> str:
    """Return the summary and every item under its heading, with attributions."""
    cast = cast_of(record)
    parts = [each.summary]
    for kind, title in TITLES.items():
        items = [item_data(cast, kept) for kept in each.items if kept.kind == kind]
        if items:
            parts.append("\n".join([title, *(f"- {_worded(item)}" for item in items)]))
    return "\n\n".join(parts)


def _worded(item: dict[str, str]) -> str:
    text = " ".join(filter(None, (item["text"], item.get("by", ""))))
    notes = [item.get("rationale", ""), item.get("why_open", "")]
    notes += [f"{item['resolver']} resolves it"] if item.get("resolver") else []
    notes += [f"{item['owner']} does it"] if item.get("owner") else []
    said = "; ".join(" ".join(note.split()).rstrip(".") for note in notes if note.strip())
    return " ".join(text.split()) + (f" ({said})" if said else "")


def documents_lines(record: Record, each: Elaboration) -> Iterator[Noted]:
    """Return a line per document that says what was added and where, or why not (T23)."""
    known = documents(record)
    for entry in each.entries:
        name, section = known[entry.document]["name"], entry.section.text.strip()
        match entry.result:
            case Written.ADDED:
                yield f"{name}: {count(entry.lines, 'line')} added under “{section}”", "green"
            case Written.MISSING:
                yield (
                    f"{name}: no longer exists, so nothing was added" + (f" ({section})" if section else ""),
                    "yellow",
                )
            case Written.FAILED:
                yield f"{name}: nothing was added, {section or 'it could not be written'}", "bold red"


def record_lines(each: Elaboration) -> Iterator[Noted]:
    """Return lines that say whether the record was written to meta.json (T24, T25)."""
    turns = count(each.turns, "turn")
    detail = f": {each.detail}" if each.detail.strip() else ""
    if each.record == "failed":
        yield f"meta.json: the record could not be written{detail}", "bold red"
        return
    yield f"meta.json: {turns} recorded", "dim"
    if each.record == "repaired":
        yield f"meta.json: repaired{detail}", "yellow"
