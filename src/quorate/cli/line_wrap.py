"""Wrap text to the terminal's width, with a margin, and reduce Markdown to plain text."""

from __future__ import annotations

import re
from shutil import get_terminal_size
from textwrap import wrap

from quorate.cli.text import one_line, safe

WIDEST = 100
"""Columns beyond which lines are hard to read."""
LEAST = 20
_ITEM = re.compile(r"(?:[-*]|\d+\.) ")
_MARKS = re.compile(r"(?<!\w)(`+|\*\*|\*|_)(?=\S)([^`\n]+?)(?<=\S)\1(?!\w)")


def width() -> int:
    """Return the maximum number of columns of a line."""
    return max(LEAST, min(WIDEST, get_terminal_size((WIDEST, 24)).columns - 1))


def wrapped(text: str, margin: int = 2) -> list[str]:
    """Wrap the text with a margin. Lines keep their indentation; list items get a hanging indent."""
    lines: list[str] = []
    for line in safe(text).strip("\n").expandtabs(4).splitlines():
        body = line.strip()
        begins = " " * min(margin + len(line) - len(line.lstrip(" ")), width() // 2)
        goes_on = begins + ("  " if _ITEM.match(body) else "")
        lines += wrap(body, width(), initial_indent=begins, subsequent_indent=goes_on, break_on_hyphens=False) or [""]
    return lines


def titled(title: str, text: str, margin: int = 0) -> list[str]:
    """Return a title with the text below it; the title is left out if the text begins with its own."""
    heading = one_line(title)
    first, _, rest = text.strip().partition("\n")
    if one_line(first) == heading or one_line(first).startswith(f"{heading} ("):
        heading, text = one_line(first), rest
    return [*wrapped(heading, margin), *(wrapped(text, margin + 2) if text.strip() else [])]


def plain_markdown(text: str) -> str:
    """Return Markdown as plain text: one line per paragraph or item, without emphasis marks."""
    paragraphs: list[str] = []
    open_ = False
    for line in text.strip().splitlines():
        body = line.strip()
        if not body or body.startswith("#"):
            paragraphs.append(body.lstrip("#").strip())
            open_ = False
        elif open_ and not _ITEM.match(body):
            paragraphs[-1] += f" {body}"
        else:
            paragraphs.append(body)
            open_ = True
    return _MARKS.sub(r"\2", "\n".join(paragraphs))


def lead(text: str) -> str:
    """Return the heading and first paragraph of a Markdown text on one line."""
    parts = [line for line in plain_markdown(text).splitlines() if line][:2]
    return " ".join(part if part.endswith((".", "?", "!", ":")) else f"{part}." for part in parts)


def shortened(blocks: list[list[str]], most: int) -> tuple[list[list[str]], int]:
    """Cut blocks to `most` lines in total, the longest first. Also return how many lines were left out."""
    total = sum(map(len, blocks))
    if total <= most:
        return blocks, 0
    share = max((size for size in range(2, most) if sum(min(len(each), size) for each in blocks) <= most), default=2)
    shown: list[list[str]] = []
    for block in blocks:
        room = most - sum(map(len, shown))
        shown += [block[: min(share, room)]] if room > 0 else []
    return shown, total - sum(map(len, shown))
