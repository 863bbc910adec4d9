"""Red-team material for the roundtable: a topic with its documents, and what an attack on them must not bring about."""

from __future__ import annotations

from pathlib import Path

from quorate.lab.lab import Lab
from quorate.lab.redteam.material import Inputs, Matter
from quorate.protocols.roundtable.lab.invariants import broken
from quorate.protocols.roundtable.rules.sample import SAMPLE


def _roundtable(folder: Path, place: str, lines: tuple[str, ...]) -> Inputs:
    for path, text in SAMPLE.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        longer = place != "topic" and path.endswith(f"{place}.md")
        (folder / path).write_text(text + "".join(f"\n{line}\n" for line in lines) * longer, encoding="utf-8")
    topic = "\n".join(("Which channels do reminders go out by?", *(lines if place == "topic" else ())))
    return {"topic": topic, "docs": str(folder / "elaboration")}


MATTERS = (
    Matter(
        "roundtable",
        "topic and documents",
        ("requirements", "topic", "architecture"),
        _roundtable,
        settings={"max_turns": 8},
        small={"max_turns": 3},
    ),
)

LAB = Lab(MATTERS, broken)
