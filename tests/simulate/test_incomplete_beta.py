"""The incomplete beta function against what can be known without it."""

from __future__ import annotations

from fractions import Fraction as F
from math import asin, comb, pi, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.simulate.intervals import incomplete_beta, inverse_incomplete_beta
from tests.support.examples import few

shapes = st.floats(0.05, 500)
inner = st.floats(0.001, 0.999)


@few
@given(st.integers(1, 60), st.integers(1, 60), st.integers(0, 64))
def test_for_whole_numbers_it_is_a_binomial_tail(a: int, b: int, sixty_fourths: int) -> None:
    """I_x(a, b) = P(Binomial(a+b-1, x) >= a), here in exact fractions."""
    x, n = F(sixty_fourths, 64), a + b - 1
    exact = sum((comb(n, k) * x**k * (1 - x) ** (n - k) for k in range(a, n + 1)), start=F(0))
    assert incomplete_beta(float(x), a, b) == pytest.approx(float(exact), rel=1e-12, abs=1e-300)


def test_for_halves_it_is_an_arc_sine() -> None:
    for x in (0.01, 0.2, 0.5, 0.77, 0.999):
        assert incomplete_beta(x, 0.5, 0.5) == pytest.approx(2 / pi * asin(sqrt(x)), rel=1e-13)


def test_for_one_side_of_one_it_is_a_power() -> None:
    for x, a in ((0.3, 2.7), (0.9, 0.01), (0.001, 40.5)):
        assert incomplete_beta(x, a, 1) == pytest.approx(x**a, rel=1e-12)
        assert incomplete_beta(x, 1, a) == pytest.approx(1 - (1 - x) ** a, rel=1e-10)


@few
@given(inner, shapes, shapes)
def test_it_is_symmetric_and_obeys_its_recurrence(x: float, a: float, b: float) -> None:
    """I_x(a, b) = x I_x(a-1, b) + (1-x) I_x(a, b-1), written one step up."""
    value = incomplete_beta(x, a + 1, b + 1)
    assert 0 <= value <= 1
    assert value == pytest.approx(1 - incomplete_beta(1 - x, b + 1, a + 1), abs=1e-12)
    stepped = x * incomplete_beta(x, a, b + 1) + (1 - x) * incomplete_beta(x, a + 1, b)
    assert value == pytest.approx(stepped, abs=1e-12)


def test_against_a_plain_integral() -> None:
    """Simpson's rule on the density, where it is smooth."""
    a, b, x, steps = 3.45, 6.05, 0.41, 2_000

    def integral(upto: float) -> float:
        width = upto / steps
        heights: list[float] = [(i * width) ** (a - 1) * (1 - i * width) ** (b - 1) for i in range(steps + 1)]
        return width / 3 * (heights[0] + heights[-1] + 4 * sum(heights[1:-1:2]) + 2 * sum(heights[2:-1:2]))

    assert incomplete_beta(x, a, b) == pytest.approx(integral(x) / integral(1.0), abs=1e-9)


@few
@given(st.floats(0.001, 0.999), st.floats(0.5, 300), st.floats(0.5, 300))
def test_the_inverse_gives_the_chance_back(chance: float, a: float, b: float) -> None:
    assert incomplete_beta(inverse_incomplete_beta(chance, a, b), a, b) == pytest.approx(chance, abs=1e-11)


def test_large_shapes_still_converge() -> None:
    assert incomplete_beta(0.5, 5e3, 5e3) == pytest.approx(0.5, abs=1e-11)
    assert incomplete_beta(0.5, 1e6, 1e6) == pytest.approx(0.5, abs=1e-8)
    assert incomplete_beta(0.5, 7e5, 3e5) == 0


def test_the_ends_and_the_impossible() -> None:
    assert incomplete_beta(0, 2, 3) == inverse_incomplete_beta(0, 2, 3) == 0
    assert incomplete_beta(1, 2, 3) == inverse_incomplete_beta(1, 2, 3) == 1
    for x, a, b in ((-0.1, 1, 1), (1.1, 1, 1), (0.5, 0, 1), (0.5, 1, -1), (float("nan"), 1, 1)):
        with pytest.raises(ValueError, match="no value"):
            incomplete_beta(x, a, b)
    with pytest.raises(ValueError, match="is not a probability"):
        inverse_incomplete_beta(1.5, 1, 1)
