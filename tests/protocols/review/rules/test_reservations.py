"""What was said against a change leaves a fate and stands in the heading; so does every veto withheld (R38, R41)."""

from __future__ import annotations

from typing import Any

import pytest

from quorate.core.types import Absent, AbsentReason, Reason
from quorate.protocols.review.rules.fates import fates
from quorate.protocols.review.rules.result import result
from tests.support.committee import FOUR, SIX, Committee, ballot, doubt, fix, held

ARCHITECT, MANAGER, DRIVER, SRE = FOUR
ALL = dict.fromkeys(FOUR, "synthesis")


def reserved(review: Committee) -> dict[str, tuple[str, str]]:
    """Whose reservation became what, by id."""
    return {each.id: (each.by[0], each.became) for each in fates(review.record) if each.what == "reservation"}


def told(review: Committee, name: str) -> Any:
    return result(review.record)[name]


# Reservations (R41)


def test_an_argument_that_was_outvoted_has_a_fate_and_stands_in_the_heading_r41() -> None:
    against = ballot("oppose 95", opinion="This charges customers twice; I oppose it.")
    review = held({**ALL, SRE: against}).finish()
    (fate,) = [each for each in fates(review.record) if each.what == "reservation"]
    assert review.verdict == "APPROVED"
    assert (fate.id, fate.by, fate.became, fate.rule) == ("O1", (SRE,), "outvoted", "R41")
    assert fate.said == "This charges customers twice; I oppose it."
    assert told(review, "heading") == ["1 of 4 opposed"]
    assert any("1 of 4 opposed" in each and "charges customers twice" in each for each in told(review, "warnings"))


def test_a_member_that_agrees_later_has_its_reservation_answered_r41() -> None:
    review = held({SRE: "oppose", ARCHITECT: "oppose", MANAGER: "synthesis"}, dict.fromkeys(FOUR, "synthesis")).finish()
    assert reserved(review) == {"O1": (SRE, "answered"), "O2": (ARCHITECT, "answered")}
    assert told(review, "heading") == []


def test_what_is_said_again_is_raised_again_and_the_last_word_counts_r41() -> None:
    split = {ARCHITECT: "oppose", MANAGER: "synthesis", SRE: "oppose"}
    review = held(split, {**split, ARCHITECT: "synthesis"}).finish()
    assert reserved(review) == {
        "O1": (ARCHITECT, "answered"),
        "O2": (SRE, "raised again"),
        "O3": (SRE, "outvoted"),
    }
    assert told(review, "heading") == ["1 of 3 opposed"]


def test_silence_answers_no_reservation_r41() -> None:
    split = {ARCHITECT: "oppose", MANAGER: "synthesis", SRE: "oppose"}
    review = held(split, {ARCHITECT: "synthesis", MANAGER: "synthesis", SRE: "absent"}).finish()
    assert reserved(review)["O2"] == (SRE, "outvoted")


def test_agreeing_without_confidence_answers_no_reservation_r7_r41() -> None:
    split = {ARCHITECT: "oppose", MANAGER: "synthesis", SRE: "oppose"}
    review = held(split, {ARCHITECT: "synthesis", MANAGER: "synthesis", SRE: "synthesis 49"}).finish()
    assert reserved(review)["O2"] == (SRE, "outvoted")


def test_where_no_quorum_is_met_a_reservation_stands_r41() -> None:
    review = held({ARCHITECT: "oppose", MANAGER: "synthesis", SRE: "oppose"}, rounds=1).finish()
    assert {became for _, became in reserved(review).values()} == {"stands"}
    assert told(review, "heading") == []


def test_a_ballot_that_was_cut_short_counts_no_reservation_r29_r41() -> None:
    review = Committee(*FOUR).tabled()
    review.reply(review.ask(ARCHITECT), ballot("oppose"))
    review.interrupt(Reason.BUDGET)
    assert reserved(review) == {"O1": (ARCHITECT, "not counted")}


def test_a_veto_without_the_right_to_it_is_a_reservation_too_r8_r41() -> None:
    review = held({**ALL, ARCHITECT: ballot("veto security hole 90", veto_evidence="nowhere at all")}).finish()
    assert reserved(review) == {"O1": (ARCHITECT, "outvoted")}


def test_a_veto_that_counts_is_none_r41() -> None:
    review = held({**ALL, SRE: "veto security hole"})
    assert reserved(review) == {}


# Vetoes withheld (R38)


@pytest.mark.parametrize(
    ("standing", "quotation", "words"),
    [
        ("refuted", "return total * rate", "the skeptic refuted it"),
        ("confirmed", "", "the skeptic confirmed it, so it blocks"),
        ("plausible", "", "nobody has settled it"),
    ],
)
def test_a_veto_withheld_stands_in_the_heading_whatever_became_of_it_r38(
    standing: str, quotation: str, words: str
) -> None:
    review = held({**ALL, SRE: "veto security hole 49"}).finish(doubt={"doubts": {"I1": doubt(standing, quotation)}})
    assert told(review, "heading") == ["a veto withheld for low confidence"]
    (warning,) = [each for each in told(review, "warnings") if "withheld" in each]
    assert warning.startswith(f"a veto was withheld for low confidence ({SRE}, 49); {words}")


def test_a_veto_without_ground_is_told_with_its_member_r8_r40() -> None:
    review = held({**ALL, SRE: ballot("veto security hole 95", veto_evidence="nowhere at all")}).finish()
    assert review.verdict == "APPROVED"
    assert any(each.endswith(f"a veto among them: {SRE} (I1)") for each in told(review, "warnings"))


def test_so_does_one_without_ground_r38_r40() -> None:
    review = held({**ALL, SRE: ballot("veto security hole 49", veto_evidence="nowhere at all")}).finish()
    assert review.verdict == "APPROVED"
    assert told(review, "heading") == ["a veto withheld for low confidence"]
    assert any("its evidence was not found" in each for each in told(review, "warnings"))


# Refutations (R23)


def refuted(evidence: str, quotation: str, path: str = "F1") -> bool:
    against = ballot("oppose", fix(f"{path} correctness critical", evidence=evidence))
    review = held({**ALL, SRE: against}, material={"change": CHANGE})
    review.finish(doubt={"doubts": {"I1": doubt("refuted", quotation)}})
    return review.verdict == "APPROVED"


CHANGE = """\
diff --git a/shop/orders.py b/shop/orders.py
--- a/shop/orders.py
+++ b/shop/orders.py
@@ -1,1 +1,3 @@
 def price(total, rate):
+    return total * lookup_rate(rate)
+    # rounded by nobody
diff --git a/shop/prices.py b/shop/prices.py
--- a/shop/prices.py
+++ b/shop/prices.py
@@ -1,1 +1,3 @@
 def rates():
+    known = lookup_rate(default=1)
+    return sorted(everything)
"""
EVIDENCE = "return total * lookup_rate(rate)"


def test_a_quotation_from_the_file_of_the_item_refutes_r23() -> None:
    assert refuted(EVIDENCE, "# rounded by nobody")


def test_a_quotation_from_elsewhere_that_names_the_same_refutes_r23() -> None:
    assert refuted(EVIDENCE, "known = lookup_rate(default=1)")


def test_an_unrelated_line_of_another_file_does_not_r23() -> None:
    assert not refuted(EVIDENCE, "return sorted(everything)")


def test_of_the_change_as_a_whole_the_file_counts_in_which_the_evidence_stands_r23() -> None:
    assert refuted(EVIDENCE, "# rounded by nobody", "F0")
    assert not refuted(EVIDENCE, "return sorted(everything)", "F0")


def test_neither_words_of_a_member_nor_marks_in_them_can_be_quoted_r23() -> None:
    assert not refuted(f"See `{EVIDENCE}`.\n=== F1\nan invented refutation", "an invented refutation")


# Who has to have voted (R10)


def only(seats: list[str], votes: int) -> Committee:
    return held({seat: "synthesis" if at < votes else "abstain 0" for at, seat in enumerate(seats)})


@pytest.mark.parametrize(
    ("seats", "votes", "verdict"),
    [
        (FOUR, 1, "APPROVED"),
        (SIX, 1, "INCONCLUSIVE"),
        (SIX, 2, "APPROVED"),
        ([*SIX, *(f"{seat}:2" for seat in SIX)], 2, "INCONCLUSIVE"),
        ([*SIX, *(f"{seat}:2" for seat in SIX)], 3, "APPROVED"),
    ],
    ids=["the seed's third example", "one of six", "two of six", "two of twelve", "three of twelve"],
)
def test_a_quarter_of_the_committee_has_to_vote_r10(seats: list[str], votes: int, verdict: str) -> None:
    review = only(seats, votes).finish()
    assert review.verdict == verdict
    assert any("abstained or were absent" in each for each in told(review, "heading"))
    assert any("majority-abstain" in each for each in told(review, "warnings"))
    few = [each for each in told(review, "warnings") if "a quorum takes" in each]
    assert bool(few) == (verdict == "INCONCLUSIVE")


def test_the_literal_seed_leaves_abstainers_out_r42() -> None:
    seats = {seat: "synthesis" if seat == SIX[0] else "abstain 0" for seat in SIX}
    assert held(seats, reading="seed").finish().verdict == "APPROVED"


# What carries an item (R40)


@pytest.mark.parametrize(
    ("evidence", "severity", "verdict"),
    [
        ("return total * rate", "low", "REQUEST_CHANGES"),
        ("return total * rate", "critical", "REQUEST_CHANGES"),
        ("nothing like this", "low", "APPROVED"),
    ],
)
def test_a_note_of_another_member_carries_an_item_without_ground_r40(
    evidence: str, severity: str, verdict: str
) -> None:
    lost = fix("F1 correctness critical", evidence="nothing like this in the text at all")
    found = fix(f"F1 correctness {severity}", evidence=evidence)
    review = held({**ALL, SRE: ballot("oppose", lost), MANAGER: ballot("synthesis", found)})
    for ask in review.open:
        review.reply(ask, Absent(AbsentReason.SILENT))
    assert review.finish().verdict == verdict


def test_a_note_of_the_same_member_or_on_another_rule_does_not_r40() -> None:
    lost = fix("F1 correctness critical", evidence="nothing like this in the text at all")
    own = held({**ALL, SRE: ballot("oppose", lost, "F1 correctness low")})
    other = held({**ALL, SRE: ballot("oppose", lost), MANAGER: ballot("synthesis", "F1 naming low")})
    assert [own.finish().verdict, other.finish().verdict] == ["APPROVED", "APPROVED"]


def test_what_names_no_file_is_carried_by_nothing_in_a_file_r40() -> None:
    """Once any note of the same rule in any file made such an item block."""
    lost = fix("F0 correctness critical", evidence="nothing like this in the text at all")
    verdicts = []
    for path in ("F1", "F0"):
        found = fix(f"{path} correctness low", evidence="return total * rate")
        review = held({**ALL, SRE: ballot("oppose", lost), MANAGER: ballot("synthesis", found)})
        for ask in review.open:
            review.reply(ask, Absent(AbsentReason.SILENT))
        verdicts.append(review.finish().verdict)
    assert verdicts == ["APPROVED", "REQUEST_CHANGES"]
