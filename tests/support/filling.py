"""Filling in forms: a valid reply to any ask, from a few plain values."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any, cast

from quorate.core.form_values import with_marks
from quorate.core.forms import Key, Keyed, Prose, Reply
from quorate.core.shapes import Choice, Flag, Group, Many, Number, OneKey, PerKey, Shape, Text, shape_of
from quorate.core.types import Ask

_UNSAID: Any = object()


def fill(ask: Ask, values: Mapping[str, Any] | None = None, /, **more: Any) -> Reply:
    """Return a reply that the ask allows: the values given, and for all others something plain; marks computed.

    A text stands for a group whose first field is prose, so that `questions=["How many?"]` is enough.
    """
    reply = _fill(shape_of(ask.form), {**(values or {}), **more}, ask, ask.form.__name__)
    return cast("Reply", with_marks(reply))


def _fill(shape: Shape, value: Any, ask: Ask, place: str) -> Any:
    unsaid = value is _UNSAID
    match shape:
        case Text():
            return Prose(f"{ask.seat}: {place} in {ask.id}" if unsaid else str(value))
        case Flag():
            return False if unsaid else bool(value)
        case Choice(enum):
            return next(iter(enum)) if unsaid else value if isinstance(value, Enum) else enum(value)
        case Number(low, high):
            return (low + high) // 2 if unsaid else int(value)
        case OneKey():
            return ask.keys[0] if unsaid else Key(value)
        case Many(item):
            return () if unsaid else tuple(_fill(item, each, ask, place) for each in value)
        case PerKey(item):
            given = dict.fromkeys(ask.keys, _UNSAID) if unsaid else value
            return Keyed({Key(key): _fill(item, each, ask, f"{place} {key}") for key, each in given.items()})
        case Group(type=made, fields=inner):
            wanted = {each.name: each for each in inner if each.mark is None}
            given = {} if unsaid else {next(iter(wanted)): value} if isinstance(value, str) else dict(value)
            if strange := set(given) - set(wanted):
                raise KeyError(f"{made.__name__} has no field {sorted(strange)}")
            return made(**{name: _fill(f.shape, given.get(name, _UNSAID), ask, name) for name, f in wanted.items()})
