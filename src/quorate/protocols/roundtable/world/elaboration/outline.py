"""The outline of a Markdown text: its headings, those of blocks that were added, and what would close its end.

Headings are those of CommonMark at the top level: what stands in code, in HTML, in front matter, in a list or in a
quotation is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token

from quorate.protocols.roundtable.world.elaboration.files import BOM

MARKER = "<!-- quorate roundtable "
"""How the comment begins that stands before everything that was added."""
ENDS = re.compile(r"\r\n?|\n")
"""The line ends of Markdown."""
SPACE = " \t"
"""What a blank line may hold."""
_DEEPEST = 100
"""Quotations in each other, or half as many lists; what stands deeper, and all that follows, is not read."""
_FRONT = {"---": ("---", "..."), "+++": ("+++",)}
_RAW = re.compile(r"<(script|pre|style|textarea)(?=\s|>|$)", re.IGNORECASE | re.ASCII)
_HTML_ENDS = (("<!--", "-->"), ("<?", "?>"), ("<![CDATA[", "]]>"), ("<!", ">"))
"""HTML that goes on over blank lines, and what ends it."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading at the top level of a document, by lines counted from 0."""

    title: str
    level: int
    line: int
    begin: int
    """Its line, or that of the marker that belongs to it: nothing may be put between the two."""

    @property
    def ours(self) -> bool:
        """Whether it belongs to a block that was added."""
        return self.begin != self.line


@dataclass(frozen=True, slots=True)
class Outline:
    headings: tuple[Heading, ...]
    closing: str
    """The line that would close the code or the HTML that the text ends with, in case it is open; '' where it ends
    with something else."""


def outline(text: str) -> Outline:
    """Return the headings of a text, front matter aside, and what would close its end."""
    lines = ENDS.split(text.removeprefix(BOM))
    skipped = _front_matter(lines)
    lines = lines[skipped:]
    tokens = _markdown().parse("\n".join(lines))
    markers = set(_markers(tokens, lines))
    said = _last_said(lines)
    headings: list[Heading] = []
    for token, inner in pairwise(tokens):
        if token.type == "heading_open" and token.level == 0 and token.map is not None:
            line = token.map[0]
            begin = said[line] if said[line] in markers else line
            title = " ".join(inner.content.split())
            headings.append(Heading(title, int(token.tag[1:]), line + skipped, begin + skipped))
    return Outline(tuple(headings), _closing(tokens))


@cache
def _markdown() -> MarkdownIt:
    reader = MarkdownIt("commonmark", {"maxNesting": _DEEPEST})
    reader.core.ruler.enableOnly(["normalize", "block"])
    reader.block.ruler.disable("reference")  # it makes no headings, and is slow for hostile texts
    return reader


def _front_matter(lines: list[str]) -> int:
    """Return how many lines of front matter the text begins with."""
    closing = _FRONT.get(lines[0].rstrip(), ())
    return next((at + 1 for at, line in enumerate(lines[1:], start=1) if line.rstrip() in closing), 0)


def _last_said(lines: list[str]) -> list[int]:
    """Return for every line which line before it is the last that is not blank; -1 for none."""
    found, last = [], -1
    for at, line in enumerate(lines):
        found.append(last)
        last = at if line.strip(SPACE) else last
    return found


def _markers(tokens: list[Token], lines: list[str]) -> Iterator[int]:
    """Return the lines that are markers: comments of their own at the top level, of one line each."""
    for token in tokens:
        if token.type == "html_block" and token.level == 0 and token.map is not None:
            begin, end = token.map
            if end - begin == 1 and lines[begin].lstrip(SPACE).startswith(MARKER):
                yield begin


def _closing(tokens: list[Token]) -> str:
    last = tokens[-1] if tokens else None
    if last is None or last.level != 0 or last.type not in ("fence", "html_block"):
        return ""
    if last.type == "fence":
        return last.markup
    content = last.content.lstrip(SPACE)
    if raw := _RAW.match(content):
        return f"</{raw[1]}>"
    return next((end for begin, end in _HTML_ENDS if content.startswith(begin)), "")
