"""The embedded model measures closed fields in the conversation that it has just had."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from math import log
from typing import Any

import pytest

from quorate.core.types import Absent
from quorate.participants import local
from quorate.participants.llama import Engine
from quorate.participants.local import LocalModel
from quorate.participants.measures import Measure
from quorate.participants.token_odds import Wording
from tests.support.embedded import Opinion, Played, Stance, quiet, request

FILLED = ("stop", '{"stance": "accept", "confidence": 95}')
WORDINGS = (
    Wording("Should it be done? Answer {options}.", ("yes", "no")),
    Wording("Would you {options} it? Answer with one word.", ("back", "stop")),
)
MEASURES = {"Opinion": (Measure("Opinion", "stance", (("accept",), ("reject",)), WORDINGS, confidence="confidence"),)}


class Weighing(Played):
    """As `Played`; whoever asks for alternatives of the first token is given these."""

    def __init__(self, *results: tuple[str, str], **chances: float) -> None:
        super().__init__(*results)
        self.tokens = [{"token": token, "logprob": log(chance)} for token, chance in chances.items()]

    def handle_chat_completions(self, body: dict[str, Any], take: Callable[[Any], bool]) -> None:
        if "top_logprobs" not in body:
            super().handle_chat_completions(body, take)
            return
        self.bodies.append(body)
        told = {"content": [{"token": "x", "top_logprobs": self.tokens}]}
        take({"choices": [{"delta": {"content": "x"}, "logprobs": told, "finish_reason": None}]})
        take({"choices": [{"delta": {}, "finish_reason": "length"}]})
        take({"choices": [], "usage": {"prompt_tokens": 30, "completion_tokens": 1}})


async def play(server: Weighing, monkeypatch: pytest.MonkeyPatch, **options: Any) -> Any:
    engine = Engine(server, lambda schema: "")
    monkeypatch.setattr(local, "engine_for", lambda *_: engine)
    return await LocalModel("smollm2", measures=MEASURES, **options).reply(request(), quiet)


@pytest.mark.model
async def test_it_asks_after_the_form_in_the_same_conversation(monkeypatch: pytest.MonkeyPatch) -> None:
    server = Weighing(("stop", "It is fine."), FILLED, no=0.5, stop=0.4, yes=0.3, back=0.1)
    answer = await play(server, monkeypatch)
    assert isinstance(answer.reply, Opinion)
    assert (answer.reply.stance, answer.reply.confidence) == (Stance.REJECT, 71)  # the mean of 5/8 and 4/5
    (found,) = answer.measured
    assert (found.said, found.stated, dict(found.shares)) == ("accept", 95, {"accept": 288, "reject": 712})
    _, form, *asked = server.bodies
    assert [each["messages"][-1]["content"] for each in asked] == [
        "Should it be done? Answer yes or no.",
        "Should it be done? Answer no or yes.",
        "Would you back or stop it? Answer with one word.",
        "Would you stop or back it? Answer with one word.",
    ]
    assert all(each["messages"][:-1] == form["messages"][:-1] for each in asked), "the engine has read it already"
    assert {each["max_tokens"] for each in asked} == {1}
    assert "stance: it had filled in accept, and reject was measured" in answer.detail
    assert (answer.tokens_in, answer.tokens_out) == (20 + 4 * 30, 10 + 4), "what it costs is counted"


@pytest.mark.model
async def test_it_can_be_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    server = Weighing(("stop", "It is fine."), FILLED, no=0.9)
    answer = await play(server, monkeypatch, measure=False)
    assert (answer.reply, answer.measured) == (Opinion(answer.reply.reason, Stance.ACCEPT, 95), ())
    assert len(server.bodies) == 2
    on, off = LocalModel("smollm2", measures=MEASURES), LocalModel("smollm2", measures=MEASURES, measure=False)
    assert on.most_tokens(100) > off.most_tokens(100) == LocalModel("smollm2").most_tokens(100)


@pytest.mark.model
async def test_an_engine_that_fails_at_it_leaves_what_was_filled_in(monkeypatch: pytest.MonkeyPatch) -> None:
    class Failing(Weighing):
        def handle_chat_completions(self, body: dict[str, Any], take: Callable[[Any], bool]) -> None:
            if "top_logprobs" in body:
                take({"error": {"code": 500, "message": "out of memory"}})
            else:
                super().handle_chat_completions(body, take)

    answer = await play(Failing(("stop", "It is fine."), FILLED, no=0.9), monkeypatch)
    assert (answer.reply.stance, answer.reply.confidence, answer.measured) == (Stance.ACCEPT, 95, ())
    assert "not all that is measured could be" in answer.detail


@pytest.mark.model
async def test_a_real_model_is_measured_in_what_it_has_still_in_its_cache() -> None:
    long = "Should a library lend books by post? " + "The town has a river and two bridges. " * 40
    plain = await LocalModel("smollm2").reply(request(prompt=long), quiet)
    answer = await LocalModel("smollm2", measures=MEASURES).reply(request(prompt=long), quiet)
    assert not isinstance(answer.reply, Absent)
    assert isinstance(plain.reply, Opinion)
    for found in answer.measured:  # a tiny model may put little on any answer, and then nothing is measured
        assert sum(share for _, share in found.shares) == 1_000
        assert found.stated == plain.reply.confidence
    assert answer.tokens_in < 4 * 100 + 500, "the prompt is not read again"
    await asyncio.sleep(0)
