"""Errors that say whose fault it is, name the thing and the place, and say what would be right."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class QuorateError(Exception):
    """Anything that Quorate refuses to do, in words for the person who can mend it."""


class DefinitionError(QuorateError):
    """The protocol's author made a mistake: a missing row, a brief without a file, a form with open text."""


class RuleViolation(QuorateError):
    """The caller did what the rules do not allow; nothing was changed."""


class RulesChanged(QuorateError):
    """A recorded session meets a protocol, forms, briefs or settings that are no longer those it began with."""


class StoreError(QuorateError):
    """The journal could not be read or written as it must be."""


class InputError(QuorateError):
    """Something the user wrote cannot be used; says where it stands, what was expected, and the nearest name."""

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
    """A setting or an option is unknown, of the wrong kind or out of its bounds."""


def nearest(name: str, names: Iterable[str]) -> str | None:
    """Return the known name that looks most like `name`, or None where none is near."""
    found = get_close_matches(name, list(names), n=1, cutoff=0.55)
    return found[0] if found else None
