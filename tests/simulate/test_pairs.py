"""Paired comparison and its power, against plain enumeration and the published power table."""

from __future__ import annotations

from fractions import Fraction as F
from itertools import product

import pytest

from quorate.core.errors import SettingError
from quorate.simulate.pairs import Paired, items_needed, mcnemar, minimum_detectable_effect


def test_counting() -> None:
    found = Paired.of([(True, True), (True, False), (False, True), (False, True), (False, False)])
    assert found == Paired(both=1, first_only=1, second_only=2, neither=1)
    assert (found.items, found.discordance, found.gain) == (5, F(3, 5), F(1, 5))
    assert (Paired.of([]).discordance, Paired.of([]).gain) == (None, None)


def test_mcnemar_by_tossing_every_coin() -> None:
    for first, second in product(range(7), repeat=2):
        n = first + second
        extreme = sum(abs(2 * sum(tosses) - n) >= abs(first - second) for tosses in product((0, 1), repeat=n))
        assert mcnemar(Paired(5, first, second, 3)) == F(extreme, 2**n)


def test_mcnemar_is_exact() -> None:
    assert mcnemar(Paired(0, 0, 5, 0)) == F(1, 16)
    assert mcnemar(Paired(90, 0, 0, 10)) == 1


@pytest.mark.parametrize(("points", "items"), [(0.05, 628), (0.10, 157), (0.02, 3_925)])
def test_items_needed_for_twenty_per_cent_discordance(points: float, items: int) -> None:
    assert items_needed(points, 0.2) == items
    assert minimum_detectable_effect(items, 0.2) <= points < minimum_detectable_effect(items - 1, 0.2)


def test_a_hundred_items_cannot_see_twelve_points() -> None:
    assert minimum_detectable_effect(100, 0.2) == pytest.approx(0.125, abs=0.001)
    assert minimum_detectable_effect(100, 1) == pytest.approx(0.280, abs=0.001)


def test_impossible_designs_are_refused() -> None:
    for make in (
        lambda: items_needed(0.3, 0.2),
        lambda: items_needed(0, 0.2),
        lambda: minimum_detectable_effect(0, 0.2),
        lambda: minimum_detectable_effect(10, 1.2),
        lambda: items_needed(0.1, 0.2, alpha=0),
        lambda: items_needed(0.1, 0.2, alpha=1),
        lambda: items_needed(0.1, 0.2, power=0),
        lambda: items_needed(0.1, 0.2, power=1),
    ):
        with pytest.raises(SettingError):
            make()
