"""Untrusted text made safe for our Markdown: readable, and unable to pass for our headings, tables or tags.

Models, people and files write Markdown of their own. It is parsed and written anew inside a quotation: headings below
the one that the quotation stands under, tables cell by cell, code in a fence that its content cannot close, lists and
emphasis as they were. Every other character that Markdown acts upon is escaped, so tags, links and images stay text,
and nothing that was left open can change what follows. What Markdown would hide is shown as it was written.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, MutableMapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from quorate.kit.visible_text import visible

LOWEST_HEADING = 6
MOST_LEVELS = 12
"""Levels of lists and quotations that are kept as such (a list is two); renderers do not follow much deeper ones."""
_NEVER = ("image", "link", "autolink", "reference", "html_block", "html_inline", "entity")

_TICKS = re.compile("`+")
_LANGUAGE = re.compile(r"[A-Za-z][A-Za-z0-9_+#.-]{0,30}")
_ACTIVE = re.compile(r"[\\`*\[|~]|(?<![^\W_])_|_(?![^\W_])")
_LITERAL = re.compile(r"[\\`*_\[\]|~#]")
_LEADING = re.compile(r"[-+=:~>#]|\*(?= |$)|([*_])(?: *\1){2,} *$|\d{1,9}(?=[.)])")
"""What begins a block; a star or a low line also begins emphasis, which may stay."""
_MARKS_OF_ROWS = re.compile(r"[\s|>\\]")
_BAR = re.compile(r"(?<!\\)\|")
_BEFORE_CELLS = re.compile(r"[\s>]*\|?")
_AFTER_CELLS = re.compile(r"(?:\s|(?<!\\)\|)*$")
_PLAIN = re.compile(r"""(?:(?:[^\W\d_]|["'(“„])[^\\`*_\[\]<>&~|\t\n]*(?:\n|\Z)|\n)*\Z""")


def is_plain(text: str) -> bool:
    """Whether the text contains no Markdown syntax except blank lines."""
    return " \n" not in text and _PLAIN.match(text) is not None


def inline(text: str, most: int | None = None) -> str:
    """Return the text as one escaped line without Markdown meaning, cut to `most` characters."""
    flat = " ".join(visible(text).split())
    if most is not None and len(flat) > most:
        flat = flat[: most - 1].rstrip() + "…"
    literal = _LITERAL.sub(r"\\\g<0>", flat).replace("&", "&amp;").replace("<", "&lt;")
    return _guard_start(literal)


def cell(text: str, most: int | None = None) -> str:
    """Return the text as an escaped table cell; a dash if it is empty."""
    return inline(text, most) or "–"


def quote(text: str, under: int = 3) -> str:
    """Return the text as a blockquote, with headings below the level of the surrounding heading."""
    shown = visible(text).strip("\n").rstrip()
    if not shown:
        return "> –"
    return "\n".join(_quoted(shown.split("\n") if is_plain(shown) else _rewritten(shown, under)))


def item(text: str, under: int = 3) -> str:
    """Return the text as one bullet-list entry: a line, or a quotation if it has several lines."""
    shown = visible(text).strip()
    if "\n" in shown:
        return "- " + quote(shown, under).replace("\n", "\n  ")
    said = _parser().parseInline(shown)[0].children or []
    return f"- {_written(said) or '–'}"


# Markdown, written anew


@cache
def _parser() -> MarkdownIt:
    options = {"html": False, "linkify": False, "typographer": False, "maxNesting": MOST_LEVELS + 4}
    return MarkdownIt("commonmark", options).enable(["table", "strikethrough"]).disable(_NEVER)


def _rewritten(text: str, under: int) -> list[str]:
    text, tokens = parsed_whole(_parser(), text)
    highest = min((int(token.tag[1:]) for token in tokens if token.type == "heading_open"), default=1)
    return _Passage(text.split("\n"), under + 1 - highest).blocks(tokens)


def parsed_whole(parser: MarkdownIt, text: str, env: MutableMapping[str, Any] | None = None) -> tuple[str, list[Token]]:
    """Return a text and its tokens; where a row of a table has too many cells, no word of it is lost.

    Markdown drops what stands beyond the last column, and takes every bar for the end of a cell, in code as well. So
    bars in code are escaped where a row has too many, and if that is not enough, those beyond the last column.
    """
    tokens = parser.parse(text, env)
    lines = text.split("\n")
    for place, token in enumerate(tokens):
        if token.type == "table_open" and token.map:
            columns = sum(each.type == "th_open" for each in next(_siblings(tokens[place:])))
            for at in range(token.map[0] + 2, token.map[1]):
                lines[at] = _whole_row(lines[at], columns)
    whole = "\n".join(lines)
    return (text, tokens) if whole == text else (whole, parser.parse(whole, env))


def _whole_row(line: str, columns: int) -> str:
    """Return a row with so many bars escaped that it has no more cells than there are columns."""
    first = _BEFORE_CELLS.match(line)
    start, end = first.end() if first else 0, len(line) - len(_AFTER_CELLS.search(line)[0])  # type: ignore[index]
    bars = [bar.start() for bar in _BAR.finditer(line, start, end)]
    surplus = set(_in_code(line, bars)) if len(bars) >= columns else set()
    kept = [bar for bar in bars if bar not in surplus]
    surplus.update(kept[columns - 1 :])
    return "".join(f"\\{char}" if at in surplus else char for at, char in enumerate(line)) if surplus else line


def _in_code(line: str, bars: list[int]) -> Iterator[int]:
    """Yield those of the bars that stand in a code span of the line."""
    runs = [(found.start(), found.end()) for found in _TICKS.finditer(line)]
    by_length: dict[int, list[int]] = {}
    for start, end in runs:
        by_length.setdefault(end - start, []).append(start)
    done, at = 0, 0
    for start, end in runs:
        later = by_length[end - start]
        closing = bisect_right(later, start)
        if start < done or closing == len(later):
            continue
        done = later[closing] + end - start
        while at < len(bars) and bars[at] < done:
            if bars[at] > start:
                yield bars[at]
            at += 1


@dataclass(frozen=True)
class _Passage:
    """A text as lines, and the offset for its headings."""

    lines: list[str]
    lower: int

    def blocks(self, tokens: list[Token], tight: bool = False) -> list[str]:
        """Return the lines of sibling blocks."""
        made: list[str] = []
        marker = ""
        for block in _siblings(tokens):
            marker = _marker(block[0], marker)
            made += [""] if made and not tight else []
            made += self._block(block, marker)
        return made

    def _block(self, block: list[Token], marker: str) -> list[str]:
        first = block[0]
        match first.type:
            case "paragraph_open":
                return _written(block[1].children or []).split("\n")
            case "heading_open":
                return [self._heading(block)]
            case "fence" | "code_block":
                return list(_fenced(first.content, first.info.strip()))
            case "hr":
                return ["***"]  # hyphens would make a heading of a line before them
            case "table_open":
                return self._table(block)
        if first.level >= MOST_LEVELS:
            return self._source(first)
        return self._list(block, marker) if marker else list(_quoted(self.blocks(block[1:-1]) or [""]))

    def _heading(self, block: list[Token]) -> str:
        title = _written(block[1].children or [], " ", fresh=False)
        if not title:
            return inline(block[0].markup)
        level = int(block[0].tag[1:]) + self.lower
        return f"{'#' * min(level, LOWEST_HEADING)} {re.sub('#+$', _escape, title)}"

    def _list(self, block: list[Token], marker: str) -> list[str]:
        inside = block[0].level + 2
        tight = all(token.hidden for token in block if token.type == "paragraph_open" and token.level == inside)
        start = int(block[0].attrGet("start") or 1) if block[0].type == "ordered_list_open" else None
        made: list[str] = []
        for place, entry in enumerate(_siblings(block[1:-1])):
            sign = marker if start is None else f"{min(start + place, 999_999_999)}{marker}"
            lines = self.blocks(entry[1:-1], tight) or [""]
            made += [""] if made and not tight else []
            made.append(f"{sign} {lines[0]}".rstrip())
            made += [f"{' ' * (len(sign) + 1)}{line}" if line else "" for line in lines[1:]]
        return made

    def _table(self, block: list[Token]) -> list[str]:
        rows: list[list[Token]] = []
        for token in block:
            if token.type == "tr_open":
                rows.append([])
            elif token.type == "inline":
                rows[-1].append(token)
        start, end = block[0].map or (0, 0)
        cells = "".join(token.content for row in rows[1:] for token in row)
        if _MARKS_OF_ROWS.sub("", cells) != _MARKS_OF_ROWS.sub("", "".join(self.lines[start + 2 : end])):
            return self._source(block[0])  # something would be lost
        for row in rows[1:]:
            while len(row) > 1 and not row[-1].content:
                row.pop()  # a short row is as good, and a long one of nothing could be many
        lines = [_row(_written(token.children or [], fresh=False, cell=True) for token in row) for row in rows]
        heads = (str(token.attrGet("style")) for token in block if token.type == "th_open")
        return [lines[0], _row(_RULES.get(style, "---") for style in heads), *lines[1:]]

    def _source(self, token: Token) -> list[str]:
        """Return the source lines of a block, each escaped."""
        start, end = token.map or (0, 0)
        return [inline(line) for line in self.lines[start:end] if line.strip()]


_RULES = {"text-align:right": "---:", "text-align:center": ":---:", "text-align:left": ":---"}


def _siblings(tokens: list[Token]) -> Iterator[list[Token]]:
    """Yield the tokens of each top-level block."""
    start = 0
    for place, token in enumerate(tokens, start=1):
        if token.level == tokens[0].level and token.nesting <= 0:
            yield tokens[start:place]
            start = place


def _marker(first: Token, before: str) -> str:
    """Return the mark of a list, another one than that of a list right before it; nothing for any other block."""
    match first.type:
        case "bullet_list_open":
            return "+" if before == "-" else "-"
        case "ordered_list_open":
            return {".": ")", ")": "."}[before] if before == first.markup else first.markup
    return ""


def _quoted(lines: Iterable[str]) -> Iterator[str]:
    return (f"> {line}" if line else ">" for line in lines)


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _fenced(code: str, said: str) -> Iterator[str]:
    """Yield code in a fence that its content cannot close; an info string beyond the language goes before it."""
    known = _LANGUAGE.fullmatch(said) is not None
    if said and not known:
        yield inline(said)
    fence = "`" * max(3, 1 + max(map(len, _TICKS.findall(code)), default=0))
    yield fence + (said if known else "")
    yield from code.removesuffix("\n").split("\n") if code else ()
    yield fence


def _written(tokens: list[Token], newline: str = "\n", fresh: bool = True, cell: bool = False) -> str:
    """Return inline text with emphasis and code; `fresh` means at the start of a line, where more needs escaping."""
    parts: list[str] = []
    for token in tokens:
        match token.type:
            case "softbreak":
                parts.append(newline)
            case "hardbreak":
                parts.append(f"\\{newline}" if newline == "\n" else newline)
            case "code_inline":
                span = _span(token.content)
                parts.append(span.replace("|", "\\|") if cell else span)
            case "text":
                text = _escaped(token.content)
                parts.append(_guard_start(text) if fresh else text)
            case _:
                parts.append(token.markup)
        fresh = parts[-1].endswith("\n") or (fresh and not parts[-1])
    return "".join(parts)


def _span(code: str) -> str:
    ticks = "`" * (1 + max(map(len, _TICKS.findall(code)), default=0))
    pad = " " if code.startswith("`") or code.endswith("`") or (code[:1] == code[-1:] == " " and code.strip()) else ""
    return f"{ticks}{pad}{code}{pad}{ticks}"


def _escaped(text: str) -> str:
    return _ACTIVE.sub(_escape, text).replace("&", "&amp;").replace("<", "&lt;")


def _escape(found: re.Match[str]) -> str:
    return f"\\{found.group()}"


def _guard_start(text: str) -> str:
    """Escape what would begin a block at the start of a line."""
    if found := _LEADING.match(text):
        end = found.end() if found.group().isdecimal() else 0
        return f"{text[:end]}\\{text[end:]}"
    return text
