"""Encode replies for the journal: plain data by field name, marks included.

One encoder and one decoder are built per form, as closures over its shape, because a journal is read far more often
than forms are declared. Both validate, so nothing invalid is written or accepted.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any, TypeVar, assert_never, cast

from quorate.core.errors import StoreError
from quorate.core.forms import Key, Keyed, Prose, Reply
from quorate.core.shapes import Choice, Flag, Group, Many, Number, OneKey, PerKey, Shape, Text, shape_of

R = TypeVar("R", bound=Reply)
Turn = Callable[[Any], Any]
"""From a value to plain data, or back; raises ValueError, TypeError, KeyError or AttributeError where it is neither."""


def reply_to_data(reply: Reply) -> dict[str, Any]:
    """Return the reply as plain data; raise if marks are missing or values are out of bounds."""
    form = type(reply)
    try:
        return cast("dict[str, Any]", _encoder(form)(reply))
    except (ValueError, TypeError, AttributeError) as error:
        raise StoreError(f"this {form.__name__} cannot be stored: {error}") from error


def reply_from_data(form: type[R], data: Any) -> R:
    """Return the reply that `reply_to_data` encoded; StoreError if the data does not fit the form."""
    try:
        return cast("R", _decoder(form)(data))
    except KeyError as error:
        raise StoreError(f"has no valid {form.__name__}: {error} is unknown or missing") from error
    except (ValueError, TypeError, AttributeError) as error:
        raise StoreError(f"has no valid {form.__name__}: {error}") from error


_ENCODERS: dict[type[Any], Turn] = {}
_DECODERS: dict[type[Any], Turn] = {}


def _encoder(form: type[Any]) -> Turn:
    if form not in _ENCODERS:
        _ENCODERS[form] = _encode(shape_of(form))
    return _ENCODERS[form]


def _decoder(form: type[Any]) -> Turn:
    if form not in _DECODERS:
        _DECODERS[form] = _decode(shape_of(form))
    return _DECODERS[form]


def _exactly(kind: type[Any]) -> Turn:
    def check(value: Any) -> Any:
        if type(value) is not kind:
            raise ValueError(f"{value!r} is not a {kind.__name__}")
        return value

    return check


def _bounded(low: int, high: int) -> Turn:
    def check(value: Any) -> Any:
        if type(value) is not int or not low <= value <= high:
            raise ValueError(f"{value!r} is not a whole number from {low} to {high}")
        return value

    return check


def _encode(shape: Shape) -> Turn:
    match shape:
        case Text():
            return _prose_text
        case Flag():
            return _exactly(bool)
        case Choice():
            return _member_value
        case Number(low, high):
            return _bounded(low, high)
        case OneKey():
            return _key_text
        case Many(item):
            one = _encode(item)
            return lambda value: [one(each) for each in value]
        case PerKey(item):
            one = _encode(item)
            return lambda value: {str(key): one(each) for key, each in value.items()}
        case Group(fields=fields):
            parts = [(each.name, _encode(each.shape)) for each in fields]
            return lambda value: {name: turn(getattr(value, name)) for name, turn in parts}
    assert_never(shape)


def _prose_text(prose: Prose) -> str:
    return prose.text


def _key_text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{value!r} is not a key")
    return str(value)


def _member_value(member: Enum) -> Any:
    return member.value


def _decode(shape: Shape) -> Turn:
    match shape:
        case Text():
            return _prose
        case Flag():
            return _exactly(bool)
        case Choice(enum):
            return {member.value: member for member in enum}.__getitem__
        case Number(low, high):
            return _bounded(low, high)
        case OneKey():
            return _key
        case Many(item):
            return _decode_many(_decode(item))
        case PerKey(item):
            one = _decode(item)
            return lambda data: Keyed({Key(key): one(each) for key, each in data.items()})
        case Group():
            return _decode_group(shape)
    assert_never(shape)


def _prose(value: Any) -> Prose:
    if type(value) is not str:
        raise ValueError(f"{value!r} is not a text")
    return Prose(value)


def _key(value: Any) -> Key:
    if type(value) is not str:
        raise ValueError(f"{value!r} is not a key")
    return Key(value)


def _decode_many(one: Turn) -> Turn:
    def decode(data: Any) -> tuple[Any, ...]:
        if type(data) is not list:
            raise ValueError(f"{data!r} is not a list")
        return tuple([one(each) for each in data])

    return decode


def _decode_group(shape: Group) -> Turn:
    form, count = shape.type, len(shape.fields)
    parts = [(each.name, _decode(each.shape)) for each in shape.fields]

    def decode(data: Any) -> Any:
        made = {name: turn(data[name]) for name, turn in parts}
        if len(data) != count:
            raise KeyError(*(name for name in data if name not in made))
        return form(**made)

    return decode
