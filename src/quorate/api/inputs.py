"""Inputs of a session, validated strictly against what its protocol declares.

Every error has the key `inputs.NAME`, what was expected, and the nearest valid name if there is one.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, assert_never

from quorate.api.creation import MOST_MATERIAL
from quorate.api.roots import Roots
from quorate.codec.canonical import clean
from quorate.core.errors import InputError, nearest
from quorate.kit.definition import Definition
from quorate.kit.inputs import Input, Kind
from quorate.kit.settings import describe

MOST_LINE = 1_000
"""Characters of a line, a name or a path."""
MOST_PART = 255
"""Bytes of one part of a path: no file system allows more."""
MOST_NAMES = 1_000
MOST_NUMBER = 2**53
"""Beyond it not every program reads the same number."""
PREFIX = "inputs."
Value = str | bool | int | tuple[str, ...] | Path


def main_input(definition: Definition) -> str | None:
    """Return the name of the main text input: the first required one, else the first optional one."""
    texts = [each for each in definition.brings if each.kind is Kind.TEXT]
    return next((each.name for each in sorted(texts, key=lambda each: not each.required)), None)


def read_inputs(definition: Definition, given: Any, roots: Roots | None = None) -> dict[str, Value]:
    """Return the inputs by name, converted to their kinds; raise InputError for unknown, missing or invalid ones.

    An optional input that is empty counts as missing. With `roots`, paths outside of them are refused.
    """
    if not isinstance(given, Mapping):
        raise InputError(f"is {_told(given)}", key="inputs", expected="a mapping of names to values")
    brings = {each.name: each for each in definition.brings}
    for name in given:
        if name not in brings:
            raise _unknown(definition, name)
    found: dict[str, Value] = {}
    for name, each in brings.items():
        value = given.get(name)
        if not _is_empty(value):
            found[name] = _READERS[each.kind](each, value, roots)
        elif each.required:
            raise InputError("is missing" if value is None else "is empty", key=PREFIX + name, expected=each.says)
    return found


def inputs_schema_of(definition: Definition) -> dict[str, Any]:
    """Return a JSON Schema of a protocol's inputs; `x-kind` tells a form which field to show, `x-sets` what it sets."""
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": {each.name: _schema(each) for each in definition.brings},
        "required": [each.name for each in definition.brings if each.required],
    }


def _unknown(definition: Definition, name: Any) -> InputError:
    names = [each.name for each in definition.brings]
    settings = {setting.key.partition(".")[0] for setting in describe(definition.settings)}
    shown = _told(name) if not isinstance(name, str) or len(name) > 80 else name
    if name in settings:
        return InputError("is a setting, not an input", key=PREFIX + shown, expected="it under `settings`")
    return InputError(
        "unknown input", key=PREFIX + shown, expected="one of " + ", ".join(names), nearest=nearest(shown, names)
    )


def _is_empty(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip()) or (value in ([], ()))


# One reader for each kind


def _text(each: Input, value: Any, _: Roots | None) -> str:
    text = _characters(each, value, "a text")
    if len(text) > MOST_MATERIAL:
        raise _wrong(each, f"has {len(text):,} characters", f"at most {MOST_MATERIAL:,}; split it, or name files")
    return text


def _line(each: Input, value: Any, _: Roots | None = None) -> str:
    text = _characters(each, value, "a text of one line")
    if len(text) > MOST_LINE:
        raise _wrong(each, f"has {len(text):,} characters", f"at most {MOST_LINE:,}")
    if not text.isprintable():
        raise _wrong(each, "has a line break or a control character", "a text of one line")
    return text.strip()


def _choice(each: Input, value: Any, _: Roots | None) -> str:
    if isinstance(value, str) and value in each.choices:
        return value
    near = nearest(value[:MOST_LINE], each.choices) if isinstance(value, str) else None
    raise _wrong(each, f"is {_told(value)}", "one of " + ", ".join(each.choices), near)


def _flag(each: Input, value: Any, _: Roots | None) -> bool:
    if not isinstance(value, bool):
        raise _wrong(each, f"is {_told(value)}", "true or false")
    return value


def _number(each: Input, value: Any, _: Roots | None) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > MOST_NUMBER:
        raise _wrong(each, f"is {_told(value)}", "a whole number")
    return value


def _names(each: Input, value: Any, _: Roots | None) -> tuple[str, ...]:
    if not isinstance(value, list | tuple):
        raise _wrong(each, f"is {_told(value)}", "a list of names")
    if len(value) > MOST_NAMES:
        raise _wrong(each, f"has {len(value):,} names", f"at most {MOST_NAMES:,}")
    names = tuple(_line(each, name) for name in value)
    if not all(names):
        raise _wrong(each, "has an empty name", "a list of names")
    return names


def _path(each: Input, value: Any, roots: Roots | None) -> Path:
    expected = f"the path of a {each.kind.value}"
    name = _characters(each, str(value) if isinstance(value, Path) else value, expected)
    path = as_path(name, PREFIX + each.name, expected, roots)
    if each.kind is Kind.FILE and not is_file(path):
        raise _wrong(each, f"{path.name!r} is not a file", "the path of an existing file")
    return path


def as_path(name: str, key: str, expected: str, roots: Roots | None) -> Path:
    """Return the resolved path of a name, inside the roots if there are any; raise InputError for an invalid one."""
    if len(name) > MOST_LINE or any(len(os.fsencode(part)) > MOST_PART for part in Path(name).parts):
        raise InputError("is too long for a path", key=key, expected=expected)
    if roots is not None:
        return roots.resolve(name, key)
    try:
        return Path(name).expanduser()
    except RuntimeError as error:  # somebody's home who is not known here
        raise InputError(f"{name!r} names the home of an unknown user", key=key, expected=expected) from error


def is_file(path: Path) -> bool:
    """Whether the path is a file that can be accessed."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


_READERS: Mapping[Kind, Callable[[Input, Any, Roots | None], Value]] = {
    Kind.TEXT: _text,
    Kind.LINE: _line,
    Kind.CHOICE: _choice,
    Kind.FLAG: _flag,
    Kind.NUMBER: _number,
    Kind.NAMES: _names,
    Kind.FILE: _path,
    Kind.FOLDER: _path,
}


def _characters(each: Input, value: Any, expected: str) -> str:
    if not isinstance(value, str):
        raise _wrong(each, f"is {_told(value)}", expected)
    if clean(value) != value:
        raise _wrong(each, "has NUL or half a surrogate pair, which is not text", expected)
    return value


def _wrong(each: Input, what: str, expected: str, near: str | None = None) -> InputError:
    return InputError(what, key=PREFIX + each.name, expected=expected, nearest=near)


def _told(value: Any) -> str:
    """Describe any value briefly, for an error message."""
    if isinstance(value, Mapping):
        return "a mapping"
    if isinstance(value, list | tuple):
        return "a list"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int) and abs(value) > MOST_NUMBER:
        return "an enormous number"
    if isinstance(value, str | int | float):
        words = repr(value if not isinstance(value, str) else value[:41])
        return words if len(words) <= 43 else f"{words[:40]}…'"
    return f"a {type(value).__name__}"


def _schema(each: Input) -> dict[str, Any]:
    found: dict[str, Any]
    match each.kind:
        case Kind.TEXT:
            found = {"type": "string", "maxLength": MOST_MATERIAL}
        case Kind.LINE | Kind.FILE | Kind.FOLDER:
            found = {"type": "string", "maxLength": MOST_LINE}
        case Kind.CHOICE:
            found = {"type": "string", "enum": list(each.choices)}
        case Kind.FLAG:
            found = {"type": "boolean", "default": False}
        case Kind.NUMBER:
            found = {"type": "integer", "minimum": -MOST_NUMBER, "maximum": MOST_NUMBER}
        case Kind.NAMES:
            found = {"type": "array", "items": {"type": "string", "maxLength": MOST_LINE}, "maxItems": MOST_NAMES}
        case _:
            assert_never(each.kind)
    title = {"title": each.title} if each.title else {}
    sets = {"x-sets": each.sets} if each.sets else {}
    return found | title | {"description": each.says, "x-kind": each.kind.value} | sets
