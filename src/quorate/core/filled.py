"""Filled-in forms: seal their prose, compute their marks, and see which keys they name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any, TypeVar, cast

from quorate.core.forms import SEALED, Group, Key, Keyed, Many, OneKey, PerKey, Shape, Text, shape_of

R = TypeVar("R")


def seal(reply: R) -> R:
    """Return the reply with every prose sealed: what a decision gets to see."""
    return cast("R", _sealed(shape_of(type(reply)), reply))


@cache
def _holds_prose(shape: Shape) -> bool:
    match shape:
        case Text():
            return True
        case Many(item=item) | PerKey(item=item):
            return _holds_prose(item)
        case Group(fields=inner):
            return any(_holds_prose(each.shape) for each in inner)
        case _:
            return False


def _sealed(shape: Shape, value: Any) -> Any:
    if not _holds_prose(shape):
        return value
    match shape:
        case Text():
            return SEALED
        case Many(item=item):
            return tuple(_sealed(item, each) for each in value) if value else value
        case PerKey(item=item):
            return Keyed({key: _sealed(item, each) for key, each in value.items()})
        case Group(fields=inner):
            changes = {}
            for f in inner:
                before = getattr(value, f.name)
                after = _sealed(f.shape, before)
                if after is not before:
                    changes[f.name] = after
            return replace(value, **changes) if changes else value
        case _:
            return value


def with_marks(value: R, material: str = "") -> R:
    """Return the form or group with every mark computed, the inner ones first; quotations are from `material`."""
    return cast("R", _marked(shape_of(type(value)), value, material))


def _marked(shape: Shape, value: Any, material: str) -> Any:
    match shape:
        case Many(item=item):
            return tuple(_marked(item, each, material) for each in value)
        case PerKey(item=item):
            return Keyed({key: _marked(item, each, material) for key, each in value.items()})
        case Group(fields=inner):
            plain = {f.name: _marked(f.shape, getattr(value, f.name), material) for f in inner if f.mark is None}
            value = replace(value, **plain)
            return replace(value, **{f.name: f.mark(value, material) for f in inner if f.mark is not None})
        case _:
            return value


def quotes_material(form: type[Any]) -> bool:
    """Whether a mark of this form looks into the material."""
    return _quotes(shape_of(form))


def _quotes(shape: Shape) -> bool:
    match shape:
        case Many(item=item) | PerKey(item=item):
            return _quotes(item)
        case Group(fields=inner):
            return any(each.in_material or _quotes(each.shape) for each in inner)
        case _:
            return False


def keys_in(value: Any) -> tuple[Key, ...]:
    """Return every key that a reply names, in order, repeats included."""
    return tuple(_keys(shape_of(type(value)), value))


def _keys(shape: Shape, value: Any) -> Iterator[Key]:
    match shape:
        case OneKey():
            yield value
        case Many(item=item):
            for each in value:
                yield from _keys(item, each)
        case PerKey(item=item):
            for key, each in value.items():
                yield key
                yield from _keys(item, each)
        case Group(fields=inner):
            for f in inner:
                yield from _keys(f.shape, getattr(value, f.name))
        case _:
            return


def repeated_key(value: Any) -> Key | None:
    """Return a key that a reply answers for twice: in a list of keys, or in a list of groups with one key each."""
    return next(_repeats(shape_of(type(value)), value), None)


def _repeats(shape: Shape, value: Any) -> Iterator[Key]:
    match shape:
        case Many(item=item):
            own = [keys for each in value if len(keys := tuple(_own_keys(item, each))) == 1]
            yield from (keys[0] for index, keys in enumerate(own) if keys in own[:index])
            for each in value:
                yield from _repeats(item, each)
        case PerKey(item=item):
            for each in value.values():
                yield from _repeats(item, each)
        case Group(fields=inner):
            for f in inner:
                yield from _repeats(f.shape, getattr(value, f.name))
        case _:
            return


def _own_keys(shape: Shape, value: Any) -> Iterator[Key]:
    if isinstance(shape, OneKey):
        yield value
    elif isinstance(shape, Group):
        own = (f for f in shape.fields if isinstance(f.shape, OneKey) and not f.shape.again)
        yield from (getattr(value, f.name) for f in own)
