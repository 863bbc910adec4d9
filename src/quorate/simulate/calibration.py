"""Calibration of stated confidences: the Brier score, its three parts, and the reliability table.

A forecast is a pair (confidence stated, whether it was right). With confidences as fractions all results are exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from quorate.core.errors import SettingError
from quorate.simulate.intervals import Interval, clopper_pearson
from quorate.simulate.voters import ZERO, chance

Forecast = tuple[Fraction, bool]
MOST_BINS = 100


@dataclass(frozen=True, slots=True)
class Brier:
    """The mean squared error of confidences, and its parts: score == reliability - resolution + uncertainty.

    Forecasts of equal confidence form a group of n_g with a share o_g right; o is the share right of all.
    """

    score: Fraction
    """0 is perfect; saying 1/2 always gives 1/4."""
    reliability: Fraction
    """The mean of (confidence - o_g)^2: 0 where the stated confidences are true."""
    resolution: Fraction
    """The mean of (o_g - o)^2: how far the groups are told apart."""
    uncertainty: Fraction
    """o (1 - o): how hard the items are to call."""


def brier(forecasts: Sequence[Forecast]) -> Brier | None:
    """The score and its parts, exactly; None without forecasts."""
    if not forecasts:
        return None
    groups: dict[Fraction, list[bool]] = {}
    for said, right in forecasts:
        groups.setdefault(chance(said, "confidence"), []).append(right)
    n = len(forecasts)
    base = Fraction(sum(right for _, right in forecasts), n)
    reliability = resolution = ZERO
    for said, outcomes in groups.items():
        share = Fraction(sum(outcomes), len(outcomes))
        reliability += len(outcomes) * (said - share) ** 2
        resolution += len(outcomes) * (share - base) ** 2
    score = sum(((said - right) ** 2 for said, right in forecasts), start=ZERO) / n
    return Brier(score, reliability / n, resolution / n, base * (1 - base))


@dataclass(frozen=True, slots=True)
class Bin:
    """One row of a reliability table: forecasts with low <= confidence < high (the last row includes 1)."""

    low: Fraction
    high: Fraction
    items: int
    right: int
    said: Fraction
    """The mean confidence stated in this row."""

    @property
    def share(self) -> Fraction:
        """The share of them that was right."""
        return Fraction(self.right, self.items)

    def interval(self, confidence: float = 0.95) -> Interval:
        """The exact (Clopper-Pearson) interval of that share."""
        return clopper_pearson(self.right, self.items, confidence)


def reliability_table(forecasts: Sequence[Forecast], bins: int = 10) -> tuple[Bin, ...]:
    """The forecasts in `bins` rows of equal width; rows without any are left out."""
    if not 1 <= bins <= MOST_BINS:
        raise SettingError(f"is {bins}", key="bins", expected=f"a whole number from 1 to {MOST_BINS}")
    rows: dict[int, list[Forecast]] = {}
    for said, right in forecasts:
        rows.setdefault(min(int(chance(said, "confidence") * bins), bins - 1), []).append((said, right))
    return tuple(
        Bin(
            Fraction(i, bins),
            Fraction(i + 1, bins),
            len(row),
            sum(right for _, right in row),
            sum((said for said, _ in row), start=ZERO) / len(row),
        )
        for i, row in sorted(rows.items())
    )


def expected_calibration_error(table: Sequence[Bin]) -> Fraction | None:
    """The mean gap between stated confidence and share right, weighted by row; None for an empty table."""
    items = sum(row.items for row in table)
    return sum((row.items * abs(row.said - row.share) for row in table), start=ZERO) / items if items else None
