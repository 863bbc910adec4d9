"""A person fills in any form at the terminal; what was said is kept as `--set` takes it."""

from __future__ import annotations

import io

import pytest

from quorate.cli.ask import Asker, Stop, can_ask
from quorate.cli.filling import from_sets
from quorate.core.view import Section, View
from quorate.protocols.debate.model import Answers, Questions, Synthesis
from quorate.store.codec import parse_reply
from tests.cli.test_cli_filling import Ballot, ask

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
    assert "Please one of yes, no" in said.err
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
