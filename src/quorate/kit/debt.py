"""Technical debt: findings dismissed with a reason, and the weight they gain over time."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from quorate.core.values import replace

HEAVIEST = 16


@dataclass(frozen=True, slots=True)
class Dismissal:
    """A finding dismissed under somebody's name. A false positive has no weight."""

    reason: str
    by: str
    false_positive: bool = False
    touches: int = 0
    """Commits since then that changed the path it is about."""
    commit: str = ""
    """The last of them; before any, the commit at which it was dismissed."""

    @property
    def weight(self) -> int:
        """The weight: 1 at first, doubled by every touch, up to 16."""
        if self.false_positive:
            return 0
        return HEAVIEST if self.touches >= HEAVIEST.bit_length() else min(2**self.touches, HEAVIEST)

    def touched(self, commit: str) -> Dismissal:
        """Return the dismissal after a commit that changed its path. Idempotent; without a commit nothing changes."""
        if self.false_positive or commit in ("", self.commit):
            return self
        return replace(self, touches=self.touches + 1, commit=commit)


class Pressure(Enum):
    """The level of debt, by its total weight."""

    LOW_PRESSURE = "low"
    MODERATE = "moderate"
    HIGH = "high"
    CRITICAL = "critical"


FROM = ((31, Pressure.CRITICAL), (16, Pressure.HIGH), (6, Pressure.MODERATE))
"""The least total weight of each pressure, the heaviest first."""


def pressure(weight: int) -> Pressure:
    """Return the level of a total weight."""
    return next((pressure for least, pressure in FROM if weight >= least), Pressure.LOW_PRESSURE)
