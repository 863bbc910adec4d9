"""The changed lines of a change by number, and the hunks in which they are put to readers one by one (R50)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from quorate.core.forms import Key, Prose
from quorate.core.view import BYTES_PER_TOKEN
from quorate.protocols.review.rules.hits import line_key
from quorate.protocols.review.rules.parts import MOST_HUNKS, MOST_PARTS, Part, Span
from quorate.protocols.review.rules.receipt import UnderReview
from quorate.protocols.review.rules.remarks import framed_lines, without_framing
from quorate.protocols.review.rules.sensitive import is_sensitive

MOST_LINES = 40
"""Changed lines of one part."""
ROOM = 600 * BYTES_PER_TOKEN
"""Bytes of one part as it is shown."""
BESIDE = 8
"""Bytes that a row has at most beside its text: a key with a space, and the end of the line."""
_HUNK = re.compile(r"(?m)^(?=@@ )")


@dataclass(frozen=True, slots=True)
class ShownLine:
    """A line of a hunk as it is shown; `number` is 0 for one that the change leaves as it was."""

    number: int
    text: str

    def shown(self) -> str:
        key = line_key(self.number) if self.number else ""
        return f"{key:<6} {self.text}"


@dataclass(frozen=True, slots=True)
class Piece:
    """A hunk, or a piece of one, with at least one changed line."""

    file: int
    rows: tuple[ShownLine, ...]

    @property
    def numbers(self) -> tuple[int, ...]:
        return tuple(row.number for row in self.rows if row.number)

    def shown(self) -> str:
        """Return the piece as text, each changed line under its key."""
        return "\n".join(row.shown() for row in self.rows)


@lru_cache(maxsize=8)
def pieces_of(now: UnderReview) -> tuple[Piece, ...]:
    """Return the pieces of a change as readers are shown them, their changed lines numbered through the change."""
    found = now.examination.findings if now.examination is not None else ()
    pieces, number = list[Piece](), 0
    for file, (told, whole) in enumerate(zip(now.files(), now.patches, strict=False), start=1):
        path = str(told["path"])
        patch = without_framing(whole, path, framed_lines(found, path))
        for rows in _cut_patch(patch):
            numbered = list[ShownLine]()
            for changed, text in rows:
                number += changed
                numbered.append(ShownLine(number if changed else 0, text))
            pieces.append(Piece(file, tuple(numbered)))
    return tuple(pieces)


def hunk_by_hunk(now: UnderReview) -> tuple[tuple[Part, ...], int]:
    """Return the parts of a change, of which each is one piece, and how many changed lines it has."""
    pieces, found = pieces_of(now), now.examination.findings if now.examination is not None else ()
    sensitive = [is_sensitive(str(file["path"]), found) for file in now.files()]
    parts = tuple(
        Part(number, sensitive[piece.file - 1], (Span(piece.file, piece.numbers[0], piece.numbers[-1]),))
        for number, piece in enumerate(pieces[:MOST_PARTS], start=1)
    )
    return parts, min(MOST_HUNKS, sum(len(piece.numbers) for piece in pieces))


def piece_of(now: UnderReview, part: Part) -> Piece | None:
    """Return the piece that a part holds; None where the change has none such."""
    first = part.spans[0].first if part.spans else 0
    return next((piece for piece in pieces_of(now) if first in piece.numbers), None)


def part_with(parts: Sequence[Part], number: int) -> Part | None:
    """Return the part that a changed line stands in."""
    return next((part for part in parts for span in part.spans if span.first <= number <= span.last), None)


def texts_of(now: UnderReview) -> Mapping[Key, Prose]:
    """Return the changed lines of a change by key, without a diff's markers."""
    rows = (row for piece in pieces_of(now) for row in piece.rows if row.number)
    return {line_key(row.number): Prose(row.text[1:] if row.text[:1] in "+-" else row.text) for row in rows}


# Cutting

_Line = tuple[bool, str]
"""Whether a line is changed, and the line."""


def _cut_patch(patch: str) -> Iterator[list[_Line]]:
    """Yield the pieces of one file's patch; one without a changed line is one line, its header."""
    header, *hunks = _HUNK.split(patch)
    found = [piece for hunk in hunks for piece in _cut_hunk(*hunk.rstrip("\n").split("\n"))]
    yield from found or [[(True, header.rstrip("\n")[: ROOM // 8])]]


def _cut_hunk(title: str, *lines: str) -> Iterator[list[_Line]]:
    yield from _cut((False, title[: ROOM // 8]), list(_short(lines)))


def _cut(title: _Line, lines: Sequence[_Line]) -> Iterator[list[_Line]]:
    """Yield a hunk in pieces, each with the hunk's title; pieces without a changed line are left out."""
    piece = [title]
    for line in lines:
        changed = sum(each for each, _ in piece)
        if changed + line[0] > MOST_LINES or _size(piece) + _size([line]) > ROOM:
            if changed:
                yield piece
            piece = [title]
        piece.append(line)
    if any(changed for changed, _ in piece):
        yield piece


def _size(lines: Sequence[_Line]) -> int:
    return sum(len(text.encode()) + BESIDE for _, text in lines)


def _short(lines: Sequence[str]) -> Iterator[_Line]:
    """Yield lines, those that are too long in several."""
    most = ROOM // 8  # no character has more than four bytes
    for line in lines:
        for at in range(0, max(1, len(line)), most):
            text = line[at : at + most]
            yield line[:1] in ("+", "-") and bool(line), text if at == 0 else f"{line[:1]}{text}"
