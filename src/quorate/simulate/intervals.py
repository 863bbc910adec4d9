"""Confidence intervals of a share k of n: exact (Clopper-Pearson) and Wilson.

The bounds are irrational, so they are floats. Clopper-Pearson holds its confidence for every n and every true share and
is therefore what a guarantee is made of; Wilson is shorter, right on average, and fit for error bars.
"""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist
from typing import NamedTuple

from quorate.core.errors import SettingError
from quorate.simulate.incomplete_beta import inverse_incomplete_beta


class Interval(NamedTuple):
    low: float
    high: float


def upper_bound(k: int, n: int, confidence: float = 0.95) -> float:
    """One-sided: the largest share under which k or fewer of n still have chance 1 - confidence; 1 for n = 0.

    For k = 0 it is 1 - (1 - confidence)^(1/n).
    """
    _check(k, n, confidence)
    if k == n:
        return 1.0
    if k == 0:
        return float(1 - (1 - confidence) ** (1 / n))
    return inverse_incomplete_beta(confidence, k + 1, n - k)


def lower_bound(k: int, n: int, confidence: float = 0.95) -> float:
    """One-sided: the smallest share under which k or more of n still have chance 1 - confidence; 0 for n = 0."""
    _check(k, n, confidence)
    return 0.0 if n == 0 else 1 - upper_bound(n - k, n, confidence)


def clopper_pearson(k: int, n: int, confidence: float = 0.95) -> Interval:
    """Two-sided and exact: both one-sided bounds, each with half of the error; 0 to 1 for n = 0."""
    one_sided = (1 + confidence) / 2
    return Interval(lower_bound(k, n, one_sided), upper_bound(k, n, one_sided))


def wilson(k: int, n: int, confidence: float = 0.95) -> Interval:
    """Two-sided: the shares from which k/n is no further off than z standard errors of that share; 0 to 1 for n = 0."""
    _check(k, n, confidence)
    if n == 0:
        return Interval(0.0, 1.0)
    z, share = NormalDist().inv_cdf((1 + confidence) / 2), k / n
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    reach = z * sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    # At the ends the two terms are equal, and rounding must not carry the bound past them.
    return Interval(0.0 if k == 0 else max(0.0, centre - reach), 1.0 if k == n else min(1.0, centre + reach))


def _check(k: int, n: int, confidence: float) -> None:
    if not 0 <= k <= n:
        raise SettingError(f"{k} of {n}", key="k", expected="a count from 0 to the number of cases")
    if not 0 < confidence < 1:
        raise SettingError(f"is {confidence}", key="confidence", expected="a number between 0 and 1")
