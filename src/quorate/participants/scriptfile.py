"""Script files: replies by seat, brief and occurrence, in YAML.

    seats:
      architect:
        propose: {reasoning: It is simple., text: Use one queue.}   # a mapping: the same every time
        criticise:                                                  # a list: the first time, the second time, …
          - absent: timed_out
          - critiques: {"*": {strengths: …, weaknesses: …, suggestion: …, weight: minor}}
        refine: {delay: 0.5, say: One moment., reply: {…}}          # the long form
      "*":                                                          # every seat that is not named
        "*": {absent: silent}                                       # every brief that is not named

After the end of a list the seat is silent, unless the last entry says `repeat: true`. The key `"*"` in a field that is
filled in by key stands for every key of the ask. `<seat>`, `<brief>`, `<occurrence>` and, within such a field, `<key>`
are replaced in texts. A reply depends only on seat, brief and occurrence, so a resumed session continues unchanged.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path
from typing import Any

from quorate.codec import Malformed, parse_reply
from quorate.core.errors import InputError, nearest
from quorate.core.forms import Key, Reply
from quorate.core.shapes import Group, Many, OneKey, PerKey, Shape, Text, shape_of
from quorate.core.types import AbsentReason, Ask, AskId, Seat
from quorate.core.view import estimate_tokens
from quorate.files.located_values import Located
from quorate.files.yaml import load
from quorate.participants.prices import PRICE_SCHEMA, Price, read_price

EVERY = "*"
LONG_FORM = ("reply", "absent", "say", "delay", "tokens", "cost", "repeat")
REASONS = tuple(reason.value for reason in AbsentReason)
LONGEST_DELAY = 600
MOST_TOKENS = 10_000_000
FREE = Price(0, 0)


@dataclass(frozen=True, slots=True)
class ScriptLine:
    """One scripted turn: a reply or an absence, and how it is given."""

    at: Located
    reply: Located | None
    absent: AbsentReason | None = None
    say: str = ""
    delay: float | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost: int | None = None
    repeat: bool = False
    length: int = field(init=False)
    """The tokens of the turn, as the script says or as its text is long."""

    def __post_init__(self) -> None:
        said = "" if self.reply is None else json.dumps(self.reply.plain(), ensure_ascii=False)
        length = estimate_tokens(said) if self.tokens_out is None else self.tokens_out
        object.__setattr__(self, "length", length)


@dataclass(frozen=True, slots=True)
class Script:
    """A parsed script: turns by seat and brief."""

    file: str
    seats: Mapping[str, Mapping[str, tuple[ScriptLine, ...]]]
    places: Mapping[str, Located] = field(default_factory=dict)
    delay: float = 0
    price: Price = FREE
    longest: int = field(init=False)
    """The tokens of its longest turn."""
    most_shown: int = field(init=False)
    """The most tokens that a turn says it was shown."""

    def __post_init__(self) -> None:
        lines = list(self.lines())
        object.__setattr__(self, "longest", max((line.length for line in lines), default=0))
        object.__setattr__(self, "most_shown", max((line.tokens_in or 0 for line in lines), default=0))

    def covers(self, seat: str) -> bool:
        """Return whether the script has replies for this seat, by name or by `"*"`."""
        return seat in self.seats or EVERY in self.seats

    def line(self, seat: str, brief: str, occurrence: int) -> ScriptLine | None:
        """Return the turn for this occurrence, or None if the script has none (left)."""
        for name in (seat, EVERY):
            briefs = self.seats.get(name, {})
            if (lines := briefs.get(brief) or briefs.get(EVERY)) is not None:
                if occurrence <= len(lines):
                    return lines[occurrence - 1]
                return lines[-1] if lines[-1].repeat else None
        return None

    def lines(self) -> Iterator[ScriptLine]:
        return (line for briefs in self.seats.values() for lines in briefs.values() for line in lines)

    def check(self, seats: Collection[str], briefs: Collection[str], forms: Collection[type[Reply]]) -> None:
        """Raise InputError for a seat or brief the protocol does not have, or a reply that fits none of its forms."""
        for seat, of_seat in self.places.items():
            if seat not in (*seats, EVERY):
                raise of_seat.unknown("seat", seat, seats)
            for brief, place in of_seat.mapping().items():
                if brief not in (*briefs, EVERY):
                    raise place.unknown("brief", brief, briefs)
        for line in self.lines():
            if line.reply is not None and isinstance(line.reply.value, Mapping):
                _check_fit(line.reply, forms)


# Reading


def load_script(source: Path | str, name: str | None = None) -> Script:
    """Parse a script from a file (a Path) or a text (a str). Raises InputError with file and line."""
    root = load(source, name)
    given = root.mapping(("seats", "delay", "price"))
    if "seats" not in given:
        raise root.error("has no `seats`", "a mapping of seats to their replies")
    places = given["seats"].mapping()
    return Script(
        root.file,
        {seat: {brief: _lines(each) for brief, each in place.mapping().items()} for seat, place in places.items()},
        places,
        given["delay"].number(0, LONGEST_DELAY) if "delay" in given else 0,
        read_price(given["price"]) if "price" in given else FREE,
    )


def _lines(node: Located) -> tuple[ScriptLine, ...]:
    if not isinstance(node.value, tuple):
        return (_line(node, repeat=True),)
    if not node.value:
        raise node.error("is an empty list", "one reply or more")
    lines = tuple(_line(each, repeat=False) for each in node.value)
    for line in lines[:-1]:
        if line.repeat:
            raise line.at.error("repeats, but is not the last entry", "`repeat: true` on the last entry only")
    return lines


def _line(node: Located, *, repeat: bool) -> ScriptLine:
    if isinstance(node.value, str):
        return ScriptLine(node, node, repeat=repeat)
    given = node.mapping()
    if "reply" not in given and "absent" not in given:
        if given and all(name in LONG_FORM for name in given):
            raise node.error("has neither `reply` nor `absent`", "one of the two")
        return ScriptLine(node, node, repeat=repeat)
    node.mapping(LONG_FORM)
    if "reply" in given and "absent" in given:
        raise node.error("has both `reply` and `absent`", "one of the two")
    reply = given.get("reply")
    if reply is not None and not isinstance(reply.value, str | Mapping):
        raise reply.wrong("the fields of the form, or a text as a model would write it")
    tokens = given["tokens"].mapping(("in", "out")) if "tokens" in given else {}
    return ScriptLine(
        node,
        reply,
        AbsentReason(given["absent"].choice(REASONS, "reason")) if "absent" in given else None,
        given["say"].text() if "say" in given else "",
        given["delay"].number(0, LONGEST_DELAY) if "delay" in given else None,
        tokens["in"].whole(0, MOST_TOKENS) if "in" in tokens else None,
        tokens["out"].whole(0, MOST_TOKENS) if "out" in tokens else None,
        ceil(given["cost"].number(0, 1_000_000) * 1_000_000) if "cost" in given else None,
        given["repeat"].flag() if "repeat" in given else repeat,
    )


# Filling in what depends on the ask


def filled_in(ask: Ask, data: Any, occurrence: int) -> Any:
    """Return a scripted reply for this ask, with `"*"` expanded to its keys and placeholders replaced."""
    if isinstance(data, str):
        return replaced(data, ask, occurrence)
    return _filled(shape_of(ask.form), data, ask.keys, _words(ask, occurrence))


def replaced(text: str, ask: Ask, occurrence: int) -> str:
    """Return the text with `<seat>`, `<brief>` and `<occurrence>` replaced."""
    return _replaced(text, _words(ask, occurrence))


def _words(ask: Ask, occurrence: int) -> dict[str, str]:
    return {"<seat>": str(ask.seat), "<brief>": ask.brief, "<occurrence>": str(occurrence)}


def _filled(shape: Shape, data: Any, keys: tuple[Key, ...], words: Mapping[str, str]) -> Any:
    match shape:
        case Group(fields=fields) if isinstance(data, Mapping):
            shapes = {each.name: each.shape for each in fields}
            return {n: _filled(shapes[n], each, keys, words) if n in shapes else each for n, each in data.items()}
        case PerKey(item=item) if isinstance(data, Mapping):
            spread = {str(key): data[EVERY] for key in keys} if EVERY in data else {}
            spread |= {key: each for key, each in data.items() if key != EVERY}
            return {key: _filled(item, each, keys, {**words, "<key>": key}) for key, each in spread.items()}
        case Many(item=item) if isinstance(data, list):
            return [_filled(item, each, keys, words) for each in data]
        case Text() | OneKey() if isinstance(data, str):
            return _replaced(data, words)
        case _:
            return data


def _replaced(text: str, words: Mapping[str, str]) -> str:
    for placeholder, word in words.items():
        text = text.replace(placeholder, word)
    return text


def _check_fit(reply: Located, forms: Collection[type[Reply]]) -> None:
    """Raise InputError for the first mismatch with the form that the reply resembles most."""
    data = reply.plain()
    problems: dict[type[Reply], InputError] = {}
    for form in sorted(forms, key=lambda form: len(_names(form) ^ set(data))):  # the likeliest first
        # Which keys an ask has is drawn when it is asked; here they are those that the script names, `"*"` included.
        ask = Ask(AskId("0.0"), Seat("any"), "any", form, tuple(dict.fromkeys(_keys_named(shape_of(form), data))))
        try:
            parse_reply(ask, filled_in(ask, data, 1))
            return
        except Malformed as malformed:
            problems[form] = malformed.problems[0]
    closest = min(problems, key=lambda form: _distance(form, data))
    problem = problems[closest]
    path = tuple(int(p) if p.isdigit() else p for p in re.split(r"[.\[\]]+", (problem.key or "").strip("]")))
    raise InputError(
        f"{problem.what} (read as {closest.__name__})",
        file=reply.file,
        line=reply.line_of(path),
        key=f"{reply.key}.{problem.key}",
        expected=problem.expected,
        nearest=problem.nearest,
    )


def _distance(form: type[Reply], data: Mapping[str, Any]) -> tuple[int, int]:
    """Sort key for how far a reply is from a form: unknown fields first, then all differing fields."""
    names = _names(form)
    return sum(nearest(name, names) is None for name in data), len(names ^ set(data))


def _names(form: type[Reply]) -> set[str]:
    return {each.name for each in shape_of(form).fields if each.mark is None}


def _keys_named(shape: Shape, data: Any) -> Iterator[Key]:
    match shape:
        case Group(fields=fields) if isinstance(data, Mapping):
            for each in fields:
                yield from _keys_named(each.shape, data.get(each.name))
        case PerKey(item=item) if isinstance(data, Mapping):
            for key, each in data.items():
                yield Key(key)
                yield from _keys_named(item, each)
        case Many(item=item) if isinstance(data, list):
            for each in data:
                yield from _keys_named(item, each)
        case OneKey() if isinstance(data, str):
            yield Key(data)
        case _:
            return


def script_schema() -> dict[str, Any]:
    """Return a JSON Schema of script files, for editors. Replies are open: they depend on the protocol's forms."""
    whole = {"type": "integer", "minimum": 0, "maximum": MOST_TOKENS}
    delay = {"type": "number", "minimum": 0, "maximum": LONGEST_DELAY, "description": "seconds before the reply"}
    reply = {"type": ["object", "string"], "description": "the fields of the form, or a text as a model would write it"}
    long_form = {
        "type": "object",
        "properties": {
            "reply": reply,
            "absent": {"enum": list(REASONS), "description": "no reply, and why"},
            "say": {"type": "string", "description": "streams to the live view and is not kept"},
            "delay": delay,
            "tokens": {"type": "object", "properties": {"in": whole, "out": whole}, "additionalProperties": False},
            "cost": {"type": "number", "minimum": 0, "description": "US dollars"},
            "repeat": {"type": "boolean", "description": "this time and every later one; for the last of a list"},
        },
        "additionalProperties": False,
        "oneOf": [{"required": ["reply"]}, {"required": ["absent"]}],
    }
    fields = {"type": "object", "not": {"anyOf": [{"required": ["reply"]}, {"required": ["absent"]}]}}
    turn = {"anyOf": [long_form, fields, {"type": "string"}]}
    briefs = {"anyOf": [turn, {"type": "array", "minItems": 1, "items": turn}]}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A script: replies by seat, brief and occurrence",
        "type": "object",
        "properties": {
            "seats": {"type": "object", "additionalProperties": {"type": "object", "additionalProperties": briefs}},
            "delay": delay,
            "price": PRICE_SCHEMA,
        },
        "required": ["seats"],
        "additionalProperties": False,
    }
