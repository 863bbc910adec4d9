"""What became of everything that was raised (T33), and that nothing is written that nobody summed up (T34)."""

from __future__ import annotations

import json
from typing import Any

from quorate.codec.parse import parse_entries
from quorate.core.types import Reason
from quorate.protocols.roundtable.rules.fates import fates
from quorate.protocols.roundtable.rules.forms import Synthesis
from tests.support.roundtables import ABSENT, Talk

INSIGHT: dict[str, Any] = {"text": "Members forget.", "by": ["user", "business-analyst"], "document": []}
OPEN: dict[str, Any] = {"text": "How long?", "why_open": "Nobody knows.", "resolver": [], "document": ["D2"]}


def became(talk: Talk) -> dict[str, str]:
    found = fates(talk.record)
    assert len({each.id for each in found}) == len(found), "each stands once"
    return {each.id: each.became for each in found}


def talked() -> Talk:
    talk = Talk().choose("text", "Shorter, please.").elaborate().frame("alex")
    talk.say("alex", "Jordan, is mail enough?", asks=["jordan"]).say("jordan", "Mail gets lost.", challenges=["alex"])
    talk.user("/foo").user("Alex, why?").say("alex", "It is cheap.").say("maya", challenges=["jordan"])
    return talk.say("jordan", challenges=["maya"]).user("done")


def test_t33_everything_that_was_raised_has_one_fate() -> None:
    talk = talked()
    assert became(talk) == {
        "F1": "kept",
        "E1": "under way",
        "E1.Q1": "answered",
        "E1.P1": "settled by the person",
        "E1.R1": "no command",
        "E1.R2": "put to solutions-architect",
        "E1.P2": "under way",
        "E1.P3": "under way",
        "E1.R3": "the end of the talk",
    }
    talk.synthesise(insights=[INSIGHT], open_questions=[OPEN]).append(D2="failed").keep()
    found = became(talk.choose("continue"))
    assert found["E1"] == "recorded"
    assert (found["E1.P2"], found["E1.P3"]) == ("joined to E1.P3", "written to D1")
    assert (found["E1.I1"], found["E1.O1"]) == ("written to D1", "not written: D2 failed")
    assert {each.rule for each in fates(talk.record)} == {"T5", "T11", "T15", "T19", "T20", "T21", "T23", "T24", "T31"}
    (insight,) = [each for each in fates(talk.record) if each.id == "E1.I1"]
    assert (insight.what, insight.by, insight.said) == ("insight", ("user", "business-analyst"), "Members forget.")


def test_t33_a_missing_synthesis_leaves_what_was_disputed_in_the_result() -> None:
    talk = talked().reply("synthesise", ABSENT).reply("synthesise", ABSENT).keep("failed")
    found = became(talk)
    assert (found["E1"], found["E1.P3"]) == ("not recorded", "left in the result")


def test_t33_what_an_interruption_leaves_is_told() -> None:
    talk = Talk().elaborate().frame("alex").say("alex", asks=["maya"], challenges=["maya"]).interrupt(Reason.CANCELLED)
    assert became(talk) == {"E1": "cut off", "E1.P1": "cut off", "E1.Q1": "not heard"}
    asked = Talk().elaborate().frame("alex").round().reply("turn", {"text": "Thirty days."}).interrupt(Reason.WISH)
    assert became(asked)["E1.R1"] == "not heard"
    assert became(asked.synthesise().keep()) == {"E1": "recorded", "E1.R1": "not heard"}


def test_t33_a_challenge_of_who_said_nothing_is_dropped_and_a_persona_may_pass() -> None:
    talk = Talk().elaborate().frame("alex").say("alex", challenges=["jordan"], asks=["jordan"]).passes("jordan")
    assert became(talk) == {"E1": "under way", "E1.P1": "dropped", "E1.Q1": "passed"}


def test_t33_words_beside_a_pass_are_told() -> None:
    """T19: nobody hears them, and before, nothing said so."""
    talk = Talk().elaborate().frame("alex").say("alex", "The law says ninety days.", manner="pass")
    (aside,) = [each for each in fates(talk.record) if each.what == "words beside a pass"]
    assert (aside.id, aside.by, aside.said) == ("E1.W1", ("solutions-architect",), "The law says ninety days.")
    assert (aside.became, aside.rule) == ("not heard", "T19")


def test_t33_the_last_turn_is_told() -> None:
    talk = Talk(max_turns=3).elaborate().frame("alex").say("alex").user("I decide.")
    assert became(talk)["E1.R1"] == "the last turn"


def test_t34_both_readings_are_the_same() -> None:
    one, other = talked(), Talk(reading="seed")
    assert one.protocol.settings.get("reading", "rules") != other.protocol.settings["reading"]
    assert one.protocol.table == other.protocol.table


def test_entries_of_a_synthesis_are_taken_one_by_one() -> None:
    """T22: one strange key costs one entry, and what was refused is told."""
    strange = {**INSIGHT, "by": ["nobody"]}
    given = {"insights": [strange, INSIGHT], "decisions": [], "open_questions": [OPEN], "action_items": []}
    reply, told = parse_entries(talked().ask, json.dumps({**given, "summary": "One."}))
    assert isinstance(reply, Synthesis)
    assert [each.by for each in reply.insights] == [(), ("user", "business-analyst")]
    assert len(reply.open_questions) == 1
    assert len(told) == 1
    assert "nobody" in told[0].why
