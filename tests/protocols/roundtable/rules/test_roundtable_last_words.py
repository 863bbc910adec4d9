"""What the person says while leaving counts (T21, T22), and no text passes for an attribution (T22)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from quorate.core.types import Reason
from quorate.protocols.roundtable.rules.attribution import tamed
from quorate.protocols.roundtable.rules.farewell import says_more
from quorate.protocols.roundtable.rules.matter import cast_of
from quorate.protocols.roundtable.rules.model import PERSONAS
from quorate.protocols.roundtable.rules.result import result, show
from quorate.protocols.roundtable.world.seats.job import job_of
from tests.support.roundtables import ABSENT, Talk

MAYA, ALEX, JORDAN = PERSONAS
LAST = "We keep them thirty days, that is decided. We're done."
BY_USER = {"text": "Thirty days.", "rationale": "So.", "by": ["user"], "document": []}


def quiet(**settings: Any) -> Talk:
    """Only the framing was said, and the person has the word."""
    return Talk(**settings).elaborate().frame("alex").passes("alex", "jordan")


# What a turn says beside an exit


@pytest.mark.parametrize(
    "text",
    [
        "Thirty days. We're done.",
        "Thirty days, done",
        "Thirty days, we're done",
        "done. But thirty days!",
        "Thanks, and I decide for thirty days. Let's wrap up.",
        "Yes to mail",
        "30",
        "\U0001f44d",
        "we're done with the API",
        "> quoted\ndone",
        "No, thirty",
        "/done thirty days",
    ],
)
def test_t22_words_beside_an_exit_are_words(text: str) -> None:
    assert says_more(text)


@pytest.mark.parametrize(
    "text",
    [
        "done",
        "Done.",
        '"done"',
        "/done",
        "  /wrap-up ",
        "exit",
        "thanks, done",
        "Great discussion, thanks everyone. Let's wrap up!",
        "OK. We're done here.",
        "I think we can stop now, please",
        "are we done?",
        "let's move on",
        "",
        " ... ",
    ],
)
def test_t22_an_exit_alone_says_nothing_else(text: str) -> None:
    assert not says_more(text)


# They count


def test_t22_the_last_words_of_the_person_are_attributed() -> None:
    talk = Talk().elaborate().frame("alex").round().reply("turn", {"text": LAST}).read("exit")
    assert (talk.outcomes[-1], talk.state.turn) == ("EXIT_REQUESTED", 3)
    talk.synthesise(decisions=[BY_USER])
    assert talk.facts("attribution dropped") == []
    assert job_of(talk.view()).targets()["D1"].items["decisions"][0]["by"] == "[User]"
    assert job_of(talk.view()).texts("spoke") == ("Maya", "Alex", "Jordan", "User")


@pytest.mark.parametrize(("unread", "brief"), [(0, "read"), (1, "classify"), (2, "clarify")])
def test_t22_words_that_are_still_being_read_when_it_is_wrapped_up_are_said(unread: int, brief: str) -> None:
    talk = Talk().elaborate().frame("alex").round().reply("turn", {"text": "Thirty days."})
    for _ in range(unread):
        talk.read("unclear")
    assert talk.brief == brief
    talk.interrupt(Reason.WISH)
    assert (talk.brief, "user" in talk.state.spoken) == ("synthesise", True)


def test_t22_an_exit_alone_is_nobodys_position() -> None:
    talk = Talk().elaborate().frame("alex").round().user("done").synthesise(decisions=[BY_USER])
    assert talk.facts("attribution dropped") == [{"list": "decisions", "key": "user"}]


def test_t22_an_exit_word_that_is_read_as_a_contribution_is_said() -> None:
    talk = Talk().elaborate().frame("alex").round().reply("turn", {"text": "next"}).read("contribution")
    assert (talk.state.turn, "user" in talk.state.spoken) == (4, True)


def test_t21_a_decision_is_not_lost_because_the_others_passed() -> None:
    talk = quiet().reply("turn", {"text": LAST}).read("exit")
    assert (talk.brief, talk.state.turn) == ("synthesise", 1)
    talk.synthesise(decisions=[BY_USER])
    assert (talk.brief, talk.facts("attribution dropped")) == ("append", [])
    assert job_of(talk.append().view()).number("turn_count") == 1


@pytest.mark.parametrize("text", ["done", "exit", "Thanks everyone, let's wrap up.", "/done"])
def test_t21_a_bare_exit_after_the_framing_is_a_line_and_a_record(text: str) -> None:
    talk = quiet().user(text)
    assert (talk.brief, talk.state.turn, talk.asked("synthesise")) == ("record", 1, 0)
    assert talk.facts("synthesis by code") == [{"why": "only the framing was said"}]


def test_t21_an_exit_that_the_person_is_asked_about_is_one_alone_too() -> None:
    talk = quiet(classifier=False).user("let's move on").meant("exit")
    assert (talk.brief, talk.asked("synthesise")) == ("record", 0)


def test_t21_what_the_person_says_counts_without_a_framing_too() -> None:
    talk = Talk().elaborate().frame(ABSENT).passes("alex", "jordan")
    talk.reply("turn", {"text": LAST}).read("exit")
    assert (talk.brief, talk.state.spoken) == ("synthesise", ("user",))


# Nobody forges an attribution

FORGED = {
    "Deleted at once. [User]": "Deleted at once. (User)",
    "Deleted. [maya/Alex]": "Deleted. (maya/Alex)",
    "Deleted. [ALL]": "Deleted. (ALL)",
    "Deleted. [U\u200bser, Jordan Park and Maya]": "Deleted. (U\u200bser, Jordan Park and Maya)",
    "Deleted. \uff3bUser\uff3d": "Deleted. (User)",
    "Deleted. [[User]]": "Deleted. [(User)]",
    "See [RFC 9110] and [user_id], a[1] and [ ].": "See [RFC 9110] and [user_id], a[1] and [ ].",
    "[Maya's list](list.md) holds.": "[Maya's list](list.md) holds.",
}


@pytest.mark.parametrize("text", FORGED)
def test_t22_names_in_square_brackets_are_shown_in_round_ones(text: str) -> None:
    assert tamed(cast_of(Talk().record), text) == FORGED[text]


def test_t22_no_reader_is_shown_a_forged_attribution() -> None:
    forged = "It is so. [User]"
    names: dict[str, Any] = {"text": forged, "document": []}
    talk = Talk().elaborate().frame("alex").round().user("done")
    talk.synthesise(
        insights=[{**names, "by": [MAYA]}],
        decisions=[{**names, "by": ["user"], "rationale": forged}],
        open_questions=[{**names, "why_open": forged, "resolver": []}],
        action_items=[{**names, "owner": []}],
        summary=forged,
    )
    assert "[User]" not in talk.sections()["Job"]
    assert "It is so. (User)" in talk.sections()["Job"]
    talk.append().keep()
    for shown in (talk.view().text(), json.dumps(result(talk.record)), show(result(talk.record))):
        assert "[User]" not in shown
        assert "(User)" in shown
    assert "[Maya]" in talk.view().text()
