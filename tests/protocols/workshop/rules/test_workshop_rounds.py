"""Rounds: their order, their one focus, who is absent, and rounds that are lost (W2, W4 to W8, W10, W13)."""

from __future__ import annotations

import pytest

from quorate.core.errors import RuleViolation
from quorate.core.types import Absent, AbsentReason, Replied
from quorate.protocols.workshop.rules.lives import RoundStage
from tests.support.filling import fill
from tests.support.workshops import ONE, TWO, Meeting, agenda, broken, req, topic


def offered(meeting: Meeting) -> list[str]:
    """What the facilitator may choose as the focus."""
    return [str(key) for key in meeting.reach("question").ask("facilitator").keys]


def test_a_round_goes_through_its_five_stages() -> None:
    """W4"""
    meeting = Meeting().question().respond().synthesise()
    first = [move for move in meeting.moves if move.before.round <= 1][1:]
    assert [move.phase.name for move in first] == ["QUESTION", "RESPONSES", "SYNTHESIS", "PROCESSING"]
    assert [move.before.stage for move in first] == [
        RoundStage.QUESTION,
        RoundStage.RESPONSES,
        RoundStage.SYNTHESIS,
        RoundStage.ARTIFACTS,
    ]


@pytest.mark.parametrize("topics", [[], "absent"])
def test_an_agenda_that_cannot_be_read_asks_nobody(topics: list[str] | str) -> None:
    """W2"""
    meeting = Meeting().reply("clerk", topics if isinstance(topics, str) else {"topics": topics})
    assert (meeting.verdict, meeting.state.round, meeting.result["closed_by"]) == ("ABORTED", 0, "unrecoverable error")
    assert meeting.outcomes == ["UNREADABLE"]


def test_where_no_topic_is_required_all_are() -> None:
    """W2"""
    meeting = Meeting(agenda(topic("first"), topic("second"))).question()
    assert [each.required for each in meeting.state.topics] == [True, True]


# Focus


def test_required_topics_that_are_open_come_first() -> None:
    """W5"""
    assert offered(Meeting(agenda(topic("a"), topic("b", critical=True), topic("c", critical=True)))) == ["T2", "T3"]


def test_then_required_topics_that_are_partial() -> None:
    """W5"""
    meeting = Meeting(agenda(topic("a"), topic("b", critical=True, criteria=2), topic("c", critical=True)))
    meeting.question("T2").respond().synthesise(covered=["K1"])
    assert offered(meeting) == ["T3"]
    meeting.question("T3").respond().synthesise(covered=["K1"])
    assert offered(meeting) == ["T2"]


def test_then_conflicts_that_have_lasted_two_rounds() -> None:
    """W5: the round that opened it is the first; at the third it goes before what is not required."""
    about = agenda(topic("a", critical=True), topic("b"), topic("c"))
    meeting = Meeting(about, escalation=False).round(covered=["K1"])
    meeting.question("T2").respond().synthesise(
        conflicts=[{"parties": ["P1", "P2"]}], questions=[{"blocking": True}, {"blocking": False}]
    )
    assert offered(meeting) == ["OQ-001"]
    meeting.question("OQ-001").respond().synthesise()
    assert offered(meeting) == ["CONF-001"]


def test_then_blocking_questions_and_then_everything_that_is_open() -> None:
    """W5"""
    meeting = Meeting(agenda(topic("a", critical=True), topic("b"), topic("c")), escalation=False).round(covered=["K1"])
    meeting.question("T2").respond().synthesise(questions=[{"blocking": True}, {"blocking": False}])
    assert offered(meeting) == ["OQ-001"]
    meeting.question().respond().synthesise(changes=[{"artifact": "OQ-001", "becomes": "resolve"}])
    assert offered(meeting) == ["T2", "T3", "OQ-002"]


def test_nothing_else_can_be_the_focus() -> None:
    """W5"""
    meeting = Meeting().reach("question")
    ask = meeting.ask("facilitator")
    with pytest.raises(RuleViolation, match="unknown key 'T2'"):
        meeting.take(Replied(ask.id, fill(ask, focus="T2")))
    assert meeting.state.focus is None


def test_a_pass_keeps_its_focus_and_the_next_one_chooses_anew() -> None:
    """W7"""
    about = agenda(topic("a", critical=True, criteria=2), topic("b", critical=True))
    meeting = Meeting(about, strategy="debate").question("T2").respond().synthesise()
    assert offered(meeting) == ["T2"]
    meeting.round().round()
    assert offered(meeting) == ["T1", "T2"]


def test_a_pass_ends_where_its_matter_is_resolved() -> None:
    """W7"""
    meeting = Meeting(agenda(topic("a", critical=True), topic("b")), strategy="debate").round().round()
    meeting.round(covered=["K1"], questions=[{"blocking": True}])
    meeting.question("OQ-001").respond().synthesise(changes=[{"artifact": "OQ-001", "becomes": "resolve"}])
    assert offered(meeting) == ["T2"]
    assert meeting.question().stages[-2:] == ["opening", "opening"]


def test_without_a_question_code_asks_about_the_first_candidate() -> None:
    """W8"""
    meeting = Meeting(agenda(topic("a", critical=True), topic("b", critical=True))).question("absent")
    assert (meeting.state.focus, meeting.outcomes[-1]) == ("T1", "FALLBACK")
    assert "What should be written down about A?" in meeting.shown(ONE)
    assert meeting.held(1)["fallback_question"]


def test_a_question_without_words_is_none_and_the_focus_that_it_names_counts() -> None:
    """W8"""
    meeting = Meeting(agenda(topic("a", critical=True), topic("b", critical=True))).reach("question")
    meeting.reply("facilitator", {"focus": "T2", "question": " "})
    assert (meeting.state.focus, meeting.outcomes[-1], meeting.held(1)["fallback_question"]) == ("T2", "FALLBACK", True)
    assert "What should be written down about B?" in meeting.shown(ONE)
    assert broken(meeting) == []


# Absence and lost rounds


def test_one_participant_failing_is_absent_for_this_round_only() -> None:
    """W10"""
    meeting = Meeting().question().respond({TWO: "absent"})
    assert [each.confidence for each in meeting.state.members] == [80, None]
    assert meeting.section("facilitator", "Did not answer") == f"P2 {TWO}"
    assert [str(key) for key in meeting.ask("clerk").keys] == ["P1"]
    meeting.synthesise().question().respond()
    assert [each.confidence for each in meeting.state.members] == [80, 80]
    assert meeting.finish().conclusion.degradation.name == "WITHIN_SETTINGS"


@pytest.mark.parametrize("reason", AbsentReason)
def test_every_reason_of_absence_is_the_same_to_the_rules(reason: AbsentReason) -> None:
    """W10"""
    meeting = Meeting().reach("respond")
    meeting.take(Replied(meeting.ask(TWO).id, Absent(reason)))
    assert meeting.respond().state.members[1].confidence is None


def test_two_lost_rounds_in_a_row_end_it_with_everything_kept() -> None:
    """W13"""
    meeting = Meeting().round(requirements=[req("P1", "P2")])
    meeting.question().respond({ONE: "absent", TWO: "absent"})
    assert (meeting.state.lost, meeting.phase) == (1, "QUESTION")
    meeting.question().respond().synthesise(lost=True)
    assert (meeting.verdict, meeting.state.round, meeting.state.complete) == ("ABORTED", 3, 1)
    assert [each["id"] for each in meeting.result["artifacts"]] == ["REQ-001"]
    assert meeting.result["closed_by"] == "unrecoverable error"


def test_a_round_that_succeeds_between_begins_the_count_anew() -> None:
    """W13"""
    gone = {ONE: "absent", TWO: "absent"}
    meeting = Meeting(max_rounds=4).respond(gone).round().respond(gone).round()
    assert (meeting.verdict, meeting.state.complete, meeting.outcomes.count("NO_RESPONSES")) == ("INCOMPLETE", 2, 2)
    assert broken(meeting) == []


def test_a_lost_round_is_begun_and_not_complete() -> None:
    """W13, W22: min_rounds counts complete rounds, max_rounds those that have begun."""
    about = agenda(topic("a"))
    meeting = Meeting(about, min_rounds=2, max_rounds=9).question().respond().synthesise(lost=True)
    meeting.round(covered=["K1"])
    assert (meeting.phase, meeting.state.round, meeting.state.complete) == ("QUESTION", 3, 1)
