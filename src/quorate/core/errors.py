"""Exceptions. The class says whose fault it is; the message says what is wrong, where, and what to do."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class QuorateError(Exception):
    """Base class of all errors that Quorate raises on purpose."""


class DefinitionError(QuorateError):
    """The protocol is defined wrongly: a missing row, a brief without a file, a form with open text."""


class RuleViolation(QuorateError):
    """The protocol's rules do not allow this call; nothing was changed."""


class RulesChanged(QuorateError):
    """The protocol, forms, briefs or settings have changed since the recorded session was opened."""


class StoreError(QuorateError):
    """The journal could not be read or written, or is damaged."""


class InputError(QuorateError):
    """Invalid user input; the message has its place, what was expected and the nearest known name."""

    def __init__(
        self,
        what: str,
        *,
        file: str | None = None,
        line: int | None = None,
        key: str | None = None,
        expected: str | None = None,
        nearest: str | None = None,
    ) -> None:
        self.what, self.file, self.line, self.key = what, file, line, key
        self.expected, self.nearest = expected, nearest
        super().__init__(self._sentence())

    def _sentence(self) -> str:
        place = ""
        if self.file is not None:
            place = self.file if self.line is None else f"{self.file}:{self.line}"
        if self.key is not None:
            place = f"{place}: {self.key}" if place else self.key
        parts = [f"{place}: {self.what}" if place else self.what]
        if self.expected is not None:
            parts.append(f"expected {self.expected}")
        if self.nearest is not None:
            parts.append(f"did you mean {self.nearest!r}?")
        return "; ".join(parts)


class SettingError(InputError):
    """A setting or option is unknown, has the wrong type or is out of bounds."""


def nearest(name: str, names: Iterable[str]) -> str | None:
    """Return the known name most similar to `name`, or None if none is close."""
    found = get_close_matches(name, list(names), n=1, cutoff=0.55)
    return found[0] if found else None
