"""Strict JSON: rejects texts that JSON parsers read differently, such as duplicate keys."""

from __future__ import annotations

import json
from typing import Any, NoReturn


def strict_json(text: str | bytes) -> Any:
    """Return the value of a JSON text; ValueError for invalid JSON, duplicate keys, NaN and infinities.

    Parsers differ in which of two values of one key they take, which an attacker may exploit. Text that is
    nested too deep raises RecursionError.
    """
    return json.loads(text, object_pairs_hook=_each_once, parse_constant=_no_constant)


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        seen: set[str] = set()
        twice = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise ValueError(f"the key {twice[:80]!r} appears twice in one object")
    return made


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")
