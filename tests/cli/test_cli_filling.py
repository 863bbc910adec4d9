"""`--set key=text` fills in any form, and says what a form would take."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Any

import pytest

from quorate.cli.form_input import example_keys, from_data, from_sets
from quorate.codec import parse_reply
from quorate.core.errors import SettingError
from quorate.core.forms import AtMost, Between, Key, Prose, Reply
from quorate.core.types import Ask, AskId, Seat
from quorate.protocols.debate.rules.model import Answers, Critiques, Questions, Synthesis
from quorate.protocols.workshop.rules.forms import PauseReply


class Stance(Enum):
    AYE = "aye"
    NAY = "nay"


@dataclass(frozen=True, slots=True)
class Ballot(Reply):
    reason: Annotated[Prose, "why"]
    urgent: bool
    weight: Annotated[int, Between(0, 10)]
    about: Key
    tags: Annotated[tuple[Prose, ...], AtMost(3)]
    stance: Stance


def ask(form: type[Reply], *keys: str) -> Ask:
    return Ask(AskId("4.0"), Seat("person"), "answer", form, tuple(Key(key) for key in keys))


def test_answers_by_key_need_no_field_names() -> None:
    asked = ask(Answers, "q1", "q2")
    data = from_sets(asked, ["q1=About 200 a minute", "q2=a=b, c"])
    assert data == {"answers": {"q1": {"text": "About 200 a minute"}, "q2": {"text": "a=b, c"}}}
    assert isinstance(parse_reply(asked, data), Answers)


def test_a_keyed_group_with_several_fields_takes_a_path() -> None:
    asked = ask(Critiques, "proposal-1")
    sets = ["strengths=s", "weaknesses=w", "suggestion=m", "weight=major"]
    data = from_sets(asked, [f"proposal-1.{each}" for each in sets])
    assert isinstance(parse_reply(asked, data), Critiques)
    with pytest.raises(SettingError, match=r"proposal-1\.strengths"):
        from_sets(asked, ["proposal-1=all of it"])


def test_every_kind_of_field_is_read_from_text() -> None:
    asked = ask(Ballot, "f1")
    sets = ["reason=because", "urgent=yes", "weight=7", "about=f1", "tags=a", "tags=b", "stance=nay"]
    reply = parse_reply(asked, from_sets(asked, sets))
    assert isinstance(reply, Ballot)
    assert (reply.urgent, reply.weight, reply.stance) == (True, 7, Stance.NAY)
    assert [tag.text for tag in reply.tags] == ["a", "b"]


def test_lists_grow_are_indexed_and_can_be_said_to_be_empty() -> None:
    asked = ask(Questions)
    data = from_sets(asked, ["reason=r", "questions=First?", "questions.1.text=Second?", "questions.1=Changed?"])
    assert data == {"reason": "r", "questions": [{"text": "First?"}, {"text": "Changed?"}]}
    assert from_sets(asked, ["reason=r", "questions="]) == {"reason": "r", "questions": []}


@pytest.mark.parametrize(
    ("form", "keys", "given", "says"),
    [
        (Answers, ("q1",), "q2=x", "did you mean 'answers'|one of answers"),
        (Answers, ("first", "second"), "answers.fist=x", "did you mean 'first'"),
        (Synthesis, (), "solutoin=x", "did you mean 'solution'"),
        (Synthesis, (), "confidence", "has no value"),
        (Synthesis, (), "confidence.more=3", "has no parts, so 'more' cannot be set"),
        (Synthesis, (), "tradeoffs.4=x", "is entry 4, but the next entry is 0"),
    ],
)
def test_what_the_form_does_not_have_is_refused(
    form: type[Reply], keys: tuple[str, ...], given: str, says: str
) -> None:
    with pytest.raises(SettingError, match=says):
        from_sets(ask(form, *keys), [given])


@pytest.mark.parametrize(
    ("data", "read"),
    [
        ({"q1": "yes"}, {"answers": {"q1": {"text": "yes"}}}),
        ({"q1": {"text": "yes"}}, {"answers": {"q1": {"text": "yes"}}}),
        ({"answers": {"q1": {"text": "yes"}}}, {"answers": {"q1": {"text": "yes"}}}),
        ({"q1": "yes", "q9": "no"}, {"q1": "yes", "q9": "no"}),
        (["q1"], ["q1"]),
    ],
)
def test_a_file_may_hold_the_form_or_its_keyed_field_alone(data: Any, read: Any) -> None:
    assert from_data(ask(Answers, "q1", "q2"), data) == read


def test_the_keys_offered_are_those_that_are_taken() -> None:
    assert example_keys(ask(Answers, "q1", "q2")) == ["q1", "q2"]
    assert example_keys(ask(Ballot, "f1")) == ["reason", "urgent", "weight", "about", "tags", "stance"]


@pytest.mark.parametrize("typed", ["go_on", "go on", "Go-On", " GO_ON "])
def test_a_choice_is_known_by_its_word_however_it_is_written(typed: str) -> None:
    assert from_sets(ask(PauseReply), [f"choice={typed}"])["choice"] == "go_on"
    assert from_sets(ask(PauseReply), ["choice=g"])["choice"] == "g", "on a command line nothing is guessed"
