"""Adds a block to a Markdown text by insertion alone: what was there stays, byte for byte and in its order.

A block goes to the end of the section whose title shares the most keywords with the topic, and under a new heading at
the end of the document where no title shares any. Headings are those of CommonMark at the top level: what stands in
code, in front matter, in a list or in a quotation is none. Blocks that were added before are no targets, so repeated
elaborations stand one below the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

from quorate.intake.elaboration.files import BOM

MARKER = "<!-- quorate roundtable "
"""How the comment begins that stands before everything that was added."""
LOWEST = 6
_ENDS = re.compile(r"\r\n?|\n")
_FRONT = {"---": ("---", "..."), "+++": ("+++",)}
_WORD = re.compile(r"[^\W_]+")
_COMMON = frozenset(
    _WORD.findall(
        "a about all an and any are as at be by can did do does for from has have how i if in into is it its may more "
        "must no not of on or our shall should so step than that the their them then there these they this to us was "
        "we were what when where which who why will with would you your"
    )
)


@dataclass(frozen=True, slots=True)
class Block:
    """What is added: the marker's line, the title without the signs of a heading, and the lines below it."""

    marker: str
    title: str
    lines: tuple[str, ...]


class Inserted(NamedTuple):
    """The text with the block, the title of the section it stands in, and how many lines the block has there."""

    text: str
    section: str
    lines: int


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading at the top level of a document, by lines counted from 0."""

    title: str
    level: int
    line: int
    ours: bool
    """It belongs to a block that was added."""


@dataclass(frozen=True, slots=True)
class Outline:
    headings: tuple[Heading, ...]
    open_fence: str
    """The fence of code that goes on to the end of the text, or ''."""


def keywords(words: Iterable[str]) -> frozenset[str]:
    """Return the words that tell topics apart: no case, no plural, no number, no small words."""
    found = (word.casefold() for text in words for word in _WORD.findall(text))
    kept = (word for word in found if len(word) > 1 and not word.isdecimal() and word not in _COMMON)
    return frozenset(word[:-1] if len(word) > 3 and word.endswith("s") else word for word in kept)


def is_added(text: str, identity: str) -> bool:
    """Return whether the block of this identity was added to the text already."""
    ends = f" {identity} -->"
    lines = (line.strip() for line in _ENDS.split(text.removeprefix(BOM)))
    return any(line.startswith(MARKER) and line.endswith(ends) for line in lines)


def section_for(text: str, heading_words: Iterable[str], title: str) -> str:
    """Return the title of the section that a block with this title belongs to."""
    chosen = _chosen(outline(text).headings, heading_words)
    return title if chosen is None else chosen.title


def lines_of(block: Block) -> int:
    """Return how many lines a block has in a document: its own, marker and heading, each of them with a blank one."""
    return len(block.lines) + 4


def insert(text: str, heading_words: Iterable[str], block: Block) -> Inserted:
    """Add the block. The old text is a prefix and a suffix of the new one, with nothing changed between them."""
    starts = _starts(text)
    found = outline(text)
    chosen = _chosen(found.headings, heading_words)
    if chosen is None:
        at, level, section = len(text), 2, block.title
    else:
        after = found.headings[found.headings.index(chosen) + 1 :]
        line = next((each.line for each in after if each.level <= chosen.level), None)
        at = len(text) if line is None else starts[line]
        level, section = min(chosen.level + 1, LOWEST), chosen.title
    body = (block.marker, "", f"{'#' * level} {block.title}", "", *block.lines)
    # The end of the text closed code that is open; now that the text goes on, a fence has to.
    fence = found.open_fence if at == len(text) else ""
    piece = _piece(text, at, (fence, "", *body) if fence else body, apart=not fence)
    return Inserted(text[:at] + piece + text[at:], section, lines_of(block))


def _piece(text: str, at: int, body: tuple[str, ...], apart: bool) -> str:
    """Return the lines as they are inserted: on lines of their own, with blank ones around them where text stands."""
    end = _line_end(text)
    before = text[:at].removeprefix(BOM)
    lines = list(body) if at == len(text) else [*body, ""]
    if before and not before.endswith(("\n", "\r")):
        lines = ["", "", *lines] if apart else ["", *lines]
    elif before and apart and _ENDS.split(before)[-2].strip():
        lines = ["", *lines]
    return "".join(line + end for line in lines)


def _line_end(text: str) -> str:
    """Return how most lines of the text end."""
    counts = {"\n": 0, "\r\n": 0, "\r": 0}
    for found in _ENDS.finditer(text):
        counts[found[0]] += 1
    return max(counts, key=lambda end: counts[end])


def _starts(text: str) -> list[int]:
    return [0, *(found.end() for found in _ENDS.finditer(text))]


# Headings


@cache
def _markdown() -> MarkdownIt:
    reader = MarkdownIt("commonmark")
    reader.core.ruler.enableOnly(["normalize", "block"])
    reader.block.ruler.disable("reference")  # it makes no headings, and is slow for hostile texts
    return reader


def outline(text: str) -> Outline:
    """Return the headings of a text, front matter aside, and the code that nobody has closed."""
    body = text.removeprefix(BOM)
    lines = _ENDS.split(body)
    skipped = _front_matter(lines)
    tokens = _markdown().parse("\n".join(lines[skipped:]))
    said = _last_said(lines)
    headings: list[Heading] = []
    for token, inner in pairwise(tokens):
        if token.type == "heading_open" and token.level == 0 and token.map is not None:
            line = token.map[0] + skipped
            before = lines[said[line]] if said[line] >= skipped else ""
            title = " ".join(inner.content.split())
            headings.append(Heading(title, int(token.tag[1:]), line, before.strip().startswith(MARKER)))
    return Outline(tuple(headings), _open_fence(tokens, lines[skipped:]))


def _front_matter(lines: list[str]) -> int:
    """Return how many lines of front matter the text begins with."""
    closing = _FRONT.get(lines[0].rstrip(), ())
    return next((at + 1 for at, line in enumerate(lines[1:], start=1) if line.rstrip() in closing), 0)


def _last_said(lines: list[str]) -> list[int]:
    """Return for every line which line before it is the last that is not blank; -1 for none."""
    found, last = [], -1
    for at, line in enumerate(lines):
        found.append(last)
        last = at if line.strip() else last
    return found


def _open_fence(tokens: list[Token], lines: list[str]) -> str:
    last = tokens[-1] if tokens else None
    if last is None or last.type != "fence" or last.level != 0 or last.map is None:
        return ""
    begin, end = last.map
    closing = lines[end - 1].strip() if end - begin > 1 else ""
    closed = len(closing) >= len(last.markup) and not closing.strip(last.markup[0])
    return "" if closed and len(lines[end - 1]) - len(lines[end - 1].lstrip(" ")) < 4 else last.markup


def _chosen(headings: tuple[Heading, ...], heading_words: Iterable[str]) -> Heading | None:
    """Return the heading that shares the most keywords; of equals, with the fewest others, the deepest, the first."""
    wanted = keywords(heading_words)
    best, chosen = (0, 0, 0), None
    for heading in headings:
        own = keywords([heading.title])
        shared = len(own & wanted)
        score = (shared, -len(own - wanted), heading.level)
        if shared and not heading.ours and (chosen is None or score > best):
            best, chosen = score, heading
    return chosen
