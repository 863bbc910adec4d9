"""Values of users' files with file, line and key, so that every error can name the place."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from quorate.core.errors import InputError, nearest

MOST_DEPTH = 40

Scalar = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Located:
    """A value and its place in a file. Readers return the requested type or raise InputError with the place."""

    value: Value
    file: str
    line: int | None = None
    """From 1; None where the value came from no file."""
    path: tuple[str | int, ...] = ()

    @property
    def key(self) -> str | None:
        """Path within the file, such as `seats.judge.timeout` or `replies[0]`."""
        words = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in self.path)
        return words.removeprefix(".") or None

    def error(self, what: str, expected: str | None = None, near: str | None = None) -> InputError:
        """Return an error about this value, for the caller to raise."""
        return InputError(what, file=self.file, line=self.line, key=self.key, expected=expected, nearest=near)

    def wrong(self, expected: str) -> InputError:
        """Return the error that this value is not what was expected."""
        return self.error(f"is {_kind(self.value)}", expected)

    def unknown(self, noun: str, name: str, names: Collection[str]) -> InputError:
        """Return the error that a name is unknown, with the known names."""
        return self.error(f"unknown {noun} {name!r}", "one of " + ", ".join(names), nearest(name, names))

    def plain(self) -> Any:
        """Return the value as plain data, without places."""
        if isinstance(self.value, Mapping):
            return {name: each.plain() for name, each in self.value.items()}
        if isinstance(self.value, tuple):
            return [each.plain() for each in self.value]
        return self.value

    def line_of(self, path: tuple[str | int, ...]) -> int | None:
        """Return the line of the deepest value on a path below this one, such as ("seats", "judge")."""
        here = self
        for part in path:
            below: Located | None = None
            if isinstance(here.value, Mapping) and isinstance(part, str):
                below = here.value.get(part)
            elif isinstance(here.value, tuple) and isinstance(part, int) and part < len(here.value):
                below = here.value[part]
            if below is None:
                break
            here = below
        return here.line

    # Readers

    def mapping(self, allowed: Collection[str] | None = None, noun: str = "key") -> Mapping[str, Located]:
        """Return the entries of a mapping; raise for a name that is not `allowed`, suggesting the nearest one."""
        if not isinstance(self.value, Mapping):
            names = "" if allowed is None else " with " + ", ".join(allowed)
            raise self.wrong(f"a mapping{names}")
        for name, each in self.value.items():
            if allowed is not None and name not in allowed:
                raise each.unknown(noun, name, allowed)
        return self.value

    def items(self) -> tuple[Located, ...]:
        if not isinstance(self.value, tuple):
            raise self.wrong("a list")
        return self.value

    def text(self, expected: str = "a text") -> str:
        if not isinstance(self.value, str):
            raise self.wrong(expected)
        return self.value

    def flag(self) -> bool:
        if not isinstance(self.value, bool):
            raise self.wrong("true or false")
        return self.value

    def whole(self, low: int, high: int) -> int:
        if isinstance(self.value, bool) or not isinstance(self.value, int) or not low <= self.value <= high:
            raise self.wrong(f"a whole number from {low} to {high}")
        return self.value

    def number(self, low: float, high: float) -> float:
        if isinstance(self.value, bool) or not isinstance(self.value, int | float) or not low <= self.value <= high:
            raise self.wrong(f"a number from {low:g} to {high:g}")
        return float(self.value)

    def choice(self, names: Collection[str], noun: str = "word") -> str:
        if not isinstance(self.value, str):
            raise self.wrong("one of " + ", ".join(names))
        if self.value not in names:
            raise self.unknown(noun, self.value, names)
        return self.value


Value = Scalar | tuple[Located, ...] | Mapping[str, Located]


def _kind(value: Any) -> str:
    if isinstance(value, Mapping):
        return "a mapping"
    if isinstance(value, tuple):
        return "a list"
    if value is None:
        return "empty"
    words = json.dumps(value, ensure_ascii=False)
    return words if len(words) <= 80 else words[:76] + ' …"'


def located(value: Any, name: str) -> Located:
    """Wrap plain data from a caller in the same readers; its errors have a key and no line."""
    return _located(value, name, ())


def _located(value: Any, name: str, path: tuple[str | int, ...]) -> Located:
    if len(path) > MOST_DEPTH:
        raise InputError(f"is nested deeper than {MOST_DEPTH} levels", file=name)
    if isinstance(value, Mapping):
        entries = {str(k): _located(v, name, (*path, str(k))) for k, v in value.items()}
        return Located(MappingProxyType(entries), name, None, path)
    if isinstance(value, list | tuple):
        return Located(tuple(_located(v, name, (*path, i)) for i, v in enumerate(value)), name, None, path)
    if value is None or isinstance(value, str | int | float | bool):
        return Located(value, name, None, path)
    raise Located(None, name, None, path).error(f"is a {type(value).__name__}", "plain data")
