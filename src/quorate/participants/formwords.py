"""Describe a form in a prompt. Descriptions are cached for asks with the same form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from quorate.codec import form_schema
from quorate.core.errors import DefinitionError
from quorate.core.forms import Key

KNOWN = 512
"""Forms with their keys that are remembered."""


@lru_cache(maxsize=KNOWN)
def schema_of(form: Any, keys: tuple[Key, ...]) -> Mapping[str, Any]:
    """Return a form's JSON Schema. It is shared: copy it before changing it."""
    return form_schema(form, keys)


@lru_cache(maxsize=KNOWN)
def short_form(form: Any, keys: tuple[Key, ...]) -> str:
    """Return a short description of a form's fields, for a small model."""
    told = _names(schema_of(form, keys))
    return "\n".join(["Answer with JSON, with short plain sentences in each text:", *told])


def _names(schema: Mapping[str, Any]) -> Iterator[str]:
    """Yield each field once with its purpose; the grammar enforces the form, so no more words are needed."""
    seen: set[str] = set()
    for name, inner in _all_fields(schema):
        if "description" in inner and name not in seen:
            seen.add(name)
            yield f"- {name}: {inner['description']}"


def _all_fields(schema: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for name, inner in schema.get("properties", {}).items():
        yield name, inner
        yield from _all_fields(inner.get("items", inner))


_KEYS = "the keys"


@lru_cache(maxsize=KNOWN)
def form_in_words(form: Any, keys: tuple[Key, ...] = (), most: int | None = None) -> str:
    """Return the description of a form, field by field; `most` is the longest text that fits.

    Keys come last because they change from round to round; everything before them can be cached by the provider.
    """
    lines = list(_fields(schema_of(form, keys), keys, most, ""))
    if keys and any(_KEYS in line for line in lines):
        lines.append(f"{_KEYS[0].upper()}{_KEYS[1:]}: {', '.join(_quoted(key) for key in keys)}.")
    return "\n".join(["Answer with one JSON object that has these fields, in this order:", *lines])


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
