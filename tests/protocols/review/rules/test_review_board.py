"""The board and the gauges of a review, at every moment of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quorate import catalog
from quorate.core.record import Record
from quorate.core.types import AbsentReason, Reason
from quorate.kit.board import Board, Dated, FindingCard
from quorate.kit.gauges import Gauge
from quorate.protocols.review import DEFINITION
from quorate.protocols.review.rules.board import board
from quorate.protocols.review.rules.gauges import gauges
from quorate.protocols.review.rules.result import result
from tests.support.committee import CHANGE, CLAIMS, FOUR, SIX, TWO, Committee, ballot, examination, held
from tests.support.courses import again, course, named, sound
from tests.support.examples import few
from tests.support.reviewed import (
    Reviewed,
    approved,
    compromised,
    inconclusive,
    item,
    proven,
    receipt,
    reported,
    vetoed,
    withheld,
)

ENDED = [approved, compromised, vetoed, proven, withheld, inconclusive]
MATERIAL = {"change": CHANGE, "checks": "{}", "claims": json.dumps(CLAIMS)}


def card(shown: Board, rule: str) -> FindingCard:
    return next(each for each in shown.findings if ("rule", rule) in each.facts)


def statuses(shown: Board) -> list[tuple[str, str]]:
    return [(dict(each.facts)["rule"], each.status) for each in shown.findings]


def ballots(committee: Committee | Reviewed) -> Gauge:
    return named(gauges(committee.record), "ballot")


def agrees(record: Record) -> None:
    """Whether board and gauges say what the result says."""
    shown, found = board(record), result(record)
    now = {status: [each.id for each in shown.findings if each.status == status] for status in ("refuted", "dismissed")}
    blocking = [each.id for each in shown.findings if each.blocking]
    assert blocking == [each["key"] for each in found["findings"] if each["blocking"]]
    assert [each.id for each in shown.findings if each.status == "note"] == [each["key"] for each in found["notes"]]
    assert now["refuted"] == [each["key"] for each in found["refuted"]]
    excused = [each["key"] for each in found["receipt"]["dismissed"]]
    assert set(now["dismissed"]) == {*(each["key"] for each in found["dismissed_again"]), *excused}
    assert list(shown.warnings) == found["warnings"]
    if found["tallies"] and record.session.conclusion is not None:
        last, parts = found["tallies"][-1], dict(named(gauges(record), "ballot").parts)
        told = [last[name] for name in ("synthesis", "opposing", "abstained", "absent")]
        assert [parts[name] for name in ("for", "against", "abstained", "absent")] == told


# Findings


def test_a_finding_says_who_raised_it_who_voted_how_and_what_became_of_it() -> None:
    both = [each for each in board(compromised().record).findings if ("rule", "security") in each.facts]
    assert [(dict(each.facts)["item"], each.status) for each in both] == [
        ("I5", "blocks"),
        ("I2", "blocks"),
        ("I1", "taken back"),
    ]
    found = both[1]
    assert found.title == found.text == "Anybody can run a command."
    assert (found.severity, found.status, found.location) == ("high", "blocks", "src/app.py:22")
    assert found.raised_by == ("engineering-architect",)
    assert found.agreed_by == ("skeptic",)
    assert found.votes == (
        ("engineering-architect", "raised"),
        ("knowledge-manager", "voted synthesis"),
        ("business-driver", "absent (timed_out)"),
        ("operations-sre", "voted synthesis"),
        ("skeptic", "confirmed"),
    )
    assert (found.blocking, found.proven) == (True, False)
    assert found.history == (
        Dated(2, "raised by engineering-architect as high"),
        Dated(2, "put to the skeptic: confirmed. The command is a parameter."),
    )
    assert dict(found.facts) == {
        "item": "I2",
        "rule": "security",
        "found by": "committee",
        "fix request": "FIX-001",
        "evidence": "os.system(command)",
        "quotation": "occurs in the change",
        "action": "Use a list.",
        "doubt": "confirmed: The command is a parameter.",
    }


def test_what_was_refuted_and_a_veto_that_was_lifted_stay_on_the_board() -> None:
    shown = board(compromised().record)
    assert statuses(shown) == [
        ("security", "blocks"),
        ("claim/AC-1", "blocks"),
        ("security", "blocks"),
        ("claim/AC-2", "blocks"),
        ("documentation", "blocks"),
        ("complexity/long", "blocks"),
        ("performance", "refuted"),
        ("security", "taken back"),
        ("public-contract", "lifted"),
    ]
    assert card(shown, "performance").history[-2:] == (
        Dated(2, "put to the skeptic: refuted. The file is small."),
        Dated(2, "refuted"),
    )
    lifted = card(shown, "public-contract")
    assert lifted.history == (
        Dated(1, "veto of knowledge-manager: undocumented public contract"),
        Dated(2, "knowledge-manager lifts the veto"),
    )
    assert ("knowledge-manager", "voted synthesis") in lifted.votes
    assert not lifted.blocking


def test_a_claim_has_everybodys_judgement() -> None:
    found = card(board(compromised().record), "claim/AC-1")
    assert found.votes == (
        ("engineering-architect", "pass"),
        ("knowledge-manager", "pass"),
        ("business-driver", "fail"),
        ("operations-sre", "fail"),
    )
    told = "judged fail by business-driver, operations-sre; pass by engineering-architect, knowledge-manager"
    assert found.history == (Dated(1, told),)


def test_a_judge_that_was_absent_is_named_with_the_reason() -> None:
    review = Reviewed(TWO, claims=CLAIMS[:1]).table()
    review.vote("engineering-architect", claims="fail")
    review.say("operations-sre", ballot())
    review.absent("operations-sre", AbsentReason.REFUSED)
    found = card(board(review.record), "claim/price-1")
    assert found.votes == (("engineering-architect", "fail"), ("operations-sre", "absent (refused)"))


def test_what_a_check_proved_nobody_votes_on() -> None:
    found = next(each for each in board(proven().record).findings if each.proven)
    assert (found.votes, found.agreed_by, found.raised_by, found.blocking) == ((), (), ("python",), True)
    assert found.history == (Dated(1, "found by python"),)
    assert dict(found.facts)["veto"] == "security hole"


def test_notes_of_an_earlier_ballot_and_what_an_amendment_mended_do_not_disappear() -> None:
    committee = Committee(*FOUR).tabled("high")
    committee.vote(
        dict.fromkeys(FOUR, "synthesis") | {"operations-sre": ballot("veto rule violation", "F1 naming low")}
    )
    committee.say("proposer", patch="a patch").say("checks", examination())
    committee.say("chair").vote("synthesis")
    shown = board(committee.record)
    assert statuses(shown) == [
        ("naming", "note"),
        ("no-secrets", "gone with an amendment"),
        ("house-rule", "lifted"),
    ]
    assert card(shown, "no-secrets").history == (Dated(1, "found by secrets"), Dated(1, "gone with an amendment"))


def test_what_was_dismissed_before_is_shown_with_its_reason() -> None:
    excused = {"key": "0123456789ab", "rule": "ruff/F401", "path": "src/app.py", "reason": "It is used by a plugin."}
    review = Reviewed(TWO, told=receipt(dismissed=[excused])).table().rest()
    (found,) = board(review.record).findings
    assert (found.id, found.status, found.location, found.proven) == ("0123456789ab", "dismissed", "src/app.py", True)
    assert dict(found.facts) == {"rule": "ruff/F401", "dismissed because": "It is used by a plugin."}


def test_nothing_is_on_the_board_before_anything_was_said() -> None:
    assert board(Committee().record) == Board()
    assert gauges(Committee().record) == (Gauge("rounds", "round 1 of 5", 5, (("used", 1),)),)


# The ballot


def test_a_ballot_under_way_is_sealed_on_the_board_and_in_the_gauge() -> None:
    review = Reviewed(FOUR, findings=[reported()]).table()
    before = board(review.record)
    review.vote(
        "operations-sre", "veto", veto_class="security hole", veto_evidence="os.system(command)", items=[item()]
    )
    review.absent("engineering-architect")
    assert board(review.record) == before
    assert ballots(review) == Gauge(
        "ballot",
        "Round 1: 1 of 4 ballots in, sealed until the round ends; 2 have to be in, and then 2/3 of those who vote for "
        "or against: 1 ballot still needed",
        4,
        (("in", 1), ("absent", 1), ("open", 2)),
        needed=2,
        missing=1,
    )
    assert [each.name for each in gauges(review.record)] == ["ballot", "rounds"]


def test_the_count_says_how_many_votes_are_still_needed() -> None:
    assert ballots(inconclusive()) == Gauge(
        "ballot",
        "Round 1: 3 needed (2/3 of the 4 who voted for or against), 2 for: 1 vote still needed",
        4,
        (("for", 2), ("against", 2), ("abstained", 0), ("absent", 0)),
        needed=3,
        missing=1,
    )


def test_abstentions_and_absences_are_not_counted_against() -> None:
    said = dict(zip(SIX, ["synthesis", "synthesis", "oppose", "abstain", "synthesis 20"], strict=False))
    counted = ballots(held(said, members=SIX))
    assert counted.parts == (("for", 2), ("against", 1), ("abstained", 2), ("absent", 1))
    assert (counted.needed, counted.missing) == (2, 0)


def test_too_few_ballots_are_still_needed_though_all_are_for_it() -> None:
    counted = ballots(held({SIX[0]: "synthesis"}, members=SIX))
    assert (counted.needed, counted.missing) == (1, 2)
    assert counted.words.endswith("2 votes still needed; too few of the committee gave a ballot (1 of 6)")


def test_nobody_voting_is_never_a_quorum() -> None:
    counted = ballots(held(dict.fromkeys(TWO, "abstain")))
    assert (counted.needed, counted.missing) == (1, 1)


def test_vetoes_are_named() -> None:
    shown = gauges(vetoed().record)
    assert named(shown, "vetoes") == Gauge(
        "vetoes",
        "1 veto stands: operations-sre (security hole); one outweighs any majority",
        2,
        (("cast", 1), ("proven", 0)),
    )
    assert named(shown, "ballot").words.endswith("no majority outweighs the veto of operations-sre (security hole)")
    told = "1 veto stands: a check (proven); one outweighs any majority"
    assert named(gauges(proven().record), "vetoes").words == told


def test_the_last_count_stays_until_the_next_ballot_and_after_a_cancellation() -> None:
    committee = Committee(*TWO).tabled().vote(dict(zip(TWO, ["synthesis", "oppose"], strict=True)))
    counted = ballots(committee)
    committee.say("chair")
    assert ballots(committee).parts == (("in", 0), ("absent", 0), ("open", 2))
    assert named(gauges(committee.record), "rounds").words == "round 2 of 5"
    committee.say(TWO[0], ballot("synthesis", "F1 tests high")).interrupt(Reason.CANCELLED)
    assert ballots(committee) == counted
    assert statuses(board(committee.record)) == [("tests", "note")]
    assert board(committee.record).findings[0].history == (
        Dated(2, "raised by engineering-architect as high, in a ballot that decided nothing"),
    )


# At every moment


@pytest.mark.parametrize("ended", ENDED, ids=lambda each: each.__name__)
def test_board_and_gauges_are_defined_at_every_event_and_agree_with_the_result(ended: Callable[[], Reviewed]) -> None:
    for record in again(ended().record):
        sound(gauges(record))
        assert isinstance(board(record), Board)
    agrees(record)


@settings(few, max_examples=12)
@given(st.sampled_from(sorted(DEFINITION.profiles)), st.integers(0, 2**32))
def test_whatever_is_said_board_and_gauges_are_defined_and_agree_with_the_result(profile: str, seed: int) -> None:
    protocol = catalog.build("review", DEFINITION.profiles[profile], seed=7)
    for record in course(protocol, MATERIAL, Random(seed)):
        sound(gauges(record))
        assert isinstance(board(record), Board)
    agrees(record)
