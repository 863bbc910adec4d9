"""An applied ruling waits anew where what it names has changed: nobody was shown it with the new text (W24)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.support.workshops import ONE, TWO, Meeting, agenda, amend, broken, change, req, topic

BOTH = ("P1", "P2")
NINETY = "Entries are kept ninety days"


def applied(least: int = 9, about: str = "REQ-001") -> Meeting:
    """A ruling that a participant says is applied, in a round whose synthesis is to come."""
    meeting = Meeting(agenda(topic("retention", least)), max_rounds_per_conflict=1, max_rounds=5)
    meeting.round(requirements=[req(*BOTH, title=NINETY)], conflicts=[{"about": [about]}], covered=["K1"])
    meeting.rule("decide", "Ninety days.").question().respond({ONE: {"applied": ["RUL-001"]}})
    assert meeting.made("RUL-001")["status"] == "resolved"
    return meeting


CHANGES: Mapping[str, Mapping[str, Any]] = {
    "amended": {"changes": [amend("REQ-001", *BOTH, text="Entries are kept a year")]},
    "withdrawn": {"changes": [change("REQ-001", "withdraw", *BOTH)]},
    "superseded": {"requirements": [req(*BOTH, title="Entries are kept a year", supersedes=["REQ-001"])]},
    "amended and reverted": {"changes": [amend("REQ-001", *BOTH), change("REQ-001", "revert", *BOTH)]},
}


@pytest.mark.parametrize("said", CHANGES)
def test_a_ruling_waits_anew_where_its_text_has_changed(said: str) -> None:
    """W24: once the words that somebody had confirmed could be changed behind that somebody's back."""
    meeting = applied().synthesise(**CHANGES[said])
    ruling = meeting.made("RUL-001")
    assert (ruling["status"], ruling["fields"]["applied"], ruling["resolution"]) == ("open", False, "")
    assert meeting.facts("waits anew") == [{"id": "RUL-001"}]
    assert meeting.made("REQ-002" if said == "superseded" else "REQ-001")["agreement"] == "draft" or said == "withdrawn"
    assert broken(meeting) == []


def test_it_is_applied_again_and_then_the_topic_closes() -> None:
    """W21, W24"""
    meeting = applied(2).synthesise(requirements=[req(*BOTH)], changes=[amend("REQ-001", *BOTH)])
    assert (meeting.phase, meeting.topic("T1").status.value) == ("QUESTION", "partial")
    assert "RUL-001" in meeting.section("facilitator", "context_reconciliation")
    meeting.respond({TWO: {"applied": ["RUL-001"]}}).synthesise()
    assert (meeting.verdict, meeting.made("RUL-001")["resolution"]) == ("COMPLETE", f"applied, says {TWO}")
    assert broken(meeting) == []


def test_it_is_put_to_the_person_like_a_new_one_and_nothing_is_complete_until_then() -> None:
    """W23, W26"""
    meeting = applied(2).synthesise(requirements=[req(*BOTH)], changes=[amend("REQ-001", *BOTH)])
    assert meeting.round().phase == "ESCALATION"
    assert [str(key) for key in meeting.ask("person").keys] == ["RUL-001"]
    assert meeting.finish().verdict == "INCOMPLETE"


def test_what_changes_no_text_leaves_it_applied() -> None:
    """W24: nor does what is refused, and a change of what it does not name."""
    meeting = applied().synthesise(changes=[change("REQ-001", "endorse", *BOTH)], requirements=[req(*BOTH)])
    meeting.round(changes=[amend("REQ-002", *BOTH), amend("REQ-001", field="severity")])
    assert (meeting.made("RUL-001")["status"], meeting.facts("waits anew")) == ("resolved", [])
    assert broken(meeting) == []


def test_a_ruling_on_a_topic_waits_for_each_of_its_texts() -> None:
    """W24"""
    meeting = applied(about="T1").synthesise(changes=[amend("REQ-001", *BOTH)])
    assert meeting.facts("waits anew") == [{"id": "RUL-001"}]
    assert broken(meeting) == []


def test_a_closed_topic_keeps_the_text_that_was_ruled_upon() -> None:
    """W17: it has one agreed artifact and needs it, so the change is refused."""
    meeting = Meeting(agenda(topic("a", 1), topic("b")), max_rounds_per_conflict=1, max_rounds=6)
    meeting.question("T1").respond()
    meeting.synthesise(requirements=[req(*BOTH)], conflicts=[{"about": ["REQ-001"]}], covered=["K1"])
    meeting.rule("decide", "So be it.").question().respond({ONE: {"applied": ["RUL-001"]}}).synthesise()
    assert meeting.topic("T1").status.value == "closed"
    meeting.question().respond().synthesise(changes=[amend("REQ-001", *BOTH)])
    assert meeting.facts("refused")[-1]["why"] == "T1 is closed and needs 1 agreed artifact(s)"
    assert meeting.made("RUL-001")["status"] == "resolved"
    assert broken(meeting) == []
