"""A small JSON Schema validator: the subset that `bundle.schema.json` uses.

It is here so that a bundle can be checked wherever Quorate runs; the tests hold it against a full validator. Data is
hostile until `plain_problems` has found it plain: texts, whole numbers, true, false, null, lists and mappings, not too
deep and not too many.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

MOST_DEPTH = 60
MOST_VALUES = 2_000_000
LARGEST = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem in a bundle: where, what, and what was expected."""

    place: str
    """A JSON pointer, such as `/entries/3/body/reply/text`; empty for the whole document."""
    what: str
    expected: str

    def __str__(self) -> str:
        return f"{self.place or '/'}: {self.what}; expected {self.expected}"


_TYPES: Mapping[str, tuple[type[Any], ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "boolean": (bool,),
    "null": (type(None),),
}
_PLAIN = {kind for kinds in _TYPES.values() for kind in kinds}
_WORDS = {
    "object": "a mapping",
    "array": "a list",
    "string": "a text",
    "integer": "a whole number",
    "boolean": "true or false",
    "null": "null",
}


def child(place: str, key: str | int) -> str:
    """Return the JSON pointer to a value inside the one at `place`."""
    return f"{place}/{str(key).replace('~', '~0').replace('/', '~1')}"


def shown(value: Any) -> str:
    """Format a value for a message, shortened if it is long."""
    try:
        text = repr(value) if not isinstance(value, dict | list) else f"{_word(value)} with {len(value)} entries"
    except ValueError:  # whole numbers with more digits than Python writes
        text = "an enormous number"
    return text if len(text) <= 80 else f"{text[:60]}… ({len(text)} characters)"


def _word(value: Any) -> str:
    return next((_WORDS[name] for name, types in _TYPES.items() if type(value) in types), type(value).__name__)


def plain_problems(data: Any) -> list[Problem]:
    """Return at most one problem: the first value that is not plain data, or too much data."""
    walk: list[Iterator[tuple[str | int, Any]]] = [iter([("", data)])]
    path: list[str | int] = []
    for _ in range(MOST_VALUES):
        while walk and (step := next(walk[-1], None)) is None:
            walk.pop()
        if not walk or step is None:
            return []
        path[len(walk) - 1 :] = [step[0]]
        if said := _not_plain(step[1], len(path)):
            return [Problem(_pointer(path), *said)]
        if isinstance(step[1], dict):
            walk.append(iter(step[1].items()))
        elif isinstance(step[1], list):
            walk.append(iter(enumerate(step[1])))
    return [Problem("", f"there are more than {MOST_VALUES} values", "fewer; no session has as many")]


def _pointer(path: list[str | int]) -> str:
    place = ""
    for key in path[1:]:
        place = child(place, key)
    return place


def _not_plain(value: Any, depth: int) -> tuple[str, str] | None:
    """Return what is wrong with one value, and what was expected."""
    kind = type(value)
    if depth > MOST_DEPTH:
        return "it is nested too deeply", f"at most {MOST_DEPTH} levels"
    if kind is dict and (odd := [key for key in value if type(key) is not str]):
        return f"the key {shown(odd[0])} is not a text", "texts as keys"
    if kind is int and abs(value) > LARGEST:
        return "the number is enormous", f"at most {LARGEST}"
    if kind is str and not _is_text(value):
        return "it holds half a character", "a text that UTF-8 can write"
    if kind not in _PLAIN:
        return f"it is {shown(value)}", "a text, a whole number, true, false, null, a list or a mapping"
    return None


def _is_text(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def mismatches(schema: Mapping[str, Any], data: Any) -> Iterator[Problem]:
    """Yield every place where the data does not fit the schema."""
    return _compare(schema, data, "", schema["$defs"])


def _compare(schema: Mapping[str, Any], data: Any, place: str, defs: Mapping[str, Any]) -> Iterator[Problem]:
    if "$ref" in schema:
        yield from _compare(defs[schema["$ref"].rpartition("/")[2]], data, place, defs)
    names = [schema["type"]] if isinstance(schema.get("type"), str) else schema.get("type", list(_TYPES))
    if not any(type(data) in _TYPES[name] for name in names):
        yield Problem(place, f"it is {shown(data)}", " or ".join(_WORDS[name] for name in names))
        return
    if "const" in schema and data != schema["const"]:
        yield Problem(place, f"it is {shown(data)}", repr(schema["const"]))
    if "enum" in schema and data not in schema["enum"]:
        yield Problem(place, f"it is {shown(data)}", "one of " + ", ".join(map(repr, schema["enum"])))
    match data:
        case dict():
            yield from _compare_mapping(schema, data, place, defs)
        case list():
            yield from _compare_list(schema, data, place, defs)
        case str():
            yield from _compare_text(schema, data, place)
        case int():
            yield from _compare_number(schema, data, place)
    yield from _compare_alternatives(schema, data, place, defs)


def _compare_list(schema: Mapping[str, Any], data: list[Any], place: str, defs: Mapping[str, Any]) -> Iterator[Problem]:
    if len(data) < schema.get("minItems", 0):
        yield Problem(place, f"it has {len(data)} entries", f"at least {schema['minItems']}")
    for index, inner in enumerate(data):
        yield from _compare(schema.get("items", {}), inner, child(place, index), defs)


def _compare_mapping(
    schema: Mapping[str, Any], data: dict[str, Any], place: str, defs: Mapping[str, Any]
) -> Iterator[Problem]:
    known, others = schema.get("properties", {}), schema.get("additionalProperties", True)
    for key in schema.get("required", ()):
        if key not in data:
            yield Problem(place, f"{key!r} is missing", f"it has {', '.join(schema['required'])}")
    for key, inner in data.items():
        if key in known:
            yield from _compare(known[key], inner, child(place, key), defs)
        elif others is False:
            yield Problem(child(place, key), "the key is unknown", "one of " + ", ".join(known))
        elif others is not True:
            yield from _compare(others, inner, child(place, key), defs)


def _compare_text(schema: Mapping[str, Any], data: str, place: str) -> Iterator[Problem]:
    if len(data) < schema.get("minLength", 0):
        yield Problem(place, "it is empty", f"at least {schema['minLength']} character")
    # JSON Schema's `$` is the end of the text, which Python writes \Z.
    if "pattern" in schema and re.search(schema["pattern"].replace("$", r"\Z"), data) is None:
        yield Problem(place, f"it is {shown(data)}", f"a text that fits {schema['pattern']}")


def _compare_number(schema: Mapping[str, Any], data: int, place: str) -> Iterator[Problem]:
    if "minimum" in schema and data < schema["minimum"]:
        yield Problem(place, f"it is {data}", f"at least {schema['minimum']}")
    if "maximum" in schema and data > schema["maximum"]:
        yield Problem(place, f"it is {data}", f"at most {schema['maximum']}")


def _compare_alternatives(
    schema: Mapping[str, Any], data: Any, place: str, defs: Mapping[str, Any]
) -> Iterator[Problem]:
    """If no alternative fits, yield the problems of the closest one."""
    for word in ("anyOf", "oneOf"):
        if word not in schema:
            continue
        results = [list(_compare(each, data, place, defs)) for each in schema[word]]
        fitting = sum(not problems for problems in results)
        if not fitting:
            yield from min(results, key=len)
        elif word == "oneOf" and fitting > 1:
            yield Problem(place, f"it is {fitting} of {len(results)} kinds at once", "exactly one of them")


def paths(left: Any, right: Any, path: str = "") -> Iterator[str]:
    """Yield the JSON pointers, from here, at which two plain values differ."""
    if type(left) is dict and type(right) is dict:
        for key in {**left, **right}:
            if key in left and key in right:
                yield from paths(left[key], right[key], child(path, key))
            else:
                yield child(path, key)
    elif type(left) is list and type(right) is list:
        for index, (one, other) in enumerate(zip(left, right, strict=False)):
            yield from paths(one, other, child(path, index))
        if len(left) != len(right):
            yield child(path, min(len(left), len(right)))
    elif type(left) is not type(right) or left != right:
        yield path


def at(data: Any, path: str) -> Any:
    """Return the value at a JSON pointer, or a text that says there is none."""
    for part in path.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(data, dict) and key in data:
            data = data[key]
        elif isinstance(data, list) and int(key) < len(data):
            data = data[int(key)]
        else:
            return "nothing"
    return data
