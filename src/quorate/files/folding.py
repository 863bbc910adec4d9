"""Joins the lines of quoted texts and of blocks as YAML has it, and declines the rare cases."""

from __future__ import annotations

import re
from typing import NoReturn

_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPES = {"\\": "\\", '"': '"', "/": "/", "n": "\n", "t": "\t", " ": " ", "0": "\0", "r": "\r", "e": "\x1b"}


class Declined(Exception):
    """The text is not plain; nothing is said about whether it is right."""


def decline() -> NoReturn:
    raise Declined


def folded(raw: str, *, escapes: bool) -> str:
    """Join the lines of a quoted text: one break is a space, each further one a break."""
    first, *others = raw.split("\n")
    text, breaks, escaped = first, 0, False
    for number, line in enumerate(others):
        if breaks == 0 and not escaped:
            if escapes and (len(text) - len(text.rstrip("\\"))) % 2:
                text, escaped = text[:-1], True
            elif escapes and text.rstrip(" ").endswith("\\"):
                decline()
            else:
                text = text.rstrip(" ")
        words = line.lstrip(" ")
        if not words and number < len(others) - 1:
            breaks += 1
            continue
        text += "\n" * breaks if breaks else "" if escaped else " "
        text, breaks, escaped = text + words, 0, False
    return text


def unescaped(raw: str) -> str:
    """Return a text in double quotes without its escapes; the rarer of them are declined."""
    return _ESCAPE.sub(_escaped, raw) if "\\" in raw else raw


def _escaped(found: re.Match[str]) -> str:
    return _ESCAPES[found[1]] if found[1] in _ESCAPES else decline()


def chomped(kept: list[str], style: str, chomping: str, *, ends_open: bool) -> str:
    """Return the text of a block from its lines, the empty ones at its end included."""
    full = len(kept)
    while not kept[full - 1]:
        full -= 1
    text = _flowed(kept[:full]) if style == ">" else "\n".join(kept[:full])
    if chomping == "+":
        # The last line of a file that ends with a break is the empty rest behind it.
        return text + "\n" * (len(kept) - full + (0 if ends_open else 1))
    return text if chomping == "-" or (ends_open and full == len(kept)) else text + "\n"


def _flowed(lines: list[str]) -> str:
    text, breaks = "", 0
    for line in lines:
        if line.startswith(" "):
            decline()
        if not line:
            breaks += 1
            continue
        text += "\n" * breaks if breaks or not text else " "
        text, breaks = text + line, 0
    return text
