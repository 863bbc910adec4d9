"""Topics: open, partial, closed, and when code refuses to close one (W6, W20, W21)."""

from __future__ import annotations

from itertools import product

import pytest

from quorate.core.errors import RuleViolation
from quorate.kit.lifecycle import advance
from quorate.protocols.workshop.rules.lives import TOPIC, TopicEvent, TopicStatus
from tests.support.workshops import TWO, Meeting, agenda, broken, change, req, topic

BOTH = ("P1", "P2")
ROWS = {("OPEN", "COVERED"): "PARTIAL", ("OPEN", "COMPLETED"): "CLOSED", ("PARTIAL", "COMPLETED"): "CLOSED"}


def status(meeting: Meeting, key: str = "T1") -> str:
    return meeting.topic(key).status.value


@pytest.mark.parametrize(("before", "event"), list(product(TopicStatus, TopicEvent)))
def test_the_life_of_a_topic_has_these_rows_and_no_others(before: TopicStatus, event: TopicEvent) -> None:
    """W20, W21"""
    to = ROWS.get((before.name, event.name))
    if to is not None:
        assert advance(TOPIC, before, event) is TopicStatus[to]
        return
    with pytest.raises(RuleViolation):
        advance(TOPIC, before, event)


def test_from_open_to_partial_to_closed() -> None:
    """W20, W21"""
    meeting = Meeting(agenda(topic("a", 1, critical=True, criteria=2), topic("b"))).reach("question")
    assert status(meeting) == "open"
    assert status(meeting.round(covered=["K1"])) == "partial"
    assert status(meeting.round(requirements=[req(*BOTH)], covered=["K2"])) == "closed"


def test_from_open_to_closed_at_once() -> None:
    """W21"""
    meeting = Meeting().round(requirements=[req(*BOTH)], covered=["K1"])
    assert [(fact["was"], fact["now"]) for fact in meeting.facts("topic")] == [("open", "closed")]


def test_an_agreed_artifact_makes_it_partial_and_a_draft_does_not() -> None:
    """W20"""
    about = agenda(topic("a", 2, "REQ", critical=True), topic("b"))
    assert status(Meeting(about).round(requirements=[req()])) == "open"
    assert status(Meeting(about).round(qualities=[req(*BOTH)])) == "open"
    assert status(Meeting(about).round(requirements=[req(*BOTH)])) == "partial"


@pytest.mark.parametrize(
    "said",
    [
        {"requirements": [req(*BOTH)] * 2, "covered": ["K1"]},
        {"requirements": [req(*BOTH)], "covered": ["K1", "K2"]},
        {"requirements": [req(*BOTH), req()], "covered": ["K1", "K2"]},
        {"requirements": [req(*BOTH)], "qualities": [req(*BOTH)], "covered": ["K1", "K2"]},
        {"requirements": [req(*BOTH)] * 2, "covered": ["K1", "K2"], "conflicts": [{}]},
    ],
    ids=["a criterion unmet", "count short", "a draft", "another type", "a conflict"],
)
def test_it_does_not_close_while_something_is_missing(said: dict[str, object]) -> None:
    """W21"""
    meeting = Meeting(agenda(topic("a", 2, "REQ", critical=True, criteria=2), topic("b"))).round(**said)
    assert status(meeting) == "partial"


def test_a_conflict_of_another_topic_does_not_hold_it_up() -> None:
    """W21"""
    meeting = Meeting(agenda(topic("a", critical=True), topic("b", critical=True)))
    meeting.question("T2").respond().synthesise(conflicts=[{}]).round(covered=["K1"])
    assert (status(meeting, "T1"), status(meeting, "T2")) == ("closed", "open")


def test_open_questions_may_be_left_to_later() -> None:
    """W21"""
    assert (
        status(Meeting().round(requirements=[req(*BOTH)], covered=["K1"], questions=[{"blocking": True}])) == "closed"
    )


def test_closed_topics_stay_closed_even_where_something_is_contested() -> None:
    """W11, W21"""
    meeting = Meeting().round(requirements=[req(*BOTH)], covered=["K1"]).respond({TWO: {"contested": ["REQ-001"]}})
    meeting.synthesise()
    assert (status(meeting), meeting.artifact("REQ-001").agreement.value) == ("closed", "conflict")


def test_criteria_stay_met_and_are_those_of_the_topic_in_focus() -> None:
    """W20"""
    meeting = Meeting(agenda(topic("a", critical=True, criteria=2), topic("b", criteria=2)))
    meeting.round(covered=["K1"]).round()
    assert (meeting.topic("T1").met, meeting.topic("T2").met) == ((1,), ())
    assert [str(key) for key in meeting.question().respond().ask("facilitator").keys if key[0] == "K"] == ["K2"]


def test_the_topic_in_focus_closes_at_the_end_of_its_pass() -> None:
    """W21"""
    meeting = Meeting(agenda(topic("a", critical=True), topic("b")), strategy="debate").round(covered=["K1"]).round()
    assert status(meeting) == "partial"
    assert status(meeting.round()) == "closed"


def test_or_with_the_last_round() -> None:
    """W21: what is whole at max_rounds is not left open because its pass is not over."""
    meeting = Meeting(agenda(topic("a")), strategy="debate", max_rounds=2).round(covered=["K1"]).round()
    assert (status(meeting), meeting.verdict) == ("closed", "COMPLETE")


def test_a_ruling_lets_the_topic_close_once_it_is_applied() -> None:
    """W21, W24"""
    about = agenda(topic("a", critical=True), topic("b"))
    meeting = Meeting(about, max_rounds_per_conflict=1).round(covered=["K1"], conflicts=[{}])
    assert status(meeting) == "partial"
    assert status(meeting.rule("accept")) == "partial"
    assert status(meeting.respond({"technical-lead": {"applied": ["RUL-001"]}}).synthesise()) == "closed"


# Bound agendas

STAGED = agenda(
    topic("dreams", 1, "IDEA", stage="dreamer"), topic("plans", stage="realist"), topic("doubts", stage="critic")
)


def test_on_a_bound_agenda_only_topics_of_the_stage_are_candidates() -> None:
    """W6"""
    meeting = Meeting(STAGED, strategy="disney").reach("question")
    assert [str(key) for key in meeting.ask("facilitator").keys] == ["T1"]
    meeting.round(ideas=[req(*BOTH)], covered=["K1"]).reach("question")
    assert [str(key) for key in meeting.ask("facilitator").keys] == ["T2"]
    meeting.round(covered=["K1"]).round(covered=["K1"])
    assert (meeting.verdict, meeting.stages) == ("COMPLETE", ["dreamer", "realist", "critic"])


def test_a_stage_with_nothing_left_is_passed_over_in_the_next_pass() -> None:
    """W6, W28: two rounds each at most, then on; what is closed is not gone through again."""
    meeting = Meeting(STAGED, strategy="disney", max_rounds=9).round().round().round(covered=["K1"]).round().round()
    assert meeting.stages == ["dreamer", "dreamer", "realist", "critic", "critic"]
    meeting.round(ideas=[req(*BOTH)], covered=["K1"]).question()
    assert meeting.stages[-2:] == ["dreamer", "critic"]
    assert broken(meeting) == []


def test_a_withdrawn_conflict_does_not_exist_and_a_resolved_one_frees_its_topic() -> None:
    """W14, W21"""
    meeting = Meeting().round(requirements=[req(*BOTH)], covered=["K1"], conflicts=[{}])
    meeting.round(changes=[change("CONF-001", "withdraw")])
    assert (status(meeting), len(meeting.held(2)["refused"])) == ("partial", 1)
    assert status(meeting.round(changes=[change("CONF-001", "resolve", *BOTH)])) == "closed"
