"""The lines of a changed file as its diff shows them, each with its side and its number."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from quorate.kit.change import ChangedFile

_HUNK = re.compile(r"@@ -(\d{1,9})(?:,\d{1,9})? \+(\d{1,9})(?:,\d{1,9})? @@")


@dataclass(frozen=True, slots=True)
class Shown:
    """One line of a hunk: on the new side (context and added), on the old one (context and removed), or on both."""

    text: str
    number: int
    """In the new text; 0 for a removed line."""
    added: bool
    removed: bool


def shown_lines(file: ChangedFile) -> Iterator[Shown]:
    """Yield every line that the file's patch shows, in order; then lines of the change that its patch lacks."""
    seen: set[int] = set()
    number, inside = 0, False
    for raw in file.patch.split("\n"):
        if hunk := _HUNK.match(raw):
            number, inside = int(hunk[2]), True
        elif not inside or not raw or raw[0] not in "+- ":
            continue  # a header, or the note that the last line has no end
        elif raw[0] == "-":
            yield Shown(raw[1:], 0, added=False, removed=True)
        else:
            if raw[0] == "+":
                seen.add(number)
            yield Shown(raw[1:], number, added=raw[0] == "+", removed=False)
            number += 1
    yield from (Shown(text, at, added=True, removed=False) for at, text in file.added.items() if at not in seen)
    if not inside:
        yield from (Shown(text, 0, added=False, removed=True) for text in file.removed.values())
