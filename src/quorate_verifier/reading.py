"""Reading a bundle as hostile input: bounded, no key twice, no fractions, nothing but plain JSON."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any, NoReturn

MOST_BYTES = 400_000_000
MOST_DEPTH = 60


class Unreadable(Exception):
    """A file cannot be read as what it should be; the message says why."""


def read(path: Path, most: int = MOST_BYTES) -> Any:
    """Return the JSON value in a file, or raise Unreadable."""
    try:
        with path.open("rb") as file:
            content = file.read(most + 1)
    except OSError as error:
        raise Unreadable(f"{path}: cannot be read: {error.strerror or error}") from error
    if len(content) > most:
        raise Unreadable(f"{path}: has more than {most:,} bytes")
    try:
        return parse(content.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"{path}: is no JSON that can be checked: {str(error)[:200]}") from error


def parse(text: str) -> Any:
    """Return the value of a JSON text; ValueError or RecursionError for anything that is not plain and bounded."""
    value = json.loads(text, object_pairs_hook=_no_key_twice, parse_float=_no_fraction, parse_constant=_no_fraction)
    if strange := what_is_strange(value):
        raise ValueError(strange)
    return value


def _no_key_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError("a key stands twice in one object")
    return made


def _no_fraction(text: str) -> NoReturn:
    raise ValueError(f"{text[:40]} is no whole number")


def what_is_strange(value: Any, depth: int = 0) -> str:
    """Say what in a value is no plain data: texts, whole numbers, true, false, null, lists and objects of these."""
    if depth > MOST_DEPTH:
        return f"it is nested deeper than {MOST_DEPTH} levels"
    if value is None or isinstance(value, bool | int):
        return ""
    if isinstance(value, str):
        return "" if value.isascii() or not any("\ud800" <= each <= "\udfff" for each in value) else "half a character"
    if isinstance(value, list):
        return next(filter(None, (what_is_strange(each, depth + 1) for each in value)), "")
    if isinstance(value, dict):
        texts = all(isinstance(key, str) and not what_is_strange(key) for key in value)
        inner = (what_is_strange(each, depth + 1) for each in value.values())
        return next(filter(None, inner), "") if texts else "a key is no text"
    return f"{type(value).__name__} is no plain data"


def canonical(value: Any) -> str:
    """Write plain data as canonical JSON: keys sorted, no white space, characters as they are."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def alike(one: Any, other: Any) -> bool:
    """Return whether two values are the same JSON; Python alone takes true for 1."""
    return type(one) is type(other) and bool(one == other) and canonical(one) == canonical(other)


def digest(text: str) -> str:
    """Return the SHA-256 of a text, in hexadecimal."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
