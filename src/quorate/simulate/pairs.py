"""Paired comparison of two methods on the same items: which is better, and the smallest detectable difference."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, comb, sqrt
from statistics import NormalDist

from quorate.core.errors import SettingError


@dataclass(frozen=True, slots=True)
class Paired:
    """Items counted by who was right on them."""

    both: int
    first_only: int
    second_only: int
    neither: int

    @classmethod
    def of(cls, rows: Iterable[tuple[bool, bool]]) -> Paired:
        """Count from (first was right, second was right), one for each item."""
        found = list(rows)
        return cls(*(found.count(cell) for cell in ((True, True), (True, False), (False, True), (False, False))))

    @property
    def items(self) -> int:
        return self.both + self.first_only + self.second_only + self.neither

    @property
    def discordance(self) -> Fraction | None:
        """The share of items on which just one of the two was right; None without items."""
        return Fraction(self.first_only + self.second_only, self.items) if self.items else None

    @property
    def gain(self) -> Fraction | None:
        """Accuracy of the second minus accuracy of the first; None without items."""
        return Fraction(self.second_only - self.first_only, self.items) if self.items else None


def mcnemar(paired: Paired) -> Fraction:
    """The exact two-sided p-value that both are equally good: twice the smaller binomial tail at 1/2, at most 1."""
    n, fewer = paired.first_only + paired.second_only, min(paired.first_only, paired.second_only)
    return min(Fraction(1), Fraction(2 * sum(comb(n, k) for k in range(fewer + 1)), 2**n))


def items_needed(difference: float, discordance: float, alpha: float = 0.05, power: float = 0.8) -> int:
    """Items that show a difference of accuracy in a paired test: (z_(alpha/2) + z_power)^2 discordance/difference^2."""
    if not 0 < difference <= discordance <= 1:
        raise SettingError(f"is {difference}", key="difference", expected=f"above 0 and at most {discordance}")
    return ceil(_reach(alpha, power) ** 2 * discordance / difference**2)


def minimum_detectable_effect(items: int, discordance: float, alpha: float = 0.05, power: float = 0.8) -> float:
    """The smallest difference in accuracy that so many paired items can be expected to show.

    It is (z_(alpha/2) + z_power) sqrt(discordance / items). Above `discordance` nothing can be seen at all, as two
    deciders that differ on that share of the items cannot differ by more.
    """
    if items < 1 or not 0 <= discordance <= 1:
        said = f"is {items}, with a discordance of {discordance}"
        raise SettingError(said, key="items", expected="at least one item, and a discordance from 0 to 1")
    return _reach(alpha, power) * sqrt(discordance / items)


def _reach(alpha: float, power: float) -> float:
    if not (0 < alpha < 1 and 0 < power < 1):
        raise SettingError(f"is {alpha}, with a power of {power}", key="alpha", expected="both between 0 and 1")
    normal = NormalDist()
    return normal.inv_cdf(1 - alpha / 2) + normal.inv_cdf(power)
