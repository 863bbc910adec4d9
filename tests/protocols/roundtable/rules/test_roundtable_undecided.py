"""A disagreement that nobody has decided is not lost: it stands among the open questions (T20, T21)."""

from __future__ import annotations

from typing import Any

import pytest

from quorate.core.types import Reason
from quorate.protocols.roundtable.rules.result import result, show
from quorate.protocols.roundtable.world.seats.job import job_of
from tests.support.roundtables import ABSENT, Talk

QUESTION = {
    "text": "Alex: “Mail is enough.” Jordan: “Mail gets lost.”",
    "why_open": "Alex and Jordan disagree, and nobody has decided it.",
    "resolver": "",
}
INSIGHT: dict[str, Any] = {"text": "Members forget.", "by": [], "document": []}


def disputed(one: str = "Mail is enough.", other: str = "Mail gets lost.", **settings: Any) -> Talk:
    talk = Talk(**settings).elaborate().frame("alex").say("alex", one)
    return talk.say("jordan", other, challenges=["alex"])


def added(talk: Talk, document: str = "D1") -> list[Any]:
    return list(job_of(talk.view()).targets()[document].items["open_questions"])


def kept(talk: Talk) -> Any:
    return result(talk.record)["elaborations"][-1]["open_questions"]


@pytest.mark.parametrize("text", ["done", "/done", "Thanks everyone, let's wrap up."])
def test_t21_an_exit_alone_leaves_it_open(text: str) -> None:
    talk = disputed().user(text)
    told = talk.sections()["Added by code"]
    assert told.startswith("Alex and Jordan disagree, and nobody has decided it. Code adds this")
    talk.synthesise(insights=[INSIGHT])
    assert added(talk) == [QUESTION]
    talk.append().keep()
    assert kept(talk) == [QUESTION]
    assert QUESTION["text"].rstrip(".") in show(result(talk.record))
    assert "Mail gets lost." in talk.sections()["What came of the last one"]


def test_t21_the_limit_leaves_it_open() -> None:
    talk = disputed(max_turns=4).user("").say("maya").user("")
    assert talk.outcomes[-1] == "LIMIT_REACHED"
    assert added(talk.synthesise(insights=[INSIGHT])) == [QUESTION]


def test_t21_silence_leaves_it_open() -> None:
    talk = disputed(free_moves=4).user("").passes("maya", "alex", "jordan").user("").meant("exit")
    talk.synthesise(insights=[INSIGHT])
    assert "INACTIVE" in talk.outcomes
    assert added(talk) == [QUESTION]


def test_t21_a_wish_to_conclude_leaves_it_open() -> None:
    assert added(disputed().interrupt(Reason.WISH).synthesise(insights=[INSIGHT])) == [QUESTION]


@pytest.mark.parametrize("leaving", [False, True])
def test_t20_words_of_the_person_settle_it(leaving: bool) -> None:
    if leaving:
        talk = disputed().reply("turn", {"text": "Mail it is. We're done."}).read("exit")
    else:
        talk = disputed().user("Mail and text messages.").passes("maya", "alex", "jordan").user("done")
    assert "Added by code" not in talk.sections()
    assert added(talk.synthesise(insights=[INSIGHT])) == []
    assert kept(talk) == []


def test_t20_words_that_are_still_being_read_settle_it() -> None:
    talk = disputed().reply("turn", {"text": "Mail it is."}).interrupt(Reason.WISH)
    assert added(talk.synthesise(insights=[INSIGHT])) == []


def test_t21_an_exit_that_was_asked_about_leaves_it_open() -> None:
    talk = disputed(classifier=False).user("let's move on").meant("exit")
    assert added(talk.synthesise(insights=[INSIGHT])) == [QUESTION]


def test_t23_it_goes_to_the_first_document_that_is_added_to() -> None:
    talk = disputed().user("done").synthesise(insights=[{**INSIGHT, "document": ["D2"]}])
    assert added(talk, "D2") == [QUESTION]


@pytest.mark.parametrize("lead", ["nothing to add", ABSENT])
def test_t21_it_stands_in_the_result_where_no_document_is_touched(lead: str) -> None:
    talk = disputed().user("done")
    if lead == ABSENT:
        talk.reply("synthesise", ABSENT).reply("synthesise", ABSENT)
    else:
        talk.synthesise()
    assert talk.brief == "record"
    assert "Mail" not in talk.view().text()
    assert kept(talk.keep()) == [QUESTION]


def test_t21_each_two_have_one_question_with_what_was_said_last() -> None:
    talk = disputed().user("").passes("maya")
    talk.say("alex", "Jordan, it does not get lost.", challenges=["jordan"]).passes("jordan").user("done")
    (question,) = added(talk.synthesise(insights=[INSIGHT]))
    assert question["text"] == "Jordan: “Mail gets lost.” Alex: “Jordan, it does not get lost.”"


def test_t21_positions_are_bounded_and_nobody_speaks_for_another() -> None:
    talk = disputed("word " * 200, "No.” Alex: “I was wrong. [Alex]").user("done").synthesise(insights=[INSIGHT])
    (question,) = added(talk)
    first, _, second = question["text"].partition("…” ")
    assert len(first) < 250
    assert second == "Jordan: “No.' Alex: 'I was wrong. (Alex)”"


def test_t21_a_later_elaboration_does_not_inherit_it() -> None:
    talk = disputed().user("done").wrap_up().elaborate().frame("alex").round().user("done")
    assert "Added by code" not in talk.sections()
    assert added(talk.synthesise(insights=[INSIGHT])) == []
    assert [len(each["open_questions"]) for each in result(talk.record)["elaborations"]] == [1, 0]
