"""A person leaves the ask open; a check answers with what its function returns, and its errors are absences."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

import pytest

from quorate.codec import form_schema
from quorate.core.forms import Key, Keyed, Prose, Reply
from quorate.core.types import Absent, AbsentReason, Ask, AskId, Seat
from quorate.core.view import View
from quorate.participants.check import Check
from quorate.participants.person import Person
from quorate.participants.port import Answer, Prompt, Request
from quorate.protocols.debate.rules.model import Critique, Critiques, Evaluation, Proposal, Weight


def request(form: type[Reply], *keys: str) -> Request:
    names = tuple(Key(key) for key in keys)
    ask = Ask(AskId("0.0"), Seat("clerk"), "check", form, names)
    return Request(ask, View("", ()), Prompt("s", "u"), form_schema(form, names), 1, 1)


def answer(function: Callable[[Request], Reply | Absent], asked: Request) -> Answer:
    found = asyncio.run(Check(function, "clerk").reply(asked, lambda _: None))
    assert found is not None
    return found


async def test_a_person_leaves_every_ask_open() -> None:
    person = Person()
    assert await person.reply(request(Proposal), lambda _: None) is None
    assert (person.name, person.window) == ("person", None)
    assert (person.most_tokens(1000), person.price(1000, 1000)) == (0, 0)


def test_a_check_answers_and_costs_nothing() -> None:
    found = answer(lambda _: Evaluation(Prose("all tests pass"), 100), request(Evaluation))
    assert found == Answer(Evaluation(Prose("all tests pass"), 100), "clerk")


def test_a_check_runs_beside_the_event_loop() -> None:
    threads: list[int] = []

    def function(_: Request) -> Reply:
        threads.append(threading.get_ident())
        return Evaluation(Prose("r"), 1)

    answer(function, request(Evaluation))
    assert threads != [threading.get_ident()]


def test_marks_are_computed_at_the_border() -> None:
    """A function cannot claim a mark: here it says that its text has 999 characters (D11 counts them)."""
    found = answer(lambda _: Proposal(Prose("r"), Prose("four"), 999), request(Proposal))
    assert isinstance(found.reply, Proposal)
    assert found.reply.size == 4


def test_an_error_is_an_absence_with_the_error_as_detail() -> None:
    def function(_: Request) -> Reply:
        raise FileNotFoundError("no such scanner")

    found = answer(function, request(Evaluation))
    assert found.reply == Absent(AbsentReason.FAILED)
    assert found.detail == "FileNotFoundError: no such scanner"


def test_a_check_may_be_absent_by_itself() -> None:
    assert answer(lambda _: Absent(AbsentReason.SILENT), request(Evaluation)).reply == Absent(AbsentReason.SILENT)


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (Proposal(Prose("r"), Prose("t")), "returned Proposal, expected Evaluation"),
        (Evaluation(Prose("r"), 101), "from 0 to 100"),
    ],
)
def test_a_reply_that_the_ask_does_not_allow_is_malformed(reply: Reply, words: str) -> None:
    found = answer(lambda _: reply, request(Evaluation))
    assert found.reply == Absent(AbsentReason.MALFORMED)
    assert words in found.detail


def test_an_unknown_key_is_malformed() -> None:
    critique = Critique(Prose("s"), Prose("w"), Prose("s"), Weight.MINOR)
    found = answer(lambda _: Critiques(Keyed({Key("p9"): critique})), request(Critiques, "p1"))
    assert found.reply == Absent(AbsentReason.MALFORMED)
    assert "p9" in found.detail
