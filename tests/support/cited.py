"""Which numbered rules the tests cite."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]


def cited(letter: str, but: str) -> set[str]:
    """The rules with this letter that a test names; oracles and the file `but`, which looks for them, do not count."""
    found: set[str] = set()
    for path in (*TESTS.rglob("*.py"), *TESTS.rglob("*.txt")):
        if path == Path(but) or "oracle" in path.parts:  # which states the rules anew, and tests none
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        found |= set(re.findall(rf"\b{letter}\d+\b", text))
        for first, last in re.findall(rf"\b{letter}(\d+) to {letter}(\d+)\b", text):
            found |= {f"{letter}{number}" for number in range(int(first), int(last) + 1)}
        found |= {name.upper() for name in re.findall(rf"def test_({letter.lower()}\d+)_", text)}
    return found
