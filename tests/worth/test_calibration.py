"""What labelled sessions tell: shares, correlation, effective votes, flips, confidences, and advice that follows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.core.types import Seat
from quorate.evidence.advice import LEAST_SESSIONS, advice
from quorate.kit.positions import MATTER, Position
from quorate.simulate.agreement import pooled_correlation
from quorate.simulate.flips import Flips
from quorate.simulate.intervals import clopper_pearson, lower_bound
from quorate.worth.calibration import Agreeing, Calibration, OfPanel, calibrate
from quorate.worth.cases import Case, OnFinding, Share

ANN, BOB, CID, DAN = Seat("ann"), Seat("bob"), Seat("cid"), Seat("dan")
ALL = (ANN, BOB, CID)
MODELS = {ANN: "anthropic:claude-opus-4", BOB: "anthropic:claude-sonnet-4", CID: "openai:gpt-5"}


def case(
    first: Sequence[bool | None],
    last: Sequence[bool | None] | None = None,
    *,
    sound: bool | None = True,
    right: bool | None = True,
    verdict: str = "APPROVED",
    confidence: int | None = 80,
    voters: tuple[Seat, ...] = ALL,
) -> Case:
    """A session in which the seats took these sides, and after they were shown the others' those."""
    taken = [
        Position(seat, 1, MATTER, "", holds, number, (), confidence)
        for number, (seat, holds) in enumerate(zip(voters, first, strict=True))
    ]
    taken += [
        Position(seat, 2, MATTER, "", holds, 10 + number, tuple(other for other in voters if other != seat), confidence)
        for number, (seat, holds) in enumerate(zip(voters, last or (), strict=bool(last)))
    ]
    return Case("review-1", "review", verdict, right, sound, voters, tuple(taken), MODELS)


def the_panel(cases: Sequence[Case]) -> OfPanel:
    (panel,) = calibrate(cases).panels
    return panel


# Verdicts and seats


def test_how_often_a_verdict_was_right_with_its_bounds() -> None:
    cases = [case([True] * 3)] * 8 + [case([True] * 3, right=False)] * 2 + [case([True] * 3, right=None)]
    (found,) = calibrate(cases).verdicts
    assert (found.verdict, found.share, found.left_open) == ("APPROVED", Share(8, 10), 1)
    assert found.share.share == Fraction(4, 5)
    assert found.share.interval == clopper_pearson(8, 10, 0.95)


def test_a_seat_is_measured_by_the_side_that_it_took_by_itself() -> None:
    cases = [case([True, False, None], [True, True, True]), case([False, False, True], [True] * 3)]
    found = {each.seat: each.matter for each in calibrate(cases).seats}
    assert found == {ANN: Share(1, 2), BOB: Share(0, 2), CID: Share(1, 1)}


def test_a_position_that_was_taken_after_others_were_shown_tells_nothing_of_the_seat_alone() -> None:
    late = Case("s", "review", "APPROVED", True, True, (ANN,), (Position(ANN, 2, MATTER, "", True, 9, (BOB,)),), {})
    assert late.first(ANN) is None
    assert calibrate([late]).seats == ()


def test_findings_are_counted_by_seat() -> None:
    found = calibrate([], [OnFinding("review", ANN, True), OnFinding("review", ANN, False)])
    assert [(each.seat, each.matter, each.findings) for each in found.seats] == [(ANN, Share(0, 0), Share(1, 2))]
    assert found.cases == 0


# Panels


def test_two_that_always_err_together_are_worth_one() -> None:
    cases = [case([True, True], voters=(ANN, BOB))] * 3 + [case([False, False], voters=(ANN, BOB))] * 3
    panel = the_panel(cases)
    assert (panel.correlation, panel.effective) == (Fraction(1), Fraction(1))
    assert panel.adds == {ANN: 0, BOB: 0}
    (pair,) = panel.agreeing
    assert (pair.same, pair.items, pair.pair.both_wrong, pair.pair.phi) == (6, 6, 3, 1.0)


def test_two_that_err_independently_are_worth_two() -> None:
    rows = [(True, True), (True, False), (False, True), (False, False)]
    panel = the_panel([case(row, voters=(ANN, BOB)) for row in rows])
    assert (panel.correlation, panel.effective, panel.contested) == (Fraction(0), Fraction(2), 3)
    assert panel.adds == {ANN: 1, BOB: 1}


def test_a_copy_adds_what_the_formula_says() -> None:
    """Ann and Bob are one; Cid errs independently: the mean correlation of the three pairs is 1/3."""
    rows = [(True, True, True), (True, True, False), (False, False, True), (False, False, False)]
    panel = the_panel([case(row) for row in rows])
    assert panel.correlation == Fraction(1, 3)
    assert panel.effective == Fraction(3) / (1 + 2 * Fraction(1, 3))
    assert panel.adds[CID] == Fraction(9, 5) - 1
    assert panel.adds[ANN] == panel.adds[BOB] == Fraction(9, 5) - 2


def test_errors_in_turn_make_nobody_worth_more_than_one() -> None:
    rows = [(True, True, False), (True, False, True), (False, True, True)]
    panel = the_panel([case(row) for row in rows])
    assert panel.correlation == Fraction(-1, 2)
    assert (panel.effective, set(panel.adds.values())) == (Fraction(3), {Fraction(1)})


def test_a_session_in_which_somebody_took_no_side_is_not_whole() -> None:
    panel = the_panel([case([True, False, None]), case([True, True, False])])
    assert (panel.items, panel.whole, panel.contested) == (2, 1, 1)
    assert [(pair.first, pair.second, pair.items) for pair in panel.agreeing] == [
        ("ann", "bob", 2),
        ("ann", "cid", 1),
        ("bob", "cid", 1),
    ]


def test_nobody_wrong_is_no_correlation() -> None:
    panel = the_panel([case([True] * 3)] * 3)
    assert (panel.correlation, panel.effective, panel.adds[ANN]) == (None, None, None)


def test_how_sure_unanimity_is() -> None:
    cases = [case([True] * 3)] * 19 + [case([False] * 3)] + [case([True, False, True])] * 5
    agreed = the_panel(cases).unanimity
    assert (agreed.unanimous, agreed.right, agreed.items) == (20, 19, 25)
    assert agreed.precision_bound == pytest.approx(lower_bound(19, 20, 0.95))
    assert the_panel(cases).ceiling.all_wrong == 1


def test_other_committees_are_other_panels_and_unknown_truth_is_none() -> None:
    cases = [case([True] * 3), case([True, True], voters=(ANN, BOB)), case([True, True], voters=(ANN, BOB))]
    found = calibrate([*cases, case([True] * 3, sound=None)])
    assert [(panel.voters, panel.items) for panel in found.panels] == [((ANN, BOB), 2), (ALL, 1)]


def test_families_are_pairs_of_seats_taken_together() -> None:
    rows = [(True, True, True), (True, True, False), (False, False, True), (False, False, False)]
    found = {(each.first, each.second): each for each in calibrate([case(row) for row in rows]).families}
    assert found["anthropic", "anthropic"].pair.phi == 1.0
    assert (found["anthropic", "openai"].pair.phi, found["anthropic", "openai"].items) == (0.0, 8)


def alike(rows: Sequence[Sequence[bool]]) -> Agreeing:
    """What sessions of four seats of one family tell of it with itself."""
    seats = (ANN, BOB, CID, DAN)
    cases = [replace(case(row, voters=seats), models=dict.fromkeys(seats, MODELS[ANN])) for row in rows]
    (found,) = calibrate(cases).families
    return found


def test_a_family_with_itself_does_not_depend_on_who_sits_first() -> None:
    """Two of four wrong: six pairs, one wrong, one right, four apart; p = 1/2, (1/6 - 1/4) / (1/4) = -1/3."""
    for row in set(permutations((False, True, False, True))):
        found = alike([row])
        assert (found.same, found.items, found.pair.items, found.pair.both_wrong) == (2, 6, 6, 1)
        assert found.pair.phi == pytest.approx(-1 / 3)


@given(st.lists(st.tuples(*[st.booleans()] * 4), min_size=1, max_size=6), st.permutations(range(4)))
def test_a_family_with_itself_is_what_the_panel_of_it_is(rows: list[tuple[bool, ...]], order: list[int]) -> None:
    found, turned = alike(rows), alike([[row[place] for place in order] for row in rows])
    assert turned == found
    pooled = pooled_correlation(rows)
    assert found.pair.phi == (None if pooled is None else pytest.approx(float(pooled)))


# Talk and confidence


def test_flips_are_first_against_last_sides() -> None:
    cases = [case([True, False, None], [False, True, True]), case([True, True, False], [True, None, False])]
    assert calibrate(cases).flips == {"review": Flips(stayed_right=1, harmful=1, helpful=1, stayed_wrong=1)}
    assert calibrate([case([True] * 3)]).flips == {}


def test_confidences_are_scored_as_the_literature_does() -> None:
    """Saying 0.9 when right in 0.7: Brier 0.25, of which reliability is 0.04 (T14 of the facts)."""
    cases = [case([True], voters=(ANN,), confidence=90)] * 7 + [case([False], voters=(ANN,), confidence=90)] * 3
    (found,) = calibrate(cases).confidences
    assert (found.items, found.brier.score, found.brier.reliability) == (10, Fraction(1, 4), Fraction(4, 100))
    assert (found.brier.resolution, found.brier.uncertainty) == (Fraction(0), Fraction(21, 100))
    (row,) = found.bins
    assert (row.right, row.items, row.said, found.error) == (7, 10, Fraction(9, 10), Fraction(2, 10))
    assert calibrate([case([True], voters=(ANN,), confidence=None)]).confidences == ()


# Advice


def measured(rows: Sequence[Sequence[bool]], times: int) -> Calibration:
    return calibrate([case(row) for row in rows] * times)


COPIES = [(True, True, True), (True, True, False), (False, False, True), (False, False, False)]


def test_too_few_labels_are_told_with_how_many_it_takes() -> None:
    told, *_ = advice(measured(COPIES, 7))
    assert told.startswith("No advice on the seats of a review with ann, bob, cid: it takes 30 labelled sessions")
    assert told.endswith("there are 28 and 21.")
    assert any("there is none" in each for each in advice(calibrate([])))


def test_too_few_errors_tell_nothing_either() -> None:
    (told, *_) = advice(calibrate([case([True] * 3, confidence=None)] * 40 + [case([True, False, True])] * 4))
    assert told.endswith("there are 44 and 4.")


def test_a_seat_that_adds_little_is_named_with_whom_it_agrees() -> None:
    told = advice(measured(COPIES, 8))
    assert LEAST_SESSIONS <= 32
    assert told[0].startswith(
        "The 3 seats of a review with ann, bob, cid are worth 1.8 independent votes (32 sessions)"
    )
    assert told[1] == (
        "ann agrees with bob in 100 % of 32 sessions: it adds no effective vote (-0.2). Both are of one family: try "
        "another one there."
    )
    assert not [each for each in told if each.startswith("cid agrees")]


def test_a_seat_that_is_mostly_wrong_is_named() -> None:
    rows = [(True, True, False)] * 3 + [(True, False, False), (False, True, True)]
    told = advice(measured(rows, 8))
    assert [each for each in told if each.startswith("cid was right in 8 of 40 sessions, with 95 % confidence in at")]


def test_talk_that_harms_is_told_and_chance_is_not() -> None:
    harmed = calibrate([case([True] * 3, [False] * 3)] * 4)
    assert any("12 wrong after others were shown: fewer rounds" in each for each in advice(harmed))
    helped = calibrate([case([False] * 3, [True] * 3)] * 4)
    assert any("talking helps" in each for each in advice(helped))
    by_chance = calibrate([case([True, False, True], [False, True, True])] * 4)
    assert not any("after others were shown" in each for each in advice(by_chance))


def test_unanimity_that_is_sure_enough_needs_no_further_round() -> None:
    cases = [case([True] * 3)] * 60 + [case([True, False, True])] * 5
    assert any("60 of 60 sessions, with 95 % confidence in at least 95 %" in each for each in advice(calibrate(cases)))


def test_confidences_that_say_nothing_are_not_to_be_weighed() -> None:
    said = [case([True], voters=(ANN,), confidence=50)] * 20 + [case([False], voters=(ANN,), confidence=95)] * 20
    assert any("do not weigh votes by them" in each for each in advice(calibrate(said)))
    meant = [case([True], voters=(ANN,), confidence=95)] * 20 + [case([False], voters=(ANN,), confidence=5)] * 20
    assert not any("do not weigh" in each for each in advice(calibrate(meant)))
