"""Limits of a reply from a provider's model: what the prompt tells is what is checked, and no grammar cuts a text.

A length in a grammar cuts texts in mid-sentence, and many servers do not hold it. So the schema that is sent fixes
fields, vocabularies and the bounds of lists; what fields mean and how long texts may be stands in the prompt, once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from quorate.core.errors import InputError
from quorate.core.forms import Key, Reply
from quorate.core.shapes import Group, Many, PerKey, Shape, Text, shape_of
from quorate.participants.sheet import Sheet, asked

MOST_ENTRIES = 6
"""Entries of a list in a reply of limited length."""


def text_limits(form: type[Reply], keys: tuple[Key, ...], length: int) -> Mapping[str, int]:
    """Return the most characters of each text where all of them together have `length`, by path without numbers."""
    return Sheet(form, keys, length, MOST_ENTRIES).rooms.texts


def narrowed(schema: Mapping[str, Any], form: type[Reply], keys: tuple[Key, ...], length: int) -> dict[str, Any]:
    """Return a form's schema with the limits of a reply whose texts have `length` characters together."""
    return _narrowed(schema, shape_of(form), "", text_limits(form, keys, length))


def _narrowed(schema: Mapping[str, Any], shape: Shape, path: str, limits: Mapping[str, int]) -> dict[str, Any]:
    match shape:
        case Text() if path in limits:
            return {**schema, "maxLength": limits[path]}
        case Many(item):
            most = min(schema["maxItems"], MOST_ENTRIES)
            return {**schema, "maxItems": most, "items": _narrowed(schema["items"], item, path, limits)}
        case PerKey(item):
            entries = {key: _narrowed(each, item, path, limits) for key, each in schema["properties"].items()}
            return {**schema, "properties": entries}
        case Group():
            inner = schema["properties"]
            fields = {
                each.name: _narrowed(inner[each.name], each.shape, _under(path, each.name), limits)
                for each in asked(shape)
            }
            return {**schema, "properties": fields}
        case _:
            return dict(schema)


def excesses(reply: Reply, keys: tuple[Key, ...], length: int) -> list[InputError]:
    """Return what of a reply is longer than it was told to be."""
    return list(_excesses(reply, shape_of(type(reply)), "", "", text_limits(type(reply), keys, length)))


def _excesses(value: Any, shape: Shape, path: str, place: str, limits: Mapping[str, int]) -> Iterator[InputError]:
    match shape:
        case Text(most) if len(value.text) > limits.get(path, most):
            yield InputError(
                f"has {len(value.text):,} characters",
                key=place,
                expected=f"at most {limits[path]:,}, in whole sentences",
            )
        case Many(item):
            if len(value) > MOST_ENTRIES:
                yield InputError(f"has {len(value)} entries", key=place, expected=f"at most {MOST_ENTRIES}")
            for number, each in enumerate(value):
                yield from _excesses(each, item, path, f"{place}[{number}]", limits)
        case PerKey(item):
            for key, each in value.items():
                yield from _excesses(each, item, path, f"{place}.{key}", limits)
        case Group():
            for field in asked(shape):
                inner = getattr(value, field.name)
                yield from _excesses(inner, field.shape, _under(path, field.name), _under(place, field.name), limits)
        case _:
            return


def _under(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
