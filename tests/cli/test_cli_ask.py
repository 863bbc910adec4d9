"""A person fills in any form at the terminal; what was said is kept as `--set` takes it."""

from __future__ import annotations

import io

import pytest

from quorate.cli.ask import Asker, Stop, can_ask
from quorate.cli.choice_prompt import asker_of
from quorate.cli.choices import picked
from quorate.cli.form_input import asked_fields, from_sets
from quorate.codec import parse_reply
from quorate.core.shapes import Choice, Text, shape_of
from quorate.core.view import Section, View
from quorate.kit.offers import CHOICE
from quorate.protocols.debate.rules.model import Answers, Questions, Synthesis
from quorate.protocols.roundtable.rules.forms import Menu
from quorate.protocols.workshop.rules.forms import PauseReply, Ruling
from tests.cli.test_cli_filling import Ballot, ask
from tests.support.offers import offer_of

VIEW = View(
    "", (Section("The problem", "Known."), Section("q1, asked by testing", "How many?"), Section("Note", "New."))
)


def typed(monkeypatch: pytest.MonkeyPatch, *answers: str) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{answer}\n" for answer in answers)))


def test_every_kind_of_field_is_asked_and_checked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ask(Ballot, "f1", "f2")
    typed(monkeypatch, "because", "maybe", "y", "11", "7", "f2", "tag one", "", "n")
    sets = Asker(asked, VIEW).fill()
    assert sets == ["reason=because", "urgent=yes", "weight=7", "about=f2", "tags=tag one", "stance=nay"]
    assert isinstance(parse_reply(asked, from_sets(asked, sets)), Ballot)
    said = capsys.readouterr()
    assert said.out == "", "stdout belongs to the result"
    assert "Enter one of yes, no" in said.err
    assert "Please a whole number from 0 to 10." in said.err


def test_lists_of_groups_and_empty_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    typed(monkeypatch, "unclear", "y", "How many?", "n")
    asked = ask(Questions)
    assert isinstance(parse_reply(asked, from_sets(asked, Asker(asked, VIEW).fill())), Questions)
    typed(monkeypatch, "Use a queue.", "", "", "", "", "80")
    asked = ask(Synthesis)
    reply = parse_reply(asked, from_sets(asked, Asker(asked, VIEW).fill()))
    assert isinstance(reply, Synthesis)
    assert (reply.tradeoffs, reply.confidence) == ((), 80)


def test_the_person_sees_who_asks_and_what_is_new(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed(monkeypatch, "x" * 4_001, "200")
    assert Asker(ask(Answers, "q1"), VIEW, known=("Known.",)).fill() == ["q1=200"]
    said = capsys.readouterr().err
    assert "q1, asked by testing\n  How many?" in said
    assert "Note\n  New." in said
    assert "Known." not in said
    assert "at most 4,000 fit" in said


def test_the_end_of_input_stops_and_keeps_what_was_given(monkeypatch: pytest.MonkeyPatch) -> None:
    typed(monkeypatch, "one")
    asker = Asker(ask(Answers, "q1", "q2"), VIEW)
    with pytest.raises(Stop):
        asker.fill()
    assert asker.given == ["q1=one"]
    assert not can_ask()


# Decisions


@pytest.mark.parametrize("form", [Ruling, PauseReply, Menu])
def test_what_is_told_of_a_decision_is_what_its_form_has(form: type[Ruling | PauseReply | Menu]) -> None:
    decision = offer_of(form)
    assert decision is not None
    fields = {each.name: each.shape for each in asked_fields(shape_of(form))}
    choice = fields.pop(CHOICE)
    assert isinstance(choice, Choice)
    assert set(decision.does) == {member.value for member in choice.enum}
    assert set(decision.optional) == set(fields)
    assert all(isinstance(shape, Text) for shape in fields.values())
    assert set(decision.needs) <= set(decision.does)
    assert decision.unanswered in {"", *decision.does}


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        *[(word, "go_on") for word in ("go_on", "go on", "GO ON", "go-on", "g", "go", "1")],
        ("c", "conclude"),
        ("3", "escalate"),
        *[(word, None) for word in ("", " ", "0", "4", "-1", "9" * 5_000, "x", "on", "\u00b2")],
    ],
)
def test_a_choice_is_typed_as_people_type(typed: str, found: str | None) -> None:
    assert picked(typed, ("go_on", "conclude", "escalate")) == found


def test_what_two_choices_begin_with_is_neither_and_a_whole_name_is_itself() -> None:
    assert picked("a", ("accept", "abstain")) is None
    assert picked("a", ("a", "abstain")) == "a"
    assert picked("2", ("3", "2")) == "2", "a name goes before a number"
    assert picked("s", ("SUPPORT", "BLOCK")) == "SUPPORT"


BRIEF = "# A round is over\n\nGo on\nor `conclude`.\n\n- `go_on`: the next\n  round begins.\n"


def test_a_pause_shows_its_content_first_and_explains_itself_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    view = View("", (Section("Round 1", "Round 1 (discussion)\nQuestion: What?"),))
    said = []
    for number in (1, 2):
        typed(monkeypatch, "", "")
        brief = f"{BRIEF}\nOf this test alone."
        assert asker_of(ask(PauseReply), view, offer_of(PauseReply), (), brief).fill() == ["choice=go_on", "remark="], (
            number
        )
        said.append(capsys.readouterr().err)
    assert said[0].index("Round 1 (discussion)\n  Question: What?") < said[0].index("A round is over")
    assert "A round is over\n\nGo on or conclude.\n\n- go_on: the next round begins." in said[0]
    assert "A round is over" not in said[1]
    assert "Question: What?" in said[1]
    assert said[1].count("Round 1") == 1, "a text that begins with its own title needs no other"


def test_help_explains_the_choices_again_and_what_a_choice_needs_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed(monkeypatch, "?", "help", "nonsense", "2", "", "Sixty days.", "Both hold.")
    asker = asker_of(ask(Ruling), VIEW, offer_of(Ruling), (), "# Ruling\n\nExplained to this test.")
    assert asker.fill() == ["choice=decide", "decision=Sixty days.", "reason=Both hold."]
    said = capsys.readouterr().err
    assert said.count("Explained to this test.") == 3
    assert said.count("2 decide   what you write as the decision holds") == 3
    assert "Enter one of accept, decide, applied, go_on" in said
    assert "This choice needs your words." in said


def test_other_choices_ask_for_no_decision(monkeypatch: pytest.MonkeyPatch) -> None:
    typed(monkeypatch, "ac", "")
    asker = asker_of(ask(Ruling), VIEW, offer_of(Ruling))
    assert asker.fill() == ["choice=accept", "reason=", "decision="]
    assert isinstance(parse_reply(ask(Ruling), from_sets(ask(Ruling), asker.given)), Ruling)
