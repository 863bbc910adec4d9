"""Bundles as JSON and YAML text: written so that the seal survives, read as untrusted input.

The YAML is written here and not by a library: plain data needs three kinds of lines, and texts of several lines stand
as blocks that people can read. What cannot stand as a block exactly is written as JSON writes it, which is YAML too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from quorate.core.errors import InputError
from quorate.evidence.shape import MOST_DEPTH
from quorate.files.yaml import located_from
from quorate.files.yaml_events import events

MOST_CHARACTERS = 100_000_000
"""A bundle that is longer is not read."""
_WORDS = re.compile(r"[A-Za-z][A-Za-z0-9_.-]*(?: [A-Za-z0-9_.-]+)*")
_RESERVED = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"}


def to_json(bundle: Mapping[str, Any]) -> str:
    """Write a bundle as JSON for people and programs."""
    return json.dumps(bundle, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def to_yaml(bundle: Mapping[str, Any]) -> str:
    """Write a bundle as YAML for people and programs; texts of several lines stand as blocks."""
    return "\n".join(_lines(bundle, "")) + "\n"


def _lines(value: Any, indent: str) -> Iterator[str]:
    """Yield the lines of a mapping or list, each beginning with the indentation."""
    inner = f"{indent}  "
    pairs = value.items() if isinstance(value, Mapping) else ((None, each) for each in value)
    for key, each in pairs:
        start = f"{indent}-" if key is None else f"{indent}{_scalar(key)}:"
        if isinstance(each, Mapping | list) and each:
            lines = _lines(each, inner)
            if key is None:
                yield f"{start} {next(lines).lstrip(' ')}"
            else:
                yield start
            yield from lines
        elif isinstance(each, str) and _fits_block(each):
            yield f"{start} |{'-' if not each.endswith(chr(10)) else ''}"
            yield from (f"{inner}{line}" if line else "" for line in each.removesuffix("\n").split("\n"))
        else:
            yield f"{start} {_scalar(each)}"


def _fits_block(text: str) -> bool:
    """Whether a text can be written as a YAML block and read back exactly."""
    lines = text.removesuffix("\n").split("\n")
    return (
        len(lines) > 1
        and lines[0].strip() != ""
        and lines[0][0] != " "
        and lines[-1] != ""
        and all(map(str.isprintable, lines))
    )


def _scalar(value: Any) -> str:
    if not isinstance(value, str):
        return json.dumps(value, allow_nan=False)
    if _WORDS.fullmatch(value) and len(value) < 80 and value.lower() not in _RESERVED:
        return value
    return "".join(char if char.isprintable() else _code(char) for char in json.dumps(value, ensure_ascii=False))


def _code(char: str) -> str:
    return f"\\u{ord(char):04x}" if ord(char) < 0x10000 else f"\\U{ord(char):08x}"


def from_text(text: str, file: str | None = None) -> Any:
    """Read a bundle in either format; invalid JSON or YAML raises InputError with its line."""
    text = text.removeprefix("\ufeff")
    if len(text) > MOST_CHARACTERS:
        raise InputError(f"has {len(text)} characters", file=file, expected=f"at most {MOST_CHARACTERS}")
    if text.lstrip()[:1] != "{":
        return _from_yaml(text, file)
    try:
        return json.loads(text, object_pairs_hook=_no_key_twice)
    except json.JSONDecodeError as error:
        raise InputError(f"is not JSON: {error.msg}", file=file, line=error.lineno, expected="a bundle") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"cannot be read: {str(error)[:200]}", file=file, expected="a bundle") from error


def _from_yaml(text: str, file: str | None) -> Any:
    """Read YAML without aliases, with which a short text can expand endlessly, and with a limit on values."""
    try:
        told = events(text, file or "")
        return located_from(told, file or "", depth=MOST_DEPTH + 1, values=MOST_CHARACTERS, aliases=False).plain()
    except InputError as error:
        what = f"cannot be read, is not YAML: {error.what.removeprefix('cannot be read: ')[:200]}"
        expected = error.expected or "a bundle"
        raise InputError(what, file=file, line=error.line, key=error.key, expected=expected) from error


def _no_key_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {twice[:80]!r} appears twice in one mapping")
    return made
