"""Raw results of gates, before masking and truncation."""

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
class RawFinding:
    """A defect that a gate proved, with its unmasked text."""

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
        """Sort key of the report: gate, place, line, message; independent of the order of files."""
        return (_GATES[self.subcategory.gate], place_order(self.place), self.at.line, self.message, *self._rest)

    @property
    def _rest(self) -> tuple[str, str]:
        return self.at.file, self.evidence


@dataclass(frozen=True, slots=True)
class Looked:
    """The result of one gate."""

    gate: Gate
    findings: tuple[RawFinding, ...]
    reason: str
    """What was looked at, or why nothing was."""
    evidence: Mapping[str, Any] = field(default_factory=dict)
    """What was counted: whole numbers, texts, and lists or mappings of those."""
    applies: bool = True
    read: int = 0
    """Files and tickets that it could read."""


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
) -> RawFinding:
    """Return a finding; its severity defaults to that of its subcategory."""
    severity = subcategory.default if severity is None else severity
    return RawFinding(subcategory, place, field, at, message, evidence, action, severity)


def place_order(key: str) -> tuple[int, int]:
    """Return the sort key of a place: the RFC, its files, its tickets by number."""
    match = _KEY.fullmatch(key)
    return (_FIRST[match[1]], int(match[2])) if match else (0, 0)


def named(names: Iterable[str], most: int = 8) -> str:
    """Return a list of names for a sentence: a, b, c and 4 more."""
    all_names = list(names)
    shown = ", ".join(all_names[:most])
    return f"{shown} and {len(all_names) - most:,} more" if len(all_names) > most else shown
