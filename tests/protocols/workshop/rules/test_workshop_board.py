"""The board and the gauges of a workshop, at every moment of it."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from quorate import catalog
from quorate.core.record import Record
from quorate.core.types import Reason
from quorate.kit.board import ArtifactCard, Board, Criterion, Dated, TopicCard
from quorate.kit.gauges import Gauge
from quorate.protocols.workshop import DEFINITION
from quorate.protocols.workshop.rules.board import board
from quorate.protocols.workshop.rules.gauges import gauges
from quorate.protocols.workshop.rules.result import result
from tests.support.courses import again, course, named, sound
from tests.support.examples import few
from tests.support.workshops import ONE, PLAIN, THREE, TWO, Meeting, agenda, amend, change, req, topic

MATERIAL = {"topic": "# An audit log", "agenda": json.dumps(PLAIN)}


def made(meeting: Meeting, key: str) -> ArtifactCard:
    return next(each for each in board(meeting.record).artifacts if each.id == key)


def voting(**settings: Any) -> Meeting:
    """A workshop that votes on two drafts in its third round."""
    meeting = Meeting(strategy="consensus-driven", participants=[ONE, TWO, THREE], **settings)
    meeting.round(requirements=[req("P1", title="One"), req("P2", title="Two")]).round()
    return meeting.reach("vote")


def agrees(record: Record) -> None:
    """Whether board and gauges say what the result says."""
    shown, found = board(record), result(record)
    told = [(each["id"], each["type"], each["title"], each["status"]) for each in found["artifacts"]]
    assert [(each.id, each.kind, each.title, each.status) for each in shown.artifacts] == told
    topics = [(each["topic_id"], each["status"], each["counted"]) for each in found["agenda"]]
    assert [(each.id, each.status, each.counted) for each in shown.topics] == topics
    met = [[(each["met"], each["round"]) for each in one["criteria"]] for one in found["agenda"]]
    assert [[(each.met, each.round) for each in one.criteria] for one in shown.topics] == met
    assert list(shown.warnings) == found["warnings"]
    counted = {each.name: dict(each.parts) for each in gauges(record)}
    assert counted["rounds"]["complete"] == found["metrics"]["rounds_completed"]
    live = [each for each in found["artifacts"] if each["status"] in ("active", "amended")]
    for word in ("consensus", "draft", "conflict") if live else ():
        assert counted["agreement"][word] == sum(each["agreement"] == word for each in live)


# Agenda and artifacts


def test_the_agenda_is_empty_until_it_was_read() -> None:
    meeting = Meeting()
    assert board(meeting.record) == Board()
    assert gauges(meeting.record) == (
        Gauge(
            "rounds",
            "round 0 of at most 20; 0 complete, 1 needed before it may conclude",
            20,
            (("complete", 0), ("without a result", 0), ("under way", 0)),
            needed=1,
        ),
    )


def test_a_topic_has_its_criteria_with_the_round_in_which_each_was_met() -> None:
    about = agenda(topic("first", 2, "REQ", critical=True, criteria=2), topic("second", stage=""))
    meeting = Meeting(about).round(requirements=[req("P1", "P2")], covered=["K2"]).reach("question")
    first, second = board(meeting.record).topics
    assert first == TopicCard(
        id="first",
        name="First",
        status="partial",
        required=True,
        stage="",
        minimum=2,
        counted=1,
        criteria=(Criterion("first criterion 1", False), Criterion("first criterion 2", True, 1)),
    )
    assert (second.status, second.required) == ("open", False)


def test_an_artifact_has_its_fields_and_who_stands_where() -> None:
    given = req("P1", "P2", title="Keep who and when", proposed_by=["P2"], description="So.", acceptance=["a", "b"])
    meeting = Meeting().round(requirements=[{**given, "priority": "must"}])
    found = made(meeting, "REQ-001")
    assert (found.kind, found.title, found.status, found.agreement) == (
        "REQ",
        "Keep who and when",
        "active",
        "consensus",
    )
    assert (found.topic, found.by, found.round) == ("first", (TWO,), 1)
    assert dict(found.fields) == {
        "description": "So.",
        "acceptance": "- a\n- b",
        "priority": "must",
        "supported by": f"{ONE}, {TWO}",
    }
    assert found.history == (Dated(1, "made (consensus)"),)


def test_amendments_contests_and_conflicts_are_history() -> None:
    meeting = Meeting(min_rounds=5, escalation=False).round(requirements=[req("P1", "P2", title="Old")])
    meeting.round(changes=[amend("REQ-001", "P1", "P2", text="New", summary="It said too much.")])
    meeting.question().respond({ONE: {"contested": ["REQ-001"]}}).synthesise()
    found = made(meeting, "REQ-001")
    assert (found.title, found.status, found.agreement) == ("New", "amended", "conflict")
    assert found.history == (
        Dated(1, "made (consensus)"),
        Dated(2, "amended: It said too much."),
        Dated(3, "contested: CONF-001 is opened"),
    )
    conflict = made(meeting, "CONF-001")
    assert (conflict.status, conflict.agreement, conflict.by) == ("open", "", (ONE,))
    assert conflict.history == (Dated(3, "opened by code about REQ-001"),)
    assert dict(conflict.fields)["positions"].startswith(f"- {ONE}: {ONE} says this in round 3. (")


def test_what_replaces_something_and_what_is_withdrawn_say_so() -> None:
    meeting = Meeting(min_rounds=3).round(requirements=[req("P1", "P2"), req("P1", "P2")])
    meeting.round(requirements=[req("P1", "P2", supersedes=["REQ-001"])])
    meeting.round(changes=[change("REQ-002", "withdraw", "P1", "P2", summary="Nobody needs it.")])
    assert made(meeting, "REQ-001").history[-1] == Dated(2, "superseded by REQ-003")
    assert Dated(2, "supersedes REQ-001") in made(meeting, "REQ-003").history
    gone = made(meeting, "REQ-002")
    assert (gone.status, dict(gone.fields)["withdrawn because"]) == ("withdrawn", "Nobody needs it.")


def test_a_ruling_is_part_of_a_conflicts_history() -> None:
    meeting = Meeting(min_rounds=1, max_rounds_per_conflict=1).round(requirements=[req("P1", "P2")])
    meeting.question().respond({ONE: {"contested": ["REQ-001"]}}).synthesise().rule("decide", "Keep it.")
    found = made(meeting, "CONF-001")
    assert found.history[-1] == Dated(2, "a person decides")
    assert dict(found.fields)["resolution"] == "Keep it."


def test_a_vote_names_everybody() -> None:
    meeting = voting().vote({ONE: "SUPPORT", TWO: {"REQ-001": "BARE"}, THREE: "absent"})
    words = f"voted: {THREE} absent (timed_out), {ONE} SUPPORT, {TWO} BLOCK without a least change"
    assert made(meeting, "REQ-001").history[-1] == Dated(3, words)
    assert made(meeting, "REQ-002").history[-1].says.endswith(f"{TWO} no vote")


# Gauges


def test_rounds_have_a_minimum_and_a_maximum() -> None:
    meeting = Meeting(min_rounds=2, max_rounds=4).round().question()
    rounds = named(gauges(meeting.record), "rounds")
    assert rounds.words == "round 2 of at most 4; 1 complete, 2 needed before it may conclude"
    assert (rounds.needed, rounds.parts) == (2, (("complete", 1), ("without a result", 0), ("under way", 1)))


def test_a_round_that_brought_nothing_is_not_complete() -> None:
    meeting = Meeting(max_rounds=4).question().respond().synthesise(lost=True).question()
    parts = (("complete", 0), ("without a result", 1), ("under way", 1))
    assert named(gauges(meeting.record), "rounds").parts == parts
    meeting.interrupt(Reason.CANCELLED)
    parts = (("complete", 0), ("without a result", 2), ("under way", 0))
    assert named(gauges(meeting.record), "rounds").parts == parts


def test_topics_are_those_that_have_to_be_done() -> None:
    every = Meeting(min_rounds=3).round(requirements=[req("P1", "P2")], covered=["K1"]).reach("question")
    told = Gauge("topics", "1 of 2 topics done", 2, (("done", 1), ("partial", 0), ("open", 1)), needed=2)
    assert named(gauges(every.record), "topics") == told
    required = Meeting(conclude_on="required").reach("question")
    told = Gauge("topics", "0 of 1 required topic done", 1, (("done", 0), ("partial", 0), ("open", 1)), needed=1)
    assert named(gauges(required.record), "topics") == told


def test_a_vote_under_way_is_sealed() -> None:
    meeting = voting()
    before = board(meeting.record)
    meeting.reply(ONE, {"votes": {"REQ-001": {"stance": "BLOCK", "minimum_change": "Less."}}})
    assert board(meeting.record) == before
    assert named(gauges(meeting.record), "votes") == Gauge(
        "votes",
        "2 drafts: 1 of 3 participants have voted, sealed until the round ends; each is agreed upon with one SUPPORT "
        "and no BLOCK",
        6,
        (("in", 2), ("absent", 0), ("open", 4)),
    )


def test_a_vote_that_was_held_says_what_is_carried_until_the_next_round() -> None:
    meeting = voting().vote({ONE: {"REQ-001": "BLOCK", "REQ-002": "SUPPORT"}, TWO: "STAND_ASIDE", THREE: "absent"})
    assert named(gauges(meeting.record), "votes") == Gauge(
        "votes",
        "1 of 2 drafts carried; each is agreed upon with one SUPPORT and no BLOCK: 1 vote still needed",
        6,
        (("support", 1), ("stand aside", 2), ("block", 1), ("absent", 2)),
        missing=1,
    )
    meeting.synthesise().reach("question")
    assert "votes" not in {each.name for each in gauges(meeting.record)}


def test_agreement_names_what_is_in_conflict() -> None:
    meeting = Meeting(min_rounds=3).round(requirements=[req("P1", "P2"), req(title="Nobody's")])
    meeting.question().respond({ONE: {"contested": ["REQ-001"]}})
    told = "0 of 2 artifacts agreed upon; open: CONF-001"
    parts = (("consensus", 0), ("draft", 1), ("conflict", 1))
    assert named(gauges(meeting.record), "agreement") == Gauge("agreement", told, 2, parts)


# At every moment


def test_board_and_gauges_agree_with_the_result_at_every_event() -> None:
    meeting = voting(max_rounds=6).vote({ONE: "BLOCK"}).synthesise(changes=[amend("REQ-001", "P1", "P2")]).finish()
    for record in again(meeting.record):
        sound(gauges(record))
        agrees(record)


@settings(few, max_examples=12)
@given(st.sampled_from(sorted(DEFINITION.profiles)), st.integers(0, 2**32))
def test_whatever_is_said_board_and_gauges_are_defined_and_agree_with_the_result(profile: str, seed: int) -> None:
    protocol = catalog.build("workshop", DEFINITION.profiles[profile], seed=7)
    for record in course(protocol, MATERIAL, Random(seed)):
        sound(gauges(record))
        assert isinstance(board(record), Board)
    agrees(record)
