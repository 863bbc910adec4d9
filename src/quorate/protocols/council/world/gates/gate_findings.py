"""What a gate found, before it is masked and bounded: a defect with its place, and what became of the gate."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from quorate.protocols.council.rules.taxonomy import Field, Gate, Severity, Subcategory
from quorate.protocols.council.world.rfc.model import Place

_KEY = re.compile(r"([RT])(\d{1,6})")
_GATES = {gate: rank for rank, gate in enumerate(Gate)}
_FIRST = {"R": 1, "T": 2}


@dataclass(frozen=True, slots=True)
class Found:
    """A defect that a gate proved, with all its text as it stands in the files."""

    subcategory: Subcategory
    place: str
    """The key of the ticket or document, or `RFC`."""
    field: Field
    at: Place
    message: str
    evidence: str
    action: str
    severity: Severity

    @property
    def order(self) -> tuple[int, tuple[int, int], int, str, str, str]:
        """Gate, place, line, message: the order of the report, whatever order the files came in."""
        return (_GATES[self.subcategory.gate], place_order(self.place), self.at.line, self.message, *self._rest)

    @property
    def _rest(self) -> tuple[str, str]:
        return self.at.file, self.evidence


@dataclass(frozen=True, slots=True)
class Looked:
    """What one gate came to."""

    gate: Gate
    findings: tuple[Found, ...]
    reason: str
    """What was looked at, or why nothing was."""
    evidence: Mapping[str, Any] = field(default_factory=dict)
    """What was counted: whole numbers, texts, and lists or mappings of those."""
    applies: bool = True


def found(
    subcategory: Subcategory,
    place: str,
    field: Field,
    at: Place,
    *,
    message: str,
    evidence: str,
    action: str,
    severity: Severity | None = None,
) -> Found:
    """Return a finding with the severity that its kind has unless another is given."""
    severity = subcategory.default if severity is None else severity
    return Found(subcategory, place, field, at, message, evidence, action, severity)


def place_order(key: str) -> tuple[int, int]:
    """Return the order of places: the RFC, its files, its tickets by number."""
    match = _KEY.fullmatch(key)
    return (_FIRST[match[1]], int(match[2])) if match else (0, 0)


def named(names: Iterable[str], most: int = 8) -> str:
    """Name some things in a sentence: a, b, c and 4 more."""
    all_names = list(names)
    shown = ", ".join(all_names[:most])
    return f"{shown} and {len(all_names) - most:,} more" if len(all_names) > most else shown
