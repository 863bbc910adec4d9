"""When to stop asking: T7 of the facts."""

from __future__ import annotations

from fractions import Fraction as F
from itertools import product
from math import comb, log, sqrt
from random import Random

import pytest

from quorate.core.errors import SettingError
from quorate.simulate.intervals import incomplete_beta
from quorate.simulate.stop_rules import (
    Rule,
    Sprt,
    Stopped,
    adaptive_consistency,
    curtailed,
    e_process,
    evidence,
    leads,
    rounds_to_consensus,
    sequential,
    sprt,
    unanimous_calls,
)
from quorate.simulate.voters import Exchangeable, Independent, Voters, joint
from tests.simulate.decision_rules import majority
from tests.simulate.printed_numbers import rounds_to

ADAPTIVE, ANYTIME = adaptive_consistency(F("0.95")), e_process(F("0.05"))


def walked(rule: Rule, voters: Voters) -> Stopped:
    """A second derivation: every judgement in full, walked vote by vote until the rule stops."""
    calls = right = wrong = undecided = behind = F(0)
    for judgement, weight in joint(voters):
        ayes = noes = 0
        stopped = False
        for vote in judgement:
            ayes, noes = ayes + vote, noes + (not vote)
            if rule(ayes, noes):
                stopped = True
                break
        calls += weight * (ayes + noes)
        right += weight if stopped and ayes > noes else 0
        wrong += weight if stopped and noes > ayes else 0
        undecided += weight if not stopped or ayes == noes else 0
        behind += weight if not stopped and noes > ayes else 0
    return Stopped(calls, right, wrong, undecided, behind)


@pytest.mark.parametrize(
    ("n", "printed"), [(3, "2.48 2.42 2.18"), (5, "4.0656 3.8946 3.3186"), (7, "5.6973 5.3780 4.4394")]
)
def test_t7_curtailed_majority(n: int, printed: str) -> None:
    m = (n + 1) // 2
    for text, p in zip(printed.split(), (F("0.6"), F("0.7"), F("0.9")), strict=True):
        q, result = 1 - p, curtailed(n, p)
        assert rounds_to(result.calls, text)
        assert result.calls == sum(
            k * comb(k - 1, m - 1) * (p**m * q ** (k - m) + q**m * p ** (k - m)) for k in range(m, n + 1)
        )
        whole = majority(Independent((p,) * n))
        assert (result.right, result.wrong, result.undecided) == (whole.right, whole.wrong, whole.undecided)


def test_t7_what_curtailment_saves() -> None:
    assert rounds_to(100 * (1 - curtailed(3, F("0.7")).calls / 3), "19.3")
    assert rounds_to(100 * (1 - curtailed(5, F("0.9")).calls / 5), "33.6")


@pytest.mark.parametrize(("n", "needed"), [(4, 3), (5, 4), (6, 4), (6, 6), (2, 2)])
@pytest.mark.parametrize("phi", ["0", "0.3", "1"])
def test_t7_curtailing_any_quorum_never_changes_its_verdict(n: int, needed: int, phi: str) -> None:
    p, voters = F("0.7"), Exchangeable(n, F("0.7"), F(phi))
    result = curtailed(n, p, F(phi), needed)
    carried = sum((weight for judgement, weight in joint(voters) if sum(judgement) >= needed), start=F(0))
    defeated = sum((weight for judgement, weight in joint(voters) if n - sum(judgement) >= needed), start=F(0))
    assert (result.right, result.wrong, result.undecided) == (carried, defeated, 1 - carried - defeated)
    calls = F(0)
    for judgement, weight in joint(voters):
        for k in range(1, n + 1):
            # Stop as soon as all ways to fill in the rest give the same verdict.
            ends = {
                (sum(judgement[:k]) + sum(rest) >= needed, n - sum(judgement[:k]) - sum(rest) >= needed)
                for rest in product((True, False), repeat=n - k)
            }
            if len(ends) == 1:
                calls += k * weight
                break
    assert result.calls == calls


def test_a_quorum_of_half_is_refused() -> None:
    with pytest.raises(SettingError, match="2 of 4"):
        curtailed(4, F("0.7"), needed=2)


def test_t7_adaptive_consistency_after_unanimous_answers() -> None:
    assert [leads(k, 0) for k in range(6)] == [1 - F(1, 2 ** (k + 1)) for k in range(6)]
    assert unanimous_calls(ADAPTIVE) == 4
    assert unanimous_calls(adaptive_consistency(F("0.99"))) == 6


def test_unanimous_calls_at_once_and_never() -> None:
    assert unanimous_calls(lambda ayes, noes: True) == 1
    assert unanimous_calls(lambda ayes, noes: False, cap=20) is None
    assert unanimous_calls(lambda ayes, noes: ayes == 20, cap=20) == 20


def test_a_level_that_is_reached_exactly_stops() -> None:
    assert unanimous_calls(adaptive_consistency(F(31, 32))) == 4
    assert evidence(7, 0) == 16
    assert unanimous_calls(e_process(F(1, 16))) == 7


def test_the_lead_is_a_beta_tail() -> None:
    for ayes, noes in product(range(8), repeat=2):
        ahead, behind = max(ayes, noes), min(ayes, noes)
        assert float(leads(ayes, noes)) == pytest.approx(incomplete_beta(0.5, behind + 1, ahead + 1), abs=1e-13)


@pytest.mark.parametrize(
    ("p", "calls", "wrong"), [("0.9", "5.62", "0.0001"), ("0.7", "15.11", "0.0135"), ("0.6", "24.16", "0.1033")]
)
def test_t7_adaptive_consistency_with_a_cap_of_forty(p: str, calls: str, wrong: str) -> None:
    """The printed share of wrong answers takes the leader at the cap."""
    result = sequential(ADAPTIVE, F(p), 40)
    assert rounds_to(result.calls, calls)
    assert rounds_to(result.wrong + result.wrong_at_cap, wrong)
    assert result.right + result.wrong + result.undecided == 1


def test_t7_adaptive_consistency_stops_for_a_fair_coin() -> None:
    result = sequential(ADAPTIVE, F("0.5"), 40)
    assert rounds_to(result.right + result.wrong, "0.4200")
    assert result.right == result.wrong


def test_t7_e_process() -> None:
    assert unanimous_calls(ANYTIME) == 8
    fair = sequential(ANYTIME, F("0.5"), 40)
    assert rounds_to(fair.right + fair.wrong, "0.0215")
    assert fair.right + fair.wrong <= F("0.05")
    assert rounds_to(sequential(ANYTIME, F("0.9"), 40).calls, "12.69")
    weaker = sequential(ANYTIME, F("0.7"), 40)
    assert rounds_to(weaker.calls, "32.70")
    assert rounds_to(weaker.right + weaker.wrong, "0.4336")


def test_the_e_value_is_a_fair_game() -> None:
    """A martingale under the fair coin: its mean after one more vote is what it was, which is Ville's premise."""
    for ayes, noes in product(range(6), repeat=2):
        assert (evidence(ayes + 1, noes) + evidence(ayes, noes + 1)) / 2 == evidence(ayes, noes)
    assert evidence(0, 0) == 1


@pytest.mark.parametrize("rule", [ADAPTIVE, e_process(F("0.2"))])
@pytest.mark.parametrize("phi", ["0", "0.25"])
def test_t7_stopping_rules_walked_through_every_judgement(rule: Rule, phi: str) -> None:
    for p in (F("0.5"), F("0.8")):
        assert sequential(rule, p, 9, F(phi)) == walked(rule, Exchangeable(9, p, F(phi)))


def test_t7_sprt_exact_and_simulated() -> None:
    """The printed figures came from a simulation; ours are exact, and a simulation here agrees with them."""
    test = Sprt(F("0.5"), F("0.7"), F("0.05"), F("0.05"))
    under, over = sprt(test, F("0.5"), 250), sprt(test, F("0.7"), 250)
    assert under.undecided + over.undecided < F(1, 10_000)
    assert float(under.says_p1) == pytest.approx(0.044, abs=0.001)
    assert float(over.says_p0) == pytest.approx(0.041, abs=0.001)
    assert float(under.calls) == pytest.approx(33.3, abs=0.1)
    assert float(over.calls) == pytest.approx(34.4, abs=0.1)

    source, trials, up, down = Random(20261116), 4_000, log(19), -log(19)
    for p, exact_calls, exact_error in ((0.5, under.calls, under.says_p1), (0.7, over.calls, over.says_p0)):
        calls, errors = [], 0
        for _ in range(trials):
            ratio, asked = 0.0, 0
            while down < ratio < up:
                ratio += log(0.7 / 0.5) if source.random() < p else log(0.3 / 0.5)
                asked += 1
            calls.append(asked)
            errors += (ratio > 0) == (p == 0.5)
        mean = sum(calls) / trials
        spread = sqrt(sum((c - mean) ** 2 for c in calls) / (trials - 1))
        assert abs(mean - exact_calls) <= 4 * spread / sqrt(trials)
        assert abs(errors / trials - exact_error) <= 4 * sqrt(exact_error * (1 - exact_error) / trials)


def test_sprt_bounds_that_are_reached_exactly_decide() -> None:
    test = Sprt(F(1, 3), F(2, 3), F(1, 5), F(1, 5))  # the ratio is 2^(ayes - noes), the bounds are 4 and 1/4
    assert [test.says(*votes) for votes in ((1, 0), (2, 0), (0, 1), (0, 2), (3, 2), (4, 2))] == [
        None,
        test.p1,
        None,
        test.p0,
        None,
        test.p1,
    ]


def test_sprt_with_a_cap_of_eight_by_enumeration() -> None:
    test, p = Sprt(F("0.4"), F("0.8"), F("0.1"), F("0.2")), F("0.7")
    calls, said = F(0), {test.p0: F(0), test.p1: F(0), None: F(0)}
    for judgement, weight in joint(Independent((p,) * 8)):
        says, asked = None, 0
        while says is None and asked < 8:
            asked += 1
            says = test.says(sum(judgement[:asked]), asked - sum(judgement[:asked]))
        calls += asked * weight
        said[says] += weight
    result = sprt(test, p, 8)
    assert (result.calls, result.says_p0, result.says_p1, result.undecided) == (
        calls,
        said[test.p0],
        said[test.p1],
        said[None],
    )


def test_t7_rounds_to_consensus() -> None:
    three, five = rounds_to_consensus(F(1, 2), 3), rounds_to_consensus(F(1, 2), 5)
    assert (three.expected, three.undecided) == (F("1.75"), F("0.125"))
    assert (five.expected, five.undecided) == (F("1.9375"), F(1, 32))
    assert rounds_to(five.undecided, "0.0312")
    never = rounds_to_consensus(F(0), 4)
    assert (never.expected, never.undecided) == (F(4), F(1))
    c = F(1, 3)
    by_round = sum((k * c * (1 - c) ** (k - 1) for k in range(1, 5)), start=F(0)) + 4 * (1 - c) ** 4
    assert rounds_to_consensus(c, 4).expected == by_round


def test_impossible_settings_are_refused() -> None:
    for make in (
        lambda: sequential(ADAPTIVE, F("0.5"), 0),
        lambda: sequential(ADAPTIVE, F("1.5"), 5),
        lambda: Sprt(F("0.7"), F("0.5"), F("0.05"), F("0.05")),
        lambda: Sprt(F("0.7"), F("0.7"), F("0.05"), F("0.05")),
        lambda: Sprt(F("0.5"), F("0.7"), F("0.5"), F("0.5")),
        lambda: rounds_to_consensus(F(1, 2), 0),
    ):
        with pytest.raises(SettingError):
            make()
