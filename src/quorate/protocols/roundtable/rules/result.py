"""The result of a roundtable, as plain data and as Markdown: every elaboration with its items, files and record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from quorate.core.record import Record, Said
from quorate.protocols.roundtable.rules import announcements
from quorate.protocols.roundtable.rules.elaborations import Elaboration, elaborations
from quorate.protocols.roundtable.rules.forms import Menu
from quorate.protocols.roundtable.rules.harvest import LISTS
from quorate.protocols.roundtable.rules.job import item_data
from quorate.protocols.roundtable.rules.matter import cast_of, documents, meta, topic
from quorate.protocols.roundtable.rules.personas import Cast
from quorate.protocols.roundtable.rules.transcript import LineKind, Spoken, conversations

TITLES = {
    "insights": "Key insights",
    "decisions": "Decisions made",
    "open_questions": "Open questions",
    "action_items": "Action items",
}


def result(record: Record) -> Mapping[str, Any]:
    """Return the result as plain data."""
    cast, conclusion = cast_of(record), record.session.conclusion
    talks = {each.number: each for each in conversations(record)}
    settings = cast.settings
    return {
        "topic": topic(record),
        "phase": settings.phase,
        "step": settings.step,
        "verdict": conclusion.verdict.name if conclusion else None,
        "degradation": conclusion.degradation.value if conclusion else None,
        "lead": cast.lead.full,
        "personas": [
            {"key": str(each.seat), "name": each.name, "role": each.role, "leads": each == cast.lead}
            for each in cast.personas
        ],
        "max_turns": settings.turns,
        "elaborations": [_elaboration(record, cast, each, talks[each.number].lines) for each in elaborations(record)],
        "feedback": _feedback(record),
        "warnings": warnings(record),
    }


def _elaboration(record: Record, cast: Cast, each: Elaboration, lines: tuple[Spoken, ...]) -> dict[str, Any]:
    return {
        "number": each.number,
        "turns": each.turns,
        "exit": each.exit,
        "synthesis_by": "" if not each.summary else "code" if each.by_code else "lead",
        "by_code_because": each.by_code,
        "summary": each.summary,
        **{kind: [item_data(cast, kept) for kept in each.items if kept.kind == kind] for kind in LISTS},
        "documents": written(record, each),
        "record": each.record,
        "detail": each.detail,
        "notes": each.notes,
        "transcript": [
            {
                "turn": line.turn,
                "kind": line.kind.value,
                "speaker": line.speaker,
                "name": line.prefix,
                "text": line.text,
            }
            for line in lines
        ],
        "notices": [line.text for line in lines if line.kind is LineKind.NOTICE],
    }


def written(record: Record, each: Elaboration) -> list[dict[str, Any]]:
    """What became of every document that something was to be added to."""
    names, entries = documents(record), {entry.document: entry for entry in each.entries}
    return [
        {
            "key": str(key),
            "name": str(names[key]["name"]),
            "result": entries[key].result.value if key in entries else "failed",
            "section": entries[key].section.text if key in entries else "the clerk said nothing of it",
            "lines": entries[key].lines if key in entries else 0,
        }
        for key in each.targets
    ]


def warnings(record: Record) -> list[str]:
    """What the intake warned of when it read meta.json, each on one line."""
    return [announcements.one_line(str(each), 400) for each in meta(record).get("warnings", ())]


def _feedback(record: Record) -> list[str]:
    """What the person left at the menu, in order."""
    said = (line.reply for line in record.log if isinstance(line, Said) and line.ask.brief == "menu")
    return [reply.text.text for reply in said if isinstance(reply, Menu) and reply.text.text.strip()]


def show(found: Mapping[str, Any]) -> str:
    """Return the result as Markdown."""
    name = announcements.one_line(found["topic"], 120) or "roundtable"
    degraded = f", degraded {found['degradation']}" if found["degradation"] not in (None, "none") else ""
    parts = [f"## {found['verdict'] or 'UNDER WAY'}{degraded}: {name}"]
    parts += [part for each in found["elaborations"] for part in _shown(each, found["max_turns"])]
    if not found["elaborations"]:
        parts.append("Nothing was elaborated on.")
    parts += ["\n".join(["### Feedback", "", *_bullets(found["feedback"])])] if found["feedback"] else []
    parts += [f"Warning: {warning}" for warning in found["warnings"]]
    return "\n\n".join(parts)


def _shown(each: Mapping[str, Any], most: int) -> Iterator[str]:
    how = f", {each['exit']}" if each["exit"] else ""
    yield f"### Elaboration {each['number']}: {each['turns']} of {most} turns{how}"
    if each["summary"]:
        by = f" (by code; {each['by_code_because']})" if each["synthesis_by"] == "code" else ""
        yield f"{announcements.one_line(each['summary'])}{by}"
    for kind, title in TITLES.items():
        if each[kind]:
            yield "\n".join([f"**{title}**", "", *_bullets(map(item_line, each[kind]))])
    if each["documents"]:
        yield "\n".join(map(document_line, each["documents"]))
    if each["record"] == "failed":
        yield f"Warning: the record was not kept: {announcements.one_line(each['detail'])}"


def item_line(item: Mapping[str, str]) -> str:
    """An item on one line, with its rationale or reason and who it is of."""
    more = {"rationale": "because", "why_open": "open because", "resolver": "to be settled by", "owner": "owner"}
    tail = [f"{word} {item[name].strip()}" for name, word in more.items() if item.get(name, "").strip()]
    text = announcements.one_line("; ".join([item["text"].strip().rstrip("."), *tail]), 900)
    return f"{text} {item['by']}" if item.get("by") else text


def document_line(each: Mapping[str, Any]) -> str:
    """What became of a document, on one line."""
    section = announcements.one_line(each["section"], 200)
    if each["result"] == "added":
        unit = "line" if each["lines"] == 1 else "lines"
        return f"Added to {each['name']}: {each['lines']} {unit} under {section}"
    word = "Skipped" if each["result"] == "missing" else "Not written"
    return f"{word}: {each['name']}: {section}"


def _bullets(texts: Any) -> list[str]:
    return [f"- {announcements.one_line(text, 1_000)}" for text in texts]
