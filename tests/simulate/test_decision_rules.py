"""What rules make of voters: T1 to T5, T10, T11 and T15 of the facts, exact, each derived a second time."""

from __future__ import annotations

from fractions import Fraction as F
from itertools import product
from math import ceil, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.core.errors import SettingError
from quorate.core.tally import Denominator, Threshold
from quorate.simulate.agreement import effective_votes
from quorate.simulate.voters import CommonMode, Exchangeable, FamilyBlock, Independent, Voters, joint, size
from tests.simulate.decision_rules import (
    Split,
    ballots,
    by_rule,
    byzantine,
    log_odds,
    majority,
    majority_limit,
    miscounted,
    quorum,
    reached,
    veto,
    weighted,
)
from tests.simulate.printed_numbers import rounds_to
from tests.simulate.vote_counts import all_wrong, at_least, counts
from tests.support.examples import few

P = F("0.7")
SEATED = Threshold(2, 3, Denominator.SEATED)
VOTING = Threshold(2, 3, Denominator.VOTING)


def alike(n: int, p: F) -> Independent:
    return Independent((p,) * n)


def by_hand(voters: Voters) -> Split:
    """The majority a second time: every judgement, counted by heads."""
    right = sum((w for judgement, w in joint(voters) if 2 * sum(judgement) > len(judgement)), start=F(0))
    wrong = sum((w for judgement, w in joint(voters) if 2 * sum(judgement) < len(judgement)), start=F(0))
    return Split(right, wrong, 1 - right - wrong)


# T1


@pytest.mark.parametrize(
    ("p", "printed"),
    [
        ("0.4", "0.4 0.352 0.31744 0.289792 0.266568 0.246502"),
        ("0.6", "0.6 0.648 0.68256 0.710208 0.733432 0.753498"),
        ("0.7", "0.7 0.784 0.83692 0.873964 0.901191 0.921775"),
        ("0.8", "0.8 0.896 0.94208 0.966656 0.980419 0.988346"),
    ],
)
def test_t1_condorcet(p: str, printed: str) -> None:
    for n, text in zip((1, 3, 5, 7, 9, 11), printed.split(), strict=True):
        result = majority(alike(n, F(p)))
        assert rounds_to(result.right, text)
        assert result.undecided == 0
        assert result == majority(Exchangeable(n, F(p), F(0)))
        if n <= 7:
            assert result.right == F(text)
            assert result == by_hand(alike(n, F(p)))


def test_t1_an_even_split_decides_nothing() -> None:
    assert majority(alike(2, P)) == Split(F("0.49"), F("0.09"), F("0.42"))
    assert majority(alike(4, P)) == by_hand(alike(4, P))


# T2


@pytest.mark.parametrize(
    ("phi", "votes", "limit", "effective", "beta"),
    [
        ("0", "0.7840 0.8369 0.8740 0.9012", "1", "3 9", "0.0270"),
        ("0.1", "0.7619 0.7940 0.8139 0.8274", "0.8996", "2.50 5.00", "0.0474"),
        ("0.2", "0.7448 0.7649 0.7763 0.7837", "0.8180", "2.14 3.46", "0.0704"),
        ("0.3", "0.7317 0.7443 0.7510 0.7552", "0.7731", "1.88 2.65", "0.0953"),
        ("0.5", "0.7140 0.7186 0.7209 0.7223", "0.7276", "1.50 1.80", "0.1495"),
        ("0.66", "0.7058 0.7076 0.7084 0.7089", "0.7107", "1.29 1.43", "0.1958"),
    ],
)
def test_t2_correlated_voters(phi: str, votes: str, limit: str, effective: str, beta: str) -> None:
    for n, text in zip((3, 5, 7, 9), votes.split(), strict=True):
        voters = Exchangeable(n, P, F(phi))
        assert rounds_to(majority(voters).right, text)
        assert majority(voters) == by_hand(voters)
    assert rounds_to(majority_limit(P, F(phi)), limit)
    for n, text in zip((3, 9), effective.split(), strict=True):
        worth = effective_votes(n, F(phi))
        assert worth is not None
        assert rounds_to(worth, text)
        assert worth * F(phi) <= 1
    assert rounds_to(all_wrong(Exchangeable(3, P, F(phi))), beta)


def test_t2_what_tripling_the_tokens_buys() -> None:
    assert rounds_to(100 * (majority(Exchangeable(3, P, F("0.66"))).right - P), "0.6")
    assert rounds_to(100 * (majority(Exchangeable(3, P, F("0.1"))).right - P), "6.2")
    assert rounds_to(100 * (majority_limit(P, F("0.66")) - 0.7), "1.1")


def test_t2_the_limit_is_approached() -> None:
    finite = [float(majority(Exchangeable(n, P, F("0.3"))).right) for n in (9, 25, 61)]
    gaps = [majority_limit(P, F("0.3")) - value for value in finite]
    assert gaps[0] > gaps[1] > gaps[2] > 0
    # The gap of a beta-binomial majority falls as 1/n.
    assert gaps[2] / gaps[1] == pytest.approx(25 / 61, rel=0.05)


def test_t2_the_ends_of_the_limit() -> None:
    assert [majority_limit(F(p), F(0)) for p in ("0.4", "0.5", "0.6")] == [0, 0.5, 1]
    assert majority_limit(P, F(1)) == 0.7
    assert majority_limit(F(1), F("0.5")) == 1
    assert majority_limit(F("0.5"), F("0.37")) == pytest.approx(0.5, abs=1e-12)


# T3


@pytest.mark.parametrize(
    ("n", "need", "deadlock", "right"),
    [
        (2, 2, "0.5 0.48 0.42 0.32", "0.49"),
        (3, 2, "0 0 0 0", "0.784"),
        (4, 3, "0.375 0.3456 0.2646 0.1536", "0.6517"),
        (5, 4, "0.625 0.576 0.441 0.256", "0.5282"),
        (6, 4, "0.3125 0.2765 0.1852 0.0819", "0.7443"),
        (7, 5, "0.5469 0.4838 0.3241 0.1434", "0.6471"),
        (9, 6, "0.4922 0.4180 0.2450 0.0826", "0.7297"),
    ],
)
def test_t3_quorum_of_two_thirds(n: int, need: int, deadlock: str, right: str) -> None:
    assert need == ceil(F(2 * n, 3))
    for p, text in zip(("0.5", "0.6", "0.7", "0.8"), deadlock.split(), strict=True):
        result = quorum(ballots(alike(n, F(p))), n, SEATED)
        assert rounds_to(result.deadlock, text)
        law = counts(alike(n, F(p)))
        assert result.deadlock == sum(law[n - need + 1 : need], start=F(0))
        assert result.right + result.wrong + result.deadlock == 1
    assert rounds_to(quorum(ballots(alike(n, P)), n, SEATED).right, right)


def second_quorum(n: int, p: F, abstain: F, threshold: Threshold) -> tuple[F, F, F, F, F]:
    """Right, wrong, deadlock, empty, lone by enumerating all 3^n ballots and comparing fractions."""
    right = wrong = deadlock = empty = lone = F(0)
    weight_of = {"right": (1 - abstain) * p, "wrong": (1 - abstain) * (1 - p), "none": abstain}
    for cast in product(weight_of, repeat=n):
        weight = F(1)
        for ballot in cast:
            weight *= weight_of[ballot]
        ayes, noes = cast.count("right"), cast.count("wrong")
        whole = n if threshold.of is Denominator.SEATED else ayes + noes
        if ayes + noes == 0:
            empty += weight
        elif F(ayes, whole) >= F(2, 3):
            right += weight
        elif F(noes, whole) >= F(2, 3):
            wrong += weight
        else:
            deadlock += weight
        if ayes + noes == 1 and F(1, whole) >= F(2, 3):
            lone += weight
    return right, wrong, deadlock, empty, lone


@pytest.mark.parametrize(
    ("abstain", "text"), [("0.1", "0.1301"), ("0.2", "0.2653"), ("0.3", "0.4012"), ("0.5", "0.6575")]
)
def test_t3_abstention_brings_deadlock_to_three(abstain: str, text: str) -> None:
    """The printed figures count the round in which nobody voted as a deadlock, too."""
    result = quorum(ballots(alike(3, P), F(abstain)), 3, SEATED)
    assert rounds_to(result.deadlock + result.empty, text)
    assert (result.right, result.wrong, result.deadlock, result.empty, result.lone) == second_quorum(
        3, P, F(abstain), SEATED
    )


@pytest.mark.parametrize(("abstain", "lone", "empty"), [("0.5", "0.2500", "0.0625"), ("0.7", "0.4116", "0.2401")])
def test_t3_abstainers_who_leave_the_denominator_leave_one_to_decide(abstain: str, lone: str, empty: str) -> None:
    result = quorum(ballots(alike(4, P), F(abstain)), 4, VOTING)
    assert result.lone == F(lone)
    assert result.empty == F(empty)
    assert (result.right, result.wrong, result.deadlock, result.empty, result.lone) == second_quorum(
        4, P, F(abstain), VOTING
    )


def test_t3_a_floor_of_two_ayes_ends_the_lone_decision() -> None:
    law = ballots(alike(4, P), F("0.5"))
    assert quorum(law, 4, Threshold(2, 3, Denominator.VOTING, least=2)).lone == 0


def test_ballots_of_correlated_voters_by_enumeration() -> None:
    voters, abstain = FamilyBlock((0, 0, 1), P, F("0.6"), F("0.2")), F("0.3")
    added: dict[tuple[int, int], F] = {}
    for judgement, weight in joint(voters):
        for votes in product((True, False), repeat=3):
            share = weight
            for cast in votes:
                share *= 1 - abstain if cast else abstain
            right = sum(good and cast for good, cast in zip(judgement, votes, strict=True))
            wrong = sum(not good and cast for good, cast in zip(judgement, votes, strict=True))
            added[right, wrong] = added.get((right, wrong), F(0)) + share
    assert ballots(voters, abstain) == added


def test_a_threshold_that_both_sides_reach_decides_nothing() -> None:
    result = quorum(ballots(alike(2, P)), 2, Threshold(1, 2, Denominator.SEATED))
    assert (result.right, result.wrong, result.deadlock) == (F("0.49"), F("0.09"), F("0.42"))


# T4


def test_t4_veto() -> None:
    false = alike(4, F("0.05"))
    for rounds, text in ((1, "0.1855"), (2, "0.3366"), (3, "0.4596"), (5, "0.6415")):
        assert rounds_to(veto(false, rounds=rounds), text)
        assert veto(false, rounds=rounds) == 1 - F("0.95") ** (4 * rounds)
    assert rounds_to(veto(false, needed=2), "0.0140")
    for s, any_one, two in (("0.6", "0.9744", "0.8208"), ("0.8", "0.9984", "0.9728")):
        assert veto(alike(4, F(s))) == F(any_one)
        assert veto(alike(4, F(s)), needed=2) == F(two)
    with pytest.raises(SettingError):
        veto(false, rounds=0)


def test_t4_rounds_one_by_one() -> None:
    """A second derivation: pass every round, one after the other, unblocked."""
    raisers, unblocked = Exchangeable(4, F("0.1"), F("0.4")), F(1)
    for _ in range(3):
        unblocked *= sum((weight for judgement, weight in joint(raisers) if sum(judgement) < 2), start=F(0))
    assert veto(raisers, needed=2, rounds=3) == 1 - unblocked


# T5


@pytest.mark.parametrize(
    ("s", "union", "two"),
    [("0.3", "0.657", "0.216"), ("0.4", "0.784", "0.352"), ("0.5", "0.875", "0.500"), ("0.7", "0.973", "0.784")],
)
def test_t5_findings(s: str, union: str, two: str) -> None:
    finders, recall = alike(3, F(s)), F(s)
    assert reached(finders, 1) == F(union) == 1 - (1 - recall) ** 3
    assert reached(finders, 2) == F(two) == recall**2 * (3 - 2 * recall)
    assert (reached(finders, 2) < recall) == (recall < F(1, 2))


def test_t5_false_findings() -> None:
    false = alike(3, F("0.05"))
    assert rounds_to(reached(false, 1), "0.1426")
    assert rounds_to(reached(false, 2), "0.0073")


# T10


@pytest.mark.parametrize(
    ("p", "simple", "best"),
    [
        ("0.9 0.6 0.6", "0.7920", "0.9000"),
        ("0.8 0.7 0.7", "0.8260", "0.8260"),
        ("0.9 0.8 0.7 0.6 0.55", "0.8607", "0.9120"),
    ],
)
def test_t10_weighted_vote(p: str, simple: str, best: str) -> None:
    voters = Independent(tuple(map(F, p.split())))
    assert rounds_to(majority(voters).right, simple)
    assert rounds_to(log_odds(voters, voters.p).right, best)
    assert weighted(voters, [F(1)] * size(voters)) == majority(voters) == by_hand(voters)
    # Second derivation: real logarithms, and the best rule there is, which sides with the likelier explanation.
    scores = [log(q / (1 - q)) for q in map(float, voters.p)]
    right = wrong = F(0)
    best_of_all = F(0)
    for judgement, weight in joint(voters):
        score = sum(s if good else -s for s, good in zip(scores, judgement, strict=True))
        right, wrong = right + (weight if score > 0 else 0), wrong + (weight if score < 0 else 0)
        mirrored = dict(joint(voters))[tuple(not good for good in judgement)]
        best_of_all += max(weight, mirrored) / 2
    assert log_odds(voters, voters.p) == Split(right, wrong, 1 - right - wrong)
    assert log_odds(voters, voters.p).right == best_of_all


def test_t10_ties_are_ties_and_certainty_is_refused() -> None:
    voters = Independent((P, P))
    assert log_odds(voters, voters.p).undecided == F("0.42")
    assert weighted(voters, (F(1, 3), F(1, 3))).undecided == F("0.42")
    for certain in (F(0), F(1)):
        with pytest.raises(SettingError, match="certainty"):
            log_odds(voters, (P, certain))


def test_t10_a_voter_worse_than_chance_is_worth_its_opposite() -> None:
    assert log_odds(Independent((F("0.1"),)), (F("0.1"),)).right == F("0.9")


# T11


@pytest.mark.parametrize(
    ("n", "traitors", "printed"),
    [
        (3, 1, "0.49 0.64 0.81"),
        (5, 1, "0.6517 0.8192 0.9477"),
        (5, 2, "0.343 0.512 0.729"),
        (7, 2, "0.5282 0.7373 0.9185"),
    ],
)
def test_t11_byzantine(n: int, traitors: int, printed: str) -> None:
    for p, text in zip(("0.7", "0.8", "0.9"), printed.split(), strict=True):
        honest = alike(n - traitors, F(p))
        assert rounds_to(byzantine(honest, traitors).right, text)
        assert byzantine(honest, traitors) == by_hand(Independent((*honest.p, *((F(0),) * traitors))))


def test_t11_with_one_traitor_five_seats_match_one_honest_agent() -> None:
    p = F("0.8")
    assert byzantine(alike(2, p), 1).right < p
    assert byzantine(alike(4, p), 1).right >= p


def test_t11_even_tables_may_tie() -> None:
    assert byzantine(alike(2, P), 2) == by_hand(Independent((P, P, F(0), F(0))))
    assert byzantine(alike(1, P), 3).wrong == 1
    assert byzantine(alike(3, P), 0) == majority(alike(3, P))


def test_t11_injection() -> None:
    for c, alone, together in (("0.1", "0.028", "0.095"), ("0.3", "0.216", "0.294"), ("0.9", "0.972", "0.905")):
        assert reached(alike(3, F(c)), 2) == F(alone)
        assert rounds_to(reached(Exchangeable(3, F(c), F("0.66")), 2), together)
    assert reached(alike(3, F("0.3")), 3) == F("0.027")
    assert rounds_to(reached(Exchangeable(3, F("0.3"), F("0.66")), 3), "0.196")


# T15


def test_t15_a_parse_failure_is_an_abstention_and_not_a_wrong_vote() -> None:
    for u, text in (("0.1", "0.1301"), ("0.2", "0.2653"), ("0.3", "0.4012"), ("0.5", "0.6575")):
        law = ballots(alike(3, P), F(u))
        honest, silent = quorum(law, 3, SEATED), quorum(miscounted(law, 3), 3, SEATED)
        assert rounds_to(honest.deadlock + honest.empty, text)
        assert silent.deadlock + silent.empty == 0
        assert silent.wrong > honest.wrong
        # Scored as wrong, the voters are simply worse ones.
        assert silent == quorum(ballots(alike(3, P * (1 - F(u)))), 3, SEATED)


# All of them

chances = st.sampled_from([F(0), F(1, 7), F(1, 2), F(7, 10), F(19, 20), F(1)])
some_voters = st.one_of(
    st.lists(chances, min_size=1, max_size=5).map(lambda p: Independent(tuple(p))),
    st.builds(Exchangeable, st.integers(1, 6), chances, chances),
    st.builds(CommonMode, st.integers(1, 6), chances, chances),
)


@few
@given(some_voters, chances, st.sampled_from([SEATED, VOTING]))
def test_every_split_sums_to_one_and_the_rules_agree(voters: Voters, abstain: F, threshold: Threshold) -> None:
    n = size(voters)
    result = quorum(ballots(voters, abstain), n, threshold)
    assert result.right + result.wrong + result.deadlock + result.empty == 1
    assert min(result.right, result.wrong, result.deadlock, result.empty) >= 0
    assert result.lone <= result.right + result.wrong
    assert majority(voters) == by_hand(voters) == by_rule(voters, lambda j: None if 2 * sum(j) == n else 2 * sum(j) > n)
    assert [reached(voters, k) for k in (0, n + 1)] == [1, 0]
    assert at_least(counts(voters), 1) == 1 - all_wrong(voters)
