"""A reply in a line: what it is about goes before the reasons, however long they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from quorate.cli.reply_words import LEADING, gist
from quorate.core.forms import AtMost, Key, Keyed, Prose, Reply
from quorate.protocols.debate.rules.model import Answer, Answers
from quorate.protocols.workshop.rules.forms import Focus, Vote, Votes

LONG = Prose("a reason " * 40)


@dataclass(frozen=True, slots=True)
class Said(Reply):
    reasons: Annotated[tuple[Prose, ...], AtMost(3)]
    summary: Annotated[Prose, AtMost(100)]
    position: Annotated[Prose, AtMost(100)]


def test_the_question_goes_before_its_rationale() -> None:
    focus = Focus(rationale=LONG, question=Prose("How long?"), exploration=LONG, focus=Key("T1"))
    assert gist(focus) == "How long?"


def test_a_position_goes_before_a_summary_and_an_empty_one_is_none() -> None:
    assert LEADING.index("position") < LEADING.index("summary")
    assert gist(Said((LONG,), Prose("In short."), Prose("Ninety days."))) == "Ninety days."
    assert gist(Said((LONG,), Prose("In short."), Prose(" "))) == "In short."
    assert gist(Said((LONG,), Prose(""), Prose("")), 20) == "a reason a reason a…"


def test_where_no_field_leads_it_is_the_longest() -> None:
    answers = Keyed({Key("q1"): Answer(Prose("Yes.")), Key("q2"): Answer(Prose("Two hundred."))})
    assert gist(Answers(answers)) == "Two hundred."
    assert gist(Votes(Prose("Fine."), Keyed[Vote]({}), 80)) == "Fine."
