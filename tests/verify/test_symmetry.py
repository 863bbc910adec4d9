"""Seats that are alike are walked once, and only where that is sound."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from quorate.core.decisions import Decision
from quorate.core.protocol import Limits, Node
from quorate.core.types import Replies, Seat
from quorate.verify.counterexamples import Failures
from quorate.verify.explore import Walk
from quorate.verify.symmetry import Symmetry
from tests.verify.toys import MEMBERS, Member, Outcome, Poll, ask, decide, poll, proof

ANN, BOB, CAT = MEMBERS


def members(*records: Member) -> Poll:
    return Poll(tuple(records))


def test_states_that_differ_in_names_only_have_one_key() -> None:
    symmetry: Symmetry[Any] = Symmetry(poll())
    one = members(Member(ANN, heard=True, aye=True), Member(BOB), Member(CAT, heard=True))
    other = members(Member(ANN, heard=True), Member(BOB, heard=True, aye=True), Member(CAT))
    assert symmetry.number(one) == symmetry.number(other)
    assert symmetry.number(one) != symmetry.number(replace(other, tries=1))
    assert symmetry.number(one) != symmetry.number(members(Member(ANN), Member(BOB), Member(CAT, heard=True)))


@dataclass(frozen=True)
class Speaker:
    seat: Seat
    heard_by: tuple[Seat, ...] = ()


@dataclass(frozen=True)
class Floor:
    speakers: tuple[Speaker, ...]
    next: Seat | None = None
    queue: tuple[Seat, ...] = ()
    note: Any = ""


def floor(first: tuple[Seat, ...], second: tuple[Seat, ...], third: tuple[Seat, ...], **more: Any) -> Floor:
    return Floor((Speaker(ANN, first), Speaker(BOB, second), Speaker(CAT, third)), **more)


def test_seats_inside_records_are_renamed_with_them_and_stay_in_order() -> None:
    symmetry: Symmetry[Any] = Symmetry(poll())
    one = floor((BOB, CAT), (), (), next=ANN)
    other = floor((), (), (ANN, BOB), next=CAT)
    assert symmetry.number(one) == symmetry.number(other)
    assert symmetry.number(one) != symmetry.number(replace(other, next=BOB))


def test_an_order_that_means_something_is_kept() -> None:
    symmetry: Symmetry[Any] = Symmetry(poll())
    turn = floor((), (), (), queue=(CAT, ANN))
    assert symmetry.rename(turn, {ANN: BOB, BOB: ANN}).queue == (CAT, BOB)
    assert symmetry.rename(replace(turn, queue=(ANN, CAT)), {ANN: CAT, CAT: ANN}).queue == (ANN, CAT)


def test_a_state_that_cannot_be_renamed_is_walked_as_it_is() -> None:
    for strange in ("ann", range(3)):
        symmetry: Symmetry[Any] = Symmetry(poll())
        states = [floor((BOB,), (), (), note=strange), floor((), (), (BOB,), note=strange)]
        assert len({symmetry.number(state) for state in states}) == 2
        assert symmetry.groups == []
        assert symmetry.off


def test_twins_are_the_seats_whose_swap_changes_nothing() -> None:
    symmetry: Symmetry[Any] = Symmetry(poll())
    state = members(Member(ANN, heard=True), Member(BOB), Member(CAT))
    assert symmetry.twins(state, list(MEMBERS)) == [[ANN], [BOB, CAT]]
    assert symmetry.twins(floor((BOB,), (), ()), list(MEMBERS)) == [[ANN], [BOB], [CAT]]


def test_the_reduction_changes_no_figure_but_the_number_of_states() -> None:
    reduced, whole = proof(poll()).profiles["the poll"], proof(poll(interchangeable=())).profiles["the poll"]
    assert reduced.states < whole.states
    assert reduced.combinations < whole.combinations
    assert reduced.worst == whole.worst
    assert Symmetry(poll(limits=Limits(stall=3))).groups == [("ann", "bob", "cat")]


def test_both_walks_reach_the_same_states_up_to_names() -> None:
    def walked(**changes: Any) -> set[Any]:
        walk = Walk(poll(**changes), Failures())
        walk.run()
        symmetry: Symmetry[Any] = Symmetry(poll())
        return {(v.session.phase, symmetry.number(v.session.state), v.session.interrupted) for v in walk.vertices}

    assert walked() == walked(interchangeable=())


def test_the_one_who_speaks_first_is_not_like_the_others() -> None:
    """The asks are the same for all, but what follows hangs on the place in the table."""

    def first_counts(state: Poll, replies: Replies) -> Decision[Poll]:
        made = decide(state, replies)
        heard = made.state.members[0].heard
        return replace(made, outcome=Outcome.LOST, state=Poll(), because=()) if heard and made.state.tries else made

    report = proof(poll(Node(ask, first_counts), invariants=()))
    assert "does not treat seats alike" in report.results[4].detail
