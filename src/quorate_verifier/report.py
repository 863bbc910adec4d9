"""What a verification came to: every difference with its place, and what was and was not looked at."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

MOST_DIFFERENCES = 100
"""Differences that are listed; a bundle with more is not worth more words."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Something that does not follow: where it stands, what stands there, and what would be right."""

    place: str
    what: str
    expected: str

    def __str__(self) -> str:
        return f"{self.place or '/'}: {self.what}; expected {self.expected}"


@dataclass(slots=True)
class Report:
    """All that was found out about one bundle."""

    session: str = ""
    protocol: str = ""
    verdict: str | None = None
    """The verdict that follows from the replies, not the one that is stated."""
    head: str = ""
    derived: list[str] = field(default_factory=list)
    """What was derived again and compared, in words."""
    left_out: list[str] = field(default_factory=list)
    """What was taken as it stands, in words."""
    signers: list[str] = field(default_factory=list)
    """Fingerprints of the keys with a signature that is right; whose they are is for the reader to know."""
    differences: list[Difference] = field(default_factory=list)
    unverified: list[str] = field(default_factory=list)
    """What this verifier knows no rules for, in words; nothing can be said of a bundle with such a thing in it."""

    @property
    def holds(self) -> bool:
        """Whether everything follows: no difference, and nothing that could not be derived."""
        return not self.differences and not self.unverified

    def add(self, found: Iterable[Difference]) -> bool:
        """Take differences up to the limit, one for a place; return whether there were any."""
        known, before = {each.place for each in self.differences}, len(self.differences)
        for each in found:
            if len(self.differences) >= MOST_DIFFERENCES:
                break
            if each.place not in known:
                known.add(each.place)
                self.differences.append(each)
        return len(self.differences) > before


def shown(value: Any) -> str:
    """Return a value as a short line, whatever it is."""
    text = repr(value)
    return text if len(text) <= 120 else text[:117] + "..."
