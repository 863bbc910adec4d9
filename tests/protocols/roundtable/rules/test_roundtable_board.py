"""The board and the gauges of a roundtable, at every moment of it."""

from __future__ import annotations

import json
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from quorate import catalog
from quorate.core.types import Reason
from quorate.kit.board import Board, Utterance
from quorate.kit.gauges import Gauge
from quorate.protocols.roundtable import DEFINITION
from quorate.protocols.roundtable.rules.board import board
from quorate.protocols.roundtable.rules.gauges import gauges
from quorate.protocols.roundtable.rules.result import result
from tests.support.courses import course, named, sound
from tests.support.examples import few
from tests.support.roundtables import DOCUMENTS, TOPIC, Talk

MATERIAL = {"topic": TOPIC, "documents": json.dumps(DOCUMENTS), "meta": "{}"}


def turns(talk: Talk) -> Gauge:
    return named(gauges(talk.record), "turns")


def test_nothing_is_said_at_the_first_menu() -> None:
    talk = Talk()
    assert board(talk.record) == Board()
    assert gauges(talk.record) == (Gauge("elaborations", "elaboration 0 of 5", 5, (("used", 0),)),)


def test_every_line_has_its_turn_kind_speaker_and_name() -> None:
    talk = Talk().elaborate().frame("alex", summary="Books are late.", question="When?").say("alex", "After a week.")
    talk.say("jordan", "Never.", challenges=["alex"]).user("Alex, why?")
    lines = [each for each in board(talk.record).conversation if each.kind != "introduction"]
    assert lines == [
        Utterance(1, "framing", "business-analyst", "Maya (Business Analyst)", "Books are late.\n\nWhen?"),
        Utterance(1, "addressed", "", "", "The question goes to Alex."),
        Utterance(2, "utterance", "solutions-architect", "Alex (Solutions Architect)", "After a week."),
        Utterance(3, "utterance", "system-designer", "Jordan (System Designer)", "Never."),
        Utterance(3, "disagreement", "", "", "Alex and Jordan disagree. How do you decide, and why?"),
        Utterance(4, "user", "user", "User", "Alex, why?"),
    ]


def test_turns_count_against_the_limit_and_stay_until_the_next_elaboration() -> None:
    talk = Talk(max_turns=5).elaborate()
    assert turns(talk) == Gauge("turns", "turn 0 of 5 of elaboration 1", 5, (("used", 0),))
    talk.frame("alex").say("alex")
    assert turns(talk).words == "turn 2 of 5 of elaboration 1"
    talk.round().user("Go on.").round()
    assert turns(talk).parts == (("used", 5),)
    talk.user("").wrap_up()
    assert turns(talk).words == "turn 5 of 5 of elaboration 1"
    talk.elaborate()
    assert turns(talk).words == "turn 0 of 5 of elaboration 2"
    assert named(gauges(talk.record), "elaborations").words == "elaboration 2 of 5"


def test_a_limit_that_is_too_low_is_the_default() -> None:
    assert turns(Talk(max_turns=1).elaborate()).of == 10


def test_notices_of_code_are_part_of_the_conversation() -> None:
    talk = Talk().elaborate().frame("absent").say("alex", "absent").interrupt(Reason.WISH)
    notices = [each.text for each in board(talk.record).conversation if each.kind == "notice"]
    assert notices == ["Alex gave no reply.", "It is wrapped up here (wish)."]


def test_warnings_are_those_of_the_result() -> None:
    talk = Talk(meta={"warnings": ["meta.json was\nno JSON"]})
    assert board(talk.record).warnings == ("meta.json was no JSON",)


@settings(few, max_examples=12)
@given(st.sampled_from(sorted(DEFINITION.profiles)), st.integers(0, 2**32))
def test_whatever_is_said_board_and_gauges_are_defined_and_agree_with_the_result(profile: str, seed: int) -> None:
    protocol = catalog.build("roundtable", DEFINITION.profiles[profile], seed=7)
    for record in course(protocol, MATERIAL, Random(seed)):
        sound(gauges(record))
        assert isinstance(board(record), Board)
    found, shown = result(record), board(record)
    said = [line for each in found["elaborations"] for line in each["transcript"]]
    assert [each.text for each in shown.conversation] == [line["text"] for line in said]
    assert [each.turn for each in shown.conversation] == [line["turn"] for line in said]
    counted = {each.name: each for each in gauges(record)}
    assert dict(counted["elaborations"].parts)["used"] == len(found["elaborations"])
    if found["elaborations"]:
        assert dict(counted["turns"].parts)["used"] == found["elaborations"][-1]["turns"]
