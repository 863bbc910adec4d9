"""Dividing a change that is too large for one view into parts; the same for the same change and size (R43, R44).

What belongs together stays together: the files of a folder, and tests with the code they are named after.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from quorate.core.view import BYTES_PER_TOKEN
from quorate.kit.line_keys import numbered_patch
from quorate.protocols.review.rules.forms import Examination, Reported
from quorate.protocols.review.rules.parts import MOST_PARTS, Part, Span
from quorate.protocols.review.rules.receipt import UnderReview
from quorate.protocols.review.rules.remarks import framed_lines, without_framing
from quorate.protocols.review.rules.sensitive import is_sensitive

_HUNK = re.compile(r"(?m)^(?=@@ )")
_TEST = re.compile(r"^(?:tests?[_.-])|(?:[_.-](?:tests?|spec))$", re.IGNORECASE)
UNCUT = 10**9
"""More tokens than any hunk has."""
BESIDE = 80
"""Bytes of a section in a view beside the path and the text of a file: its key, the numbers of its hunks, line ends."""


@dataclass(frozen=True, slots=True)
class Hunk:
    """A hunk of the change, or a piece of one that is larger than a view; the first of a file has its header."""

    number: int
    file: int
    text: str


@dataclass(frozen=True, slots=True)
class Division:
    """The parts of a change, and how many hunks it has."""

    parts: tuple[Part, ...]
    hunks: int


def hunks_of(now: UnderReview, found: Sequence[Reported], tokens: int) -> tuple[Hunk, ...]:
    """Return the hunks of a change as members are shown them, each no larger than so many tokens allow."""
    cut: list[Hunk] = []
    for number, (file, whole) in enumerate(zip(now.files(), now.patches, strict=False), start=1):
        path = str(file["path"])
        room = max(tokens * BYTES_PER_TOKEN - len(path.encode()) - BESIDE, BYTES_PER_TOKEN)
        patch = numbered_patch(without_framing(whole, path, framed_lines(found, path)))
        cut += [Hunk(len(cut) + place, number, text) for place, text in enumerate(_pieces(patch, room), start=1)]
    return tuple(cut)


def _pieces(patch: str, room: int) -> Iterator[str]:
    """Yield the hunks of a file, the first with the header before it, each cut at line ends to so many bytes."""
    header, *rest = _HUNK.split(patch)
    for text in (header + rest[0], *rest[1:]) if rest else (header,):
        if len(text.encode()) <= room:
            yield text
        else:
            yield from _cut(text, room)


def _cut(text: str, room: int) -> Iterator[str]:
    """Yield a text in pieces of at most so many bytes, cut at line ends where lines are not longer themselves."""
    piece, size = list[str](), 0
    for line in (short for each in text.splitlines(keepends=True) for short in _short(each, room)):
        if piece and size + len(line.encode()) > room:
            yield "".join(piece)
            piece, size = [], 0
        piece.append(line)
        size += len(line.encode())
    if piece:
        yield "".join(piece)


def _short(line: str, room: int) -> Iterator[str]:
    if len(line.encode()) <= room:
        yield line
        return
    most = max(1, room // 4)  # no character has more bytes
    yield from (line[at : at + most] for at in range(0, len(line), most))


def undivided(examination: Examination, now: UnderReview) -> Division:
    """Return a change that fits into one view as its one part."""
    hunks = hunks_of(now, examination.findings, UNCUT)
    return Division(tuple(_numbered([list(hunks)] if hunks else [], now, examination.findings)), len(hunks))


def divided(examination: Examination, now: UnderReview, tokens: int) -> Division:
    """Return a change in parts of which each fits into so many tokens."""
    hunks = hunks_of(now, examination.findings, tokens)
    packed = _packed(hunks, now, tokens * BYTES_PER_TOKEN)
    return Division(tuple(_numbered(packed[:MOST_PARTS], now, examination.findings)), len(hunks))


def _numbered(packed: Iterable[Sequence[Hunk]], now: UnderReview, found: Sequence[Reported]) -> Iterator[Part]:
    paths = [str(file["path"]) for file in now.files()]
    for number, hunks in enumerate(packed, start=1):
        touched = {paths[hunk.file - 1] for hunk in hunks}
        yield Part(number, any(is_sensitive(path, found) for path in sorted(touched)), tuple(_spans(hunks)))


def _spans(hunks: Sequence[Hunk]) -> Iterator[Span]:
    """Yield neighbouring hunks of a file as one span, in the order of the part."""
    first = last = hunks[0]
    for hunk in hunks[1:]:
        if (hunk.file, hunk.number) != (last.file, last.number + 1):
            yield Span(first.file, first.number, last.number)
            first = hunk
        last = hunk
    yield Span(first.file, first.number, last.number)


# Packing


def _packed(hunks: Sequence[Hunk], now: UnderReview, room: int) -> list[list[Hunk]]:
    """Put folders into parts in their order; what belongs together is broken only where it is larger than a part."""
    paths = [str(file["path"]) for file in now.files()]
    files: dict[int, list[Hunk]] = {}
    for hunk in hunks:
        files.setdefault(hunk.file, []).append(hunk)
    packing = _Packing(paths, room)
    for folder in _folders(paths, sorted(files)):
        packing.put([[[files[number] for number in unit] for unit in folder]])
    return [part for part in packing.parts if part]


class _Packing:
    """Parts while they are filled, the last one with some room left."""

    def __init__(self, paths: Sequence[str], room: int) -> None:
        self.parts: list[list[Hunk]] = [[]]
        self._paths, self._room, self._left = paths, room, room

    def put(self, pieces: Sequence[Any]) -> None:
        """Put each piece into one part; one that is larger than a part is put piece by piece."""
        for piece in pieces:
            hunks = list(_flat(piece))
            size = _size(hunks, self._paths)
            if size > self._room and not isinstance(piece, Hunk):
                self.put(piece)
                continue
            if size > self._left and self.parts[-1]:
                self.parts.append([])
                self._left = self._room
            self.parts[-1] += hunks
            self._left -= size


def _flat(piece: Any) -> Iterator[Hunk]:
    if isinstance(piece, Hunk):
        yield piece
    else:
        for each in piece:
            yield from _flat(each)


def _size(hunks: Sequence[Hunk], paths: Sequence[str]) -> int:
    """Return the bytes of some hunks in a view, with the titles of their files."""
    titles = sum(len(paths[number - 1].encode()) + BESIDE for number in {hunk.file for hunk in hunks})
    return titles + sum(len(hunk.text.encode()) for hunk in hunks)


def _folders(paths: Sequence[str], numbers: Sequence[int]) -> list[list[list[int]]]:
    """Return the files by folder and, in it, each with its tests; tests go where the code is they are named after."""
    code = {_stem(paths[number - 1]): number for number in reversed(numbers) if not _is_test(paths[number - 1])}
    folders: dict[str, dict[int, list[int]]] = {}
    for number in sorted(numbers, key=lambda each: (_is_test(paths[each - 1]), paths[each - 1])):
        path = paths[number - 1]
        about = code.get(_stem(path), number) if _is_test(path) else number
        folders.setdefault(_folder(paths[about - 1]), {}).setdefault(about, []).append(number)
    return [list(folders[name].values()) for name in sorted(folders)]


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _name(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0]


def _is_test(path: str) -> bool:
    name = path.rpartition("/")[2]
    return bool(_TEST.search(_name(path))) or ".test." in name or ".spec." in name


def _stem(path: str) -> str:
    """Return what a file is about by its name and ending, the same for code and for its tests."""
    name = path.rpartition("/")[2]
    return f"{_TEST.sub('', _name(path)).strip('_').lower()}.{name.rpartition('.')[2]}"
