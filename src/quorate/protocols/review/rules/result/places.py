"""Locating quotations: the file and line of a change that a member's evidence was taken from."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from quorate.core.forms import LEAST_QUOTED, Key
from quorate.kit.ground import among_words, quotations, squeezed
from quorate.protocols.review.rules.receipt import UnderReview

_HUNK = re.compile(r"@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@")


@dataclass(frozen=True, slots=True)
class _Side:
    """Text without white space, with the line number of each position."""

    text: str
    starts: tuple[int, ...]
    numbers: tuple[int, ...]

    def line(self, quoted: str) -> int:
        """Return the line in which the quotation begins, or 0."""
        at = self.text.find(quoted)
        return self.numbers[bisect_right(self.starts, at) - 1] if at >= 0 else 0


class PatchIndex:
    """One file's part of a unified diff, for looking up quotations: in added lines first, then the others."""

    def __init__(self, text: str) -> None:
        lines = list(_numbered(text))
        self._sides = tuple(
            _side((number, line) for mark, number, line in lines if mark in marks) for marks in ("+", "+ ", "-")
        )

    def line(self, evidence: str) -> int:
        """Return the line of the new text where the evidence is (or was); 0 if it is not found."""
        for pieces in quotations(evidence):
            for side in self._sides:
                if all(piece in side.text for piece in pieces):
                    return side.line(pieces[0])
        said = evidence.split("\n")
        bare = (line[1:] for line in said if line[:1] in ("+", "-", " "))
        lines = sorted(map(squeezed, (*said, *bare)), key=len, reverse=True)
        lines += [head for line in evidence.split("\n") for head in among_words(line)]
        known = (side.line(line) for line in lines if len(line) >= LEAST_QUOTED for side in self._sides)
        return next((number for number in known if number), 0)


def _numbered(patch: str) -> Iterator[tuple[str, int, str]]:
    """Yield the lines of a patch with their mark and their number in the new text."""
    number = -1
    for line in patch.split("\n"):
        if found := _HUNK.match(line):
            number = int(found.group(1))
        elif number >= 0 and line[:1] in ("+", " ", "-"):
            yield line[0], number, line[1:]
            number += line[0] != "-"


def _side(lines: Iterable[tuple[int, str]]) -> _Side:
    parts, starts, numbers, length = [], [], [], 0
    for number, line in lines:
        if bare := squeezed(line):
            parts.append(bare)
            starts.append(length)
            numbers.append(number)
            length += len(bare)
    return _Side("".join(parts), tuple(starts), tuple(numbers))


@dataclass(frozen=True, slots=True)
class TreePlace:
    """A path in the reviewed tree, empty for the change as a whole, and a line, 0 for none."""

    path: str = ""
    line: int = 0


class Places:
    """The places of one change; each file is read lazily."""

    def __init__(self, change: UnderReview) -> None:
        self._paths = {Key(str(file["key"])): str(file["path"]) for file in change.files()}
        self._texts = dict(zip(self._paths, change.patches, strict=False))
        self._patches: dict[Key, PatchIndex] = {}

    def of(self, key: Key, evidence: str) -> TreePlace:
        """Return the location of evidence in a file; an unknown key means the change as a whole."""
        return TreePlace(self._paths[key], self._patch(key).line(evidence)) if key in self._paths else TreePlace()

    def name(self, key: Key) -> str:
        """Return the path of a file key, or words for the change as a whole."""
        return self._paths.get(key, "the change as a whole")

    def only(self, evidence: str) -> TreePlace:
        """Return the location of evidence without a named file; the whole change unless exactly one file has it."""
        found = [place for key in self._paths if (place := self.of(key, evidence)).line]
        return found[0] if len(found) == 1 else TreePlace()

    def _patch(self, key: Key) -> PatchIndex:
        if key not in self._patches:
            self._patches[key] = PatchIndex(self._texts.get(key, ""))
        return self._patches[key]
