"""The positions of a review: how each member stood to the change and to findings, ballot by ballot."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random

import pytest

from quorate import catalog
from quorate.core.record import Record
from quorate.core.types import Reason, Seat
from quorate.kit.positions import MATTER, Position, changes
from quorate.protocols.review import DEFINITION
from quorate.protocols.review.rules.board import board
from quorate.protocols.review.rules.positions import BEFORE_AMENDMENT, WITH_ITEMS, positions
from tests.support.committee import CHANGE, CLAIMS
from tests.support.courses import course
from tests.support.reviewed import FOUR, TWO, Reviewed, approved, compromised, inconclusive, item, vetoed

ENDED = [approved, compromised, vetoed, inconclusive]


def of(record: Record, seat: str, about: str = MATTER) -> list[Position]:
    return [each for each in positions(record) if (each.seat, each.about) == (seat, about)]


def on(found: Position) -> tuple[str, bool | None]:
    return found.stance, found.holds


def test_the_definition_gives_them() -> None:
    record = approved().record
    assert DEFINITION.positions(record) == positions(record) != ()


def test_a_ballot_is_a_position_on_the_change_as_it_counts() -> None:
    review = Reviewed(rounds=1).table()
    review.vote("engineering-architect", items=[item(severity="high")])
    review.vote("knowledge-manager", items=[item("F2", "style", "low")])
    review.vote("business-driver", "veto", veto_class="security hole", veto_evidence="os.system(command)")
    review.vote("operations-sre", "oppose", confidence=20)
    assert [on(each) for seat in FOUR for each in of(review.record, seat)] == [
        (WITH_ITEMS, False),  # something has to change, although it agrees (R22)
        ("synthesis", True),  # a note blocks nothing
        ("oppose", False),  # it holds no veto (R8)
        ("abstain", None),  # too unsure (R7)
    ]
    assert [each.confidence for each in of(review.record, "operations-sre")] == [20]
    assert {each.shown for seat in FOUR for each in of(review.record, seat)} == {()}


def test_a_ballot_under_way_is_not_looked_into() -> None:
    review = Reviewed(TWO).table().vote("operations-sre", "oppose")
    assert positions(review.record) == ()
    review.vote("engineering-architect")
    assert {each.seat for each in positions(review.record)} == set(TWO)


def test_in_the_second_round_a_member_has_seen_the_ballots_of_the_first() -> None:
    review = Reviewed(rounds=2).table().vote("engineering-architect", "oppose").vote("operations-sre", "oppose").rest()
    review.say("chair", positions="For and against.", questions="Why?")
    review.vote("operations-sre", items=[item()]).rest()
    first, second = of(review.record, "engineering-architect")
    assert (first.round, first.shown, on(first)) == (1, (), ("oppose", False))
    assert (second.round, second.shown) == (2, ("knowledge-manager", "business-driver", "operations-sre"))
    (change,) = changes(positions(review.record))
    assert (change.after.seat, change.before.holds, change.after.holds) == ("engineering-architect", False, True)
    assert review.entries[change.after.seq].seq == change.after.seq


def test_what_members_and_skeptic_hold_of_findings_has_the_ids_of_the_board() -> None:
    """See `compromised`: an item is refuted with a quotation, one without, and one is confirmed."""
    record = compromised().record
    known = {card.id: dict(card.facts)["rule"] for card in board(record).findings}
    doubts = [each for each in positions(record) if each.seat == "skeptic"]
    by_skeptic = {known[each.about]: on(each) for each in doubts}
    assert by_skeptic == {
        "performance": ("refuted", False),
        "security": ("confirmed", True),
        "documentation": ("refuted without a quotation that has to do with it", None),
    }
    own = {each.shown: each.about for each in doubts if known[each.about] == "security"}
    assert set(own) == {("engineering-architect",), ("operations-sre",)}
    raised = of(record, "operations-sre", own[(Seat("operations-sre"),)])
    assert [(each.round, on(each), each.shown) for each in raised] == [(2, ("raised as critical", True), ())]
    sre = (each for each in positions(record) if each.seat == "operations-sre")
    judged = {known[each.about]: on(each) for each in sre if each.about in known}
    assert judged["claim/AC-1"] == ("fail", True)
    assert judged["claim/AC-2"] == ("insufficient-evidence", None)


def test_a_ballot_on_the_change_before_an_amendment_is_about_another_thing() -> None:
    review = Reviewed(TWO).table()
    review.vote("operations-sre", "veto", veto_class="security hole", veto_evidence="os.system(command)").rest()
    review.say("proposer", reason="So it is safe.", patch="--- a/src/app.py\n+++ b/src/app.py\n")
    review.say("checks", review.examination)
    review.say("chair", summary="It is mended.", questions=[])
    review.rest()
    first, second = (each for each in positions(review.record) if each.seat == "operations-sre" and each.confidence)
    assert (first.about, on(first)) == (BEFORE_AMENDMENT, ("veto", False))
    assert (second.about, on(second)) == (MATTER, ("synthesis", True))
    assert list(changes(positions(review.record))) == []


def test_a_round_that_is_cut_short_keeps_what_was_said() -> None:
    review = Reviewed(TWO).table().vote("operations-sre", "oppose").interrupt(Reason.BUDGET)
    assert [on(each) for each in of(review.record, "operations-sre")] == [("oppose", False)]


@pytest.mark.parametrize("ended", ENDED, ids=lambda each: each.__name__)
def test_they_are_there_at_every_moment_and_only_grow(ended: Callable[[], Reviewed]) -> None:
    """A ballot once decided stays a position, whatever follows; only what it is about may become the past."""
    whole = ended().record
    again = Record(whole.protocol, whole.opening, whole.material)
    before: list[tuple[Seat, int, str, bool | None]] = []
    for event, envelope in whole.events():
        again.take(event, envelope)
        now = [(each.seat, each.seq, each.stance, each.holds) for each in positions(again) if each.seat != "skeptic"]
        assert now[: len(before)] == before
        before = now
    assert [each.seq for each in positions(whole)] == sorted(each.seq for each in positions(whole))


@pytest.mark.parametrize("seed", range(12))
def test_whatever_is_said_there_are_positions(seed: int) -> None:
    protocol = catalog.build("review", {"members": list(FOUR), "rounds": 3}, seed=7)
    material = {"change": CHANGE, "checks": "{}", "claims": json.dumps(CLAIMS)}
    for record in course(protocol, material, Random(seed)):
        assert all(each.seat in protocol.seats and each.seq for each in positions(record))
