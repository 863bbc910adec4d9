"""What a workshop came to: verdicts, degradation, figures, warnings, and the text for people (W26, W35)."""

from __future__ import annotations

import pytest

from quorate.core.types import Reason
from quorate.protocols.workshop.rules.result import show
from tests.support.workshops import ONE, TWO, Meeting, agenda, change, req, topic

BOTH = ("P1", "P2")


def whole() -> Meeting:
    return (
        Meeting()
        .round(requirements=[req(*BOTH, proposed_by=["P1"])], covered=["K1"])
        .round(covered=["K1"], wish="conclude")
    )


def test_a_complete_session() -> None:
    """W26"""
    meeting = whole()
    data = meeting.result
    assert (data["verdict"], data["closed_by"], data["degradation"]) == ("COMPLETE", "agenda closed", "none")
    assert meeting.protocol.exit_codes[meeting.conclusion.verdict] == 0
    assert [each["status"] for each in data["agenda"]] == ["closed", "closed"]
    assert data["agenda"][0]["criteria"] == [{"text": "first criterion 1", "met": True, "round": 1}]
    assert (data["agenda"][0]["counted"], data["agenda"][0]["minimum"]) == (1, 1)
    assert data["warnings"] == []


def test_the_figures() -> None:
    meeting = Meeting(agenda(topic("a", 9))).round(requirements=[req(*BOTH), req()], questions=[{}])
    meeting.round(changes=[change("REQ-002", "withdraw"), {"artifact": "OQ-001", "becomes": "resolve"}])
    figures = meeting.result["metrics"]
    assert figures["rounds_completed"] == 2
    assert figures["artifacts"] == {
        "total": 3,
        "by_type": {"OQ": 1, "REQ": 2},
        "by_status": {"active": 1, "resolved": 1, "withdrawn": 1},
    }
    assert figures["consensus_rate"] == 100
    assert figures["tokens"] == {"total": 1000, "by_round": [500, 500]}


def test_the_trace_of_an_artifact() -> None:
    """W12: which round made it, who proposed it, who supports it."""
    made = whole().made("REQ-001")
    assert (made["created_round"], made["topic_id"], made["proposed_by"]) == (1, "first", ONE)
    assert (made["supported_by"], made["agreement"], made["status"]) == ([ONE, TWO], "consensus", "active")


@pytest.mark.parametrize(
    ("said", "degradation"),
    [({}, "none"), ({TWO: "absent"}, "within settings")],
)
def test_an_absence_in_a_round_is_within_the_settings(said: dict[str, str], degradation: str) -> None:
    """W35"""
    meeting = Meeting(max_rounds=2).round().respond(said).synthesise()
    assert meeting.conclusion.degradation.value == degradation


def test_a_participant_who_never_answered_is_below_the_settings() -> None:
    """W35"""
    meeting = Meeting(max_rounds=2).respond({TWO: "absent"}).synthesise().respond({TWO: "absent"}).synthesise()
    assert meeting.result["degradation"] == "below settings"
    assert meeting.result["warnings"][:2] == [f"round {n}: no answer from {TWO}" for n in (1, 2)]


def test_a_missing_last_synthesis_is_below_the_settings() -> None:
    """W35"""
    meeting = Meeting(max_rounds=2).round().respond().synthesise(lost=True)
    assert meeting.result["degradation"] == "below settings"
    assert "round 2: there was no synthesis" in meeting.result["warnings"]


def test_a_missing_question_is_within_the_settings() -> None:
    """W8, W35"""
    meeting = Meeting(max_rounds=1).question("absent").respond().synthesise()
    assert meeting.result["degradation"] == "within settings"
    assert "code asked a plain question" in meeting.result["warnings"][0]


@pytest.mark.parametrize(("reason", "verdict", "code"), [(Reason.WISH, "CLOSED", 1), (Reason.CANCELLED, "ABORTED", 3)])
def test_what_was_agreed_upon_is_kept_in_every_case(reason: Reason, verdict: str, code: int) -> None:
    """W26"""
    meeting = Meeting(min_rounds=5).round(requirements=[req(*BOTH)]).interrupt(reason).finish()
    assert (meeting.verdict, meeting.protocol.exit_codes[meeting.conclusion.verdict]) == (verdict, code)
    assert meeting.result["metrics"]["consensus_rate"] == 100


def test_closed_by_a_person_with_everything_done_it_is_complete() -> None:
    """W26"""
    meeting = Meeting(agenda(topic("a")), min_rounds=5).round(covered=["K1"]).interrupt(Reason.WISH).finish()
    assert (meeting.verdict, meeting.result["closed_by"]) == ("COMPLETE", "closed by a person")


def test_a_round_as_plain_data() -> None:
    meeting = Meeting().question().respond({ONE: {"concerns": ["Cost."]}, TWO: "absent"})
    meeting.synthesise(synthesis="So far.", requirements=[req("P1")], wish="conclude")
    held = meeting.held(1)
    assert (held["focus"], held["stage"]) == ({"type": "agenda", "id": "first"}, "discussion")
    assert (held["synthesis_summary"], held["facilitator_wished"], held["next_action"]) == (
        "So far.",
        "conclude",
        "continue",
    )
    assert [(each["participant"], each["concerns"]) for each in held["positions"]] == [(ONE, ["Cost."])]
    assert (held["absent"], held["artifacts_created"]) == ([TWO], ["REQ-001"])
    assert 0 < held["started_at_ms"] < held["ended_at_ms"]


def test_a_conflict_in_focus_is_told_as_one() -> None:
    meeting = Meeting(agenda(topic("a", critical=True), topic("b")), escalation=False).round(covered=["K1"])
    meeting.round(conflicts=[{}]).question("CONF-001").respond().synthesise()
    assert meeting.held(3)["focus"] == {"type": "conflict", "id": "CONF-001"}


def test_for_people() -> None:
    meeting = Meeting(agenda(topic("a", 9)), max_rounds=1)
    meeting.round(
        requirements=[req(*BOTH, title="Log it")], questions=[{"title": "How long?"}], conflicts=[{"title": "Or not?"}]
    )
    text = show(meeting.result)
    for line in (
        "# An audit log",
        "open workshop, standard, 1 rounds, 0 of 1 topics closed",
        "- A: open (0 of 1 criteria met, 0 of 9 agreed)",
        f"- REQ-001 Log it (draft, round 1, supported by {ONE}, {TWO})",
        "## Open conflicts",
        "- OQ-001 How long?",
        "- A is open",
    ):
        assert line in text


def test_nothing_made_says_so() -> None:
    assert "None." in show(Meeting(max_rounds=1).round().result)
