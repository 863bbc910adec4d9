"""Adds a block to a Markdown text by insertion alone: what was there stays, byte for byte and in its order.

A block goes to the end of the section whose title shares the most keywords with the topic, and under a new heading at
the end of the document where no title shares any. Blocks that were added before are no targets and stay whole, so
repeated elaborations stand one below the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from quorate.core.errors import InputError
from quorate.protocols.roundtable.world.elaboration.files import BOM
from quorate.protocols.roundtable.world.elaboration.outline import ENDS, MARKER, SPACE, Heading, Outline, outline

LOWEST = 6
_WORD = re.compile(r"[^\W_]+")
_COMMON = frozenset(
    _WORD.findall(
        "a about all an and any are as at be by can did do does for from has have how i if in into is it its may more "
        "must no not of on or our shall should so step than that the their them then there these they this to us was "
        "we were what when where which who why will with would you your"
    )
)
_LEAST = 3
"""Letters that stay of a word."""
_ENDING = re.compile(r"(?<!s)s$|(?<=[sxzhoi])e$")
"""What a plural may add, and an `e` in front of it that may be the plural's or the word's: searches, caches."""


@dataclass(frozen=True, slots=True)
class Block:
    """A block to add: the marker line, the title without heading signs, and the lines below it."""

    marker: str
    title: str
    lines: tuple[str, ...]


class Inserted(NamedTuple):
    """The text with the block, the title of its section, and the number of lines of the block."""

    text: str
    section: str
    lines: int


def is_added(text: str, identity: str) -> bool:
    """Return whether the block of this identity was added to the text already."""
    ends = f" {identity} -->"
    lines = (line.strip() for line in ENDS.split(text.removeprefix(BOM)))
    return any(line.startswith(MARKER) and line.endswith(ends) for line in lines)


def section_for(text: str, heading_words: Iterable[str], title: str) -> str:
    """Return the title of the section that a block with this title belongs to."""
    chosen = _chosen(outline(text).headings, heading_words)
    return title if chosen is None else chosen.title


def lines_of(block: Block) -> int:
    """Return how many lines a block has in a document: its own, marker and heading, each of them with a blank one."""
    return len(block.lines) + 4


def insert(text: str, heading_words: Iterable[str], block: Block) -> Inserted:
    """Add the block. The old text is a prefix and a suffix of the new one, with nothing changed between them.

    InputError where the block, or a heading that was there, would not be read as what it is.
    """
    found = outline(text)
    chosen = _chosen(found.headings, heading_words)
    line = None if chosen is None else _end(found.headings, chosen)
    at = len(text) if line is None else _starts(text)[line]
    level = 2 if chosen is None else min(chosen.level + 1, LOWEST)
    body = (block.marker, "", f"{'#' * level} {block.title}", "", *block.lines)
    # The end of the text closed the code or the HTML that was open; now that the text goes on, a line has to.
    for closing in ("", found.closing) if line is None and found.closing else ("",):
        piece = _piece(text, at, (closing, "", *body) if closing else body, apart=not closing)
        new = text[:at] + piece + text[at:]
        if _is_read(found, outline(new), line, level):
            return Inserted(new, block.title if chosen is None else chosen.title, lines_of(block))
    raise InputError("cannot be added to: unclosed code or HTML, or deep nesting, would swallow the addition")


def _end(headings: tuple[Heading, ...], chosen: Heading) -> int | None:
    """Return the line where the section of a heading ends; None for the end of the text.

    A block that was added begins at its marker, before its heading. Under the lowest heading blocks have the level of
    that heading, and belong to it all the same.
    """
    after = headings[headings.index(chosen) + 1 :]
    ends = (each for each in after if each.level <= chosen.level)
    return next((each.begin for each in ends if not (each.ours and chosen.level == each.level == LOWEST)), None)


def _is_read(before: Outline, after: Outline, line: int | None, level: int) -> bool:
    """Return whether a text has grown by one heading of ours, and all others mean what they meant."""
    place = sum(line is None or each.begin < line for each in before.headings)
    rest = (*after.headings[:place], *after.headings[place + 1 :])
    added = after.headings[place : place + 1]
    return [(each.ours, each.level) for each in added] == [(True, level)] and [
        (each.title, each.level, each.ours) for each in rest
    ] == [(each.title, each.level, each.ours) for each in before.headings]


def _piece(text: str, at: int, body: tuple[str, ...], apart: bool) -> str:
    """Return the lines as they are inserted: on lines of their own, with blank ones around them where text stands."""
    end = _line_end(text)
    before = text[:at].removeprefix(BOM)
    if end == "\n" and before.endswith("\r"):
        end = "\r"  # together the two would be one line end
    lines = list(body) if at == len(text) else [*body, ""]
    if before and not before.endswith(("\n", "\r")):
        lines = ["", "", *lines] if apart else ["", *lines]
    elif before and apart and ENDS.split(before)[-2].strip(SPACE):
        lines = ["", *lines]
    return "".join(line + end for line in lines)


def _line_end(text: str) -> str:
    """Return how most lines of the text end."""
    counts = {"\n": 0, "\r\n": 0, "\r": 0}
    for found in ENDS.finditer(text):
        counts[found[0]] += 1
    return max(counts, key=lambda end: counts[end])


def _starts(text: str) -> list[int]:
    return [0, *(found.end() for found in ENDS.finditer(text))]


def _chosen(headings: tuple[Heading, ...], heading_words: Iterable[str]) -> Heading | None:
    """Return the heading that shares the most keywords; of equals, with the fewest others, the deepest, the first.

    Sections come before titles of documents, which often share a word with every topic.
    """
    wanted = keywords(heading_words)
    best, chosen = (0, False, 0, 0), None
    for heading in headings:
        own = keywords([heading.title])
        shared = len(own & wanted)
        score = (shared, heading.level > 1, -len(own - wanted), heading.level)
        if shared and not heading.ours and (chosen is None or score > best):
            best, chosen = score, heading
    return chosen


def keywords(words: Iterable[str]) -> frozenset[str]:
    """Return the stems of the words that tell topics apart: no case, no plural, no number, no small words."""
    found = (word.casefold() for text in words for word in _WORD.findall(text))
    kept = (word for word in found if len(word) > 1 and not word.isdecimal() and word not in _COMMON)
    return frozenset(map(_stem, kept))


def _stem(word: str) -> str:
    """Return what a word and its plural have in common; it need not be a word itself."""
    while len(word) > _LEAST and (shorter := _ENDING.sub("", word)) != word:
        word = shorter
    return f"{word[:-1]}i" if word.endswith("y") else word
