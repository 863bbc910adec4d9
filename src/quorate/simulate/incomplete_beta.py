"""The regularised incomplete beta function and its inverse, in floats.

I_x(a, b) is the chance that a Beta(a, b) variable is at most x. It gives the limit of infinitely many correlated voters
and the exact (Clopper-Pearson) bounds of a binomial share. For whole a and b it is a binomial sum and could be a
fraction; in general it is irrational, so this module works in floats: eleven digits for a + b up to ten thousand, and
one digit fewer for each further power of ten (the logarithms of the gamma function are what loses them).
"""

from __future__ import annotations

from math import exp, lgamma, log, log1p

TINY = 1e-300
CLOSE = 1e-15
MOST_STEPS = 100_000
HALVINGS = 200


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
        raise ValueError(f"{chance} is no probability")
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
