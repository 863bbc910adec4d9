"""Broken invariants."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Guarantee(Enum):
    """The invariants of every session, attacked or not."""

    THRESHOLDS = "thresholds"
    ELIGIBILITY = "eligibility"
    ONE_BALLOT = "one ballot each"
    PROVEN = "proven vetoes"
    LEDGER = "ledger"
    BUDGET = "budget"
    BLINDNESS = "blindness"
    FENCE = "fence"


@dataclass(frozen=True, slots=True)
class Broken:
    """A broken invariant, with the evidence."""

    invariant: Guarantee
    says: str
