"""Strict parser for replies of participants: returns a whole reply, or lists every problem.

Input is untrusted: size and depth are bounded, nothing in it is evaluated or imported, and parsing follows the form,
never the data. NUL characters and lone surrogates become U+FFFD, because a reply that was cut inside an emoji is still
a reply; bytes that are not UTF-8 are refused, because guessing would corrupt names.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NoReturn, assert_never, cast

from quorate.codec.canonical import clean
from quorate.core.errors import InputError, nearest
from quorate.core.form_values import repeated_key, with_marks
from quorate.core.forms import (
    Choice,
    Flag,
    Group,
    Key,
    Keyed,
    Many,
    Number,
    OneKey,
    PerKey,
    Prose,
    Reply,
    Shape,
    Text,
    shape_of,
)
from quorate.core.types import Ask

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


def parse_reply(ask: Ask, text_or_data: str | bytes | Mapping[str, Any], clip: bool = False) -> Reply:
    """Return the reply with its marks, or raise Malformed; with `clip`, prose that is too long is cut instead."""
    data = text_or_data if isinstance(text_or_data, Mapping) else _read_json(text_or_data)
    reader = _Reader(ask.keys, clip)
    reply = reader.read(shape_of(ask.form), data, "")
    if reader.problems:
        raise Malformed(reader.problems)
    if (twice := repeated_key(reply)) is not None:
        _refuse(f"the key {twice!r} is answered for more than once", "every key at most once")
    return cast("Reply", with_marks(reply))


# From text to plain data


def _refuse(what: str, expected: str) -> NoReturn:
    raise Malformed([InputError(what, expected=expected)])


def _read_json(source: str | bytes) -> Any:
    plain = isinstance(source, bytes) or source.isascii()
    size = len(source) if plain else len(cast("str", source).encode("utf-8", "surrogatepass"))
    if size > MOST_BYTES:
        _refuse(f"the reply has {size} bytes", f"at most {MOST_BYTES}")
    try:
        text = source.decode() if isinstance(source, bytes) else source
    except UnicodeDecodeError as error:
        _refuse(f"the reply is not UTF-8 at byte {error.start}", "JSON in UTF-8")
    text = text.removeprefix("\N{ZERO WIDTH NO-BREAK SPACE}")  # the byte order mark that some editors write
    if (depth := _depth(text)) > MOST_DEPTH:
        _refuse(f"the reply is nested {depth} deep", f"at most {MOST_DEPTH}")
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        _refuse(f"not valid JSON: {error.msg} at line {error.lineno}, column {error.colno}", "one JSON object")
    except ValueError:
        _refuse("a number in the reply has thousands of digits", "numbers within the bounds of the form")


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


class _Repeating(dict[str, Any]):
    """A JSON object with a duplicate key."""

    repeated: tuple[str, ...] = ()


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    odd = _Repeating(found)
    odd.repeated = tuple(name for name, count in Counter(name for name, _ in pairs).items() if count > 1)
    return odd


def _no_constant(name: str) -> NoReturn:
    _refuse(f"the reply holds {name}, which is no number", "whole numbers")


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_no_constant)


# From plain data to a form


@dataclass
class _Reader:
    keys: tuple[Key, ...]
    clip: bool
    problems: list[InputError] = field(default_factory=list)

    def read(self, shape: Shape, value: Any, path: str) -> Any:
        """Return the value in its shape; a value that does not fit is recorded as a problem and skipped."""
        try:
            return self._read(shape, value, path)
        except InputError as problem:
            self.problems.append(problem)
            return None

    def _read(self, shape: Shape, value: Any, path: str) -> Any:
        match shape:
            case Text(most):
                return self._text(value, most, path)
            case Flag():
                if not isinstance(value, bool):
                    raise _misfit(value, path, "true or false")
                return value
            case Choice(enum):
                return self._choice(value, enum, path)
            case Number(low, high):
                return _number(value, low, high, path)
            case OneKey():
                return self._key(value, path)
            case Many(item, most):
                return self._many(value, item, most, path)
            case PerKey(item):
                names = [str(key) for key in self.keys]
                found = self._members(value, names, path, "key", required=False)
                found = dict(sorted(found.items()))  # as the journal gives it back: a replay sees the same order
                return Keyed({Key(name): self.read(item, each, _under(path, name)) for name, each in found.items()})
            case Group(form, fields):
                shapes = {each.name: each.shape for each in fields if each.mark is None}
                found = self._members(value, list(shapes), path, "field", required=True)
                read = {name: self.read(shapes[name], each, _under(path, name)) for name, each in found.items()}
                return None if self.problems else form(**read)
        assert_never(shape)

    def _text(self, value: Any, most: int, path: str) -> Prose:
        if not isinstance(value, str):
            raise _misfit(value, path, "a text")
        if len(value) > most and not self.clip:
            raise _problem(f"has {len(value)} characters", path, f"at most {most}")
        return Prose(clean(value[:most]))

    def _choice(self, value: Any, enum: type[Enum], path: str) -> Enum:
        for member in enum:
            if type(value) is type(member.value) and value == member.value:
                return member
        names = [member.value for member in enum if isinstance(member.value, str)]
        raise _misfit(value, path, _one_of(str(member.value) for member in enum), self._nearest(value, names))

    def _key(self, value: Any, path: str) -> Key:
        if isinstance(value, str) and value in self.keys:
            return Key(value)
        names = [str(key) for key in self.keys]
        raise _misfit(value, path, _one_of(names) if names else "no key at all", self._nearest(value, names))

    def _many(self, value: Any, item: Shape, most: int, path: str) -> tuple[Any, ...]:
        if not isinstance(value, list | tuple):
            raise _misfit(value, path, f"a list with at most {most} entries")
        if len(value) > most:
            raise _problem(f"has {len(value)} entries", path, f"at most {most}")
        read = tuple(self.read(item, each, f"{path}[{index}]") for index, each in enumerate(value))
        # A key that is only referred to says no more when it is named twice.
        return tuple(dict.fromkeys(read)) if isinstance(item, OneKey) and item.again else read

    def _members(self, value: Any, names: list[str], path: str, kind: str, *, required: bool) -> dict[str, Any]:
        """Return the members that the form has, in its order; note unknown, repeated and missing ones as problems."""
        if not isinstance(value, Mapping):
            raise _misfit(value, path, f"an object with the {kind}s {', '.join(names)}" if names else "an empty object")
        if type(value) is dict and value.keys() == set(names):  # nearly every reply
            return {name: value[name] for name in names}
        expected = _one_of(names) if names else f"no {kind} at all"
        for name in value:
            if name not in names:
                near = self._nearest(name, names)
                self.problems.append(_problem(f"unknown {kind}", _under(path, str(name)), expected, near))
        if isinstance(value, _Repeating):
            twice = (name for name in value.repeated if name in names)
            self.problems += [_problem("is written more than once", _under(path, name)) for name in twice]
        if required:
            missing = (name for name in names if name not in value)
            self.problems += [_problem("is missing", _under(path, name)) for name in missing]
        return {name: value[name] for name in names if name in value}

    def _nearest(self, value: Any, names: Iterable[str]) -> str | None:
        """Return the valid name closest to the value, ignoring case."""
        if not isinstance(value, str) or len(self.problems) >= MOST_PROBLEMS:
            return None  # what is not shown is not searched for: hostile input has many strange names
        folded = {name.casefold(): name for name in names}
        found = nearest(value.casefold()[:200], folded)
        return None if found is None else folded[found]


def _number(value: Any, low: int, high: int, path: str) -> int:
    # JSON knows one kind of number: 80.0 is the whole number 80, in the schema's words too.
    whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    if isinstance(value, bool) or not whole or not low <= value <= high:
        raise _misfit(value, path, f"a whole number from {low} to {high}")
    return int(value)


def _misfit(value: Any, path: str, expected: str, near: str | None = None) -> InputError:
    return _problem(f"is {_show(value)}", path, expected, near)


def _problem(what: str, path: str, expected: str | None = None, near: str | None = None) -> InputError:
    return InputError(what, key=clean(path) or "the reply", expected=expected, nearest=near)


def _under(path: str, name: str) -> str:
    short = name if len(name) <= 60 else f"{name[:60]}…"
    return f"{path}.{short}" if path else short


def _one_of(names: Iterable[str]) -> str:
    return "one of " + ", ".join(names)


def _show(value: Any) -> str:
    match value:
        case Mapping():
            return "an object"
        case list() | tuple():
            return "a list"
        case None | bool():
            return {None: "null", True: "true", False: "false"}[value]
        case str():
            return repr(clean(value if len(value) <= 60 else f"{value[:60]}…"))
        case int() | float():
            shown = (
                repr(value) if isinstance(value, float) or abs(value) < 10**30 else "a number of more than 30 digits"
            )
            return shown
        case _:
            return f"of the type {type(value).__name__}"
