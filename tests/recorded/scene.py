"""A scene: what is put into a project, which commands are run there, and how the session stands in the end."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
SCRIPTS = Path(__file__).parent / "scripts"
WAITS = "waits"
"""How a session stands that has no verdict: somebody has an open ask."""

Files = Mapping[str, str]


@dataclass(frozen=True)
class Change:
    """A text of a file that another one takes the place of."""

    file: str
    old: str
    new: str


Step = str | Files | Change
"""A command line of `quorate` (without that word) or of `git`, files to write, or a change of one that is there."""


@dataclass(frozen=True)
class Scene:
    """A session of one protocol, from an empty folder to where it is recorded. The last one of its store counts."""

    name: str
    ends: str
    """The verdict, or `WAITS`."""
    steps: tuple[Step, ...]


def script(name: str, **changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return a script of the folder `scripts` with some replies changed, by seat and brief.

    `every` is the seat `*`, and `_` in a name stands for `-`.
    """
    seats: dict[str, Any] = json.loads((SCRIPTS / f"{name}.json").read_text(encoding="utf-8"))["seats"]
    for given, briefs in changes.items():
        seat = "*" if given == "every" else given.replace("_", "-")
        seats[seat] = {**seats.get(seat, seats.get("*", {})), **briefs}
    return {"seats": seats}


def project(words: Mapping[str, Any], panel: Mapping[str, Any] | None = None, **settings: Any) -> Files:
    """Return the files of a project whose seats speak by a script; `panel` seats others. YAML is a superset of JSON."""
    return {
        "quorate.yaml": as_json({"panel": "panel.yaml", **settings}),
        "panel.yaml": as_json({"script": "script.yaml", **(panel or {})}),
        "script.yaml": as_json(words),
    }


def example(*names: str) -> Files:
    """Return files of the examples."""
    return {name: (EXAMPLES / name).read_text(encoding="utf-8") for name in names}


def as_json(value: Any) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"
