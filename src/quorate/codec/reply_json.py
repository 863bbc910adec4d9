"""Reads the text of a reply as JSON, or raises Malformed: size and depth are bounded, and duplicate keys are kept.

NUL characters and lone surrogates become U+FFFD where texts are read, because a reply that was cut inside an emoji is
still a reply; bytes that are not UTF-8 are refused, because guessing would corrupt names.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any, NoReturn, cast

from quorate.core.errors import InputError

MOST_BYTES = 2_000_000
MOST_DEPTH = 32
MOST_PROBLEMS = 12
"""Problems listed in full; a repair needs no more at once."""


class Malformed(InputError):
    """The reply does not fit the form; the message lists every problem."""

    def __init__(self, problems: Sequence[InputError]) -> None:
        self.problems = tuple(problems)
        shown = [f"- {problem}" for problem in self.problems[:MOST_PROBLEMS]]
        if len(self.problems) > MOST_PROBLEMS:
            shown.append(f"- and {len(self.problems) - MOST_PROBLEMS} more")
        super().__init__("\n".join(["the reply does not fit the form:", *shown]))


def refuse(what: str, expected: str) -> NoReturn:
    """Raise Malformed with one problem."""
    raise Malformed([InputError(what, expected=expected)])


def read_json(source: str | bytes) -> Any:
    """Return the plain data of a reply's text."""
    plain = isinstance(source, bytes) or source.isascii()
    size = len(source) if plain else len(cast("str", source).encode("utf-8", "surrogatepass"))
    if size > MOST_BYTES:
        refuse(f"the reply has {size} bytes", f"at most {MOST_BYTES}")
    try:
        text = source.decode() if isinstance(source, bytes) else source
    except UnicodeDecodeError as error:
        refuse(f"the reply is not UTF-8 at byte {error.start}", "JSON in UTF-8")
    text = text.removeprefix("\N{ZERO WIDTH NO-BREAK SPACE}")  # the byte order mark that some editors write
    if (depth := _depth(text)) > MOST_DEPTH:
        refuse(f"the reply is nested {depth} deep", f"at most {MOST_DEPTH}")
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        refuse(f"not valid JSON: {error.msg} at line {error.lineno}, column {error.colno}", "one JSON object")
    except ValueError:
        refuse("a number in the reply has thousands of digits", "numbers within the bounds of the form")


# A string is taken whole, and to the end of the text where it is not closed, so that the scan is linear.
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"?|[\[{]|[\]}]', re.DOTALL)


def _depth(text: str) -> int:
    """Return the maximum nesting depth of a JSON text, without parsing it."""
    if (opened := text.count("[") + text.count("{")) <= MOST_DEPTH:
        return opened
    depth = deepest = 0
    for token in _TOKEN.finditer(text):
        sign = token[0][0]
        if sign in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif sign in "]}":
            depth -= 1
    return deepest


class Repeating(dict[str, Any]):
    """A JSON object with a duplicate key."""

    repeated: tuple[str, ...] = ()


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    odd = Repeating(found)
    odd.repeated = tuple(name for name, count in Counter(name for name, _ in pairs).items() if count > 1)
    return odd


def _no_constant(name: str) -> NoReturn:
    refuse(f"the reply holds {name}, which is no number", "whole numbers")


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_no_constant)
