"""The small parts of a conversation: what is spoken of a form, what is completed, what a word at the menu means."""

from __future__ import annotations

import re
from io import StringIO

import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document
from rich.console import Console

from quorate import catalog
from quorate.protocols.roundtable import DEFINITION
from quorate.protocols.roundtable.command.prompt import COMMANDS, Names
from quorate.protocols.roundtable.command.questions import chosen, leaves, not_a_command
from quorate.protocols.roundtable.command.roundtable import roundtable
from quorate.protocols.roundtable.command.screen import speech
from quorate.protocols.roundtable.command.stage import Printer, Voice
from quorate.protocols.roundtable.rules.turn_reader import read_turn

NAMES = Names({"Maya": "Business Analyst", "Alex": "Solutions Architect", "Ana": "Lawyer"}, COMMANDS)


@pytest.mark.parametrize(
    ("brief", "streamed", "spoken"),
    [
        ("speak", "", ""),
        ("speak", "{", ""),
        ("speak", '{"says', ""),
        ("speak", '{"says": "Two op', "Two op"),
        ("speak", '{"says": "Two \\"opt\\nions\\', 'Two "opt\nions'),
        ("speak", '{"says": "caf\\u00e9 \\u00', "café"),
        ("answer", '```json\n{"says": "Fenced", "challenges": ["maya"], "manner": "contri', "Fenced"),
        ("frame", '{"summary": "What is known.", "question": "And w', "What is known.\n\nAnd w"),
        ("speak", "No form at all", "No form at all"),
        ("speak", '{"says": "\\u001b[2Jclean \\u202e"', "clean"),
        ("synthesise", '{"insights": [{"text": "not spoken"}]}', ""),
    ],
)
def test_only_speech_is_shown_of_what_streams_in(brief: str, streamed: str, spoken: str) -> None:
    assert speech(brief, streamed) == spoken


def completed(text: str, *, tab: bool = False) -> list[str]:
    event = CompleteEvent(text_inserted=not tab, completion_requested=tab)
    return [each.text for each in NAMES.get_completions(Document(text), event)]


@pytest.mark.parametrize(
    ("text", "offered"),
    [
        ("", []),
        ("a", ["Alex, ", "Ana, "]),
        ("AL", ["Alex, "]),
        ("/", ["/done", "/help", "/who"]),
        ("/d", ["/done"]),
        ("/done", []),
        ("I ask al", []),
        ("I ask Al", ["Alex"]),
        ("I ask A", []),
        ("first line\nMay", ["Maya"]),
        ("x/d", []),
    ],
)
def test_names_and_commands_are_offered_where_they_are_meant(text: str, offered: list[str]) -> None:
    assert completed(text) == offered


def test_tab_offers_a_name_anywhere() -> None:
    assert completed("I ask al", tab=True) == ["Alex"]


@pytest.mark.parametrize(
    ("text", "choice"),
    [("e", "elaborate"), ("E", "elaborate"), ("[C]", "continue"), ("Skip", "skip"), ("text", None), ("ee", None)],
)
def test_a_letter_or_a_word_chooses(text: str, choice: str | None) -> None:
    """T4: all else is a text."""
    assert chosen(text) == choice


@pytest.mark.parametrize("text", ["q", "quit", "Exit", "done", "Done.", "/quit", "/wrap-up", "wrap up"])
def test_a_wish_to_leave_is_no_feedback(text: str) -> None:
    assert leaves(text)
    assert chosen(text) is None


@pytest.mark.parametrize("text", ["e", "c", "S", "Done with the API, but not with errors", "quit smoking", "", "/x"])
def test_other_words_at_the_menu_are_no_wish_to_leave(text: str) -> None:
    assert not leaves(text)


@pytest.mark.parametrize("text", ["/exit", "/quit", "/back", "/end", "/stop", "/Done", "/wrapup"])
def test_every_command_that_is_read_as_an_exit_is_said(text: str) -> None:
    """T15."""
    assert read_turn(text, {}).rule == "command"
    assert not_a_command(text) is None


@pytest.mark.parametrize("text", ["/done", "/DONE", "/etc/hosts", "/ what", "/done now", "done", "", "/"])
def test_what_is_no_misspelt_command_is_said(text: str) -> None:
    assert not_a_command(text) is None


def test_a_misspelt_command_is_told() -> None:
    assert not_a_command("/hepl") == "There is no /hepl; did you mean /help?"
    assert not_a_command("/xyzzy") == "There is no /xyzzy; there are /done, /help, /who."
    assert not_a_command("/xyzzy now") == not_a_command("/xyzzy"), "T31"


@pytest.mark.parametrize("width", [20, 50, 59, 60, 120])
def test_nothing_that_is_said_stands_where_headings_stand(width: int) -> None:
    """However narrow the terminal is, words have a margin, so that none can pass for somebody else's (T28)."""
    shown = StringIO()
    stage = Printer(Console(file=shown, width=width, highlight=False, markup=False, emoji=False))
    stage.utterance(Voice("Alex"), "Two.\n\nYou:\nI decide.\r\nJordan:\n- yes " + "word " * 30)
    heading, *said = [line for line in shown.getvalue().split("\n") if line]
    assert heading == "Alex:"
    assert all(line.startswith(" ") for line in said)


def test_the_examples_seat_personas_that_are_shipped() -> None:
    named = [name for line in roundtable.examples for name in re.findall(r"--personas (\S+)", line)]
    assert named
    shipped = {name.removeprefix("roles/") for name in catalog.briefs(DEFINITION) if name.startswith("roles/")}
    assert {each for names in named for each in names.split(",")} <= shipped
