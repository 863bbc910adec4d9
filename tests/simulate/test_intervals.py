"""Bounds of a counted share: they hold what they promise, checked with exact binomial tails."""

from __future__ import annotations

from fractions import Fraction as F
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.core.errors import SettingError
from quorate.simulate.intervals import clopper_pearson, lower_bound, upper_bound, wilson
from tests.simulate.printed_numbers import rounds_to
from tests.simulate.vote_counts import binomial
from tests.support.examples import few

cases = st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


def at_most(k: int, n: int, p: F) -> F:
    return sum((comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(k + 1)), start=F(0))


@few
@given(cases, st.sampled_from([0.8, 0.95, 0.99]))
def test_a_bound_is_where_the_tail_is_the_error(case: tuple[int, int], confidence: float) -> None:
    k, n = case
    if k < n:
        assert float(at_most(k, n, F(upper_bound(k, n, confidence)))) == pytest.approx(1 - confidence, abs=1e-10)
    if k > 0:
        more = 1 - at_most(k - 1, n, F(lower_bound(k, n, confidence)))
        assert float(more) == pytest.approx(1 - confidence, abs=1e-10)
    assert (upper_bound(n, n, confidence), lower_bound(0, n, confidence)) == (1, 0)


def test_clopper_pearson_covers_every_share() -> None:
    n = 12
    intervals = [clopper_pearson(k, n, 0.9) for k in range(n + 1)]
    for percent in range(1, 100):
        p = F(percent, 100)
        covered = sum(
            (w for w, (low, high) in zip(binomial(n, p), intervals, strict=True) if low <= p <= high), start=F(0)
        )
        assert covered >= F("0.9")


@pytest.mark.parametrize(("n", "text"), [(20, "0.1391"), (60, "0.0487"), (100, "0.0295"), (300, "0.0099")])
def test_t13_nothing_seen_in_n_items(n: int, text: str) -> None:
    assert rounds_to(upper_bound(0, n), text)
    assert upper_bound(0, n) == pytest.approx(1 - 0.05 ** (1 / n), rel=1e-12)


def test_wilson_solves_its_equation() -> None:
    z = 1.959963984540054
    for k, n in ((3, 10), (50, 100), (99, 100), (1, 400)):
        for bound in wilson(k, n):
            assert (k / n - bound) ** 2 == pytest.approx(z * z * bound * (1 - bound) / n, rel=1e-9)
    assert wilson(0, 10).low == 0
    assert wilson(10, 10).high == 1


def test_no_cases_bound_nothing() -> None:
    assert clopper_pearson(0, 0) == wilson(0, 0) == (0, 1)


def test_impossible_counts_are_refused() -> None:
    for make in (
        lambda: upper_bound(5, 4),
        lambda: lower_bound(-1, 4),
        lambda: wilson(1, 2, 1.0),
        lambda: upper_bound(1, 2, 0),
    ):
        with pytest.raises(SettingError):
            make()
