"""The parts in which a change is read: what each holds, who reads it, and what nobody has read (R43 to R46)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Annotated

from quorate.core.forms import AtMost, Between, Key
from quorate.core.types import Seat
from quorate.core.values import value

MOST_FILES = 1_000
MOST_HUNKS = 100_000
MOST_PARTS = 200
ATTEMPTS = 2
"""How often a part is put to a reader; the second time to another one, where there is one."""


@value(frozen=True, slots=True)
class Span:
    """Hunks of one file that stand in one part; hunks are numbered through the whole change."""

    file: Annotated[int, Between(1, MOST_FILES)]
    first: Annotated[int, Between(1, MOST_HUNKS)]
    last: Annotated[int, Between(1, MOST_HUNKS)]


@value(frozen=True, slots=True)
class Part:
    """A part of the change that is read at once."""

    number: Annotated[int, Between(1, MOST_PARTS)]
    sensitive: Annotated[bool, "it touches what vetoes are about, so a veto holder reads it"]
    spans: Annotated[tuple[Span, ...], AtMost(MOST_FILES)]

    @property
    def key(self) -> Key:
        return Key(f"P{self.number}")

    @property
    def files(self) -> tuple[Key, ...]:
        """The keys of its files, in order."""
        return tuple(Key(f"F{number}") for number in sorted({span.file for span in self.spans}))

    def told(self, lines: bool = False) -> str:
        """Return its hunks as text; neighbouring ones are told as a range, with their files.

        Those of a narrow review are changed `lines` (R50).
        """
        letter = "L" if lines else "H"
        runs: list[tuple[Span, Span]] = []
        for span in self.spans:
            if runs and span.first == runs[-1][1].last + 1:
                runs[-1] = runs[-1][0], span
            else:
                runs.append((span, span))
        return ", ".join(
            f"{_range(letter, first.first, last.last)} of {_range('F', first.file, last.file)}" for first, last in runs
        )


def _range(letter: str, first: int, last: int) -> str:
    return f"{letter}{first}" if first == last else f"{letter}{first}-{letter}{last}"


def has_gap(parts: Sequence[Part], files: int, hunks: int) -> bool:
    """Return whether a file or hunk of the change stands in no part (R45)."""
    held = {number for part in parts for span in part.spans for number in range(span.first, span.last + 1)}
    named = {span.file for part in parts for span in part.spans}
    return not (held.issuperset(range(1, hunks + 1)) and named.issuperset(range(1, files + 1)))


def files_in_no_part(parts: Sequence[Part], files: int, hunks: int) -> frozenset[Key]:
    """Return the files of which something stands in no part; of a hunk that does, all files that it may be of (R45)."""
    places = {number: span.file for part in parts for span in part.spans for number in range(span.first, span.last + 1)}
    lost = set(range(1, files + 1)).difference(span.file for part in parts for span in part.spans)
    ends = sorted(((0, 1), *(each for each in places.items() if each[0] <= hunks), (hunks + 1, files)))
    for (number, file), (following, next_file) in pairwise(ends):
        if following > number + 1:
            lost.update(range(min(file, next_file), max(file, next_file) + 1))
    return frozenset(Key(f"F{number}") for number in lost)


def reader_of(part: Part, attempt: int, members: Sequence[Seat], holders: Sequence[Seat]) -> Seat:
    """Return who reads a part: in turn, veto holders alone where it is sensitive and one sits (R44)."""
    among = holders if part.sensitive and holders else members
    return among[(part.number - 1 + attempt) % len(among)]


def is_read(part: Part, shown_whole: Sequence[Seat], holders: Sequence[Seat]) -> bool:
    """Return whether a part is read by those who were shown all of it and replied (R45)."""
    if part.sensitive and holders:
        return any(seat in holders for seat in shown_whole)
    return bool(shown_whole)


def spans_told(parts: Sequence[Part], lines: bool = False) -> Iterator[str]:
    """Yield one line for each part: its key and its hunks, or its changed `lines` in a narrow review."""
    return (f"{part.key} ({part.told(lines)})" for part in parts)
