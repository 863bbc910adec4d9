"""Stall detection and what is still unseen: T9 of the facts."""

from __future__ import annotations

from fractions import Fraction as F
from itertools import product

import pytest

from quorate.core.errors import SettingError
from quorate.simulate.stall import (
    Sightings,
    chao1,
    episodes_to_false_stall,
    false_stall,
    lincoln_petersen,
    new_per_thousand_tokens,
    unseen_mass,
)
from tests.simulate.printed import rounds_to


@pytest.mark.parametrize(
    ("q", "episodes", "within"), [("0.3", "51.5", "0.2817"), ("0.5", "14.0", "0.7482"), ("0.7", "6.4", "0.9772")]
)
def test_t9_a_run_of_three_is_a_false_alarm_machine(q: str, episodes: str, within: str) -> None:
    empty = F(q)
    expected = episodes_to_false_stall(empty)
    assert expected == (1 - empty**3) / ((1 - empty) * empty**3)
    assert rounds_to(expected, episodes)
    assert rounds_to(false_stall(empty, 18), within)


def test_t9_false_stalls_by_enumeration() -> None:
    q = F("0.4")
    for episodes, run in product(range(9), (1, 2, 3)):
        stalled = F(0)
        for empty in product("x.", repeat=episodes):
            if "x" * run in "".join(empty):
                stalled += q ** empty.count("x") * (1 - q) ** empty.count(".")
        assert false_stall(q, episodes, run) == stalled


def test_t9_the_expectation_is_the_sum_of_the_survivals() -> None:
    """E = sum over n of P(no stall in n episodes): a second derivation, added up until nothing is left."""
    q = F("0.7")
    survivals = sum((1 - false_stall(q, n) for n in range(60)), start=F(0))
    assert float(survivals) == pytest.approx(float(episodes_to_false_stall(q) or 0), abs=1e-3)


def test_t9_the_ends() -> None:
    assert episodes_to_false_stall(F(0)) is None
    assert episodes_to_false_stall(F(1)) == 3
    assert false_stall(F(1), 3) == 1
    assert false_stall(F(1), 2) == false_stall(F(0), 100) == 0


def test_t9_sightings() -> None:
    seen = Sightings.of([{"a", "b", "c"}, ["b", "b", "d"], ("b", "c"), ()])
    assert seen == Sightings(distinct=4, once=2, twice=1, total=7)
    assert unseen_mass(seen) == F(2, 7)
    assert chao1(seen) == 4 + F(2 * 1, 2 * 2)
    assert new_per_thousand_tokens(seen, 3_500) == F(2, 7) * 2
    assert new_per_thousand_tokens(seen, 0) is None


def test_t9_nothing_seen_says_nothing() -> None:
    nothing = Sightings.of([])
    assert unseen_mass(nothing) is None
    assert new_per_thousand_tokens(nothing, 1_000) is None
    assert chao1(nothing) == 0


def test_t9_good_turing_is_unbiased() -> None:
    """Of findings of different frequency: the mean of f1/n after three sightings is the mean unseen mass after two."""
    chances = {"a": F("0.5"), "b": F("0.3"), "c": F("0.15"), "d": F("0.05")}
    estimated = true = F(0)
    for drawn in product(chances, repeat=3):
        weight = chances[drawn[0]] * chances[drawn[1]] * chances[drawn[2]]
        estimated += weight * (unseen_mass(Sightings.of([name] for name in drawn)) or 0)
    for drawn in product(chances, repeat=2):
        weight = chances[drawn[0]] * chances[drawn[1]]
        true += weight * sum((share for name, share in chances.items() if name not in drawn), start=F(0))
    assert estimated == true


def test_t9_two_reviewers() -> None:
    assert lincoln_petersen(12, 10, 8) == 15
    assert lincoln_petersen(5, 4, 0) is None
    with pytest.raises(SettingError):
        lincoln_petersen(5, 4, 5)


def test_impossible_searches_are_refused() -> None:
    with pytest.raises(SettingError):
        false_stall(F(1, 2), -1)
    with pytest.raises(SettingError):
        false_stall(F(2), 3)
    with pytest.raises(SettingError):
        episodes_to_false_stall(F(1, 2), 0)
