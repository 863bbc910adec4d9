"""Beta mixtures in exact arithmetic: the chance of a pattern of right and wrong votes under a shared hidden level.

A Beta law with mean p and correlation phi (a = p(1-phi)/phi, b = (1-p)(1-phi)/phi) enters only through its moments, and
those are products of fractions, so nothing here is rounded. phi = 0 (no mixing) and phi = 1 (all alike) need no path of
their own: the factor 1 - phi that would vanish stands above and below the line, and is left out on both sides.

A polynomial in the hidden level theta is the tuple of its coefficients, lowest power first.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import lcm

Polynomial = tuple[Fraction, ...]
ONE = Fraction(1)


@lru_cache(maxsize=4096)
def pattern(p: Fraction, phi: Fraction, right: int, wrong: int) -> Fraction:
    """The chance that the voters of one given pattern, `right` of them right and `wrong` wrong, vote just so.

    It is the product over i < right of (p(1-phi) + i phi) times the product over j < wrong of ((1-p)(1-phi) + j phi),
    divided by the product over k < right + wrong of (1 - phi + k phi).
    """
    result = ONE
    for side, votes in ((p, right), (1 - p, wrong)):
        for i in range(votes):
            result *= side * (1 - phi) + i * phi if i else side
    if right and wrong:
        result *= 1 - phi
    for k in range(1, right + wrong):
        result /= 1 - phi + k * phi
    return result


@lru_cache(maxsize=4096)
def family_pattern(phi: Fraction, right: int, wrong: int) -> Polynomial:
    """`pattern` with the mean left open: the chance, as a polynomial in theta, of one pattern given the mean theta."""
    result: Polynomial = (ONE,)
    for rising, votes in ((True, right), (False, wrong)):
        for i in range(votes):
            share = 1 - phi if i else ONE
            base = i * phi
            result = times(result, (base, share) if rising else (base + share, -share))
    scale = 1 - phi if right and wrong else ONE
    for k in range(1, right + wrong):
        scale /= 1 - phi + k * phi
    return tuple(scale * coefficient for coefficient in result)


def times(left: Polynomial, right: Polynomial) -> Polynomial:
    """The product of two polynomials."""
    (over, above), (under, below) = _whole(left), _whole(right)
    result = [0] * (len(left) + len(right) - 1)
    for i, a in enumerate(above):
        for j, b in enumerate(below):
            result[i + j] += a * b
    return tuple(Fraction(coefficient, over * under) for coefficient in result)


def _whole(polynomial: Polynomial) -> tuple[int, list[int]]:
    """A common denominator and the numerators over it: multiplying whole numbers spares a reduction at each step."""
    common = lcm(*(coefficient.denominator for coefficient in polynomial))
    return common, [coefficient.numerator * (common // coefficient.denominator) for coefficient in polynomial]


def expected(given: Polynomial, p: Fraction, phi: Fraction) -> Fraction:
    """The mean of a polynomial in theta, where theta is Beta with mean `p` and correlation `phi`."""
    return sum((given[k] * pattern(p, phi, k, 0) for k in range(len(given))), start=Fraction(0))
