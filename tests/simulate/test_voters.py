"""The joint law of voters: it sums to one, has the stated accuracies and correlations, and is what is drawn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction as F
from itertools import permutations, product
from math import sqrt
from random import Random
from typing import cast

import pytest

from quorate.core.errors import SettingError
from quorate.simulate.voters import (
    MOST_ENUMERATED,
    MOST_VOTERS,
    CommonMode,
    Exchangeable,
    FamilyBlock,
    Independent,
    Voters,
    accuracy,
    correlation,
    draw,
    joint,
    likelihood,
    mean_correlation,
    size,
)
from tests.simulate.vote_counts import all_wrong, counts

P = F("0.7")
ZOO: list[Voters] = [
    Independent((F("0.9"), F("0.6"), F("0.55"), F(1, 3))),
    Independent((F(1), F("0.6"), F(0))),
    Exchangeable(5, P, F("0.66")),
    Exchangeable(4, P, F(0)),
    Exchangeable(4, P, F(1)),
    Exchangeable(3, F(1), F("0.3")),
    CommonMode(4, F("0.1"), P),
    CommonMode(3, F(0), P),
    CommonMode(3, F(1), P),
    FamilyBlock((0, 0, 1), P, F("0.6"), F("0.2")),
    FamilyBlock((0, 1, 0, 2, 1), P, F("0.6"), F("0.2")),
    FamilyBlock((0, 0, 1, 1), P, F(1), F("0.2")),
    FamilyBlock((0, 0, 1), P, F(1), F(1)),
    FamilyBlock((3, 3, 8), P, F("0.5"), F(0)),
    FamilyBlock((0,), P, F("0.5"), F("0.1")),
]
zoo = pytest.mark.parametrize("voters", ZOO, ids=str)


def mean(voters: Voters, *seats: int) -> F:
    """The chance that these voters are all right, added up over every judgement."""
    return sum((weight for judgement, weight in joint(voters) if all(judgement[i] for i in seats)), start=F(0))


@zoo
def test_judgements_sum_to_one_and_no_impossible_one_is_listed(voters: Voters) -> None:
    law = list(joint(voters))
    assert sum(weight for _, weight in law) == 1
    assert all(weight > 0 for _, weight in law)
    assert all(len(judgement) == size(voters) for judgement, _ in law)
    assert len({judgement for judgement, _ in law}) == len(law)


@zoo
def test_stated_accuracy_and_correlation_are_those_of_the_joint_law(voters: Voters) -> None:
    n, stated = size(voters), accuracy(voters)
    assert tuple(mean(voters, i) for i in range(n)) == stated
    for i, j in permutations(range(n), 2):
        covariance = mean(voters, i, j) - stated[i] * stated[j]
        phi = correlation(voters, i, j)
        if phi is None:
            assert covariance == 0
            assert {stated[i], stated[j]} & {F(0), F(1)}
        else:
            # phi is cov / sqrt(var var); all models with correlated errors have equal accuracies, so no root is left.
            assert covariance == (phi * stated[i] * (1 - stated[i]) if phi else 0)


@zoo
def test_counts_are_those_of_the_joint_law(voters: Voters) -> None:
    added = [F(0)] * (size(voters) + 1)
    for judgement, weight in joint(voters):
        added[sum(judgement)] += weight
    assert counts(voters) == tuple(added)
    assert all_wrong(voters) == added[0]


def test_beta_binomial_is_the_ratio_of_rising_factorials_and_of_beta_functions() -> None:
    """A second derivation, with a and b themselves: C(n,k) a^(k) b^(n-k) / (a+b)^(n), rising factorials."""
    n, phi = 6, F("0.3")
    a, b = P * (1 - phi) / phi, (1 - P) * (1 - phi) / phi

    def rising(x: F, k: int) -> F:
        result = F(1)
        for i in range(k):
            result *= x + i
        return result

    for judgement in product((True, False), repeat=n):
        k = sum(judgement)
        assert likelihood(Exchangeable(n, P, phi), judgement) == rising(a, k) * rising(b, n - k) / rising(a + b, n)


def test_families_of_one_and_equal_correlations_are_exchangeable() -> None:
    plain = dict(joint(Exchangeable(4, P, F("0.2"))))
    assert dict(joint(FamilyBlock((0, 1, 2, 3), P, F("0.9"), F("0.2")))) == plain
    assert dict(joint(FamilyBlock((0, 0, 1, 1), P, F("0.2"), F("0.2")))) == plain


def test_unrelated_families_multiply() -> None:
    """With no correlation across, each family is a beta-binomial of its own and the families are independent."""
    two, three = dict(joint(Exchangeable(2, P, F("0.5")))), dict(joint(Exchangeable(3, P, F("0.5"))))
    law = dict(joint(FamilyBlock((0, 0, 1, 1, 1), P, F("0.5"), F(0))))
    assert law == {left + right: two[left] * three[right] for left in two for right in three}


def test_a_second_family_lowers_the_mean_correlation() -> None:
    assert mean_correlation(FamilyBlock((0, 0, 0), P, F("0.6"), F("0.2"))) == F("0.6")
    assert mean_correlation(FamilyBlock((0, 0, 1), P, F("0.6"), F("0.2"))) == F(1, 3)
    assert mean_correlation(Independent((P,))) is None
    assert mean_correlation(Independent((P, F(1)))) is None


@zoo
def test_drawn_judgements_have_the_joint_law(voters: Voters) -> None:
    """Simulation: 4,000 draws from a fixed seed, every judgement within four standard errors."""
    source, draws = Random(20261116), 4_000
    seen = Counter(draw(source, voters) for _ in range(draws))
    law = dict(joint(voters))
    assert set(seen) <= set(law)
    for judgement, weight in law.items():
        error = sqrt(weight * (1 - weight) / draws)
        assert abs(seen[judgement] / draws - weight) <= 4 * error


def test_the_same_seed_draws_the_same() -> None:
    voters = FamilyBlock((0, 0, 1), P, F("0.6"), F("0.2"))
    first, second = Random(7), Random(7)
    assert [draw(first, voters) for _ in range(50)] == [draw(second, voters) for _ in range(50)]


@pytest.mark.parametrize(
    ("make", "key"),
    [
        (lambda: Independent(()), "p"),
        (lambda: Independent((F(3, 2),)), "p"),
        (lambda: Independent((cast("F", 0.5),)), "p"),
        (lambda: Exchangeable(0, P, P), "n"),
        (lambda: Exchangeable(MOST_VOTERS + 1, P, P), "n"),
        (lambda: Exchangeable(3, P, F(-1, 10)), "phi"),
        (lambda: CommonMode(3, F(2), P), "q"),
        (lambda: CommonMode(3, P, F(-1)), "p"),
        (lambda: FamilyBlock((), P, P, P), "families"),
        (lambda: FamilyBlock((0, 1), P, F("0.1"), F("0.2")), "inside"),
        (lambda: joint(Exchangeable(MOST_ENUMERATED + 1, P, P)), "n"),
    ],
)
def test_impossible_voters_are_refused_by_name(make: Callable[[], object], key: str) -> None:
    with pytest.raises(SettingError) as error:
        make()
    assert error.value.key == key
