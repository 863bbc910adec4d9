"""Positions: courses by seat and thing, and what counts as a change of side."""

from __future__ import annotations

from quorate.core.types import Seat
from quorate.kit.positions import MATTER, Position, changes, courses

ANN, BOB = Seat("ann"), Seat("bob")


def held(seat: Seat, seq: int, holds: bool | None, about: str = MATTER, shown: tuple[Seat, ...] = ()) -> Position:
    return Position(seat, seq, about, str(holds), holds, seq, shown)


def test_a_course_is_what_one_seat_held_of_one_thing_in_order() -> None:
    taken = [held(ANN, 1, True), held(BOB, 2, False), held(ANN, 3, True, "F1"), held(ANN, 4, False)]
    found = courses(taken)
    assert list(found) == [(ANN, MATTER), (BOB, MATTER), (ANN, "F1")]
    assert [each.seq for each in found[ANN, MATTER]] == [1, 4]


def test_a_change_is_one_of_side_and_tells_whom_the_seat_had_seen() -> None:
    taken = [held(ANN, 1, True), held(BOB, 2, False), held(ANN, 3, False, shown=(BOB,)), held(BOB, 4, False)]
    (found,) = changes(taken)
    assert (found.before.seq, found.after.seq, found.after.shown) == (1, 3, (BOB,))


def test_taking_no_side_for_a_while_is_no_change() -> None:
    assert list(changes([held(ANN, 1, True), held(ANN, 2, None), held(ANN, 3, True)])) == []
    (found,) = changes([held(ANN, 1, True), held(ANN, 2, None), held(ANN, 3, False)])
    assert (found.before.seq, found.after.seq) == (1, 3)


def test_changes_come_in_the_order_in_which_they_were_made() -> None:
    taken = [held(ANN, 1, True), held(BOB, 2, True), held(BOB, 3, False), held(ANN, 4, False), held(ANN, 5, True)]
    assert [(each.after.seat, each.after.seq) for each in changes(taken)] == [(BOB, 3), (ANN, 4), (ANN, 5)]
