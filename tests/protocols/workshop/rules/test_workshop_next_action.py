"""What comes next: the ordered rule against a second, dumb implementation, and where it shows (W22, W26)."""

from __future__ import annotations

import pytest

from quorate.core.errors import SettingError
from quorate.protocols.workshop.rules.next_action import (
    RULE,
    Action,
    Closed,
    Conditions,
    as_table,
    combinations,
    next_action,
)
from tests.support.workshops import Meeting, agenda, broken, req, topic

BOTH = ("P1", "P2")


def dumb(c: Conditions) -> str:
    """W22, as it is written."""
    if c.at_maximum:
        return "conclude"
    if c.under_minimum:
        return "continue"
    if c.triggered:
        return "escalate"
    if c.sent_on:
        return "continue"
    wanted = {"all": [Closed.ALL], "required": [Closed.ALL, Closed.REQUIRED]}[c.conclude_on.value]
    if c.closed in wanted and not c.barred:
        return "conclude"
    return "continue"


def test_there_are_192_combinations_each_with_one_action() -> None:
    """W22"""
    every = list(combinations())
    assert (len(every), len(set(every))) == (192, 192)
    assert [next_action(each)[0].value for each in every] == [dumb(each) for each in every]


def test_every_row_decides_some_of_them() -> None:
    """W22"""
    decided = [next_action(each)[1] for each in combinations()]
    assert [decided.count(place) for place in range(len(RULE))] == [96, 48, 24, 12, 3, 9]
    assert "| 1 | max_rounds is reached | conclude | 96 |" in as_table()


def test_no_combination_escalates_or_concludes_under_the_minimum() -> None:
    """W22"""
    early = [each for each in combinations() if each.under_minimum and not each.at_maximum]
    assert {next_action(each)[0] for each in early} == {Action.CONTINUE}


# In a session


@pytest.mark.parametrize("rounds", [1, 2])
def test_nothing_is_concluded_before_min_rounds(rounds: int) -> None:
    """W22: everything is done in the first round, and the facilitator wishes to conclude."""
    meeting = Meeting(agenda(topic("a")), min_rounds=3).round(covered=["K1"], wish="conclude")
    for _ in range(rounds - 1):
        meeting.round(wish="conclude")
    assert (meeting.phase, meeting.state.complete) == ("QUESTION", rounds)
    assert "wished to conclude; the rule says continue" in meeting.result["warnings"][0]
    while not meeting.record.session.conclusion:
        meeting.round(wish="continue")
    assert (meeting.verdict, meeting.state.complete) == ("COMPLETE", 3)


def test_it_is_concluded_at_max_rounds_whatever_is_open() -> None:
    """W22, W26"""
    meeting = Meeting(max_rounds=3, min_rounds=3).round(conflicts=[{}], wish="continue").round().round(wish="continue")
    assert (meeting.verdict, meeting.state.round) == ("INCOMPLETE", 3)
    assert meeting.result["closed_by"] == "max_rounds reached"
    assert any(each.startswith("First is open") for each in meeting.result["warnings"])


def test_at_max_rounds_with_everything_closed_it_is_complete() -> None:
    """W26"""
    meeting = Meeting(agenda(topic("a")), max_rounds=1).round(covered=["K1"])
    assert (meeting.verdict, meeting.result["closed_by"]) == ("COMPLETE", "agenda closed")


def test_an_open_conflict_keeps_it_going() -> None:
    """W22"""
    meeting = Meeting().round(requirements=[req(*BOTH)], covered=["K1"])
    meeting.round(covered=["K1"], conflicts=[{}])
    assert meeting.phase == "QUESTION"


@pytest.mark.parametrize(("conclude_on", "phase"), [("all", "QUESTION"), ("required", "CLOSED")])
def test_conclude_on_says_which_topics_have_to_be_closed(conclude_on: str, phase: str) -> None:
    """W22"""
    meeting = Meeting(conclude_on=conclude_on).round(requirements=[req(*BOTH)], covered=["K1"])
    assert meeting.phase == phase
    assert broken(meeting) == []


def test_a_closed_topic_that_has_lost_what_it_needs_counts_as_open() -> None:
    """W5, W21, W22: its status stays, and it is a candidate until it has its number again."""
    meeting = Meeting(agenda(topic("a", 1)), min_rounds=2, max_rounds_per_conflict=1)
    meeting.round(requirements=[req(*BOTH)], covered=["K1"]).respond({"technical-lead": {"contested": ["REQ-001"]}})
    meeting.synthesise().rule("decide", "Half of it.")
    assert (meeting.topic("T1").status.value, meeting.artifact("REQ-001").agreement.value) == ("closed", "draft")
    assert (meeting.phase, meeting.ask("facilitator").keys) == ("QUESTION", ("T1",))
    meeting.respond({"technical-lead": {"applied": ["RUL-001"]}}).synthesise()
    assert meeting.verdict == "COMPLETE"
    assert broken(meeting) == []


def test_a_minimum_above_the_maximum_is_refused() -> None:
    with pytest.raises(SettingError, match="above max_rounds") as error:
        Meeting(min_rounds=4, max_rounds=3)
    assert error.value.key == "min_rounds"


def test_the_reason_stands_in_the_round() -> None:
    """W22"""
    meeting = Meeting(max_rounds=2).round().round()
    assert [meeting.held(n)["because"] for n in (1, 2)] == ["none of the above", "max_rounds is reached"]
    assert [meeting.held(n)["next_action"] for n in (1, 2)] == ["continue", "conclude"]
