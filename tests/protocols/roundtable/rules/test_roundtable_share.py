"""The person's share of the word, whoever is asked by name, unknown commands and unknown names (T19, T30 to T32)."""

from __future__ import annotations

from typing import Any

import pytest

from quorate.protocols.roundtable.rules.farewell import is_no_command
from quorate.protocols.roundtable.rules.model import PERSONAS
from tests.support.roundtables import Talk

MAYA, ALEX, JORDAN = PERSONAS


def talkative(person: str, **settings: Any) -> tuple[list[int], Talk]:
    """Let everybody speak that may, and return the turns after which the person had the word."""
    talk, words = Talk(**settings).elaborate().frame("alex"), []
    while talk.outcomes[-1] != "LAST_WORD":
        if talk.brief == "turn":
            words.append(talk.state.turn)
            talk.user(person)
        elif talk.brief == "clarify":
            talk.meant("go_on")
        else:
            talk.say(talk.speaker)
    return words, talk


def test_t30_of_ten_turns_the_person_has_three() -> None:
    """Before, three talkative personas left the person two of ten."""
    words, talk = talkative("And then?")
    assert words == [3, 7, 9]
    words, talk = talkative("")
    assert words == [3, 6, 9], "nothing that the person leaves unused is lost"
    assert talk.state.turn == 10


def test_t30_the_last_turn_is_the_persons() -> None:
    talk = Talk().elaborate().frame("alex").round().user("And then?").round().user("So?").say("maya")
    assert (talk.state.turn, talk.brief) == (9, "turn")
    assert talk.user("One last thing.").outcomes[-1] == "LAST_WORD"


def test_t30_with_three_turns_the_person_has_the_word() -> None:
    """Before, never."""
    talk = Talk(max_turns=3).elaborate().frame("alex").say("alex")
    assert (talk.state.turn, talk.brief) == (2, "turn")
    assert talk.user("I decide.").outcomes[-1] == "LAST_WORD"
    assert "user" in talk.state.spoken


def test_t30_who_waits_when_the_person_has_the_word_comes_next() -> None:
    """T10: nobody is passed over."""
    talk = Talk(max_turns=6).elaborate().frame("alex").round().user("Hm.").say("maya")
    assert (talk.brief, talk.state.queue) == ("turn", (ALEX, JORDAN))
    talk.user("")
    assert talk.speaker == ALEX


@pytest.mark.parametrize("personas", [4, 6])
def test_t30_after_three_in_a_row_the_person_has_the_word_however_many_sit_there(personas: int) -> None:
    own = {
        f"roles/p{n}": f"# {name} Haddad, Tester\n"
        for n, name in enumerate(("Noor", "Emil", "Ada", "Lin", "Ida", "Per"))
    }
    names = [f"p{n}" for n in range(personas)]
    talk = Talk(own=own, personas=names, max_turns=20).elaborate().frame("p1").round()
    assert (talk.state.turn, talk.brief) == (3, "turn")
    talk.user("Everyone, please").round()
    assert (talk.state.turn, talk.brief, len(talk.state.queue)) == (7, "turn", personas - 3)
    waiting = talk.state.queue
    talk.user("")
    assert talk.state.queue[: len(waiting)] == waiting, "all were asked, so the others are next"


def test_t19_who_is_asked_by_name_has_the_word_next() -> None:
    """FR-005. Before, the order of the seats held."""
    talk = Talk().elaborate().frame("alex").round().user("How long is a loan?")
    talk.say("maya", "Jordan, how long?", asks=["jordan"])
    assert (talk.speaker, talk.brief) == (JORDAN, "answer")
    assert talk.facts("asked by name") == [{"by": MAYA, "of": JORDAN}]
    talk.say("jordan", "Thirty days.")
    assert talk.speaker == ALEX, "nobody is passed over"


def test_t19_a_persona_that_has_spoken_already_answers_again() -> None:
    talk = Talk().elaborate().frame("alex").say("alex", "Maya, how long?", asks=["maya"])
    assert (talk.speaker, talk.state.queue) == (MAYA, (MAYA, JORDAN))
    talk.say("maya", "Alex, and why?", asks=["alex"])
    assert talk.brief == "turn", "the person's share goes before it (T30)"
    talk.user("")
    assert talk.speaker == ALEX, "and then it is next"


@pytest.mark.parametrize("how", [{"manner": "pass"}, {"text": " "}])
def test_t19_whoever_passes_asks_nobody(how: dict[str, str]) -> None:
    talk = Talk().elaborate().frame("alex").say("alex", asks=["maya"], **how)
    assert (talk.facts("asked by name"), talk.speaker) == ([], JORDAN)


@pytest.mark.parametrize(
    ("text", "unknown"),
    [
        ("/foo bar", True),
        ("/foo", True),
        ("/help", True),
        ("/done now", False),
        (" /foo?", True),
        ("/done", False),
        ("/wrap-up", False),
        ("/wrap up", False),
        ("/var/log is full", False),
        ("/ is the root", False),
        ("and/or", False),
        ("/2024 report", False),
    ],
)
def test_t31_what_an_unknown_command_is(text: str, unknown: bool) -> None:
    assert is_no_command(text) is unknown


def test_t31_an_unknown_command_costs_nothing_and_is_told() -> None:
    """Before, it cost a turn and went to the table."""
    talk = Talk().elaborate().frame("alex").round().user("/foo bar")
    assert (talk.state.turn, talk.brief, talk.outcomes[-1]) == (3, "turn", "NO_COMMAND")
    assert "user" not in talk.state.spoken
    (told,) = talk.kinds("notice")
    assert "There is no such command" in told.text
    assert "/done" in told.text
    assert "There is no such command" in talk.sections()["Since your last turn"]
    talk.user("Members forget.")
    assert not any("/foo" in each.text for each in talk.view().sections)


def test_t31_after_three_of_them_the_person_is_asked_whether_to_wrap_up() -> None:
    talk = Talk().elaborate().frame("alex").round().user("/foo").user("/foo").user("/foo").user("/foo")
    assert (talk.state.turn, talk.brief) == (3, "clarify")
    talk.meant("go_on")
    assert (talk.state.turn, talk.speaker) == (4, MAYA)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Alix, what would it cost?", "Nobody here is called Alix; the nearest name is Alex."),
        ("Bob, what would it cost?", "Nobody here is called Bob; at the table are Maya, Alex and Jordan."),
    ],
)
def test_t32_a_name_that_nobody_has_is_told(text: str, told: str) -> None:
    """Before, nothing was said about it."""
    talk = Talk().elaborate().frame("alex").round().user(text)
    assert (talk.state.turn, talk.speaker, talk.brief) == (4, MAYA, "speak"), "it is a contribution"
    (notice,) = talk.kinds("notice")
    assert notice.text.startswith(told)
    assert [each["nearest"] for each in talk.facts("nobody of that name")] == [ALEX if "Alix" in text else ""]
