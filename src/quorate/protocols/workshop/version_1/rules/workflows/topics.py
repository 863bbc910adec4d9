"""A topic of an agenda as plain data, written with as few words as it needs."""

from __future__ import annotations

from typing import Any


def topic(
    id_: str,
    name: str,
    description: str,
    *,
    criteria: tuple[str, ...],
    minimum: int,
    counts: tuple[str, ...],
    exploration: str,
    questions: tuple[str, ...],
    critical: bool = False,
    stage: str = "",
) -> dict[str, Any]:
    """Return the topic as an agenda has it; the names are those of a user's own file."""
    return {
        "id": id_,
        "name": name,
        "description": description,
        "critical": critical,
        "stage": stage,
        "done_when": {"criteria": list(criteria), "minimum": minimum, "counts": list(counts)},
        "exploration": exploration,
        "questions": list(questions),
    }
