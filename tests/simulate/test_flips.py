"""Helpful and harmful changes of position."""

from __future__ import annotations

from fractions import Fraction as F

from quorate.simulate.flips import Flips


def test_flips_are_shares_of_those_who_could_flip() -> None:
    flips = Flips.of([(True, True)] * 3 + [(True, False)] * 5 + [(False, True)] * 2 + [(False, False)] * 10)
    assert flips == Flips(stayed_right=3, harmful=5, helpful=2, stayed_wrong=10)
    assert flips.harmful_rate == F(5, 8)
    assert flips.helpful_rate == F(1, 6)
    before, after = F(3 + 5, 20), F(3 + 2, 20)
    assert flips.gain == after - before


def test_rates_of_nobody_are_unknown() -> None:
    assert Flips.of([(True, True)]).helpful_rate is None
    assert Flips.of([(False, False)]).harmful_rate is None
    assert Flips.of([]).gain is None
