"""Line keys: the names of lines that a seat is shown, so that evidence is named and code puts in its text.

A line is named by the key of its file or ticket and a number: `F1:12`, `F1:12-15`. The number stands before the line,
the key in the title above it. In a patch every line that is changed has one, which is the line's own in the file: of an
added line as the file is after the change, of a removed one as it was before, with a minus (`F1:-12`). Lines of context
have none, count along, and may be named too. In any other text every line has a number that is not blank.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from quorate.core.forms import LEAST_QUOTED
from quorate.kit.ground import squeezed

Lines = Mapping[str, Mapping[int, str]]
"""The lines that may be named, by key and number, in the order in which they are shown."""

MOST_INSERTED = 600
"""Characters of named lines that are put into one text; what is longer ends with an ellipsis."""
MOST_NAMES = 50
"""Names of lines that are looked at in one text."""
TOGETHER = "*"
"""Stands for the key of a section with several texts: each is indented below a line that begins with its key."""
INDENT = "  "
CONTEXT = ("", " ")
"""How a line of context begins; an empty one may have lost its space."""
MARKERS = ("+", "-", *CONTEXT)

_HUNK = re.compile(r"@@ -(\d{1,9})(?:,\d+)? \+(\d{1,9})(?:,\d+)? @@")
_NUMBERED = re.compile(r"(-?[0-9]{1,9}) (.*)", re.DOTALL)
_KEY = r"[A-Z]{1,2}\d{1,6}"
_ITEM = r"(-?)L?(\d{1,9})(?:\s?(?:[-–—]|to|\.\.)\s?(?:KEY\s?[:：]\s?)?-?L?(\d{1,9}))?"
"""A number or a range, whose end may repeat the key."""


def _items(key: str) -> str:
    one = _ITEM.replace("KEY", key)
    return rf"(?P<items>{one}(?:\s?,\s?{one}(?=\s*(?:[,;.)\]]|$)))*)(?!\w|\.\d)"


_HEAD = rf"(?P<key>{_KEY})\s?[:：]|lines?\b|(?m:^)(?=\d{{1,9}}\s?:\s)"
_NAMES = re.compile(rf"(?<![\w.])(?:{_HEAD})\s?{_items('(?P=key)')}", re.IGNORECASE)
_NUMBERS_ALONE = re.compile(rf"[\s(\[`]*(?=-?\d){_items(_KEY)}[\s)\]`.]*", re.IGNORECASE)
_ONE = re.compile(_ITEM.replace("KEY", _KEY), re.IGNORECASE)
_BESIDE = re.compile(r"[\s,;:.|()\[\]`'\"*+&-]+|\b(?:and|at|in|see|file|lines?)\b", re.IGNORECASE)
"""What stands beside names of lines and says nothing."""
_HEADING = re.compile(rf"^({_KEY}) ", re.MULTILINE)
_ENDS = "'.,;:!?()[]+-"


# Showing lines


def numbered_patch(patch: str) -> str:
    """Return a file's patch with its number before every line that is changed."""
    shown, old, new, inside = list[str](), 0, 0, False
    for line in patch.split("\n"):
        told = line
        if hunk := _HUNK.match(line):
            old, new, inside = int(hunk[1]), int(hunk[2]), True
        elif line[:1] not in MARKERS:
            inside = inside and not line.startswith("diff --git ")
        elif inside:
            sign = line[:1]
            told = f"{new} {line}" if sign == "+" else f"-{old} {line}" if sign == "-" else line
            old, new = old + (sign != "+"), new + (sign != "-")
        shown.append(told)
    return "\n".join(shown)


def numbered(text: str) -> str:
    """Return a text with its number before every line that is not blank."""
    lines = enumerate(text.split("\n"), start=1)
    return "\n".join(f"{number} {line}" if line.strip() else line for number, line in lines)


def without_numbers(text: str) -> str:
    """Return a numbered text or patch as it was."""
    return "\n".join(found[2] if (found := _NUMBERED.fullmatch(line)) else line for line in text.split("\n"))


def lines_by_key(text: str, key: str) -> dict[str, dict[int, str]]:
    """Return the lines of a section's text that may be named, with `TOGETHER` by the keys that stand in it."""
    if key != TOGETHER:
        return {key: lines_shown(text)}
    parts = [(found.start(), found[1]) for found in _HEADING.finditer(text)]
    ends = [*(start for start, _ in parts), len(text)][1:]
    own = ((name, text[start:end].replace(f"\n{INDENT}", "\n")) for (start, name), end in zip(parts, ends, strict=True))
    return {name: lines_shown(part) for name, part in own}


def lines_shown(text: str) -> dict[int, str]:
    """Return the lines of a numbered text or patch by number, as far as it is shown: what was cut cannot be named."""
    found, following = dict[int, str](), 0
    for line in text.removesuffix("\n").split("\n"):
        if hunk := _HUNK.match(line):
            following = int(hunk[2])
        elif own := _NUMBERED.fullmatch(line):
            found.setdefault(int(own[1]), own[2])
            following = int(own[1]) + 1 if own[2][:1] == "+" else following
        elif following and line[:1] in CONTEXT:
            found.setdefault(following, line)
            following += 1
    return found


# Naming lines


@dataclass(frozen=True, slots=True)
class LineName:
    """A line, or several in a row, as a text names them."""

    key: str
    first: int
    last: int

    def __str__(self) -> str:
        return f"{self.key}:{self.first}" if self.first == self.last else f"{self.key}:{self.first}-{abs(self.last)}"

    def numbers(self, lines: Lines) -> tuple[int, ...]:
        """Return the numbers of the lines that it names; none unless both ends are shown."""
        own = lines.get(self.key, {})
        low, high = sorted((self.first, self.last))
        return tuple(number for number in own if low <= number <= high) if low in own and high in own else ()


def names_in(text: str, home: str = "") -> Iterator[LineName]:
    """Yield the names of lines in a text; those without a key (`line 12`, or numbers alone) are of `home`."""
    alone = _NUMBERS_ALONE.fullmatch(text) if home else None
    for found in (alone,) if alone else _NAMES.finditer(text):
        key = home if alone else (found["key"] or home).upper()
        for sign, first, last in _ONE.findall(found["items"]) if key else ():
            yield LineName(key, int(sign + first), int(sign + (last or first)))


def with_lines(text: str, lines: Lines, holds: Callable[[str], bool], home: str = "") -> tuple[str, tuple[str, ...]]:
    """Return a text with the lines that it names, and those of its names that are of no line shown.

    Lines take the place of their names where nothing else is said, and otherwise stand before what is, between fences.
    A text that holds a quotation beside the names, as `holds` tells, stays as it is.
    """
    text = _without_copied_numbers(text, [lines[home]] if home in lines else list(lines.values()))
    letters = {key[:1] for key in lines}
    names = [each for each in islice(names_in(text, home), MOST_NAMES) if each.key[:1] in letters]
    alone = bool(home and _NUMBERS_ALONE.fullmatch(text))
    beside = "" if alone else _NAMES.sub("", text)
    speaks = bool(_BESIDE.sub("", beside))
    if not names or (speaks and holds(text)):
        return text, ()
    named = {each: each.numbers(lines) for each in names}
    missing = tuple(dict.fromkeys(str(each) for each, numbers in named.items() if not numbers))
    inserted = _text_of({(each.key, number) for each, numbers in named.items() for number in numbers}, lines)
    if not inserted:
        return text, missing
    if not missing and (not speaks or _repeats(beside, inserted)):
        return inserted, ()
    return f"```\n{inserted}\n```\n{text}", missing


def _without_copied_numbers(text: str, shown: Iterable[Mapping[int, str]]) -> str:
    """Return a text in which lines that were copied with their numbers are as they stand."""
    lines = list[str]()
    for line in text.split("\n"):
        if copied := _NUMBERED.fullmatch(line.strip()):
            number, said = int(copied[1]), squeezed(copied[2])
            exact = (own[number] for own in shown if said and said in squeezed(own.get(number, "")))
            lines.append(next(exact, line))
        else:
            lines.append(line)
    return "\n".join(lines)


def _repeats(beside: str, inserted: str) -> bool:
    """Return whether what stands beside the names only copies the lines that they name."""
    whole = squeezed(inserted)
    said = (squeezed(line).lstrip(":|+-`'\"").rstrip("`'\"") for line in beside.split("\n"))
    return all(each in whole for each in said)


def _text_of(named: set[tuple[str, int]], lines: Lines) -> str:
    """Return named lines in the order in which they are shown, within `MOST_INSERTED` characters."""
    if len(named) == 1:
        named = _widened(*next(iter(named)), lines)
    found = [text for key, own in lines.items() for number, text in own.items() if (key, number) in named]
    whole = "\n".join(found)
    return whole if len(whole) <= MOST_INSERTED else f"{whole[: MOST_INSERTED - 1]}…"


def _widened(key: str, number: int, lines: Lines) -> set[tuple[str, int]]:
    """Return a line, with those around it where it is too short to tell where it stands, such as a lone bracket."""
    order = list(lines[key])
    first = last = order.index(number)
    while len(squeezed("".join(lines[key][each] for each in order[first : last + 1])).strip(_ENDS)) < LEAST_QUOTED:
        if last - first >= LEAST_QUOTED or (first == 0 and last == len(order) - 1):
            break
        first, last = (first, last + 1) if last < len(order) - 1 else (first - 1, last)
    return {(key, each) for each in order[first : last + 1]}
