"""JSON Schema of a form: what a participant has to fill in, flat and strict."""

from __future__ import annotations

from typing import Any, assert_never

from quorate.core.forms import Key, Reply
from quorate.core.shapes import Choice, Flag, Group, Many, Number, OneKey, PerKey, Shape, Text, shape_of


def form_schema(form: type[Reply], keys: tuple[Key, ...]) -> dict[str, Any]:
    """Return the form's schema for an ask with these keys: without marks, fields in order, everything required.

    It has no references and no optional properties, so grammars and strict modes accept it as it is. `Keyed` requires
    every key once.
    """
    return shape_schema(shape_of(form), keys)


def shape_schema(shape: Shape, keys: tuple[Key, ...]) -> dict[str, Any]:
    """Return the schema of a part of a form, as `form_schema` has it."""
    match shape:
        case Text(most):
            return {"type": "string", "maxLength": most}
        case Flag():
            return {"type": "boolean"}
        case Choice(enum):
            values = [member.value for member in enum]
            return _common_type(values) | {"enum": values}
        case Number(low, high):
            return {"type": "integer", "minimum": low, "maximum": high}
        case OneKey():
            # An empty enum is no valid schema; `parse_reply` refuses every key where the ask has none.
            return {"type": "string"} | ({"enum": [str(key) for key in keys]} if keys else {})
        case Many(item, most):
            # Where the ask has no keys, a list whose entries would have to name one is empty.
            return {
                "type": "array",
                "items": shape_schema(item, keys),
                "maxItems": most if keys or not _names(item) else 0,
            }
        case PerKey(item):
            return _object({str(key): shape_schema(item, keys) for key in keys})
        case Group(fields=fields):
            asked = [each for each in fields if each.mark is None]
            return _object({each.name: _described(shape_schema(each.shape, keys), each.says) for each in asked})
    assert_never(shape)


def _names(item: Shape) -> bool:
    """Whether the entries of a list have to name a key."""
    return isinstance(item, OneKey) or (isinstance(item, Group) and any(_names(each.shape) for each in item.fields))


def _common_type(values: list[Any]) -> dict[str, str]:
    """Return the type of an enum's values, which strict modes require."""
    if all(isinstance(value, str) for value in values):
        return {"type": "string"}
    if all(isinstance(value, int) and not isinstance(value, bool) for value in values):
        return {"type": "integer"}
    return {}


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _described(schema: dict[str, Any], says: str) -> dict[str, Any]:
    return schema | {"description": says} if says else schema
