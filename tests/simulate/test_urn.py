"""Debate as a Polya urn: T6 of the facts."""

from __future__ import annotations

from fractions import Fraction as F
from itertools import pairwise, product

import pytest

from quorate.core.errors import SettingError
from quorate.simulate.counts import at_least, binomial
from quorate.simulate.decision_rules import majority
from quorate.simulate.urn import MOST_TALK, complete, debate, drift, ring, star
from quorate.simulate.voters import Exchangeable
from tests.simulate.printed import rounds_to

P = F("0.7")
STARTS = (F("0.9"), F("0.3"), F("0.3"))


def mean(beliefs: tuple[F, ...]) -> F:
    return sum(beliefs, start=F(0)) / len(beliefs)


@pytest.mark.parametrize(
    ("n", "mass", "printed"),
    [
        (3, 3, "0.7840 0.7653 0.7586 0.7552 0.7516 0.7484"),
        (5, 5, "0.8369 0.8131 0.8045 0.8000 0.7954 0.7911"),
        (5, 2, "0.8369 0.7923 0.7819 0.7774 0.7731 0.7695"),
    ],
)
def test_t6_beliefs_stay_and_the_vote_falls(n: int, mass: int, printed: str) -> None:
    told = debate(n, F(mass), P, 10)
    assert [talk.belief for talk in told] == [P] * 11
    assert [talk.rounds for talk in told] == list(range(11))
    for rounds, text in zip((0, 1, 2, 3, 5, 10), printed.split(), strict=True):
        assert rounds_to(told[rounds].vote, text)
    assert all(later.vote < before.vote for before, later in pairwise(told))


def test_t6_every_history_of_two_rounds_by_enumeration() -> None:
    """All 2^6 answers of three agents in two rounds, each agent with counts of its own."""
    vote = belief = F(0)
    for answers in product((0, 1), repeat=6):
        weight, right, seen = F(1), F(3) * P, F(3)
        for turn in (answers[:3], answers[3:]):
            for answer in turn:
                weight *= right / seen if answer else 1 - right / seen
            right, seen = right + sum(turn), seen + 3
        vote += weight * at_least(binomial(3, right / seen), 2)
        belief += weight * right / seen
    assert debate(3, F(3), P, 2)[2].vote == vote
    assert debate(3, F(3), P, 2)[2].belief == belief == P


def test_t6_the_first_round_makes_voters_with_a_known_correlation() -> None:
    """With one agent talking to itself for t rounds its history is beta-binomial with phi = 1/(mass + 1)."""
    told = debate(1, F(4), P, 5)
    assert {talk.vote for talk in told} == {P}
    law = Exchangeable(3, P, F(1, 5))
    step_by_step = F(0)
    for history in product((0, 1), repeat=3):
        weight, right, seen = F(1), 4 * P, F(4)
        for answer in history:
            weight *= right / seen if answer else 1 - right / seen
            right, seen = right + answer, seen + 1
        step_by_step += weight if sum(history) >= 2 else 0
    assert majority(law).right == step_by_step


def test_t6_a_star_drifts_and_a_complete_graph_does_not() -> None:
    assert rounds_to(mean(drift(STARTS, F(4), star(3))), "0.5133")
    assert mean(drift(STARTS, F(4), star(3))) == F(77, 150)
    assert mean(drift(STARTS, F(4), complete(3))) == F(1, 2)
    for rounds in (2, 5):
        assert mean(drift(STARTS, F(4), complete(3), rounds)) == F(1, 2)
        assert mean(drift((*STARTS, F("0.2"), F("0.8")), F(4), ring(5), rounds)) == F(1, 2)


def test_t6_drift_of_one_round_by_enumeration() -> None:
    expected = [F(0)] * 3
    for answers in product((0, 1), repeat=3):
        weight = F(1)
        for belief, answer in zip(STARTS, answers, strict=True):
            weight *= belief if answer else 1 - belief
        for i, seen in enumerate(star(3)):
            expected[i] += weight * (4 * STARTS[i] + sum(answers[j] for j in seen)) / (4 + len(seen))
    assert drift(STARTS, F(4), star(3)) == tuple(expected)


def test_who_sees_whom() -> None:
    assert star(3) == ((1, 2), (0,), (0,))
    assert complete(3) == ((1, 2), (0, 2), (0, 1))
    assert ring(4) == ((1, 3), (0, 2), (1, 3), (0, 2))
    assert ring(2) == ((1,), (0,))


def test_impossible_debates_are_refused_and_the_longest_is_not() -> None:
    assert len(debate(1, F(1), P, 0)) == 1
    assert len(debate(10, F(1), P, MOST_TALK // 10)) == MOST_TALK // 10 + 1
    for mass, rounds, key in ((F(0), 1, "mass"), (F(1), MOST_TALK // 3 + 1, "rounds"), (F(1), -1, "rounds")):
        with pytest.raises(SettingError) as error:
            debate(3, mass, P, rounds)
        assert error.value.key == key
