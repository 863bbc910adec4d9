"""An invariant that did not hold, and where."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Invariant(Enum):
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
    invariant: Invariant
    says: str
