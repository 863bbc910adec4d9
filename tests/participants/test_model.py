"""Models through Pydantic AI against a real HTTP server on this machine: replies, faults, repairs, refusals."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler
from typing import Annotated, Any

import pytest

from quorate.codec import form_schema
from quorate.core.form_values import Unfit
from quorate.core.forms import AtMost, Prose, Reply
from quorate.core.types import Absent, AbsentReason
from quorate.participants.faults import LONGEST_WAIT, wait_before_retry
from quorate.participants.formwords import form_in_words
from quorate.participants.model import ModelParticipant, Output
from quorate.participants.port import Answer
from quorate.participants.providers import ModelSpec, parse_spec
from quorate.participants.wire import structure
from quorate.protocols.debate.rules.model import Proposal
from tests.support.provider import (
    GOOD,
    KEY,
    OPINION,
    Fails,
    Opinion,
    Says,
    Server,
    ask,
    drops,
    hangs,
    participant,
    request,
    send,
)

# A reply


@pytest.mark.parametrize("stream", [True, False])
async def test_a_reply_in_the_form(server: Server, stream: bool) -> None:
    said: list[str] = []
    who = participant(server.will(Says(GOOD)), stream=stream, temperature=0.2, max_tokens=500)
    found = await who.reply(request(), said.append)
    assert found == Answer(OPINION, f"openai-compatible:tiny@{server.url}", 100, 10, 0, 1, "")
    assert "".join(said) == GOOD
    assert len(said) == (7 if stream else 1)


async def test_what_is_sent(server: Server) -> None:
    await ask(server.will(Says(GOOD)), temperature=0.2, max_tokens=500)
    body = server.bodies[0]
    assert server.said() == [("system", "You judge."), ("user", "Is it good?")]
    sent = body["response_format"]["json_schema"]["schema"]
    assert sent == structure(form_schema(Opinion, ()))
    assert sent["properties"]["reason"] == {"type": "string"}  # what it means, and its limit, stand in the prompt
    assert (body["model"], body["temperature"], body["seed"]) == ("tiny", 0.2, 5)
    assert body["max_tokens"] == 500


async def test_only_the_key_that_is_named_after_the_host_is_sent(server: Server) -> None:
    await ask(server.will(Says(GOOD)))
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"
    await ask(server, env={"OPENAI_API_KEY": "sk-not-for-this-server"})
    assert "sk-not-for-this-server" not in str(server.headers)


async def test_a_known_provider_at_another_address_does_not_get_the_providers_key(server: Server) -> None:
    spec = parse_spec(f"openai:gpt-5@{server.url}")
    found = await ask(server.will(Says(GOOD)), spec=spec, env={"OPENAI_API_KEY": KEY})
    assert found.reply == OPINION
    assert KEY not in str(server.headers)


@dataclass(frozen=True, slots=True)
class Plan(Reply):
    steps: Annotated[tuple[Annotated[Prose, AtMost(900)], ...], AtMost(20), "what is done"]
    text: Annotated[Prose, AtMost(8_000), "the plan"]


async def test_with_a_length_the_limits_that_are_told_are_those_that_are_checked(server: Server) -> None:
    form: Any = Plan
    words = form_in_words(form, (), None, 2_000)
    told = int(said[1]) if (said := re.search(r"text: the plan \(text of at most (\d+)", words)) else 0
    assert 1_000 <= told < 2_000
    assert "a list of at most 6" in words
    short = "One queue holds them all."
    long = "".join(f"Queue {n} holds them all. " for n in range(200))[: told + 1]
    answers = [Says(json.dumps({"steps": ["Begin."] * many, "text": text})) for many, text in ((1, long), (7, short))]
    found = await ask(
        server.will(*answers, Says(json.dumps({"steps": [], "text": short}))), request(Plan), length=2_000
    )
    assert isinstance(found.reply, Plan)
    assert (found.reply.text.text, found.attempts) == (short, 3)
    assert f"text: has {told + 1:,} characters; expected at most {told:,}, in whole sentences" in server.said()[3][1]
    assert "steps: has 7 entries; expected at most 6" in server.said()[5][1]
    sent = server.bodies[0]["response_format"]["json_schema"]["schema"]["properties"]
    assert sent["steps"]["maxItems"] == 6
    assert "maxLength" not in str(sent)  # a grammar would cut it in mid-sentence
    stubborn = await ask(server.will(answers[0]), request(Plan), length=2_000)
    assert f"taken as it is: text has {told + 1:,} characters" in stubborn.detail


# Errors of transport


async def test_429_is_tried_again_after_the_time_it_asks_for(server: Server) -> None:
    found = await ask(server.will(Fails(429, headers={"Retry-After": "0"}), Says(GOOD)), first_wait=1000)
    assert (found.reply, found.attempts) == (OPINION, 2)


async def test_a_provider_that_asks_for_too_long_a_wait_is_not_waited_for(server: Server) -> None:
    found = await ask(server.will(Fails(429, "slow down", headers={"Retry-After": "3600"})))
    assert (found.reply, found.attempts) == (Absent(AbsentReason.FAILED), 1)
    assert "429: slow down (it asks to wait 3600 seconds" in found.detail


async def test_server_errors_and_lost_connections_are_tried_again(server: Server) -> None:
    found = await ask(server.will(Fails(500), Fails(503), drops, Fails(408), Says(GOOD)))
    assert (found.reply, found.attempts) == (OPINION, 5)
    assert (found.tokens_in, found.tokens_out) == (100, 10)


async def test_tries_are_counted(server: Server) -> None:
    found = await ask(server.will(Fails(500, "out of order")), retries=2)
    assert (found.reply, found.attempts, len(server.bodies)) == (Absent(AbsentReason.FAILED), 3, 3)
    assert found.detail == f"after 3 tries, openai-compatible:tiny@{server.url}: 500: out of order"


async def test_nobody_there() -> None:
    spec = ModelSpec("openai-compatible", "tiny", "http://127.0.0.1:1/v1")
    found = await ModelParticipant(spec, retries=1, first_wait=0.001, env={}).reply(request(), lambda _: None)
    assert found is not None
    assert found.reply == Absent(AbsentReason.FAILED)
    assert "is the server running, and the address right?" in found.detail


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (Fails(401, "bad key"), "401: bad key (check the key in QUORATE_KEY_127_0_0_1"),
        (Fails(403, "not yours"), "403: not yours (check the key"),
        (Fails(404, "no such model"), "404: no such model (check the name of the model and the address"),
        (Fails(400, "what?"), "400: what?"),
        (Fails(400, "too long", "context_length_exceeded"), "set `window` for this seat"),
        (Fails(429, "pay first", "insufficient_quota"), "no credit left"),
        (Fails(500, "never again", headers={"x-should-retry": "false"}), "500: never again"),
    ],
)
async def test_other_errors_fail_at_once_and_say_what_to_do(server: Server, fault: Fails, words: str) -> None:
    found = await ask(server.will(fault))
    assert (found.reply, found.attempts) == (Absent(AbsentReason.FAILED), 1)
    assert words in found.detail


async def test_a_key_is_never_told_even_if_the_provider_tells_it(server: Server) -> None:
    found = await ask(server.will(Fails(401, f"the key {KEY} is wrong")))
    assert KEY not in found.detail
    assert "the key … is wrong" in found.detail
    assert KEY not in repr(participant(server))


async def test_a_hanging_call_times_out(server: Server) -> None:
    found = await ask(server.will(hangs), timeout=0.3)
    assert (found.reply, found.attempts) == (Absent(AbsentReason.TIMED_OUT), 1)
    assert "no reply within 0.3 seconds (`timeout` in the panel)" in found.detail
    assert found.tokens_in > 0  # it was sent, and may be charged for


async def test_cancelling_stops_the_call(server: Server) -> None:
    task = asyncio.create_task(ask(server.will(hangs)))
    while not server.bodies:
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.mark.parametrize("stream", [True, False])
async def test_what_is_no_completion_at_all_is_a_failure(server: Server, stream: bool) -> None:
    def page(http: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        send(http, 200, {"hello": "world"})

    found = await ask(server.will(page), stream=stream, retries=1)
    assert isinstance(found.reply, Absent)
    assert found.reply.reason in (AbsentReason.FAILED, AbsentReason.MALFORMED)
    assert found.detail


def test_waits_double_and_seats_that_failed_together_come_back_apart() -> None:
    from pydantic_ai.exceptions import ModelServerError

    error = ModelServerError("m", "500")
    for tried in range(4):
        waits = [wait_before_retry(error, tried, 0.5, seed) or 0 for seed in range(20)]
        assert all(0.25 * 2**tried <= wait <= 0.5 * 2**tried for wait in waits)
        assert len(set(waits)) == 20
    assert wait_before_retry(error, 3, 0.5, 7) == wait_before_retry(error, 3, 0.5, 7)
    assert (wait_before_retry(error, 60, 0.5, 7) or 0) <= LONGEST_WAIT


# Repairs


async def test_a_malformed_reply_is_repaired_with_the_list_of_its_problems(server: Server) -> None:
    wrong = json.dumps({"reason": 5, "confidence": 170, "mood": "good"})
    found = await ask(server.will(Says("I think"), Says(wrong), Says(GOOD)))
    assert (found.reply, found.attempts, found.detail) == (OPINION, 3, "repaired 2 times")
    assert (found.tokens_in, found.tokens_out) == (300, 30)
    roles = [role for role, _ in server.said()]
    assert roles == ["system", "user", "assistant", "user", "assistant", "user"]
    first, second = server.said()[3][1], server.said()[5][1]
    assert "not valid JSON" in first
    for words in ("reason: is 5; expected a text", "confidence: is 170", "mood: unknown field"):
        assert words in second


async def test_after_two_repairs_it_is_malformed(server: Server) -> None:
    found = await ask(server.will(Says("never JSON")))
    assert (found.reply, found.attempts) == (Absent(AbsentReason.MALFORMED), 3)
    assert found.detail.startswith("after 2 repairs: the reply does not fit the form")


async def test_no_more_repairs_than_the_budget_has_room_for(server: Server) -> None:
    who = participant(server.will(Says("never JSON")), max_tokens=500)
    found = await who.reply(replace(request(), repairs=0), lambda _: None)
    assert found is not None
    assert (found.reply, found.attempts) == (Absent(AbsentReason.MALFORMED), 1)
    assert who.most_tokens(100, 0) == 600 < who.most_tokens(100, 1) < who.most_tokens(100)


async def test_an_empty_reply_is_malformed_and_repaired(server: Server) -> None:
    found = await ask(server.will(Says(""), Says(GOOD)))
    assert (found.reply, found.attempts) == (OPINION, 2)


async def test_a_text_that_stays_too_long_is_cut_and_the_record_says_so(server: Server) -> None:
    found = await ask(server.will(Says(json.dumps({"reason": "x" * 301, "confidence": 1}))))
    assert isinstance(found.reply, Opinion)
    assert len(found.reply.reason) == 300
    assert found.attempts == 3
    assert "1 text cut" in found.detail
    assert found.unfit == (Unfit("reason", "cut to 300 characters", "has 301 characters", "x" * 301),)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("## Proposal", "text: is a heading without a text"),
        ("One queue for each customer, and", "text: ends in mid-sentence"),
        ("The queue keeps the order of all events. " * 4, "text: repeats itself"),
    ],
)
async def test_a_text_that_is_not_whole_is_asked_for_again_and_never_taken_silently(
    server: Server, text: str, words: str
) -> None:
    whole = json.dumps({"reasoning": "One order is a must.", "text": "One queue for each customer."})
    broken = json.dumps({"reasoning": "One order is a must.", "text": text})
    found = await ask(server.will(Says(broken), Says(whole)), request(Proposal))
    assert isinstance(found.reply, Proposal)
    assert (found.reply.text.text, found.attempts) == ("One queue for each customer.", 2)
    assert words in server.said()[-1][1]
    stubborn = await ask(server.will(Says(broken)), request(Proposal))
    assert isinstance(stubborn.reply, Proposal)
    assert f"taken as it is: {words.replace(':', '')}" in stubborn.detail


async def test_a_reply_that_was_cut_off_is_asked_for_again_shorter(server: Server) -> None:
    found = await ask(server.will(Says(GOOD[:20], "length"), Says(GOOD)), max_tokens=50)
    assert found.reply == OPINION
    assert "cut off at the limit of 50 tokens" in server.said()[-1][1]
    always = await ask(server.will(Says(GOOD[:20], "length")), max_tokens=50)
    assert always.reply == Absent(AbsentReason.MALFORMED)
    assert "`max_tokens`" in always.detail


@pytest.mark.parametrize("stream", [True, False])
async def test_a_refusal_is_a_refusal(server: Server, stream: bool) -> None:
    found = await ask(server.will(Says(refusal="I cannot help with that.")), stream=stream)
    assert (found.reply, found.attempts) == (Absent(AbsentReason.REFUSED), 1)
    assert "I cannot help with that." in found.detail
    filtered = await ask(server.will(Says("{", "content_filter")), stream=stream)
    assert filtered.reply == Absent(AbsentReason.REFUSED)


# Output modes


@pytest.mark.parametrize("stream", [True, False])
async def test_a_reply_as_a_tool_call(server: Server, stream: bool) -> None:
    bad, good = Says(calls=(("reply", '{"reason": 1}'),)), Says(calls=(("reply", GOOD),))
    found = await ask(server.will(bad, good), output=Output.TOOL, stream=stream)
    assert (found.reply, found.attempts) == (OPINION, 2)
    assert [tool["function"]["name"] for tool in server.bodies[0]["tools"]] == ["reply"]
    assert "response_format" not in server.bodies[0]
    role, told = server.said()[-1]
    assert role == "tool"
    assert "confidence: is missing" in told


async def test_a_reply_to_a_prompt_in_words(server: Server) -> None:
    found = await ask(server.will(Says(f"```json\n{GOOD}\n```")), output=Output.PROMPTED)
    assert found.reply == OPINION
    assert server.bodies[0].get("response_format", {}).get("type") != "json_schema"
    assert any(role == "system" and '"confidence"' in content for role, content in server.said())
