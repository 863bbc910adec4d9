"""Finds private keys, which span lines: their bodies line by line, so that part of one can be masked too.

In JSON or YAML a key is written with escapes, and folding may break its lines anywhere, also inside the begin and end
marks. So the text is searched a second time without blanks, line ends and their escapes.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from quorate.safety.randomness import classes, is_blank, is_wordy

_BEGIN = re.compile(
    r"---- ?-?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-----?|PuTTY-User-Key-File-\d|\bPrivate-Lines: \d"
)
_END = re.compile(r"---- ?-?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-----?|\bPrivate-MAC:")
_CORE = re.compile(r"[A-Za-z0-9+/=]+")
_FIELD = re.compile(r"^[\s\"'#*/]*(?:Proc-Type|DEK-Info|Version|Comment|Encryption|Public-Lines|Hash): ?")
_BODY = re.compile(r"^[\s\"'`#*/+|>,.;:()\\-]*+[A-Za-z0-9+/=]*+(?:\\r|\\n)*+[\s\"'`+,;)\\.-]*+$")
LEAST_BODY = 40
"""Characters from which a body is a key; shorter ones are headers in code and shortened examples."""
MOST_LINES = 400


@dataclass(frozen=True, slots=True)
class PrivateKey:
    """A private key: the lines of its body, bare, and the line where it starts."""

    lines: tuple[str, ...]
    start: int
    """The index of the line that begins it, among those that were looked at."""
    end: int


def keys_in(lines: Sequence[str]) -> tuple[PrivateKey, ...]:
    """Return the private keys in consecutive lines, including keys cut at the start or the end."""
    found = list(_in_lines(lines))
    for key in _squeezed_keys("\n".join(lines)):
        near = [other for other in found if other.start <= key.end and key.start <= other.end]
        known = "\n".join(line for other in near for line in other.lines)
        if not all(line in known for line in key.lines):
            found = [*(other for other in found if other not in near or not _holds(key, other)), key]
    return tuple(sorted(found, key=lambda key: key.start))


def _holds(key: PrivateKey, other: PrivateKey) -> bool:
    """Whether another reading is part of a key; it may include the letter of an escape."""
    return all(any(line in whole or whole in line for whole in key.lines) for line in other.lines)


def _in_lines(lines: Sequence[str]) -> Iterator[PrivateKey]:
    at = 0
    while at < len(lines):
        text = lines[at]
        if begin := _BEGIN.search(text):
            if end := _END.search(text, begin.end()):
                if (key := _inline(text[begin.end() : end.start()], at)) is not None:
                    yield key
            else:
                body, stop = _down(lines, at + 1)
                if (key := _whole(body, at, stop)) is not None:
                    yield key
                at = stop if stop < len(lines) and _END.search(lines[stop]) else stop - 1
        elif _END.search(text):
            body, top = _up(lines, at - 1)
            if (key := _whole(body, top, at)) is not None:
                yield key
        at += 1


def is_key_open(text: str) -> bool:
    """Whether a text contains the start of a private key but not its end."""
    begins = [match.end() for match in _BEGIN.finditer(text)]
    if begins:
        return _END.search(text, begins[-1]) is None
    return "-----BEGIN" in text and bool(marks := list(_MARK.finditer(_Squeezed.of(text).text))) and bool(marks[-1][1])


def _inline(body: str, at: int) -> PrivateKey | None:
    """Find keys in one line, with line ends as escapes."""
    value = body.strip(" \t\"'")
    return PrivateKey((value,), at, at) if _is_key(_CORE.findall(value.replace("\\n", " "))) else None


def _down(lines: Sequence[str], at: int) -> tuple[list[str], int]:
    body: list[str] = []
    while at < len(lines) and len(body) < MOST_LINES and not _END.search(lines[at]):
        if not _FIELD.match(lines[at]):
            if not _BODY.match(lines[at]):
                break
            body.append(lines[at])
        at += 1
    return body, at


def _up(lines: Sequence[str], at: int) -> tuple[list[str], int]:
    """Return the lines above an end mark whose begin mark is not shown."""
    body: list[str] = []
    while at >= 0 and len(body) < MOST_LINES and _BODY.match(lines[at]) and not _BEGIN.search(lines[at]):
        body.append(lines[at])
        at -= 1
    return body[::-1], at + 1


def _whole(body: Sequence[str], start: int, end: int) -> PrivateKey | None:
    cores = tuple(max(found, key=len) for line in body if (found := _CORE.findall(line)))
    return PrivateKey(cores, start, end) if _is_key(cores) else None


def _is_key(cores: Sequence[str]) -> bool:
    joined = "".join(cores)
    return len(joined) >= LEAST_BODY and not is_blank(joined[:200])


# Keys that are escaped, folded or wrapped

_SKIPPED = re.compile(r"(?:\\(?:[nrt]|u000[aAdD9])?|\s)++")
_MARK = re.compile(r"-----(?:(BEGIN)|END)[A-Z0-9]{0,40}?PRIVATEKEY(?:BLOCK)?-----")
_SQUEEZED_BODY = re.compile(r"[A-Za-z0-9+/=\"'`#*|>,.;:()-]*+")
LEAST_LINE = 32
"""Characters of a line of a key whose other end is not shown: shorter ones may be words."""
MOST_BODY = 60_000


@dataclass(frozen=True, slots=True)
class _Squeezed:
    """A text without blanks, line ends and their escapes, as pieces that know their position."""

    text: str
    pieces: tuple[str, ...]
    places: tuple[int, ...]
    """Where each piece begins in the whole text."""
    starts: tuple[int, ...]
    """Where each piece begins in the squeezed text."""

    @classmethod
    def of(cls, text: str) -> _Squeezed:
        gaps = [(0, 0), *(match.span() for match in _SKIPPED.finditer(text)), (len(text), len(text))]
        spans = [(start, end) for (_, start), (end, _) in pairwise(gaps) if start < end]
        pieces = tuple(text[start:end] for start, end in spans)
        starts = accumulate((len(piece) for piece in pieces[:-1]), initial=0) if pieces else ()
        return cls("".join(pieces), pieces, tuple(start for start, _ in spans), tuple(starts))

    def between(self, start: int, end: int) -> list[str]:
        """Return the pieces between two positions of the squeezed text."""
        first, last = self.index(start), self.index(end)
        cut = [*self.pieces[first : last + 1]]
        cut[-1] = cut[-1][: end - self.starts[last]]
        cut[0] = cut[0][start - self.starts[first] :]
        return [piece for piece in cut if piece]

    def index(self, at: int) -> int:
        """Return the index of the piece at a position of the squeezed text."""
        return max(0, bisect_right(self.starts, at) - 1)

    def place(self, at: int) -> int:
        """Map a position of the squeezed text to the whole text."""
        index = self.index(at)
        return self.places[index] + at - self.starts[index]


def _squeezed_keys(text: str) -> Iterator[PrivateKey]:
    if "---" not in text:
        return
    squeezed = _Squeezed.of(text)
    marks = [(match.start(), match.end(), bool(match[1])) for match in _MARK.finditer(squeezed.text)]
    last = len(squeezed.text)
    for number, (start, end, begins) in enumerate(marks):
        first, before = start, marks[number - 1] if number else (0, 0, False)
        after = marks[number + 1] if number + 1 < len(marks) else (last, last, True)
        if begins and not after[2]:
            whole = after[0] - end <= MOST_BODY and _SQUEEZED_BODY.fullmatch(squeezed.text, end, after[0])
            pieces, stop = squeezed.between(end, after[0]) if whole else [], after[0]
        elif begins:
            pieces, stop = _long_ones(squeezed.between(end, min(after[0], end + MOST_BODY))), after[0]
        elif not before[2]:
            pieces = _long_ones(squeezed.between(max(before[1], start - MOST_BODY), start)[::-1])[::-1]
            first, stop = before[1], start
        else:
            continue  # the end of a key that was seen at its beginning
        cores = tuple(core for piece in pieces for core in _CORE.findall(piece))
        if _is_key(cores) and classes("".join(cores)) >= 3 and not is_wordy("".join(cores)[:2_000]):
            yield PrivateKey(cores, *(text.count("\n", 0, squeezed.place(at)) for at in (first, stop)))


def _long_ones(pieces: Sequence[str]) -> list[str]:
    """Return the lines next to a key's only mark that belong to it; the last line of a key may be short."""
    found: list[str] = []
    for piece in pieces:
        bare = piece.strip("\"'`")
        if not _CORE.fullmatch(bare) or (len(bare) < LEAST_LINE and found):
            break
        found.append(bare)
    return found
