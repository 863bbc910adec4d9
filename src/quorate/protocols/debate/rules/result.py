"""The result of a debate: the judge's synthesis or, without a judge, the last texts side by side (D25, D26)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from quorate.core.record import Record
from quorate.protocols.debate.rules.model import JUDGE, State, Synthesis
from quorate.protocols.debate.rules.views import current_text


def result(record: Record) -> dict[str, Any]:
    """Return the result as plain data; `by` says whether the judge or code put it together."""
    state: State = record.session.state
    said = record.latest(JUDGE, "synthesize")
    if said is None or not state.judged:
        texts = {agent.seat: current_text(record, agent.seat) for agent in state.agents}
        return {"by": "code", "texts": {str(seat): text for seat, text in texts.items() if text is not None}}
    synthesis = said.reply
    assert isinstance(synthesis, Synthesis)
    return {
        "by": "judge",
        "solution": synthesis.solution.text,
        "tradeoffs": [prose.text for prose in synthesis.tradeoffs],
        "recommendations": [prose.text for prose in synthesis.recommendations],
        "unfulfilled_major_requirements": [prose.text for prose in synthesis.unfulfilled_major_requirements],
        "open_questions": [prose.text for prose in synthesis.open_questions],
        "confidence": state.confidence,
        "confidence_said": synthesis.confidence,
    }


LISTS = (
    ("tradeoffs", "Trade-offs"),
    ("recommendations", "Recommendations"),
    ("unfulfilled_major_requirements", "Unfulfilled major requirements"),
    ("open_questions", "Open questions"),
)


def show(found: Mapping[str, Any]) -> str:
    """Return the result as Markdown."""
    if found["by"] == "code":
        parts = ["Nobody judged. The last texts, side by side, put together by code:"]
        parts += [f"## {seat}\n\n{text}" for seat, text in found["texts"].items()] or ["Nothing was said."]
        return "\n\n".join(parts)
    parts = [found["solution"]]
    parts += [f"## {title}\n\n{_bullets(found[name])}" for name, title in LISTS if _filled(found[name])]
    cap = ""
    if found["confidence"] < found["confidence_said"]:
        cap = f" (the judge said {found['confidence_said']}; unfulfilled major requirements cap it)"
    parts.append(f"Confidence: {found['confidence']} of 100{cap}")
    return "\n\n".join(parts)


def _filled(items: Iterable[str]) -> list[str]:
    return [item for item in items if item.strip()]


def _bullets(items: Iterable[str]) -> str:
    return "\n".join(f"- {item}" for item in _filled(items))
