"""Untrusted text made safe for generated documents: readable, and without any effect in Markdown or HTML.

A document mixes our structure with prose that others wrote. So prose is literal: every character that Markdown or HTML
would act upon is escaped, invisible characters are written out, and no line of it can begin a heading, a list, a table,
a fence or a comment. Since no raw `<` is left, no prose can forge the markers by which documents are merged.

What somebody said and the documents quote is also verbatim: merging, which numbers artifacts on, leaves it alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from quorate.kit.visible_text import visible
from quorate.protocols.workshop.rules.workflows.vocabulary import TYPES

FOLDER = "decisions"
"""Where the records of decisions lie, beside the documents."""
NOTHING = "–"

_LITERAL = re.compile(r"[\\`*_\[\]|~#]")
_LEADING = re.compile(r"[-+=:>]|\d{1,9}(?=[.)])")
_LABEL = re.compile(r"[^\w .,/()-]+")
_NAMED = re.compile(rf"({'|'.join(TYPES)})-(?=\d)|({FOLDER})/(?=\d)")


def line(text: str, most: int | None = None) -> str:
    """Return the text as one literal line that means nothing in Markdown, cut to `most` characters."""
    flat = " ".join(visible(text).split())
    if most is not None and len(flat) > most:
        flat = flat[: most - 1].rstrip() + "…"
    literal = _LITERAL.sub(r"\\\g<0>", flat).replace("&", "&amp;").replace("<", "&lt;")
    if found := _LEADING.match(literal):
        # It would begin a list, a quotation or an underline if it stood at the start of a line.
        end = found.end() if found.group().isdecimal() else 0
        return f"{literal[:end]}\\{literal[end:]}"
    return literal


def paragraphs(text: str, most: int | None = None) -> str:
    """Return the text as literal paragraphs whose line breaks are kept, cut to `most` characters."""
    if most is not None and len(text) > most:
        text = text[: most - 1].rstrip() + "…"
    parts = re.split(r"\n[ \t]*(?:\n[ \t]*)+", visible(text).strip())
    lines = ([line(each) for each in part.split("\n") if each.strip()] for part in parts)
    return "\n\n".join("\\\n".join(part) for part in lines if part)


def cell(text: str, most: int | None = None) -> str:
    """Return the text as a literal cell of a table; an empty one shows a dash."""
    return line(text, most) or NOTHING


def verbatim(literal: str) -> str:
    """Return literal text in which ids and files of records stay as they are when it is merged; it reads the same.

    Markdown shows an escaped hyphen as a hyphen, and what is escaped is no reference to merging.
    """
    return _NAMED.sub(lambda found: f"{found[1]}\\-" if found[1] else f"{found[2]}\\/", literal)


def told(value: Any) -> str:
    """Return a value of any kind on one literal line: a text, yes or no, a number, a list, named parts."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return line(value)
    if isinstance(value, Mapping):
        parts = ((line(str(name)), told(each)) for name, each in value.items())
        return "; ".join(f"{name}: {each}" for name, each in parts if each)
    if isinstance(value, Iterable):
        return "; ".join(filter(None, map(told, value)))
    return "" if value is None else line(str(value))


def names(seats: Iterable[str]) -> str:
    """Return the names in a row, or a dash for nobody."""
    return ", ".join(map(line, seats)) or NOTHING


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """Return a table; its cells have been made literal by those who made them."""
    lines = [f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}"]
    return "\n".join((*lines, *(f"| {' | '.join(row)} |" for row in rows)))


def bullets(entries: Iterable[str], indent: int = 0) -> str:
    """Return a list of literal lines; an empty one shows a dash."""
    return "\n".join(f"{' ' * indent}- {entry or NOTHING}" for entry in entries)


def label(text: str, most: int = 60) -> str:
    """Return the text as a label in a diagram: letters, digits and a few marks, nothing that a diagram acts upon."""
    flat = " ".join(_LABEL.sub(" ", text).split())
    return flat if len(flat) <= most else flat[: most - 1].rstrip() + "…"
