"""Describe a form in a prompt. Descriptions are cached for asks with the same form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from quorate.codec import form_schema, shape_schema
from quorate.core.errors import DefinitionError
from quorate.core.forms import Key
from quorate.core.shapes import Shape

KNOWN = 512
"""Forms with their keys that are remembered."""


@lru_cache(maxsize=KNOWN)
def schema_of(form: Any, keys: tuple[Key, ...]) -> Mapping[str, Any]:
    """Return a form's JSON Schema. It is shared: copy it before changing it."""
    return form_schema(form, keys)


@lru_cache(maxsize=KNOWN)
def short_form(form: Any, keys: tuple[Key, ...], room: int | None = None, length: int | None = None) -> str:
    """Return a short description of a form's fields, for a small model."""
    told = _names(_limited(form, keys, length), room)
    return "\n".join(["Answer with JSON, with short plain sentences in each text:", *told, *_whole(form, keys, room)])


def _names(schema: Mapping[str, Any], room: int | None) -> Iterator[str]:
    """Yield each field once with its purpose and limit; the schema fixes the rest, so no more words are needed."""
    seen: set[str] = set()
    for name, inner in _all_fields(schema):
        if "description" in inner and name not in seen:
            seen.add(name)
            limit = f" ({_shape(inner, (), room)})" if "maxLength" in {**inner, **inner.get("items", {})} else ""
            yield f"- {name}: {inner['description']}{limit}"


def _all_fields(schema: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for name, inner in schema.get("properties", {}).items():
        yield name, inner
        yield from _all_fields(inner.get("items", inner))


_KEYS = "the keys"


@lru_cache(maxsize=KNOWN)
def form_in_words(form: Any, keys: tuple[Key, ...] = (), room: int | None = None, length: int | None = None) -> str:
    """Return the description of a form, field by field.

    `room` is how many characters a whole reply may have, and `length` how many all its texts may have together. Keys
    come last because they change from round to round; everything before them can be cached by the provider.
    """
    lines = [*_fields(_limited(form, keys, length), keys, room, ""), *_whole(form, keys, room)]
    if keys and any(_KEYS in line for line in lines):
        lines.append(f"{_KEYS[0].upper()}{_KEYS[1:]}: {', '.join(_quoted(key) for key in keys)}.")
    return "\n".join(["Answer with one JSON object that has these fields, in this order:", *lines])


def _limited(form: Any, keys: tuple[Key, ...], length: int | None) -> Mapping[str, Any]:
    schema = schema_of(form, keys)
    if length is None:
        return schema
    from quorate.participants.brevity import narrowed  # it divides room by the sheet, which is told in these words

    return narrowed(schema, form, keys, length)


def _whole(form: Any, keys: tuple[Key, ...], room: int | None) -> Iterator[str]:
    """Yield how long a whole reply may be, where the limits of its texts allow more."""
    if room is not None and _characters(schema_of(form, keys), room) > room:
        yield f"The whole answer has at most {room} characters."


def _characters(schema: Mapping[str, Any], most: int) -> int:
    """Return how many characters all texts of a reply may have together, where none has more than `most`."""
    found: int = min(schema.get("maxLength", 0), most)
    found += sum(_characters(each, most) for each in schema.get("properties", {}).values())
    return found + schema["maxItems"] * _characters(schema["items"], most) if "items" in schema else found


def _fields(schema: Mapping[str, Any], keys: tuple[str, ...], most: int | None, indent: str) -> Iterator[str]:
    for name, inner in schema["properties"].items():
        shape = _shape(inner, keys, most)
        yield f"{indent}- {name}: " + (f"{inner['description']} ({shape})" if "description" in inner else shape)
        yield from _inner(inner, keys, most, indent + "  ")


def _inner(schema: Mapping[str, Any], keys: tuple[str, ...], most: int | None, indent: str) -> Iterator[str]:
    if schema.get("type") == "array":
        yield from _inner(schema["items"], keys, most, indent)
    elif schema.get("type") == "object" and _is_keyed(schema, keys):
        yield from _inner(next(iter(schema["properties"].values())), keys, most, indent)
    elif schema.get("type") == "object":
        yield from _fields(schema, keys, most, indent)


def shape_in_words(shape: Shape, keys: tuple[Key, ...]) -> str:
    """Return what may be filled in for a part of a form."""
    return _shape(shape_schema(shape, keys), keys, None)


def _shape(schema: Mapping[str, Any], keys: tuple[str, ...], most: int | None) -> str:
    if "enum" in schema:
        named = _KEYS if keys and list(schema["enum"]) == [str(key) for key in keys] else ""
        return f"one of {named or ', '.join(_quoted(value) for value in schema['enum'])}"
    match schema["type"]:
        case "string":
            limits = [limit for limit in (schema.get("maxLength"), most) if limit is not None]
            return f"text of at most {min(limits)} characters" if limits else "text"
        case "boolean":
            return "true or false"
        case "integer":
            return f"a whole number from {schema['minimum']} to {schema['maximum']}"
        case "array" if not schema["maxItems"]:
            return "an empty list"
        case "array":
            return f"a list of at most {schema['maxItems']}, each {_shape(schema['items'], keys, most)}"
        case "object" if _is_keyed(schema, keys):
            each = _shape(next(iter(schema["properties"].values())), keys, most)
            return f"an object with an entry for each of {_KEYS}, each {each}"
        case "object":
            return "an object with these fields" if schema["properties"] else "an empty object"
        case other:
            raise DefinitionError(f"a form's schema has a field of the type {other!r}, which no prompt can describe")


def _is_keyed(schema: Mapping[str, Any], keys: tuple[str, ...]) -> bool:
    return bool(keys) and tuple(schema["properties"]) == tuple(str(key) for key in keys)


def _quoted(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)
