"""Artifacts: ids, lives, history, superseding, and moves that are refused by name (W14 to W17)."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from quorate.core.errors import RuleViolation
from quorate.kit.lifecycle import advance
from quorate.protocols.workshop.rules.lives import ARTIFACT, MATTER, Happening, Status
from tests.support.workshops import Meeting, agenda, amend, broken, change, req, topic

ROWS = {
    ("ACTIVE", "AMEND"): "AMENDED",
    ("ACTIVE", "SUPERSEDE"): "SUPERSEDED",
    ("ACTIVE", "WITHDRAW"): "WITHDRAWN",
    ("AMENDED", "AMEND"): "AMENDED",
    ("AMENDED", "REVERT"): "ACTIVE",
    ("AMENDED", "SUPERSEDE"): "SUPERSEDED",
    ("AMENDED", "WITHDRAW"): "WITHDRAWN",
}
BOTH = ("P1", "P2")


def one() -> Meeting:
    """A meeting with REQ-001, agreed upon."""
    return Meeting(agenda(topic("a", 9))).round(requirements=[req(*BOTH, title="First", description="Old text.")])


@pytest.mark.parametrize(("status", "happening"), list(product(Status, Happening)))
def test_the_life_of_an_artifact_has_these_rows_and_no_others(status: Status, happening: Happening) -> None:
    """W14: superseded and withdrawn are terminal."""
    to = ROWS.get((status.name, happening.name))
    if to is not None:
        assert advance(ARTIFACT, status, happening) is Status[to]
        return
    with pytest.raises(RuleViolation, match=f"{status.name} cannot take {happening.name}"):
        advance(ARTIFACT, status, happening)


@pytest.mark.parametrize(("status", "happening"), list(product(Status, Happening)))
def test_questions_and_conflicts_are_resolved_and_nothing_else(status: Status, happening: Happening) -> None:
    """W14"""
    if (status, happening) == (Status.OPEN, Happening.RESOLVE):
        assert advance(MATTER, status, happening) is Status.RESOLVED
        return
    with pytest.raises(RuleViolation):
        advance(MATTER, status, happening)


# Ids


def test_ids_are_counted_per_type_in_the_order_of_the_synthesis() -> None:
    """W15"""
    meeting = Meeting().round(
        qualities=[req(title="Fast")],
        requirements=[req(title="One"), req(title="Two")],
        conflicts=[{}],
        questions=[{}],
    )
    assert [str(each.id) for each in meeting.state.artifacts] == ["REQ-001", "REQ-002", "NFR-001", "OQ-001", "CONF-001"]
    meeting.round(requirements=[req(title="Three")])
    assert meeting.made("REQ-003")["title"] == "Three"
    assert meeting.held(2)["artifacts_created"] == ["REQ-003"]


def test_no_id_is_issued_twice_whatever_becomes_of_its_artifact() -> None:
    """W15"""
    meeting = one().round(changes=[change("REQ-001", "withdraw", *BOTH)]).round(requirements=[req(*BOTH)])
    assert [(str(e.id), e.status.value) for e in meeting.state.artifacts] == [
        ("REQ-001", "withdrawn"),
        ("REQ-002", "active"),
    ]


def test_sixty_are_the_most_and_the_rest_is_refused() -> None:
    """W15"""
    eight = [req(*BOTH)] * 8
    lists = ("requirements", "business_rules", "qualities", "exclusions", "decisions", "components", "interfaces")
    meeting = Meeting().round(**dict.fromkeys(lists, eight), ideas=eight)
    assert len(meeting.state.artifacts) == 60
    assert len(meeting.held(1)["refused"]) == 4
    assert "60 artifacts are the most" in meeting.held(1)["refused"][0]


def test_a_conflict_that_a_participant_raises_is_never_one_too_many() -> None:
    """W11, W15"""
    eight = [req(*BOTH)] * 8
    lists = ("requirements", "business_rules", "qualities", "exclusions", "decisions", "components", "interfaces")
    meeting = Meeting().round(**dict.fromkeys(lists, eight), ideas=eight)
    meeting.respond({"technical-lead": {"contested": ["REQ-001"]}})
    assert meeting.artifact("CONF-001").about == ("REQ-001",)
    assert broken(meeting) == []


# History


def test_an_amendment_keeps_what_was_there_field_by_field() -> None:
    """W16"""
    meeting = one().round(
        changes=[
            {
                **amend("REQ-001", *BOTH, field="description", text="New text."),
                "edits": [
                    {"field": "description", "text": "New text.", "kind": "changed"},
                    {"field": "acceptance", "text": "It is seen.", "kind": "added"},
                ],
                "proposed_by": ["P2"],
                "summary": "Clearer.",
            }
        ]
    )
    made = meeting.made("REQ-001")
    assert (made["status"], made["fields"]["description"]) == ("amended", "New text.")
    (entry,) = made["amendments"]
    assert (entry["round"], entry["summary"], entry["proposed_by"]) == (2, "Clearer.", "technical-lead")
    assert entry["changes"] == {
        "description": {"changed_from": "Old text.", "changed_to": "New text."},
        "acceptance": {"added": ["It is seen."]},
    }


def test_a_reverted_amendment_stays_in_the_history() -> None:
    """W16"""
    meeting = (
        one().round(changes=[amend("REQ-001", *BOTH, text="Second")]).round(changes=[amend("REQ-001", text="Third")])
    )
    meeting.round(changes=[change("REQ-001", "revert", *BOTH)])
    made = meeting.made("REQ-001")
    assert (made["status"], made["title"]) == ("amended", "Second")
    assert [each["reverted"] for each in made["amendments"]] == [False, True]


def test_what_was_amended_twice_is_reverted_twice_and_then_active() -> None:
    """W14, W16"""
    meeting = one().round(changes=[amend("REQ-001", *BOTH, text="Second"), amend("REQ-001", text="Third")])
    first = meeting.made("REQ-001")["amendments"][0]["changes"]["title"]["changed_from"]
    meeting.round(changes=[change("REQ-001", "revert", *BOTH)]).round(changes=[change("REQ-001", "revert", *BOTH)])
    assert (meeting.made("REQ-001")["status"], meeting.made("REQ-001")["title"]) == ("active", first)
    meeting.round(changes=[change("REQ-001", "revert", *BOTH)])
    assert "REQ-001" in meeting.held(5)["refused"][0]
    assert broken(meeting) == []


def test_a_reverted_artifact_is_agreed_upon_anew() -> None:
    """W18: a text that was never agreed upon is not consensus because its amendment was."""
    meeting = Meeting(agenda(topic("a", 9))).round(requirements=[req()])
    meeting.round(changes=[amend("REQ-001", *BOTH)])
    assert meeting.artifact("REQ-001").agreement.value == "consensus"
    meeting.round(changes=[change("REQ-001", "revert")])
    assert meeting.artifact("REQ-001").agreement.value == "draft"


def test_an_amendment_of_a_field_that_the_type_has_not_is_refused() -> None:
    """W14, W16"""
    meeting = one().round(changes=[amend("REQ-001", *BOTH, field="severity", text="high")])
    assert meeting.artifact("REQ-001").status is Status.ACTIVE
    assert "REQ" in meeting.held(2)["refused"][0]


# Superseding and withdrawing


def test_what_is_superseded_names_its_replacement() -> None:
    """W17"""
    meeting = one().round(requirements=[req(*BOTH, title="Better", supersedes=["REQ-001"])])
    old, new = meeting.made("REQ-001"), meeting.made("REQ-002")
    assert (old["status"], old["superseded_by"], new["supersedes"]) == ("superseded", "REQ-002", ["REQ-001"])


def test_a_replacement_takes_the_topic_of_what_it_replaces() -> None:
    """W17"""
    meeting = Meeting(agenda(topic("a", 1), topic("b"))).question("T1").respond()
    meeting.synthesise(requirements=[req(*BOTH)], covered=["K1"]).question("T2").respond()
    meeting.synthesise(requirements=[req(*BOTH, supersedes=["REQ-001"])])
    assert (meeting.artifact("REQ-002").topic, meeting.held(2)["topic_id"]) == ("T1", "b")
    assert [fact["topic"] for fact in meeting.facts("issued")] == ["T1", "T1"]


def test_what_is_withdrawn_has_a_reason_and_stays_so() -> None:
    """W14, W17"""
    meeting = one().round(changes=[change("REQ-001", "withdraw", *BOTH, summary="Nobody needs it.")])
    assert meeting.made("REQ-001")["withdrawn_because"] == "Nobody needs it."
    meeting.round(
        changes=[amend("REQ-001", *BOTH), change("REQ-001", "endorse", *BOTH)],
        requirements=[req(*BOTH, supersedes=["REQ-001"])],
    )
    assert (meeting.made("REQ-001")["status"], len(meeting.held(3)["refused"])) == ("withdrawn", 3)


def test_a_withdrawal_without_a_reason_is_refused() -> None:
    """W17"""
    meeting = one().round(changes=[change("REQ-001", "withdraw", *BOTH, summary="")])
    assert meeting.artifact("REQ-001").status is Status.ACTIVE
    assert "needs a reason" in meeting.held(2)["refused"][0]


@pytest.mark.parametrize(
    "said", [{"changes": [change("REQ-001", "withdraw", "P1")]}, {"requirements": [req("P1", supersedes=["REQ-001"])]}]
)
def test_what_is_agreed_upon_is_taken_away_by_those_who_could_have_agreed(said: dict[str, Any]) -> None:
    """W17"""
    meeting = one().respond({"software-architect": 50, "technical-lead": 90}).synthesise(**said)
    assert meeting.artifact("REQ-001").status is Status.ACTIVE
    assert "too few support" in meeting.held(2)["refused"][0]


def test_a_draft_is_taken_away_by_the_facilitator() -> None:
    """W17"""
    meeting = Meeting(agenda(topic("a", 9))).round(requirements=[req()]).round(changes=[change("REQ-001", "withdraw")])
    assert meeting.artifact("REQ-001").status is Status.WITHDRAWN


def test_under_consent_all_who_answered_take_away() -> None:
    """W17"""
    meeting = Meeting(agenda(topic("a", 9)), strategy="consensus-driven").round(requirements=[req(*BOTH)]).round()
    meeting.vote("SUPPORT").synthesise(changes=[change("REQ-001", "withdraw", "P1")])
    assert meeting.artifact("REQ-001").status is Status.ACTIVE
    meeting.round(changes=[change("REQ-001", "withdraw", *BOTH)])
    assert meeting.artifact("REQ-001").status is Status.WITHDRAWN
    assert broken(meeting) == []


def test_an_artifact_cannot_have_both_fates() -> None:
    """W14, W17: the second one is refused by name, and nothing else of the synthesis is."""
    meeting = one().round(
        requirements=[req(*BOTH, supersedes=["REQ-001"]), req(*BOTH, supersedes=["REQ-001"])],
        changes=[change("REQ-001", "withdraw", *BOTH)],
        covered=["K1"],
    )
    assert [each.status.value for each in meeting.state.artifacts] == ["superseded", "active", "active"]
    assert meeting.topic("T1").met == (1,)
    assert len(meeting.held(2)["refused"]) == 2
    assert "SUPERSEDED cannot take WITHDRAW" in meeting.held(2)["refused"][1]


def test_a_question_is_not_superseded() -> None:
    """W17"""
    meeting = Meeting().round(questions=[{}]).round(requirements=[req(*BOTH, supersedes=["OQ-001"])])
    assert meeting.artifact("OQ-001").status is Status.OPEN
    assert "resolved, not superseded" in meeting.held(2)["refused"][0]


@pytest.mark.parametrize("becomes", ["withdraw", "amend", "supersede"])
def test_nothing_takes_from_a_closed_topic_what_it_was_closed_with(becomes: str) -> None:
    """W17"""
    meeting = Meeting(agenda(topic("a", 1, critical=True), topic("b"))).round(requirements=[req(*BOTH)], covered=["K1"])
    moves = {
        "withdraw": {"changes": [change("REQ-001", "withdraw", *BOTH)]},
        "amend": {"changes": [amend("REQ-001")]},
        "supersede": {"qualities": [req(*BOTH, supersedes=["REQ-001"])]},
    }
    meeting.round(**moves[becomes])
    assert meeting.artifact("REQ-001").status is Status.ACTIVE
    assert "closed and needs 1 agreed" in meeting.held(2)["refused"][0]
    assert broken(meeting) == []
