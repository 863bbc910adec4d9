"""The scores of a sitting, against values computed by hand."""

from __future__ import annotations

from functools import cache

import pytest

from quorate.exam.scores import (
    Competence,
    FormRate,
    PairAnswer,
    competence,
    discrimination,
    is_look,
    score,
)


def test_a_score_is_what_can_be_computed_by_hand() -> None:
    answers = [PairAnswer("a", 900, 100), PairAnswer("b", 600, 400), PairAnswer("c", 300, 700)]
    found = score("p", answers, seed=1)
    assert (found.pairs, found.right, found.ties) == (3, 2, 0)
    assert found.accuracy.value == 667
    # Clopper-Pearson for 2 of 3: 0.0943 to 0.9916
    assert (found.accuracy.low, found.accuracy.high) == (94, 992)
    # good 900, 600, 300 against bad 100, 400, 700: 3 + 2 + 1 of 9 comparisons are won
    assert found.discrimination.value == 667
    # above one half: 900, 600 and 700 of six
    assert found.yes.value == 500
    # squared errors: 0.01, 0.16, 0.49 for good and 0.01, 0.16, 0.49 for bad texts
    assert found.brier.value == 220
    # gaps by tenth: 100 (bad) .1; 300 (good) .7; 400 (bad) .4; 600 (good) .4; 700 (bad) .7; 900 (good) .1: mean 0.4
    assert found.calibration_error == 400
    assert found.competence is Competence.UNDECIDED


def test_discrimination_has_an_interval_that_is_never_empty() -> None:
    perfect = discrimination([900, 800, 700], [100, 200, 300])
    # Wilson for 3 of 3: 3 / (3 + 1.96^2) = 0.43850 to 1
    assert (perfect.value, perfect.low, perfect.high) == (1000, 439, 1000)
    same = discrimination([500, 500], [500, 500])
    assert (same.value, same.low < 500 < same.high) == (500, True)


@pytest.mark.parametrize(
    ("right", "pairs", "found"),
    [
        (6, 6, Competence.QUALIFIED),  # 0.025^(1/6) = 0.541
        (5, 5, Competence.UNDECIDED),  # 0.025^(1/5) = 0.478
        (11, 12, Competence.QUALIFIED),
        (9, 12, Competence.UNDECIDED),
        (0, 6, Competence.WORSE),
        (6, 12, Competence.UNDECIDED),
        (0, 0, Competence.UNDECIDED),
    ],
)
def test_who_is_qualified(right: int, pairs: int, found: Competence) -> None:
    assert competence(right, pairs) is found


def test_the_interval_is_looked_at_after_twice_as_many_pairs_each_time() -> None:
    assert [pairs for pairs in range(200) if is_look(pairs)] == [6, 12, 24, 48, 96, 192]


def test_a_coin_is_called_qualified_in_about_one_sitting_of_twenty() -> None:
    """The chance that a coin is found better than chance at any look, exactly, for the longest paper."""

    @cache
    def chance(right: int, pairs: int, last: int) -> float:
        if is_look(pairs) or pairs == last:
            found = competence(right, pairs)
            if found is not Competence.UNDECIDED or pairs == last:
                return float(found is Competence.QUALIFIED)
        return (chance(right, pairs + 1, last) + chance(right + 1, pairs + 1, last)) / 2

    assert chance(0, 0, 12) < 0.03
    assert 0.04 < chance(0, 0, 79) < 0.06


def test_a_tie_is_decided_by_a_lot_that_falls_the_same_every_time() -> None:
    ties = [PairAnswer(f"item-{number}", 500, 500) for number in range(400)]
    lots = [answer.is_right(7) for answer in ties]
    assert lots == [answer.is_right(7) for answer in ties]
    assert 150 < sum(lots) < 250
    assert score("p", ties, 7).ties == 400
    assert PairAnswer("a", 501, 500).is_right(7)
    assert not PairAnswer("a", 500, 501).is_right(7)


def test_a_rate_of_no_tasks_says_nothing() -> None:
    figure = FormRate("quote", 0, 0).figure
    assert (figure.low, figure.high) == (0, 1000)
    assert FormRate("quote", 3, 4).figure.value == 750
