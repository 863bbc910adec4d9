"""An invariant that did not hold, and where."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Invariant(Enum):
    """What has to hold in every session, attacked or not."""

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
    """One of them that did not hold, and how that shows."""

    invariant: Invariant
    says: str
