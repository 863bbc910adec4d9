"""A metered function costs what a model would: what it was shown and what it said, and never more than is reserved."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Annotated, Any

import pytest

from quorate.codec import form_schema, reply_to_data
from quorate.core.forms import Between, Reply
from quorate.core.types import Absent, AbsentReason, Ask, AskId, Seat
from quorate.core.view import View, estimate_tokens
from quorate.participants.function import Function, FunctionParticipant
from quorate.participants.port import Answer, Prompt, Request, those_behind
from quorate.participants.standin import LONGEST_REPLY, Metered


@dataclass(frozen=True, slots=True)
class Sum(Reply):
    value: Annotated[int, Between(0, 10**9)]


ASK = Ask(AskId("1.0"), Seat("answerer"), "add", Sum)
PROMPT = Prompt("You add numbers.", "What is 40 + 2?")


async def asked(function: Function, most: int = LONGEST_REPLY) -> tuple[Metered, Answer]:
    metered = Metered(FunctionParticipant(function), most)
    answer = await metered.reply(Request(ASK, View("", ()), PROMPT, form_schema(Sum, ()), 1, 7), lambda _: None)
    assert answer is not None
    return metered, answer


SHOWN = estimate_tokens(PROMPT.system) + estimate_tokens(PROMPT.user)


async def test_a_reply_costs_what_was_shown_and_what_was_said() -> None:
    metered, answer = await asked(lambda _: {"value": 42})
    said = json.dumps(reply_to_data(Sum(42)))
    assert answer.reply == Sum(42)
    assert (answer.tokens_in, answer.tokens_out, answer.cost) == (SHOWN, estimate_tokens(said), 0)
    assert metered.name == metered.inner.name == answer.model
    assert list(those_behind(metered)) == [metered.inner]


@pytest.mark.parametrize("most", [1, 2_000, LONGEST_REPLY])
async def test_no_reply_is_counted_with_more_than_a_call_reserves(most: int) -> None:
    metered, answer = await asked(lambda _: {"value": 10**9}, most)
    assert answer.tokens_in + answer.tokens_out <= metered.most_tokens(SHOWN) == SHOWN + most


@pytest.mark.parametrize(
    ("said", "reason"),
    [(Absent(AbsentReason.REFUSED), AbsentReason.REFUSED), ({"value": "many"}, AbsentReason.MALFORMED)],
)
async def test_an_absence_costs_what_was_shown(said: Any, reason: AbsentReason) -> None:
    _, answer = await asked(lambda _: said)
    assert (answer.reply, answer.tokens_in, answer.tokens_out) == (Absent(reason), SHOWN, 0)
