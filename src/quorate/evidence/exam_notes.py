"""What a session's opening says of the exams of its models, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from quorate.core.record import Opening
from quorate.kit.settings import UNQUALIFIED_SEATS

EXAMS = "exams"
"""Key in the `run` of an opening: by model, what its last exam said. A session without models has none."""
FAILED = ("not told apart from chance", "worse than chance")
"""What an exam says of a model whose interval includes chance, or lies below it."""


def exam_notes(opening: Opening) -> Iterator[tuple[str, str]]:
    """Yield each model with what its exam said. An opening that holds anything else says nothing."""
    found = opening.run.get(EXAMS)
    for name, each in found.items() if isinstance(found, Mapping) else ():
        if isinstance(each, Mapping) and isinstance(each.get("says"), str):
            yield str(name), each["says"] + _figures(each)


def unqualified_seats(opening: Opening) -> list[str]:
    """Return the seats of which every word is a note in this session."""
    return [str(name) for name in opening.settings.get(UNQUALIFIED_SEATS, ())]


def exam_line(opening: Opening) -> str:
    """Return what the exam says of all models, and whose words are notes, on one line; empty without models."""
    told = "; ".join(f"{name}: {says}" for name, says in sorted(exam_notes(opening)))
    notes = unqualified_seats(opening)
    return f"Exam: {told}" + (f"; what {', '.join(notes)} said is a note" if notes else "") if told else ""


def _figures(each: Mapping[str, Any]) -> str:
    if not all(isinstance(each.get(name), int) for name in ("right", "pairs")):
        return ""
    return f" ({each['right']} of {each['pairs']} pairs, {each.get('at')})"
