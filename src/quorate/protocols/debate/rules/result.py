"""The result of a debate: the judge's synthesis, or the last texts side by side where nobody judged (D25, D26, D36)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from quorate.core.record import Record
from quorate.kit.qualification import heading_words
from quorate.protocols.debate.rules.model import JUDGE, State, Synthesis
from quorate.protocols.debate.rules.responses import noted_synthesis, unqualified_in
from quorate.protocols.debate.rules.views import current_text


def result(record: Record) -> dict[str, Any]:
    """Return the result as plain data; `by` says whether the judge or code put it together."""
    state: State = record.session.state
    said, notes = record.latest(JUDGE, "synthesize"), unqualified_in(record)
    heading = {"heading": list(heading_words((JUDGE,), notes, "judge"))} if notes else {}
    if said is None or not state.judged:
        texts = {agent.seat: current_text(record, agent.seat) for agent in state.agents}
        found = {"by": "code", "texts": {str(seat): text for seat, text in texts.items() if text is not None}}
        noted = noted_synthesis(record)
        return {**found, **({"note": _told(noted)} if noted is not None else {}), **heading}
    assert isinstance(said.reply, Synthesis)
    return {
        "by": "judge",
        **_told(said.reply),
        "confidence": state.confidence,
        "confidence_said": said.reply.confidence,
        **heading,
    }


def _told(synthesis: Synthesis) -> dict[str, Any]:
    return {
        "solution": synthesis.solution.text,
        "tradeoffs": [prose.text for prose in synthesis.tradeoffs],
        "recommendations": [prose.text for prose in synthesis.recommendations],
        "unfulfilled_major_requirements": [prose.text for prose in synthesis.unfulfilled_major_requirements],
        "open_questions": [prose.text for prose in synthesis.open_questions],
    }


NOTE = "A note, which decides nothing: the synthesis of a judge that has not passed the exam"
LISTS = (
    ("tradeoffs", "Trade-offs"),
    ("recommendations", "Recommendations"),
    ("unfulfilled_major_requirements", "Unfulfilled major requirements"),
    ("open_questions", "Open questions"),
)


def show(found: Mapping[str, Any]) -> str:
    """Return the result as Markdown."""
    words = "; ".join(found.get("heading", ()))
    said = f"{words[:1].upper()}{words[1:]}.\n\n" if words else ""
    if found["by"] == "code":
        parts = ["Nobody judged. The last texts, side by side, put together by code:"]
        parts += [f"## {seat}\n\n{text}" for seat, text in found["texts"].items()] or ["Nothing was said."]
        if "note" in found:
            parts += [f"## {NOTE}", *_solution(found["note"], "###")]
        return said + "\n\n".join(parts)
    parts = _solution(found, "##")
    cap = ""
    if found["confidence"] < found["confidence_said"]:
        cap = f" (the judge said {found['confidence_said']}; unfulfilled major requirements cap it)"
    parts.append(f"Confidence: {found['confidence']} of 100{cap}")
    return said + "\n\n".join(parts)


def _solution(found: Mapping[str, Any], level: str) -> list[str]:
    lists = [f"{level} {title}\n\n{_bullets(found[name])}" for name, title in LISTS if _filled(found[name])]
    return [found["solution"], *lists]


def _filled(items: Iterable[str]) -> list[str]:
    return [item for item in items if item.strip()]


def _bullets(items: Iterable[str]) -> str:
    return "\n".join(f"- {item}" for item in _filled(items))
