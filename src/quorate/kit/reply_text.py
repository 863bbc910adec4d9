"""Replies as text and as plain data, for any form; used by views, results and documents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from quorate.core.forms import Reply
from quorate.core.shapes import Choice, Group, Many, PerKey, Shape, Text, shape_of
from quorate.core.types import Absent


def worded(reply: Reply | Absent) -> str:
    """Return a reply as text, one field per line; an absence as its reason."""
    if isinstance(reply, Absent):
        return f"nothing: {reply.reason.value}"
    return "\n".join(lines_of(filled_in(reply)))


def lines_of(data: Mapping[str, Any]) -> list[str]:
    """Return plain data as a Markdown list, one field per line."""
    return [f"- {name}: {_words(value)}" for name, value in data.items()]


def _words(value: Any) -> str:
    if isinstance(value, Mapping):
        return "; ".join(f"{name} {_words(each)}" for name, each in value.items()) or "nothing"
    if isinstance(value, list):
        return "; ".join(map(_words, value)) or "nothing"
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def filled_in(reply: Any) -> dict[str, Any]:
    """Return the fields that a participant filled in, as plain data, without marks."""
    found: dict[str, Any] = _data(shape_of(type(reply)), reply)
    return found


def _data(shape: Shape, value: Any) -> Any:
    match shape:
        case Text():
            return value.text
        case Choice():
            return value.value
        case Many(item):
            return [_data(item, each) for each in value]
        case PerKey(item):
            return {str(key): _data(item, each) for key, each in value.items()}
        case Group(_, fields):
            return {each.name: _data(each.shape, getattr(value, each.name)) for each in fields if each.mark is None}
        case _:
            return str(value) if isinstance(value, str) else value
