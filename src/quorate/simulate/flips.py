"""Changes from wrong to right and from right to wrong: the effect of a round of discussion on positions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class Flips:
    """Positions before and after a discussion, counted by whether they were right."""

    stayed_right: int
    harmful: int
    """Right before, wrong after."""
    helpful: int
    """Wrong before, right after."""
    stayed_wrong: int

    @classmethod
    def of(cls, positions: Iterable[tuple[bool, bool]]) -> Flips:
        """Count from (right before, right after), one for each voter and item."""
        found = list(positions)
        return cls(*(found.count(cell) for cell in ((True, True), (True, False), (False, True), (False, False))))

    @property
    def harmful_rate(self) -> Fraction | None:
        """P(wrong after | right before); None where nobody was right before."""
        return _share(self.harmful, self.stayed_right)

    @property
    def helpful_rate(self) -> Fraction | None:
        """P(right after | wrong before); None where nobody was wrong before."""
        return _share(self.helpful, self.stayed_wrong)

    @property
    def gain(self) -> Fraction | None:
        """How much accuracy rose: (helpful - harmful) / positions; None without positions."""
        n = self.stayed_right + self.harmful + self.helpful + self.stayed_wrong
        return Fraction(self.helpful - self.harmful, n) if n else None


def _share(part: int, rest: int) -> Fraction | None:
    return Fraction(part, part + rest) if part + rest else None
