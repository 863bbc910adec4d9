"""What once could vanish on its way to the verdict: a person's words, a block, a doubt, what was cut short."""

from __future__ import annotations

from typing import Any

import pytest

from quorate.core.types import Reason
from quorate.protocols.workshop.rules.fates import fates
from tests.support.workshops import ONE, TWO, Meeting, agenda, amend, broken, req, topic

BOTH = ("P1", "P2")
NINETY = {"title": "Entries are kept ninety days"}


def became(meeting: Meeting) -> dict[str, str]:
    found = fates(meeting.record)
    assert len({each.id for each in found}) == len(found), "each stands once"
    return {each.id: each.became for each in found}


def ruled(**settings: Any) -> Meeting:
    """A person has ruled on a conflict about a topic in which nothing is written down yet."""
    meeting = Meeting(agenda(topic("a", 1)), max_rounds_per_conflict=1, **settings)
    return meeting.round(conflicts=[{}]).rule("decide", "Thirty days.")


# Rulings


def test_a_ruling_that_was_applied_to_nothing_waits_for_what_is_written_then() -> None:
    """W24: before, this was COMPLETE with ninety days, agreed."""
    meeting = ruled().respond({ONE: {"applied": ["RUL-001"]}})
    assert meeting.made("RUL-001")["status"] == "resolved"
    meeting.synthesise(requirements=[req(*BOTH, **NINETY)], covered=["K1"])
    assert (meeting.made("RUL-001")["status"], meeting.made("REQ-001")["agreement"]) == ("open", "draft")
    assert meeting.facts("waits anew") == [{"id": "RUL-001"}]
    assert meeting.record.session.conclusion is None
    meeting.respond({TWO: {"applied": ["RUL-001"]}})
    assert meeting.made("REQ-001")["agreement"] == "consensus"
    assert broken(meeting) == []


def test_a_question_or_a_conflict_is_no_text_that_a_ruling_waits_for() -> None:
    """W24"""
    meeting = ruled(max_rounds=9).respond({ONE: {"applied": ["RUL-001"]}})
    meeting.synthesise(questions=[{}])
    assert meeting.made("RUL-001")["status"] == "resolved"
    assert broken(meeting) == []


def test_both_rulings_of_a_round_keep_their_words() -> None:
    """W24: before, the second one took the place of the first."""
    meeting = Meeting(agenda(topic("a", 1)), max_rounds=9).question()
    meeting.interrupt(Reason.ESCALATION).respond().rule("decide", "Use UTC.")
    meeting.interrupt(Reason.ESCALATION).synthesise().rule("decide", "Thirty days.")
    assert [each["id"] for each in meeting.facts("ruled")] == ["RUL-001", "RUL-001"]
    assert meeting.made("RUL-001")["fields"]["decision"] == "Use UTC.\n\nThirty days."
    meeting.reach("respond")
    assert "Use UTC.\n\nThirty days." in meeting.section(ONE, "Rulings of a person")
    assert broken(meeting) == []


def voted(said: str) -> Meeting:
    """Two vote on a draft and a ruling, one of them so."""
    meeting = Meeting(agenda(topic("a", 9)), strategy="consensus-driven", max_rounds_per_conflict=9)
    meeting.round(requirements=[req(*BOTH), req(*BOTH)]).respond({TWO: {"contested": ["REQ-001"]}})
    meeting.interrupt(Reason.ESCALATION).synthesise().rule("decide", "Half of it.").question()
    return meeting.vote({ONE: {"REQ-002": "SUPPORT", "RUL-001": "SUPPORT"}, TWO: {"RUL-001": said}})


def test_who_blocks_a_ruling_says_that_the_texts_do_not_follow_it() -> None:
    """W24, W39: before, it was applied, and the block left no trace."""
    meeting = voted("BLOCK")
    assert meeting.made("RUL-001")["status"] == "open"
    assert meeting.facts("denied") == [{"id": "RUL-001", "by": TWO}]
    assert became(meeting)[f"block-3.{TWO}.RUL-001"] == "kept RUL-001 waiting"
    assert f"RUL-001: not applied, says {TWO}" in meeting.reach("synthesise").shown("facilitator")
    assert broken(meeting) == []


def test_a_block_of_a_ruling_without_a_change_stands_aside() -> None:
    """W24, W30"""
    meeting = voted("BARE")
    assert meeting.made("RUL-001")["status"] == "resolved"
    assert became(meeting)[f"block-3.{TWO}.RUL-001"] == "stood aside"
    assert broken(meeting) == []


# Blocks


@pytest.mark.parametrize("rounds", [3, 4])
def test_a_blocked_draft_keeps_its_topic_from_closing_in_the_last_round_too(rounds: int) -> None:
    """W21, W31: before, a session was COMPLETE in the round of the block, or of the refinement after it."""
    meeting = Meeting(agenda(topic("a", 1)), strategy="consensus-driven", max_rounds=rounds)
    meeting.round(requirements=[req(*BOTH), req(*BOTH)], covered=["K1"]).round()
    meeting.vote({TWO: {"REQ-001": "SUPPORT", "REQ-002": "BLOCK"}}).finish()
    assert (meeting.verdict, meeting.made("REQ-002")["agreement"]) == ("INCOMPLETE", "draft")
    assert "A is partial: REQ-002 blocked, and not voted upon again" in meeting.result["warnings"]
    assert broken(meeting) == []


def test_a_draft_that_nobody_blocks_any_more_is_voted_upon() -> None:
    """W21, W31"""
    meeting = Meeting(agenda(topic("a", 1)), strategy="consensus-driven", max_rounds=5)
    meeting.round(requirements=[req(*BOTH), req(*BOTH)], covered=["K1"]).round()
    meeting.vote({TWO: {"REQ-001": "SUPPORT", "REQ-002": "BLOCK"}}).synthesise().round().vote("STAND_ASIDE").finish()
    assert (meeting.verdict, meeting.made("REQ-002")["agreement"]) == ("COMPLETE", "draft")
    assert broken(meeting) == []


# A person's words


@pytest.mark.parametrize(("choice", "said"), [("go_on", True), ("accept", True), ("decide", False)])
def test_what_a_person_writes_beside_a_choice_reaches_the_facilitator(choice: str, said: bool) -> None:
    """W24, W25: before, it stood in the record alone."""
    meeting = Meeting(agenda(topic("a", 9))).respond({TWO: 20}).synthesise()
    meeting.rule(choice, "Ask the lawyers.").reach("question")
    remarks = [each for each in meeting.view("facilitator").sections if each.title == "A person remarks"]
    assert [(each.text.splitlines()[0], each.person) for each in remarks] == [("Ask the lawyers.", True)] * said
    assert ("remark-1" in became(meeting)) is said
    assert broken(meeting) == []


def test_a_remark_in_the_middle_of_a_round_reaches_its_synthesis() -> None:
    """W25"""
    meeting = Meeting(agenda(topic("a", 9))).question().interrupt(Reason.ESCALATION).respond()
    meeting.rule("go_on", "Mind the cost.").reach("synthesise")
    assert "Mind the cost." in meeting.section("facilitator", "A person remarks")
    assert became(meeting)["remark-1"] == "under way"
    assert became(meeting.synthesise())["remark-1"] == "put to the facilitator"


def test_a_remark_beside_the_end_is_kept() -> None:
    """W25, W39"""
    meeting = Meeting(agenda(topic("a", 9)), interactive=True).round().pause("go_on", "Mind the cost.")
    meeting.round().pause("conclude", "Thank you.")
    found = became(meeting)
    assert (found["remark-1"], found["remark-2"]) == ("put to the facilitator", "kept")


# Doubts, and what was cut short


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"min_rounds": 3}, "fewer than min_rounds were complete"),
        ({"max_rounds": 1}, "it was the last round"),
        ({"reading": "seed"}, "the topics were closed first"),
    ],
)
def test_a_doubt_that_is_put_to_nobody_is_told(settings: dict[str, Any], why: str) -> None:
    """W22, W39: before, one while fewer than min_rounds were complete left no trace."""
    meeting = Meeting(agenda(topic("a", 1)), **settings).respond({TWO: 20})
    meeting.synthesise(requirements=[req(*BOTH)], covered=["K1"])
    assert became(meeting)["escalation-1"] == f"not put to a person: {why}"
    assert f"round 1: not put to a person: unsure: {TWO} 20, because {why}" in meeting.result["warnings"]
    assert broken(meeting) == []


def test_a_synthesis_that_was_cut_short_leaves_a_trace() -> None:
    """W34, W39: before, its entries had no fate."""
    meeting = Meeting(agenda(topic("a", 9))).round(requirements=[req(*BOTH)]).respond().reach("synthesise")
    more = {"requirements": [req(*BOTH, **NINETY)], "changes": [amend("REQ-001", *BOTH)]}
    meeting.reply("facilitator", more).interrupt(Reason.BUDGET)
    found = {each.id: each for each in fates(meeting.record)}
    assert (found["entry-2.1"].said, found["entry-2.1"].became) == (
        "make REQ: Entries are kept ninety days",
        "not heard",
    )
    assert [found[key].became for key in ("entry-2.1", "entry-2.2")] == ["not heard"] * 2
    assert "REQ-002" not in found


def test_what_an_amendment_makes_the_same_is_asked_about() -> None:
    """W15"""
    meeting = Meeting(agenda(topic("a", 9))).round(requirements=[req(*BOTH, title="Fast"), req(*BOTH, title="Quick")])
    meeting.round(changes=[amend("REQ-002", *BOTH, text="Fast")]).reach("respond")
    assert meeting.section(ONE, "Perhaps the same").startswith("REQ-001 and REQ-002.")
