"""Providers are asked to cache what prompts have in common; what they read from a cache is kept and priced.

Each provider's own format is spoken to a server on this machine.
"""

from __future__ import annotations

import json
from dataclasses import replace
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from quorate.core.errors import InputError
from quorate.core.types import Ask, AskId, Seat
from quorate.core.view import Section, View
from quorate.files.located_values import located
from quorate.participants.exchange import Exchange
from quorate.participants.model import ModelParticipant
from quorate.participants.port import Prompt, Request
from quorate.participants.prices import Price, listed_price, read_price
from quorate.participants.prompt import render
from quorate.participants.providers import parse_spec
from quorate.participants.tools import ContextFolder
from tests.support.provider import GOOD, Act, Opinion, Says, Server, ask, participant, request, send

PROMPT = Prompt(
    "You judge.", "The change, shown to everybody.\n\nNow your task.", len("The change, shown to everybody.")
)


def asked(tools: Any = None) -> Request:
    return replace(request(tools=tools), prompt=PROMPT)


# Anthropic


def claude(read: int, written: int) -> Act:
    def act(http: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        content = [{"type": "text", "text": GOOD}]
        message = {"id": "x", "type": "message", "role": "assistant", "model": "claude-sonnet-5", "content": content}
        usage = {
            "input_tokens": 50,
            "cache_read_input_tokens": read,
            "cache_creation_input_tokens": written,
            "output_tokens": 5,
        }
        send(http, 200, message | {"stop_reason": "end_turn", "stop_sequence": None, "usage": usage})

    return act


def to_claude(server: Server, **options: Any) -> ModelParticipant:
    spec = parse_spec(f"anthropic:claude-sonnet-5@{server.url.removesuffix('/v1')}")
    return participant(server, **{"spec": spec, "stream": False, "env": {}, **options})


async def test_anthropic_is_told_where_what_all_seats_are_shown_ends(server: Server) -> None:
    found = await to_claude(server.will(claude(1_000, 200))).reply(asked(), lambda _: None)
    assert found is not None
    blocks = server.bodies[0]["messages"][0]["content"]
    assert [block["text"] for block in blocks] == [PROMPT.user[: PROMPT.shared], PROMPT.user[PROMPT.shared :]]
    assert ["cache_control" in block for block in blocks] == [True, False]
    assert "cache_control" not in server.bodies[0], "what a seat alone is told is not read again"
    assert (found.tokens_in, found.tokens_cached) == (1_250, 1_000), "what was read from the cache is a part of all"


async def test_a_conversation_with_looks_is_cached_as_it_goes_on(server: Server, tmp_path: Path) -> None:
    await to_claude(server.will(claude(0, 0))).reply(asked(ContextFolder(tmp_path)), lambda _: None)
    assert "cache_control" in server.bodies[0]


async def test_nothing_is_asked_for_where_a_panel_does_not_want_it(server: Server) -> None:
    await to_claude(server.will(claude(0, 0)), prompt_cache=False).reply(asked(), lambda _: None)
    assert "cache_control" not in json.dumps(server.bodies[0])
    assert PROMPT.user in json.dumps(server.bodies[0]["messages"], ensure_ascii=False).replace("\\n", "\n")


# OpenAI and others


def responses(read: int) -> Act:
    def act(http: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        part = {"type": "output_text", "text": GOOD, "annotations": []}
        message = {"type": "message", "id": "m", "status": "completed", "role": "assistant", "content": [part]}
        usage = {"input_tokens": 1_500, "output_tokens": 5, "total_tokens": 1_505}
        details = {"input_tokens_details": {"cached_tokens": read}, "output_tokens_details": {"reasoning_tokens": 0}}
        head = {"id": "r", "object": "response", "created_at": 1, "status": "completed", "model": "gpt-5"}
        more = {"output": [message], "parallel_tool_calls": True, "tool_choice": "auto", "tools": []}
        send(http, 200, head | more | {"usage": usage | details})

    return act


async def to_openai(server: Server, name: str, prompt: Prompt = PROMPT) -> Exchange:
    """OpenAI's own address cannot be another one, so the exchange is given a model that points here."""
    from pydantic_ai.models.openai import OpenAIResponsesModel
    from pydantic_ai.providers.openai import OpenAIProvider

    who = ModelParticipant(parse_spec(f"openai:{name}"), stream=False, env={})
    model = OpenAIResponsesModel(name, provider=OpenAIProvider(base_url=server.url, api_key="none"))
    exchange = Exchange(who, model, replace(asked(), prompt=prompt), lambda _: None)
    await exchange.run()
    return exchange


async def test_openai_is_given_one_key_for_all_prompts_that_begin_alike(server: Server) -> None:
    server.will(responses(1_024))
    exchange = await to_openai(server, "gpt-5")
    assert (exchange.tokens_in, exchange.tokens_cached) == (1_500, 1_024)
    await to_openai(server, "gpt-5", replace(PROMPT, user=PROMPT.user + " Another task."))
    await to_openai(server, "gpt-5", replace(PROMPT, user="Another change." + PROMPT.user))
    keys = [body["prompt_cache_key"] for body in server.bodies]
    assert keys[0] == keys[1] != keys[2]
    assert "prompt_cache_breakpoint" not in json.dumps(server.bodies), "this model caches by itself"


async def test_openai_models_that_cache_what_is_marked_are_told_what(server: Server) -> None:
    await to_openai(server.will(responses(0)), "gpt-5.6")
    sent = json.dumps(server.bodies[0]["input"])
    assert sent.count("prompt_cache_breakpoint") >= 1
    assert server.bodies[0]["prompt_cache_options"]["mode"] == "explicit"


@pytest.mark.parametrize("text", ["openai-compatible:qwen3", "openai:gpt-5", "ollama:qwen3"])
async def test_other_servers_are_sent_nothing_that_they_may_not_know(server: Server, text: str) -> None:
    server.will(Says(GOOD))
    await ask(server, asked(), spec=parse_spec(f"{text}@{server.url}"), env={})
    assert not [name for name in server.bodies[0] if "cache" in name]
    assert server.said()[-1][1] == PROMPT.user, "one text, as servers of all kinds take it"


@pytest.mark.parametrize("stream", [True, False])
async def test_what_such_a_server_read_from_its_cache_is_kept_if_it_says_so(server: Server, stream: bool) -> None:
    found = await ask(server.will(Says(GOOD, cached=64)), asked(), stream=stream, own_price=Price(10, 20, cached=1))
    assert (found.tokens_in, found.tokens_cached) == (100, 64)
    assert found.cost == 36 * 10 + 64 * 1 + 10 * 20


# Where the common part ends


def test_the_common_part_of_a_prompt_is_the_same_for_all_seats() -> None:
    material = Section("The change", "def f(): ...\n" * 20, common=True)
    briefs = {"evaluate": "# Task: judge\n\nSay what you think.", "role": "# Role\n\nYou doubt."}
    prompts = [
        render(
            briefs,
            View(role, (material, Section("Said", role or "x"))),
            Ask(AskId("1.0"), Seat("a"), "evaluate", Opinion),
            "n",
        )[0]
        for role in ("", "role")
    ]
    one, two = prompts
    assert 0 < one.shared == two.shared
    assert one.user[: one.shared] == two.user[: two.shared]
    assert "def f()" in one.user[: one.shared]
    assert render(briefs, View("", ()), Ask(AskId("1.0"), Seat("a"), "evaluate", Opinion), "n")[0].shared == 0


# Prices


def test_listed_prices_of_what_is_read_and_written() -> None:
    def price(**more: int) -> int:
        found = listed_price("anthropic", "claude-sonnet-4-5", 100_000, 0, **more)
        assert found is not None
        return found

    assert price(tokens_cached=100_000) < price() < price(tokens_written=100_000)


def test_a_budget_reserves_the_dearer_price_of_what_is_written() -> None:
    cached, plain = (
        ModelParticipant(parse_spec("anthropic:claude-sonnet-4-5"), prompt_cache=each) for each in (True, False)
    )
    assert (cached.price(100_000, 0) or 0) > (plain.price(100_000, 0) or 0) == plain.cost(100_000, 0)


def test_an_own_price_may_have_one_for_what_was_read() -> None:
    assert read_price(located({"in": 3, "out": 15, "cached": 0.3}, "price")) == Price(3, 15, 0.3)
    assert Price(3, 15).of(1_000, 0, 400) == 3_000, "without it everything costs the same"
    with pytest.raises(InputError):
        read_price(located({"in": 3, "cached": 1}, "price"))
