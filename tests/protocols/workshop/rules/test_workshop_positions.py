"""The positions of a workshop: votes and contests in each participant's own word, and nobody's reading of them."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

from quorate import catalog
from quorate.core.types import Reason
from quorate.kit.positions import MATTER, changes
from quorate.protocols.workshop import DEFINITION
from quorate.protocols.workshop.rules.positions import CONTESTS, positions
from tests.support.courses import course
from tests.support.workshops import ONE, PLAIN, THREE, TWO, Meeting, agenda, amend, change, req, topic

Told = tuple[str, int, str, str, bool | None]


def told(meeting: Meeting) -> list[Told]:
    return [(each.seat, each.round, each.about, each.stance, each.holds) for each in positions(meeting.record)]


def voting(**settings: Any) -> Meeting:
    """A workshop that votes on one draft in its third round."""
    meeting = Meeting(strategy="consensus-driven", participants=[ONE, TWO, THREE], **settings)
    return meeting.round(requirements=[req("P1", "P2", against=["P3"])]).round().reach("vote")


def test_votes_are_positions_as_they_count() -> None:
    meeting = voting()
    assert told(meeting) == [], "who supports a draft is so far the facilitator's word"
    meeting.vote({ONE: "BLOCK", TWO: "BARE", THREE: "STAND_ASIDE"})
    assert told(meeting) == [
        (ONE, 3, "REQ-001", "BLOCK", False),
        (TWO, 3, "REQ-001", "STAND_ASIDE", None),
        (THREE, 3, "REQ-001", "STAND_ASIDE", None),
    ]
    assert all(not each.shown and each.about != MATTER for each in positions(meeting.record))
    assert DEFINITION.positions(meeting.record) == positions(meeting.record)


def test_a_second_vote_on_the_same_text_may_be_a_change() -> None:
    meeting = voting().vote({ONE: "BLOCK", TWO: "absent"}).vote("SUPPORT")
    (changed,) = changes(positions(meeting.record))
    assert (changed.before.seat, changed.before.round, changed.after.round) == (ONE, 3, 5)
    assert changed.after.shown == (THREE,), "the vote of two rounds ago is read word for word; TWO cast none"


def test_an_amended_draft_is_another_thing() -> None:
    meeting = voting().vote({ONE: "BLOCK"})
    meeting.synthesise().question().respond().synthesise(changes=[amend("REQ-001", "P1", "P2")])
    assert {each[2] for each in told(meeting)} == {"REQ-001 before it was amended"}
    meeting.vote("SUPPORT")
    assert {each[2] for each in told(meeting)} == {"REQ-001 before it was amended", "REQ-001"}
    assert list(changes(positions(meeting.record))) == [], "nobody was persuaded: the text has changed"
    now = [each for each in positions(meeting.record) if each.about == "REQ-001"]
    assert [each.shown for each in now] == [(TWO, THREE), (ONE, THREE), (ONE, TWO)]


def test_the_second_amendment_has_a_number() -> None:
    meeting = Meeting(participants=[ONE, TWO], strategy="standard", max_rounds=9, escalation=False)
    meeting.round(requirements=[req("P1", "P2")])
    for number in (1, 2):
        meeting.question().respond({TWO: {"contested": ["REQ-001"]}})
        meeting.synthesise().question().respond()
        resolved = change(f"CONF-00{number}", "resolve", "P1", "P2", method="consensus")
        meeting.synthesise(changes=[resolved, amend("REQ-001", "P1")])
    found = [each for each in told(meeting) if each[0] == TWO]
    assert [each[2] for each in found] == ["REQ-001 before it was amended", "REQ-001 before amendment 2"]


def test_contesting_is_a_position_and_silence_is_none() -> None:
    meeting = Meeting().round(requirements=[req("P1", "P2")])
    meeting.question().respond({ONE: {"contested": ["REQ-001"]}}).synthesise()
    assert told(meeting) == [(ONE, 2, "REQ-001", CONTESTS, False)]


def test_who_contested_is_named_where_the_topic_is_in_focus_and_disputes_are_shown() -> None:
    meeting = Meeting(max_rounds=9, escalation=False).round(requirements=[req("P1", "P2")])
    meeting.question().respond({ONE: {"contested": ["REQ-001"]}}).synthesise()
    done = [change("CONF-001", "resolve", "P1", "P2", method="consensus")]
    meeting.question().respond().synthesise(changes=done)
    meeting.question("T1").reach("respond")
    assert f"contested_by: {ONE}" in meeting.shown(TWO)
    meeting.respond({TWO: {"contested": ["REQ-001"]}})
    assert positions(meeting.record)[-1].shown == (ONE,)


def test_what_is_of_another_topic_is_shown_by_its_title_alone() -> None:
    about = agenda(topic("first", 9, "REQ"), topic("second", 9, "REQ"))
    meeting = Meeting(about, max_rounds=9, escalation=False).question("T1").respond()
    meeting.synthesise(requirements=[req("P1", "P2")])
    meeting.question("T2").respond({ONE: {"contested": ["REQ-001"]}}).synthesise()
    done = [change("CONF-001", "resolve", "P1", "P2", method="consensus")]
    meeting.question("T2").respond().synthesise(changes=done)
    meeting.question("T2").reach("respond")
    assert "contested_by" not in meeting.shown(TWO)
    meeting.respond({TWO: {"contested": ["REQ-001"]}})
    assert positions(meeting.record)[-1].shown == ()


def test_a_phase_under_way_or_cut_short_is_not_looked_into() -> None:
    meeting = voting().reply(ONE)
    assert told(meeting) == []
    assert told(meeting.interrupt(Reason.CANCELLED)) == []


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("strategy", ["consensus-driven", "disney", "debate"])
def test_whatever_is_said_positions_are_those_of_participants(seed: int, strategy: str) -> None:
    protocol = catalog.build("workshop", {"participants": [ONE, TWO], "strategy": strategy, "max_rounds": 7}, seed=7)
    material = {"topic": "# An audit log", "agenda": json.dumps(PLAIN)}
    for record in course(protocol, material, Random(seed)):
        found = positions(record)
        assert all(each.seat in (ONE, TWO) and each.seat not in each.shown for each in found)
        assert [each.seq for each in found] == sorted(each.seq for each in found)
        known = {str(each.id) for each in record.session.state.artifacts}
        assert {each.about.partition(" ")[0] for each in found} <= known
