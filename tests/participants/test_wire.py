"""Every provider's own protocol, spoken to a server on this machine: the form goes out, the reply comes back."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest

from quorate.codec import form_schema
from quorate.core.types import Absent, AbsentReason
from quorate.participants.exchange import Exchange
from quorate.participants.model import ModelParticipant
from quorate.participants.providers import parse_spec
from quorate.participants.wire import structure
from tests.support.provider import GOOD, KEY, OPINION, Act, Fails, Says, Server, ask, participant, request, send

OPENAI_LIKE = (
    ("openai:gpt-5", "native"),
    ("ollama:qwen3", "native"),
    ("groq:openai/gpt-oss-20b", "native"),
    ("groq:llama-3.3-70b-versatile", "tool"),
    ("mistral:mistral-large-latest", "tool"),
)


def as_asked(http: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
    """Reply by the tool where there is one, else in the text."""
    tool = Says(calls=(("reply", GOOD),), finish="tool_calls")
    (tool if "tools" in body else Says(GOOD))(http, body)


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize(("text", "mode"), OPENAI_LIKE)
async def test_providers_that_speak_like_openai(server: Server, text: str, mode: str, stream: bool) -> None:
    spec = parse_spec(f"{text}@{server.url}")
    found = await ask(server.will(as_asked), spec=spec, stream=stream, env={})
    assert (found.reply, found.attempts, found.cost) == (OPINION, 1, 0)
    assert found.tokens_in > 0
    body = server.bodies[0]
    assert ("tools" in body) is (mode == "tool")
    assert 5 in (body.get("seed"), body.get("random_seed"))


def claude(text: str, stop: str) -> Act:
    def act(http: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        content = [{"type": "text", "text": text}] if text else []
        message = {"id": "x", "type": "message", "role": "assistant", "model": "claude-sonnet-5", "content": content}
        usage = {"input_tokens": 50, "output_tokens": 5}
        send(http, 200, message | {"stop_reason": stop, "stop_sequence": None, "usage": usage})

    return act


async def test_anthropic(server: Server) -> None:
    spec = parse_spec(f"anthropic:claude-sonnet-5@{server.url.removesuffix('/v1')}")
    options: dict[str, Any] = {"spec": spec, "stream": False, "env": {"ANTHROPIC_API_KEY": KEY}}
    found = await ask(server.will(claude(GOOD, "end_turn")), **options)
    assert (found.reply, found.tokens_in, found.tokens_out) == (OPINION, 50, 5)
    assert server.paths[0].startswith("/v1/messages")
    assert KEY not in str(server.headers)
    refused = await ask(server.will(claude("", "refusal")), **options)
    assert refused.reply == Absent(AbsentReason.REFUSED)


def gemini(finish: str) -> Act:
    def act(http: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        content = {"role": "model", "parts": [{"text": GOOD}]}
        usage = {"promptTokenCount": 50, "candidatesTokenCount": 5, "totalTokenCount": 55}
        data = {"candidates": [{"content": content, "finishReason": finish}], "usageMetadata": usage}
        if "stream" not in http.path:
            send(http, 200, data)
            return
        http.send_response(200)
        http.send_header("Content-Type", "text/event-stream")
        http.end_headers()
        http.wfile.write(f"data: {json.dumps(data)}\n\n".encode())

    return act


@pytest.mark.parametrize("stream", [True, False])
async def test_google(server: Server, stream: bool) -> None:
    options: dict[str, Any] = {
        "spec": parse_spec(f"google:gemini-2.5-pro@{server.url[:-3]}"),
        "stream": stream,
        "env": {},
    }
    found = await ask(server.will(gemini("STOP")), **options)
    assert (found.reply, found.tokens_in, found.tokens_out) == (OPINION, 50, 5)
    sent = server.bodies[0]["generationConfig"]
    assert sent["responseJsonSchema"]["properties"] == structure(form_schema(type(OPINION), ()))["properties"]
    refused = await ask(server.will(gemini("SAFETY")), **options)
    assert refused.reply == Absent(AbsentReason.REFUSED)


def responses(part: dict[str, Any]) -> Act:
    def act(http: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        message = {"type": "message", "id": "m", "status": "completed", "role": "assistant", "content": [part]}
        usage = {"input_tokens": 50, "output_tokens": 5, "total_tokens": 55}
        details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
        head = {"id": "r", "object": "response", "created_at": 1, "status": "completed", "model": "gpt-5"}
        more = {"output": [message], "parallel_tool_calls": True, "tool_choice": "auto", "tools": []}
        send(http, 200, head | more | {"usage": usage | details})

    return act


async def test_openai_itself(server: Server) -> None:
    """OpenAI's own address cannot be another one, so the exchange is given a model that points here."""
    from pydantic_ai.models.openai import OpenAIResponsesModel
    from pydantic_ai.providers.openai import OpenAIProvider

    who = ModelParticipant(parse_spec("openai:gpt-5"), stream=False, env={})
    model = OpenAIResponsesModel("gpt-5", provider=OpenAIProvider(base_url=server.url, api_key="none"))
    server.will(responses({"type": "output_text", "text": GOOD, "annotations": []}))
    exchange = Exchange(who, model, request(), lambda _: None)
    assert await exchange.run() == (OPINION, "")
    assert (exchange.tokens_in, exchange.tokens_out) == (50, 5)
    assert server.paths == ["/v1/responses"]
    assert server.bodies[0]["text"]["format"]["type"] == "json_schema"
    server.will(responses({"type": "refusal", "refusal": "I will not."}))
    reply, detail = await Exchange(who, model, request(), lambda _: None).run()
    assert reply == Absent(AbsentReason.REFUSED)
    assert "I will not." in detail


@pytest.mark.parametrize(("status", "calls"), [(500, 2), (429, 2), (401, 1)])
@pytest.mark.parametrize("text", ["google:gemini-2.5-pro", "anthropic:claude-sonnet-5", "mistral:m", "groq:g"])
async def test_every_client_is_retried_by_us_alone(server: Server, text: str, status: int, calls: int) -> None:
    who = participant(server.will(Fails(status, "oh no")), spec=parse_spec(f"{text}@{server.url}"), env={}, retries=1)
    found = await who.reply(request(), lambda _: None)
    assert found is not None
    assert (found.reply, found.attempts, len(server.bodies)) == (Absent(AbsentReason.FAILED), calls, calls)
    assert f"{status}: oh no" in found.detail
