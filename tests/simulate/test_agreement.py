"""How much voters err together, measured: T13 of the facts, the recorded triples, and unanimity."""

from __future__ import annotations

from fractions import Fraction as F
from math import lcm, sqrt
from operator import itemgetter

import pytest

from quorate.core.errors import SettingError
from quorate.simulate.agreement import (
    ceiling,
    effective_votes,
    measured_votes,
    pairs,
    pooled_correlation,
    shared_accuracy,
    unanimity,
)
from quorate.simulate.voters import (
    CommonMode,
    Exchangeable,
    FamilyBlock,
    Independent,
    Voters,
    accuracy,
    correlation,
    joint,
)
from tests.simulate.decision_rules import by_rule, majority
from tests.simulate.printed_numbers import rounds_to
from tests.simulate.vote_counts import all_wrong, counts

MIXED = Exchangeable(3, F(1, 2), F(1, 3))
COMMON = CommonMode(3, F(1, 4), F(2, 3))
"""The same accuracy 1/2 and the same correlation 1/3, from two different causes."""


def items(voters: Voters) -> list[tuple[bool, ...]]:
    """A table in which every judgement occurs exactly as often as its probability says."""
    law = list(joint(voters))
    whole = lcm(*(weight.denominator for _, weight in law))
    return [judgement for judgement, weight in law for _ in range(int(weight * whole))]


# T13


def test_t13_equal_accuracy_and_correlation_do_not_give_the_ceiling() -> None:
    for voters in (MIXED, COMMON):
        assert accuracy(voters) == (F(1, 2),) * 3
        assert correlation(voters, 0, 1) == F(1, 3)
        table = items(voters)
        assert shared_accuracy(table) == F(1, 2)
        assert pooled_correlation(table) == F(1, 3)
        assert [pair.phi for pair in pairs(table)] == [pytest.approx(1 / 3)] * 3
        assert ceiling(table).beta == all_wrong(voters)
    assert ceiling(items(MIXED)).beta == F(1, 4)
    assert ceiling(items(COMMON)).beta == F(5, 18)


@pytest.mark.parametrize("voters", [MIXED, COMMON, Independent((F("0.9"), F("0.6"), F("0.6")))])
def test_t13_no_rule_that_picks_a_member_beats_the_ceiling(voters: Voters) -> None:
    top = 1 - all_wrong(voters)
    assert by_rule(voters, any).right == top
    assert majority(voters).right < top
    assert all(by_rule(voters, itemgetter(i)).right < top for i in range(3))


def test_t13_bounds() -> None:
    none = ceiling([(True, False)] * 60)
    assert none.beta == 0
    assert rounds_to(none.beta_bound, "0.0487")
    assert none.accuracy_bound == 1
    some = ceiling([(True, False)] * 70 + [(False, False)] * 30)
    assert some.beta == F("0.3")
    assert some.beta_bound > 0.3
    assert some.accuracy_bound > 0.7
    nothing = ceiling([])
    assert nothing.beta is None
    assert (nothing.beta_bound, nothing.accuracy_bound) == (1, 1)


def test_who_gave_no_answer_was_not_right() -> None:
    assert ceiling([(None, False), (None, True), (None, None)]).beta == F(1, 2)


# Effective votes and correlation


@pytest.mark.parametrize(
    ("observed", "p", "phi", "votes", "fitted"),
    [
        ("436 175 167 222", "0.392", "0.522", "1.47", ".433 .183 .159 .225"),
        ("367 135 119 379", "0.503", "0.661", "1.29", ".370 .127 .127 .376"),
    ],
)
def test_recorded_triples_give_the_published_figures(observed: str, p: str, phi: str, votes: str, fitted: str) -> None:
    """The numbers right of three, per thousand runs, of the recorded debates (science, section 2.4)."""
    table = [
        tuple(i < right for i in range(3))
        for right, often in enumerate(map(int, observed.split()))
        for _ in range(often)
    ]
    measured = pooled_correlation(table)
    assert measured is not None
    assert float(shared_accuracy(table) or 0) == pytest.approx(float(p), abs=0.001)
    assert float(measured) == pytest.approx(float(phi), abs=0.002)
    worth = effective_votes(3, F(phi))
    assert worth is not None
    assert rounds_to(worth, votes)
    for share, text in zip(counts(Exchangeable(3, F(p), F(phi))), fitted.split(), strict=True):
        assert float(share) == pytest.approx(float(text), abs=0.001)


def test_effective_votes() -> None:
    assert [effective_votes(9, phi) for phi in (F(0), F(1), F(1, 8))] == [9, 1, F(9, 2)]
    assert effective_votes(1, F("0.6")) == 1
    assert effective_votes(3, F(-1, 2)) is None
    # Kish's number is what makes the variance of the mean vote right: p(1-p)/n_eff.
    voters = Exchangeable(5, F("0.7"), F("0.3"))
    law = counts(voters)
    variance = sum((w * (F(k, 5) - F("0.7")) ** 2 for k, w in enumerate(law)), start=F(0))
    assert variance == F("0.7") * F("0.3") / (effective_votes(5, F("0.3")) or 0)


def test_what_was_measured_is_worth_no_more_than_was_counted() -> None:
    for phi in (F(0), F(1, 8), F(1)):
        assert measured_votes(9, phi) == effective_votes(9, phi)
    assert [measured_votes(4, phi) for phi in (F(-1, 10), F(-1, 3), F(-1))] == [4, 4, 4]


def test_pairs_tell_families_apart() -> None:
    table = items(FamilyBlock((0, 0, 1), F(1, 2), F(3, 4), F(1, 4)))
    phi = {(pair.first, pair.second): pair.phi for pair in pairs(table)}
    assert phi == {(0, 1): pytest.approx(0.75), (0, 2): pytest.approx(0.25), (1, 2): pytest.approx(0.25)}
    assert pooled_correlation(table) == F(5, 12)


def test_pairs_by_pearson_with_answers_missing() -> None:
    table = [(True, True), (True, False), (False, False), (None, True), (True, True), (False, None), (False, False)]
    (pair,) = pairs(table)
    both = [(a, b) for a, b in table if a is not None and b is not None]
    n, ma, mb = len(both), sum(a for a, _ in both) / len(both), sum(b for _, b in both) / len(both)
    covariance = sum((a - ma) * (b - mb) for a, b in both) / n
    assert (pair.items, pair.both_wrong) == (5, 2)
    assert pair.phi == pytest.approx(covariance / sqrt(ma * (1 - ma) * mb * (1 - mb)))


def test_what_cannot_be_measured_is_none() -> None:
    assert pooled_correlation([]) is None
    assert pooled_correlation([(True,), (False,)]) is None
    assert pooled_correlation([(True, True)]) is None
    assert pooled_correlation([(True, None), (False, None)]) is None
    assert shared_accuracy([(None,)]) is None
    assert pairs([(True, True), (True, False)])[0].phi is None
    assert pairs([]) == ()


# Unanimity


def test_unanimity() -> None:
    answers = [("x", "x", "x"), ("x", "x", "x"), ("x", "y", "x"), ("y", "y", None), (None, None, None), ("y", "y", "y")]
    found = unanimity(answers, ["x", "y", "x", "y", "x", "y"])
    assert (found.items, found.unanimous, found.right) == (6, 3, 2)
    assert (found.coverage, found.precision) == (F(1, 2), F(2, 3))
    assert found.precision_bound == pytest.approx(0.13535, abs=1e-5)


def test_unanimity_of_one_voter_or_of_nothing_says_nothing() -> None:
    alone = unanimity([("x",)], ["x"])
    assert (alone.unanimous, alone.coverage, alone.precision, alone.precision_bound) == (0, F(0), None, 0.0)
    assert unanimity([], []).coverage is None
    with pytest.raises(SettingError, match="1 truths for 0 items"):
        unanimity([], ["x"])
