"""Going on after an interruption: a replayed journal continues the numbering, the agenda and the stages."""

from __future__ import annotations

import pytest

from quorate.core.engine import replay
from quorate.core.record import Envelope, Record
from quorate.core.types import Reason
from tests.support.workshops import ONE, TWO, Meeting, agenda, broken, req, topic

BOTH = ("P1", "P2")


def resumed(meeting: Meeting) -> Meeting:
    """The same meeting in another process: only its journal is known."""
    again = Meeting.__new__(Meeting)
    again.__dict__.update(meeting.__dict__)
    again.record = Record(meeting.protocol, meeting.opening, meeting.material)
    for event, envelope in zip(meeting.events, meeting.record.envelopes, strict=True):
        again.record.take(event, envelope)
    again.events = list(meeting.events)
    return again


def course() -> Meeting:
    """A session with all kinds of things in it, stopped in the middle of its third round."""
    about = agenda(topic("a", 2, critical=True), topic("b"))
    meeting = Meeting(about, strategy="consensus-driven", max_rounds=12).round(requirements=[req(*BOTH), req(*BOTH)])
    meeting.interrupt(Reason.ESCALATION).question().rule("go_on").respond({TWO: "absent"}).synthesise(covered=["K1"])
    return meeting.vote({ONE: {"REQ-001": "SUPPORT", "REQ-002": "SUPPORT"}, TWO: {"REQ-002": "BLOCK"}})


def test_a_replayed_journal_stands_where_it_stood() -> None:
    meeting = course()
    again = resumed(meeting)
    assert again.record.session == meeting.record.session
    assert again.result == meeting.result
    assert replay(meeting.protocol, meeting.events).session == meeting.record.session


@pytest.mark.parametrize("share", [0.2, 0.4, 0.6, 0.8, 0.9])
def test_wherever_it_was_stopped_it_ends_as_it_would_have(share: float) -> None:
    whole = course().finish()
    cut = int(len(whole.events) * share)
    again = Meeting.__new__(Meeting)
    again.__dict__.update(whole.__dict__)
    again.record = Record(whole.protocol, whole.opening, whole.material)
    again.events = list(whole.events[:cut])
    for event in again.events:
        again.record.take(event, Envelope())
    again = resumed(again)
    for event in whole.events[cut:]:
        again.take(event)
    assert (again.record.session, again.moves) == (whole.record.session, whole.moves)


def test_numbering_and_agenda_go_on() -> None:
    """W15, W20"""
    again = resumed(course()).synthesise(requirements=[req(*BOTH)])
    assert str(again.state.artifacts[-1].id) == "REQ-003"
    assert (again.topic("T1").met, again.state.round) == ((1,), 4)
    assert again.question().stages[-1] == "refinement"
    assert broken(again) == []


def test_the_facilitator_goes_on_with_its_context_and_participants_are_fresh() -> None:
    """W33"""
    again = resumed(course())
    shown = again.shown("facilitator")
    assert "Your rounds so far" in shown
    assert "REQ-002: 1 support, 1 block" in again.section("facilitator", "context_reconciliation")
    again.synthesise().question()
    assert "context_reconciliation" not in again.shown(ONE)


def test_an_open_escalation_waits_and_is_answered_later() -> None:
    """W24: waiting for a person is an open ask."""
    meeting = Meeting(max_rounds_per_conflict=1).round(conflicts=[{}])
    again = resumed(meeting)
    assert again.asked() == ["person escalate"]
    assert again.rule("decide").made("CONF-001")["resolution"] == "Do it my way."


def test_a_detour_that_waits_survives() -> None:
    """W25"""
    meeting = Meeting().question().interrupt(Reason.ESCALATION)
    again = resumed(meeting)
    assert again.record.session.pending is Reason.ESCALATION
    assert again.respond().asked() == ["person escalate"]
