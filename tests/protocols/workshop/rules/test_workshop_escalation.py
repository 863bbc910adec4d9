"""Escalation: what asks for it, what a person can say, detours, pauses and wishes (W23 to W26)."""

from __future__ import annotations

from typing import Any

import pytest

from quorate.core.types import Reason
from tests.support.workshops import ONE, TWO, Meeting, agenda, broken, change, req, topic

BOTH = ("P1", "P2")
OPTIONAL = agenda(topic("must", critical=True), topic("may"))


def optional() -> Meeting:
    """A meeting whose focus is not required."""
    return Meeting(OPTIONAL).round(covered=["K1"])


# Triggers


def test_a_conflict_is_escalated_in_its_third_round() -> None:
    """W23: the round that opened it is the first."""
    meeting = Meeting().round(conflicts=[{}])
    assert meeting.phase == "QUESTION"
    assert meeting.round().phase == "QUESTION"
    assert meeting.round().phase == "ESCALATION"
    assert [str(key) for key in meeting.ask("person").keys] == ["CONF-001"]


def test_a_contested_artifact_is_escalated_in_its_third_round_too() -> None:
    """W11, W23"""
    meeting = Meeting(agenda(topic("a", 9))).round(requirements=[req(*BOTH)]).respond({TWO: {"contested": ["REQ-001"]}})
    assert meeting.synthesise().round().phase == "QUESTION"
    assert meeting.round().phase == "ESCALATION"


@pytest.mark.parametrize(("confidence", "phase"), [(49, "ESCALATION"), (50, "QUESTION")])
def test_an_unsure_response_on_a_required_topic_escalates_at_49_and_not_at_50(confidence: int, phase: str) -> None:
    """W23"""
    assert Meeting().respond({TWO: confidence}).synthesise().phase == phase


@pytest.mark.parametrize(
    ("critical", "reading", "phase"),
    [((), "", "QUESTION"), (("P1",), "", "QUESTION"), (("P2",), "", "ESCALATION"), ((), "absent", "ESCALATION")],
)
def test_elsewhere_it_has_to_name_a_critical_word(critical: tuple[str, ...], reading: str, phase: str) -> None:
    """W23: where nobody could look for words, every response might have some."""
    meeting = optional().respond({TWO: 49}).synthesise(critical=critical, reading=reading)
    assert meeting.phase == phase


def test_with_escalate_on_any_every_unsure_response_escalates() -> None:
    """W23"""
    meeting = Meeting(OPTIONAL, escalate_on="any").round(covered=["K1"]).respond({TWO: 49}).synthesise()
    assert meeting.phase == "ESCALATION"


def test_a_sure_response_with_critical_words_does_not() -> None:
    """W23"""
    assert optional().round(critical=["P1", "P2"]).phase == "QUESTION"


def test_without_escalation_nothing_escalates_by_itself() -> None:
    """W23"""
    meeting = Meeting(escalation=False).round(conflicts=[{}]).round().round().respond({TWO: 0}).synthesise()
    assert meeting.phase == "QUESTION"


def test_under_min_rounds_it_waits() -> None:
    """W22, W23"""
    meeting = Meeting(min_rounds=2).respond({TWO: 0}).synthesise()
    assert meeting.phase == "QUESTION"
    assert meeting.respond({TWO: 0}).synthesise().phase == "ESCALATION"


# What a person says


def disputed(**settings: Any) -> Meeting:
    """A meeting that asks a person about REQ-001, which is contested."""
    meeting = Meeting(max_rounds_per_conflict=1, **settings).round(requirements=[req(*BOTH)], covered=["K1"])
    return meeting.respond({TWO: {"contested": ["REQ-001"], "position": "Never said."}}).synthesise()


def test_accepting_the_recommendation_resolves_it_and_agrees_once_it_is_applied() -> None:
    """W19, W24"""
    meeting = disputed().rule("accept")
    made = meeting.made("CONF-001")
    assert (made["status"], made["resolution_method"], made["resolution"]) == (
        "resolved",
        "person",
        "Take the middle way.",
    )
    assert meeting.artifact("REQ-001").agreement.value == "draft"
    assert meeting.respond({ONE: {"applied": ["RUL-001"]}}).artifact("REQ-001").agreement.value == "consensus"
    assert meeting.held(2)["escalation"]["choice"] == "accept"


def test_deciding_otherwise_resolves_it_and_leaves_a_draft() -> None:
    """W19, W24"""
    meeting = disputed().rule("decide", "Drop the half of it.")
    made = meeting.made("CONF-001")
    assert (made["resolution"], meeting.artifact("REQ-001").agreement.value) == ("Drop the half of it.", "draft")
    assert "Drop the half of it." in meeting.question().shown(ONE)


@pytest.mark.parametrize(("choice", "decision"), [("go_on", ""), ("absent", ""), ("decide", "  \n")])
def test_going_on_gives_the_conflict_its_rounds_once_more(choice: str, decision: str) -> None:
    """W24"""
    meeting = Meeting(max_rounds_per_conflict=2).round(conflicts=[{}]).round().rule(choice, decision)
    assert (meeting.artifact("CONF-001").status.value, meeting.artifact("CONF-001").since) == ("open", 3)
    assert meeting.round().phase == "QUESTION"
    assert meeting.round().phase == "ESCALATION"
    assert broken(meeting) == []


def test_accepting_where_nothing_was_recommended_is_going_on() -> None:
    """W24"""
    meeting = Meeting(max_rounds_per_conflict=1).round(conflicts=[{}], recommendation="  ")
    assert "nothing; accepting would let them go on" in meeting.section(
        "person", "The facilitator recommends on CONF-001"
    )
    meeting.rule("accept")
    assert (meeting.artifact("CONF-001").status.value, meeting.held(1)["escalation"]["choice"]) == ("open", "go_on")


def test_what_is_accepted_is_what_was_shown() -> None:
    """W24: the last recommendation that is not blank."""
    meeting = Meeting(max_rounds_per_conflict=2).round(conflicts=[{}], recommendation="Take the left one.")
    meeting.round(recommendation="")
    assert meeting.section("person", "The facilitator recommends on CONF-001") == "Take the left one."
    assert meeting.rule("accept").made("CONF-001")["resolution"] == "Take the left one."


def test_an_old_recommendation_is_none_for_a_new_conflict() -> None:
    """W24"""
    meeting = Meeting(agenda(topic("a", 9)), max_rounds_per_conflict=1).round(recommendation="Take the left one.")
    meeting.round(conflicts=[{}], recommendation="").rule("accept")
    assert (meeting.artifact("CONF-001").status.value, meeting.held(2)["escalation"]["choice"]) == ("open", "go_on")


def test_an_old_recommendation_is_none_for_a_ruling() -> None:
    """W24: what was recommended before the person ruled otherwise is not put to the person again."""
    meeting = Meeting(agenda(topic("a", 9)), max_rounds_per_conflict=1)
    meeting.round(conflicts=[{}], recommendation="Ninety.").rule("decide", "Thirty.").round(recommendation="")
    assert "nothing" in meeting.section("person", "The facilitator recommends on RUL-001")
    meeting.rule("accept").round(recommendation="Say thirty.")
    assert [each["choice"] for each in meeting.facts("ruling")] == ["decide", "go_on"]
    assert meeting.section("person", "The facilitator recommends on RUL-001") == "Say thirty."
    assert broken(meeting) == []


def test_only_what_is_overdue_is_put_and_resolved() -> None:
    """W24"""
    meeting = Meeting(max_rounds_per_conflict=2).round(conflicts=[{}]).round(conflicts=[{}])
    assert [str(key) for key in meeting.ask("person").keys] == ["CONF-001"]
    meeting.rule("decide")
    assert [meeting.artifact(f"CONF-00{n}").status.value for n in (1, 2)] == ["resolved", "open"]


def test_where_none_is_overdue_all_are_put() -> None:
    """W24"""
    meeting = Meeting().question().respond({TWO: 0}).synthesise(conflicts=[{}, {}])
    assert [str(key) for key in meeting.ask("person").keys] == ["CONF-001", "CONF-002"]


def test_a_person_is_shown_the_positions_and_what_it_is_about() -> None:
    """W24"""
    shown = disputed().shown("person")
    for text in (
        "Never said.",
        "What it is about: REQ-001",
        "Take the middle way.",
        "CONF-001 is open in its round 1 of 1",
    ):
        assert text in shown


def test_once_heard_a_person_is_not_asked_again_in_the_same_round() -> None:
    """W22"""
    meeting = Meeting().respond({TWO: 0}).synthesise().rule("go_on")
    assert (meeting.phase, meeting.state.round) == ("QUESTION", 2)


def test_a_ruling_that_is_applied_may_end_the_session() -> None:
    """W24, W26"""
    meeting = (
        Meeting(agenda(topic("a")), max_rounds_per_conflict=1).round(covered=["K1"], conflicts=[{}]).rule("accept")
    )
    assert meeting.phase == "QUESTION"
    meeting.respond({TWO: {"applied": ["RUL-001"]}}).synthesise()
    assert (meeting.verdict, meeting.result["closed_by"]) == ("COMPLETE", "agenda closed")


# A person's wish


@pytest.mark.parametrize(
    ("before", "resumes"),
    [("agenda", "QUESTION"), ("question", "RESPONSES"), ("respond", "SYNTHESIS"), ("synthesise", "PROCESSING")],
)
def test_a_person_may_be_asked_after_any_phase_and_the_round_goes_on(before: str, resumes: str) -> None:
    """W25"""
    meeting = Meeting(agenda(topic("a", 9)))
    if before != "agenda":
        meeting.round(requirements=[req(*BOTH)], conflicts=[{}])
    meeting.reach(before)
    round_, others = meeting.state.round, len(meeting.open)
    meeting.interrupt(Reason.ESCALATION)
    for _ in range(others):
        assert meeting.phase != "ESCALATION"
        ask = meeting.open[0]
        meeting.reply(ask.seat, meeting._quiet(ask))
    assert meeting.asked() == ["person escalate"]
    state = meeting.state
    meeting.rule("decide")
    assert meeting.outcomes[-1 if resumes != "PROCESSING" else -2] == f"RESUME_{resumes}"
    if before != "agenda":
        assert meeting.artifact("CONF-001").status.value == "resolved"
    assert (state.round, broken(meeting)) == (max(round_, 1), [])


def test_what_was_decided_on_a_detour_is_shown_in_the_same_round() -> None:
    """W24, W25"""
    meeting = Meeting(agenda(topic("a", 9))).round(conflicts=[{}]).interrupt(Reason.ESCALATION)
    meeting.question().rule("decide", "Blue it is.")
    assert meeting.phase == "RESPONSES"
    assert "Blue it is." in meeting.shown(ONE)
    assert "Blue it is." in meeting.respond().shown("facilitator")


def test_two_rulings_in_one_round_are_both_kept() -> None:
    """W24, W25"""
    meeting = Meeting(agenda(topic("a", 9)), max_rounds_per_conflict=2).round(conflicts=[{}])
    meeting.interrupt(Reason.ESCALATION).question().rule("decide", "The first.")
    meeting.respond({TWO: 0}).synthesise(conflicts=[{}]).rule("decide", "The second.")
    assert [each["decision"] for each in meeting.held(2)["rulings"]] == ["The first.", "The second."]
    assert [meeting.made(f"CONF-00{n}")["resolution"] for n in (1, 2)] == ["The first.", "The second."]


@pytest.mark.parametrize("after", ["agenda", "question", "respond", "synthesise"])
def test_a_person_may_close_the_session_at_any_time_and_at_once(after: str) -> None:
    """W25, W26: under min_rounds, with everything kept."""
    meeting = Meeting(min_rounds=9).round(requirements=[req(*BOTH)]) if after != "agenda" else Meeting(min_rounds=9)
    meeting.reach(after).interrupt(Reason.WISH)
    assert (meeting.verdict, meeting.result["closed_by"]) == ("CLOSED", "closed by a person")
    assert len(meeting.result["artifacts"]) == int(after != "agenda")
    assert broken(meeting) == []


def test_a_wish_to_close_overtakes_a_wish_to_be_asked() -> None:
    """W25"""
    meeting = Meeting().question().interrupt(Reason.ESCALATION).interrupt(Reason.WISH)
    assert meeting.verdict == "CLOSED"


def test_a_person_who_was_asked_to_rule_may_close_instead() -> None:
    """W25"""
    meeting = Meeting(max_rounds_per_conflict=1).round(conflicts=[{}]).interrupt(Reason.WISH)
    assert (meeting.verdict, meeting.artifact("CONF-001").status.value) == ("CLOSED", "open")


@pytest.mark.parametrize("reason", [Reason.CANCELLED, Reason.BUDGET])
def test_an_error_ends_it_with_everything_kept(reason: Reason) -> None:
    """W26, W34"""
    meeting = Meeting().round(requirements=[req(*BOTH)]).respond().interrupt(reason)
    assert (meeting.verdict, meeting.result["closed_by"]) == ("ABORTED", "unrecoverable error")
    assert [each["id"] for each in meeting.result["artifacts"]] == ["REQ-001"]


def test_episodes_and_stalls_end_it() -> None:
    """W34"""
    meeting = Meeting(max_episodes=7).round().question().respond()
    assert (meeting.verdict, meeting.conclusion.interrupted) == ("ABORTED", Reason.EPISODES)
    meeting = Meeting(stall_after=6).round().question().respond()
    assert (meeting.verdict, meeting.conclusion.interrupted) == ("ABORTED", Reason.STALL)
    assert Meeting(stall_after=6).round(covered=["K1"]).question().respond().phase == "SYNTHESIS"


# Interactive


def test_in_an_interactive_session_the_person_is_asked_after_every_round() -> None:
    """W25"""
    meeting = Meeting(interactive=True).round()
    assert meeting.asked() == ["person pause"]
    meeting.pause("go_on", "Mind the law.")
    assert (meeting.phase, meeting.section("facilitator", "A person remarks")) == ("QUESTION", "Mind the law.")
    assert "Mind the law." not in meeting.question().shown(ONE)
    assert meeting.respond().synthesise().asked() == ["person pause"]


def test_the_person_may_conclude_or_be_asked_about_conflicts() -> None:
    """W25, W26"""
    meeting = Meeting(interactive=True, min_rounds=5).round(conflicts=[{}]).pause("escalate")
    assert (meeting.phase, meeting.state.round) == ("ESCALATION", 1)
    meeting.rule("decide")
    assert (meeting.phase, meeting.artifact("CONF-001").status.value) == ("QUESTION", "resolved")
    meeting.round().pause("conclude")
    assert (meeting.verdict, meeting.result["closed_by"]) == ("CLOSED", "closed by a person")
    assert broken(meeting) == []


def test_without_an_answer_it_goes_on() -> None:
    """W25"""
    assert Meeting(interactive=True).round().pause("absent").phase == "QUESTION"


def test_a_conflict_resolved_on_the_way_is_not_put() -> None:
    """W23"""
    meeting = Meeting(agenda(topic("a", 9))).round(conflicts=[{}]).round()
    meeting.round(changes=[change("CONF-001", "resolve", *BOTH)])
    assert meeting.phase == "QUESTION"
