"""What a persona is saying while its form is still being filled in: only the fields that are speech."""

from __future__ import annotations

import re

from quorate.cli.speech import readable
from quorate.cli.text import safe

SPOKEN = {"frame": ("summary", "question"), "speak": ("says",), "answer": ("says",)}
"""The fields that are speech, by brief; what is filled in for other briefs is not spoken."""


def speech(brief: str, text: str) -> str:
    """Return what has been said so far; text that is no form is speech itself."""
    if brief not in SPOKEN:
        return ""
    start = text.lstrip()
    if not start.startswith(("{", "```")):
        return safe(text).strip()
    return "\n\n".join(filter(None, (_field(name, text) for name in SPOKEN[brief])))


def _field(name: str, text: str) -> str:
    """The value of a field, finished or not."""
    found = re.search(rf'"{name}"\s*:\s*("(?:[^"\\]|\\.|\\\Z)*)', text, re.DOTALL)
    if found is None:
        return ""
    return safe(readable(f'{{"{name}":{found[1]}').removeprefix(f"{name}: ")).strip()
