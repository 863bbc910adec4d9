"""The embedded model when its output does not fit: asked again shorter, or with the problems, and honest in the end."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from quorate.core.forms import Reply
from quorate.core.types import Absent, AbsentReason
from quorate.participants.llama import _ENGINES, Engine
from quorate.participants.local import LocalModel
from quorate.participants.port import Answer
from quorate.protocols.debate.rules.model import Proposal
from tests.support.embedded import Opinion, Played, most_characters, quiet, request


@pytest.fixture(scope="module")
def model() -> LocalModel:
    return LocalModel("smollm2")


GOOD = ("stop", '{"reason": "It is fine.", "stance": "accept", "confidence": 50}')
CUT = ("length", '{"reason": "It is')
WRONG = ("stop", '{"reason": "It is fine.", "stance": "acept", "confidence": 50}')


async def play(
    model: LocalModel, monkeypatch: pytest.MonkeyPatch, *results: tuple[str, str], form: type[Reply] = Opinion
) -> tuple[Answer, Played]:
    server = Played(*results)
    monkeypatch.setitem(_ENGINES, (model.weights.path, model.window), Engine(server, json.dumps))
    return await model.reply(request(seed=3, form=form), quiet), server


@pytest.mark.model
async def test_a_reply_that_is_cut_is_asked_for_again_shorter(
    model: LocalModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = json.dumps({"reasoning": "It is cheap.", "text": "Lend them."})
    answer, server = await play(model, monkeypatch, CUT, ("stop", whole), form=Proposal)
    assert isinstance(answer.reply, Proposal)
    assert (answer.attempts, answer.tokens_in, answer.tokens_out) == (2, 20, 10)
    assert "cut after 5 tokens" in answer.detail
    first, second = (most_characters(schema["properties"]["text"]) for schema in server.schemas())
    assert 0.4 * first < second < 0.6 * first
    assert server.bodies[1]["max_tokens"] < server.bodies[0]["max_tokens"]
    assert [body["seed"] for body in server.bodies] == [3, 4]
    assert not any(body["cache_prompt"] for body in server.bodies)


@pytest.mark.model
async def test_a_reply_that_does_not_fit_is_sent_back_with_its_problems(
    model: LocalModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer, server = await play(model, monkeypatch, WRONG, GOOD)
    assert isinstance(answer.reply, Opinion)
    messages = server.bodies[1]["messages"]
    assert [message["role"] for message in messages] == ["system", "user", "assistant", "user"]
    assert "did you mean 'accept'" in messages[-1]["content"]


@pytest.mark.model
@pytest.mark.parametrize("bad", [CUT, WRONG, ("stop", "no JSON"), ("stop", "[1]"), ("stop", ""), ("stop", "[" * 9999)])
async def test_after_two_repairs_it_is_malformed_and_says_why(
    model: LocalModel, monkeypatch: pytest.MonkeyPatch, bad: tuple[str, str]
) -> None:
    answer, server = await play(model, monkeypatch, bad, bad, bad)
    assert answer.reply == Absent(AbsentReason.MALFORMED)
    assert (answer.attempts, len(server.bodies)) == (3, 3)
    assert answer.detail


@pytest.mark.model
@pytest.mark.parametrize("bad", [("error", "out of memory"), ("strange", "")])
async def test_an_engine_that_fails_is_a_failure_and_not_asked_again(
    model: LocalModel, monkeypatch: pytest.MonkeyPatch, bad: tuple[str, str]
) -> None:
    answer, server = await play(model, monkeypatch, bad)
    assert (answer.reply, len(server.bodies)) == (Absent(AbsentReason.FAILED), 1)
    assert bad[1] in answer.detail
    assert answer.detail


@pytest.mark.model
async def test_a_real_reply_outside_the_form_is_repaired_twice_and_then_malformed(model: LocalModel) -> None:
    asked = request()
    stances = {**asked.schema["properties"]["stance"], "enum": ["perhaps"]}
    wider = {**asked.schema, "properties": {**asked.schema["properties"], "stance": stances}}
    answer = await model.reply(replace(asked, schema=wider), quiet)
    assert (answer.reply, answer.attempts) == (Absent(AbsentReason.MALFORMED), 3)
    assert "stance: is 'perhaps'" in answer.detail
