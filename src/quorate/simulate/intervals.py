"""Confidence intervals of a share k of n: exact (Clopper-Pearson) and Wilson.

The bounds are irrational, so they are floats. Clopper-Pearson holds its confidence for every n and every true share and
is therefore what a guarantee is made of; Wilson is shorter, right on average, and fit for error bars.

Clopper-Pearson inverts the regularised incomplete beta function: I_x(a, b) is the chance that a Beta(a, b) variable is
at most x. It is computed to eleven digits for a + b up to ten thousand, and to one digit fewer for each further power
of ten (the logarithms of the gamma function are what loses them).
"""

from __future__ import annotations

from math import exp, lgamma, log, log1p, sqrt
from statistics import NormalDist
from typing import NamedTuple

from quorate.core.errors import SettingError

TINY = 1e-300
CLOSE = 1e-15
MOST_STEPS = 100_000
HALVINGS = 200


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
        raise SettingError(f"is {k} of {n} cases", key="k", expected="a count from 0 to the number of cases")
    if not 0 < confidence < 1:
        raise SettingError(f"is {confidence}", key="confidence", expected="a number between 0 and 1")


def incomplete_beta(x: float, a: float, b: float) -> float:
    """I_x(a, b), between 0 and 1; a and b must be positive and x from 0 to 1, else ValueError."""
    if not (0 <= x <= 1 and a > 0 and b > 0):
        raise ValueError(f"the incomplete beta function has no value at x={x}, a={a}, b={b}")
    if x in (0, 1):
        return float(x)
    # The fraction converges fast below the mean; above it the symmetry I_x(a, b) = 1 - I_(1-x)(b, a) leads there.
    if x > (a + 1) / (a + b + 2):
        return 1 - _below_mean(1 - x, b, a)
    return _below_mean(x, a, b)


def inverse_incomplete_beta(chance: float, a: float, b: float) -> float:
    """The x with I_x(a, b) = chance, by halving: I grows with x, so the answer is as good as I itself."""
    if not 0 <= chance <= 1:
        raise ValueError(f"{chance} is not a probability")
    if chance in (0, 1):
        return float(chance)
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if incomplete_beta(middle, a, b) < chance:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _below_mean(x: float, a: float, b: float) -> float:
    """x^a (1-x)^b / (a B(a, b)) times a continued fraction, evaluated from the front (Lentz's method).

    The fraction is 1/(1 + d1/(1 + d2/(1 + ...))) with
    d(2m) = m (b-m) x / ((a+2m-1)(a+2m)) and d(2m+1) = -(a+m)(a+b+m) x / ((a+2m)(a+2m+1)).
    """
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x)) / a
    value, c, d = 1.0, 1.0, 0.0
    for step in range(MOST_STEPS):
        m = step // 2
        if step == 0:
            term = 1.0
        elif step % 2 == 0:
            term = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        else:
            term = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        d = 1 / _nonzero(1 + term * d)
        c = _nonzero(1 + term / c)
        value *= c * d
        if abs(1 - c * d) < CLOSE:
            return min(1.0, front * (value - 1.0))
    raise ArithmeticError(f"the incomplete beta function did not converge at x={x}, a={a}, b={b}")


def _nonzero(value: float) -> float:
    """Lentz's guard: a vanishing partial denominator is replaced by a tiny one."""
    return value if abs(value) > TINY else TINY
