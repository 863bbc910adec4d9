"""What became of each thing that was said or brought (W39)."""

from __future__ import annotations

from collections.abc import Mapping

from quorate.core.types import Reason
from quorate.kit.fates import Fate
from quorate.protocols.workshop.rules.fates import fates
from tests.support.workshops import ONE, TWO, Meeting, agenda, change, req, topic

BOTH = ("P1", "P2")


def became(meeting: Meeting) -> Mapping[str, Fate]:
    """The fates of a meeting by id; each stands once."""
    found = fates(meeting.record)
    assert len({each.id for each in found}) == len(found)
    return {each.id: each for each in found}


def test_every_artifact_has_one_fate() -> None:
    """W39"""
    meeting = Meeting(agenda(topic("a", 9)))
    meeting.round(requirements=[req(*BOTH, title=f"Number {n}", proposed_by=["P2"]) for n in range(4)])
    gone = [change("REQ-002", "withdraw", *BOTH)]
    meeting.round(changes=gone, requirements=[req(*BOTH, supersedes=["REQ-001"])], questions=[{"title": "Why?"}])
    meeting.respond({TWO: {"contested": ["REQ-003"]}}).synthesise()
    found = {
        key: each.became for key, each in became(meeting).items() if each.what in ("artifact", "question", "conflict")
    }
    assert found == {
        "REQ-001": "superseded by REQ-005",
        "REQ-002": "withdrawn",
        "REQ-003": "in conflict",
        "REQ-004": "agreed",
        "REQ-005": "agreed",
        "OQ-001": "open",
        "CONF-001": "open",
    }
    assert (became(meeting)["REQ-004"].by, became(meeting)["CONF-001"].by) == ((TWO,), (TWO,))


def test_a_ruling_is_applied_or_not_and_its_conflict_decided() -> None:
    """W24, W39"""
    meeting = (
        Meeting(agenda(topic("a", 9)), max_rounds_per_conflict=1).round(conflicts=[{}]).rule("decide", "So be it.")
    )
    fate = became(meeting)["RUL-001"]
    assert (fate.what, fate.by, fate.said, fate.became, fate.rule) == (
        "ruling",
        ("person",),
        "So be it.",
        "not applied",
        "W24",
    )
    assert became(meeting)["CONF-001"].became == "decided by a person"
    assert became(meeting.respond({ONE: {"applied": ["RUL-001"]}}))["RUL-001"].became == "applied"


def test_objections_and_what_was_refused_are_told() -> None:
    """W11, W14, W31, W39"""
    meeting = Meeting(agenda(topic("a", 9)), strategy="consensus-driven").round(requirements=[req(*BOTH), req(*BOTH)])
    meeting.respond({ONE: {"contested": ["REQ-001"]}}).synthesise(changes=[change("REQ-002", "endorse", *BOTH)])
    meeting.vote({ONE: "BLOCK", TWO: "BARE"})
    found = became(meeting)
    assert found[f"contest-2.{ONE}.REQ-001"].became == "raised CONF-001"
    assert found[f"block-3.{ONE}.REQ-002"].became == "stopped REQ-002"
    assert found[f"block-3.{TWO}.REQ-002"].became == "stood aside"
    assert (found["refused-1"].became, found["refused-1"].by) == ("refused", ("facilitator",))
    assert found[f"position-3.{TWO}"].became == "heard"


def test_a_doubt_is_put_to_a_person_or_came_too_late() -> None:
    """W22, W39"""
    first = Meeting(max_rounds=2).respond({TWO: 20}).synthesise()
    assert became(first)["escalation-1"].became == "put to a person"
    first.rule("go_on").respond({TWO: 20}).synthesise()
    assert became(first)["escalation-2"].became == "not put to a person: it was the last round"


def test_what_was_said_in_a_phase_that_was_cut_short_was_not_heard() -> None:
    """W34, W39"""
    meeting = Meeting().question()
    meeting.reply(ONE, {"position": "Never mind.", "confidence": 80}).interrupt(Reason.CANCELLED)
    assert became(meeting)[f"position-1.{ONE}"].became == "not heard"


def test_documents_were_shown_or_not() -> None:
    """W38, W39"""
    meeting = Meeting(agenda(topic("a")), document_tokens=500, max_rounds=1)
    meeting.material |= {"topic": "\n".join(f"Line {n} of a long topic" for n in range(120))}
    found = became(meeting.round(covered=["K1"]))
    assert [found[f"part-{n}"].became for n in (1, 2, 3, 4)] == ["shown", "shown to nobody", "shown", "shown"]
