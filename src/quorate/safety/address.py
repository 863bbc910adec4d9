"""Warns of texts that address the participants: in a problem, a topic, an agenda or documents.

Nothing depends on it, because seats are shown such a text as data anyway. The warning is for people.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from quorate.kit.quote import clip
from quorate.safety.hidden import shown
from quorate.safety.instructions import flattened
from quorate.safety.normal_form import decoded, smuggled
from quorate.safety.phrases import PHRASES

MOST_TOLD = 5
"""Remarks about one session; whoever gets so many looks at the whole."""
MOST_READ = 200_000
"""Characters of one text that are read."""


def remarks_in(material: Mapping[str, str]) -> tuple[str, ...]:
    """Return a warning for each phrase that addresses the readers of these texts; only the first few.

    Praise and remarks to reviewers are left out, since honest authors write them too.
    """
    told: list[str] = []
    for name, text in material.items():
        for number, phrase, said in _speeches(text[:MOST_READ]):
            told.append(f"line {number} of the {name} is {phrase}: {clip(shown(said), 100)}")
            if len(told) == MOST_TOLD:
                return tuple(told)
    return tuple(told)


def _speeches(text: str) -> Iterator[tuple[int, str, str]]:
    for number, line in enumerate(text.splitlines(), start=1):
        hidden = smuggled(line) if not line.isascii() else ""
        readings = [
            flattened(line),
            *(flattened(inner) for inner in decoded(line)),
            *([flattened(hidden)] if hidden else []),
        ]
        for phrase in PHRASES:
            found = next((match for read in readings if (match := phrase.anywhere.search(read))), None)
            if found is not None and not phrase.weak:
                yield number, phrase.says, found[0]
