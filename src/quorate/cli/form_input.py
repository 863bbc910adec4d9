"""Build a reply's data from the command line: `--set q1=…`, `--set confidence=80`, or a file.

Values are placed by the form's shape: an item's key goes to the field that is filled in by key, a dotted path descends,
a repeated option appends to a list, and a group with a single field needs no field name.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from quorate.core.shapes import FormField, Group, Shape
    from quorate.core.types import Ask

FLAGS = {"true": True, "yes": True, "y": True, "false": False, "no": False, "n": False}


def from_sets(ask: Ask, sets: Sequence[str]) -> dict[str, Any]:
    """Build the reply's data from `key=text` options. Raises SettingError for a key the form does not have."""
    from quorate.core.errors import SettingError
    from quorate.core.shapes import shape_of

    data: dict[str, Any] = {}
    for each in sets:
        key, equals, text = each.partition("=")
        if not equals or not key.strip():
            expected = f'key=text, such as {example_keys(ask)[0]}="…"'
            raise SettingError(f"--set {each!r} has no value", expected=expected)
        path = key.strip().split(".")
        field = keyed_field(shape_of(ask.form))
        if field is not None and path[0] in ask.keys:
            path = [field.name, *path]
        _put(_Place(ask, key), shape_of(ask.form), data, path, text)
    return data


def from_data(ask: Ask, data: Any) -> Any:
    """Build the reply's data from a file's: either the whole form, or only its keyed field (`q1: …`)."""
    from quorate.core.shapes import PerKey, shape_of

    if not isinstance(data, dict):
        return data
    field = keyed_field(shape_of(ask.form))
    if field is None or not data or not set(data) <= {str(key) for key in ask.keys}:
        return data
    assert isinstance(field.shape, PerKey)
    inner = only_field(field.shape.item)
    spread = {k: {inner.name: v} if inner is not None and not isinstance(v, dict) else v for k, v in data.items()}
    return {field.name: spread}


def example_keys(ask: Ask) -> list[str]:
    """Return the keys that `--set` accepts for this ask: its item keys, and the form's other fields."""
    from quorate.core.shapes import Group, PerKey, shape_of

    shape = shape_of(ask.form)
    keyed, found = keyed_field(shape), list[str]()
    for field in asked_fields(shape):
        if field is not keyed or not ask.keys:
            found.append(field.name)
            continue
        assert isinstance(field.shape, PerKey)
        item = field.shape.item
        inner = asked_fields(item) if isinstance(item, Group) and only_field(item) is None else []
        for key in ask.keys:
            found += [f"{key}.{each.name}" for each in inner] or [str(key)]
    return found


def asked_fields(shape: Group) -> list[FormField]:
    """Return the fields to fill in: all except marks."""
    return [field for field in shape.fields if field.mark is None]


def keyed_field(shape: Group) -> FormField | None:
    """Return the form's field that is filled in by key, if it has exactly one."""
    from quorate.core.shapes import PerKey

    found = [field for field in asked_fields(shape) if isinstance(field.shape, PerKey)]
    return found[0] if len(found) == 1 else None


def only_field(shape: Shape) -> FormField | None:
    """Return the field of a group that has only one, else None."""
    from quorate.core.shapes import Group

    fields = asked_fields(shape) if isinstance(shape, Group) else []
    return fields[0] if len(fields) == 1 else None


class _Place:
    """The place of a value in the form, for error messages."""

    def __init__(self, ask: Ask, key: str) -> None:
        self.ask, self.key = ask, key

    def error(self, what: str, names: Sequence[str], near: str = "") -> Exception:
        from quorate.core.errors import SettingError, nearest

        return SettingError(
            what,
            key=f"--set {self.key}",
            expected="one of " + ", ".join(names) if names else None,
            nearest=nearest(near, names) if near else None,
        )


def _put(place: _Place, shape: Shape, into: Any, path: list[str], text: str) -> None:
    """Store the text at `path` in the data of a group, keyed field or list."""
    from quorate.core.shapes import Group, Many, PerKey

    match shape:
        case Many() if not text and not path and not into:
            return  # `--set tradeoffs=` says that the list is empty
        case Many(item=item):
            index = int(path.pop(0)) if path and path[0].isdigit() else len(into)
            if index > len(into):
                raise place.error(f"is entry {index}, but the next entry is {len(into)}", [])
            if index == len(into):
                into.append(_empty(item))
            into[index] = _value(place, item, into[index], path, text)
        case PerKey(item=item):
            keys = [str(key) for key in place.ask.keys]
            if not path or path[0] not in keys:
                raise place.error("is not an item of this ask", keys, path[0] if path else "")
            name = path.pop(0)
            into[name] = _value(place, item, into.get(name, _empty(item)), path, text)
        case Group():
            fields = {field.name: field.shape for field in asked_fields(shape)}
            name = path.pop(0).replace("-", "_") if path else next(iter(fields))
            if name not in fields:
                raise place.error("is not a field of this form", [*fields], name)
            into[name] = _value(place, fields[name], into.get(name, _empty(fields[name])), path, text)


def _value(place: _Place, shape: Shape, now: Any, path: list[str], text: str) -> Any:
    from quorate.cli.choices import same_word
    from quorate.core.shapes import Choice, Flag, Group, Many, Number, PerKey

    if isinstance(shape, Group | PerKey | Many):
        if isinstance(shape, Group) and not path and only_field(shape) is None:
            raise place.error("has several fields", [f"{place.key}.{field.name}" for field in asked_fields(shape)])
        _put(place, shape, now, path, text)
        return now
    if path:
        raise place.error(f"has no parts, so {path[0]!r} cannot be set", [])
    match shape:
        case Flag():
            return FLAGS.get(text.strip().lower(), text)
        case Number():
            return int(text) if text.strip().lstrip("-").isdecimal() else text
        case Choice(enum=enum):
            values = {str(member.value): member.value for member in enum}
            return values.get(text.strip(), values.get(same_word(text, values) or "", text))
        case _:
            return text


def _empty(shape: Shape) -> Any:
    from quorate.core.shapes import Group, Many, PerKey

    if isinstance(shape, Group | PerKey):
        return {}
    return [] if isinstance(shape, Many) else None
