"""Error correlation of voters, measured on items of known truth, and the effective number of votes.

A table has one row for each item and one column for each voter; a cell is True (right), False (wrong) or None (no
answer). Shares and the pooled correlation are exact fractions.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import sqrt

from quorate.core.errors import SettingError
from quorate.simulate.intervals import lower_bound, upper_bound

Table = Sequence[Sequence[bool | None]]


def effective_votes(n: int, phi: Fraction) -> Fraction | None:
    """Return Kish's effective number of votes for n equally correlated ones, n / (1 + (n-1) phi), at most 1/phi.

    A negative correlation makes them worth more than n; None where it is so negative that no such voters exist.
    """
    below = 1 + (n - 1) * Fraction(phi)
    return n / below if below > 0 else None


def measured_votes(n: int, phi: Fraction) -> Fraction:
    """Return the effective votes for a measured correlation; a negative one counts as zero, so at most n.

    Of voters who err independently, chance measures less than zero about half of the time, and Kish's number grows
    beyond all bounds there: two of four wrong in the only session would make them worth infinitely many votes.
    """
    return n / (1 + (n - 1) * max(Fraction(phi), Fraction(0)))


def shared_accuracy(table: Table) -> Fraction | None:
    """The share of all answers given that are right; None where there is none."""
    answers = [cell for row in table for cell in row if cell is not None]
    return Fraction(sum(answers), len(answers)) if answers else None


def pooled_correlation(table: Table) -> Fraction | None:
    """The error correlation phi of all pairs taken together: (P(both right) - p^2) / (p (1-p)); exact.

    All items must have the answers of all voters for the pair and the single shares to fit, so rows with a missing
    answer are left out. None with fewer than two voters, without items, or where all answers are right or all wrong.
    """
    whole = [[bool(cell) for cell in row] for row in table if None not in row]
    if not whole or len(whole[0]) < 2:
        return None
    n, rights = len(whole[0]), [sum(row) for row in whole]
    p = Fraction(sum(rights), n * len(whole))
    both = Fraction(sum(k * (k - 1) for k in rights), n * (n - 1) * len(whole))
    return (both - p * p) / (p * (1 - p)) if 0 < p < 1 else None


@dataclass(frozen=True, slots=True)
class Pair:
    """Two voters on the items that both answered."""

    first: int
    second: int
    items: int
    both_wrong: int
    phi: float | None
    """Pearson's correlation of being right; None where one of the two was always right or always wrong."""


def pairs(table: Table) -> tuple[Pair, ...]:
    """Return every pair of voters with its error correlation; a float, because it has a square root in it."""
    columns = list(zip(*table, strict=True))
    return tuple(_pair(columns, i, j) for i, j in combinations(range(len(columns)), 2))


def _pair(columns: Sequence[Sequence[bool | None]], i: int, j: int) -> Pair:
    answered = [(a, b) for a, b in zip(columns[i], columns[j], strict=True) if a is not None and b is not None]
    n, first, second = len(answered), sum(a for a, _ in answered), sum(b for _, b in answered)
    both = sum(a and b for a, b in answered)
    spread = first * (n - first) * second * (n - second)
    phi = (n * both - first * second) / sqrt(spread) if spread else None
    return Pair(i, j, n, n - first - second + both, phi)


@dataclass(frozen=True, slots=True)
class Ceiling:
    """How often no voter is right, and so how good any rule that picks one of their answers can be."""

    items: int
    all_wrong: int
    confidence: float

    @property
    def beta(self) -> Fraction | None:
        """The share of items that everybody got wrong; None without items."""
        return Fraction(self.all_wrong, self.items) if self.items else None

    @property
    def beta_bound(self) -> float:
        """With the stated confidence (one-sided, exact) the true beta is at most this."""
        return upper_bound(self.all_wrong, self.items, self.confidence)

    @property
    def accuracy_bound(self) -> float:
        """With the stated confidence (one-sided, exact) no such rule is right more often than this."""
        return 1 - lower_bound(self.all_wrong, self.items, self.confidence)


def ceiling(table: Table, confidence: float = 0.95) -> Ceiling:
    """The co-failure ceiling, accuracy <= 1 - beta. Who gave no answer was not right; rows without any are left out."""
    rows = [row for row in table if any(cell is not None for cell in row)]
    return Ceiling(len(rows), sum(True not in row for row in rows), confidence)


@dataclass(frozen=True, slots=True)
class Unanimity:
    """How often all gave one answer, and how often that answer was right."""

    items: int
    unanimous: int
    right: int
    confidence: float

    @property
    def coverage(self) -> Fraction | None:
        return Fraction(self.unanimous, self.items) if self.items else None

    @property
    def precision(self) -> Fraction | None:
        return Fraction(self.right, self.unanimous) if self.unanimous else None

    @property
    def precision_bound(self) -> float:
        """With the stated confidence (one-sided, Clopper-Pearson) the precision is at least this."""
        return lower_bound(self.right, self.unanimous, self.confidence)


def unanimity(
    answers: Sequence[Sequence[Hashable | None]], truth: Sequence[Hashable], confidence: float = 0.95
) -> Unanimity:
    """Count the items on which at least two voters all gave the same answer; a missing answer breaks unanimity."""
    if len(answers) != len(truth):
        raise SettingError(f"{len(truth)} truths for {len(answers)} items", key="truth", expected="one for each item")
    agreed = [
        (row[0], right)
        for row, right in zip(answers, truth, strict=True)
        if len(row) > 1 and row[0] is not None and len(set(row)) == 1
    ]
    return Unanimity(len(truth), len(agreed), sum(said == right for said, right in agreed), confidence)
