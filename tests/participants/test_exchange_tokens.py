"""No conversation costs more than was reserved for it, however hard a model tries: three bytes are a token.

Conversations are drawn and driven through the real exchange, and the worst that are known over a real HTTP server. Both
count every byte that is sent: prompt, form, tools, what was said before, what looks have shown and what was to mend.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.usage import RequestUsage

from quorate.core.types import Absent, AbsentReason
from quorate.core.view import estimate_tokens as tokens
from quorate.participants.exchange import REPAIR_TOKENS, Exchange
from quorate.participants.looks import LOOK_TOKENS, LOOKS, MOST_CALLS, TOOL_TOKENS
from quorate.participants.model import ModelParticipant, Output
from quorate.participants.port import Request
from quorate.participants.providers import ModelSpec
from quorate.participants.tools import ContextFolder
from quorate.participants.wire import form_tokens
from tests.support.provider import GOOD, Opinion, Says, Server, participant, request, send

BIG = '{"path": "big.txt"}'
FILES = {
    "big.txt": "word " * 40_000,
    "cjk.txt": "漢字" * 10_000,
    "hidden.txt": "a\u200bb" * 20_000,  # each is shown as sixteen characters
    "small.txt": "Orders must be answered in one second.",
}


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory) -> ContextFolder:
    folder = tmp_path_factory.mktemp("context")
    for name, text in FILES.items():
        (folder / name).write_text(text)
    return ContextFolder(folder)


@dataclass(frozen=True)
class Turn:
    """What a model writes at once: words, and calls of tools."""

    words: str = ""
    calls: tuple[tuple[str, str], ...] = ()

    def within(self, most: int) -> Turn:
        """As much of it as has so many tokens."""
        left = most
        calls: list[tuple[str, str]] = []
        for name, arguments in self.calls:
            left -= tokens(name) + tokens(arguments)
            if left < 0:
                return Turn("", tuple(calls))
            calls.append((name, arguments))
        return Turn(self.words.encode()[: 3 * left].decode(errors="ignore"), tuple(calls))

    @property
    def tokens(self) -> int:
        return tokens(self.words) + sum(tokens(name) + tokens(arguments) for name, arguments in self.calls)


def most_for(who: ModelParticipant, asked: Request) -> int:
    """What is reserved for an ask."""
    prompt = tokens(asked.prompt.system) + tokens(asked.prompt.user) + form_tokens(asked.schema)
    return who.most_tokens(prompt, asked.repairs, looks=asked.tools is not None)


# Drawn conversations


def model_of(turns: list[Turn], *, tells: bool) -> FunctionModel:
    """A model that takes its turns, the last again and again, and counts what it is sent."""
    waiting: Iterator[Turn] = iter([*turns, *[turns[-1]] * 20])

    async def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        read = tokens(str(getattr(messages[0], "instructions", "") or ""))
        for part in (part for each in messages for part in each.parts):
            if isinstance(part, ToolCallPart):
                read += tokens(part.tool_name) + tokens(part.args_as_json_str())
            else:
                read += tokens(str(part.content))  # type: ignore[union-attr]
        for tool in (*info.function_tools, *info.output_tools):
            described = (tool.name, tool.description, tool.parameters_json_schema)
            read += tokens(json.dumps(described, ensure_ascii=False, separators=(",", ":")))
        turn = next(waiting)
        calls = [ToolCallPart(name, arguments, f"c{i}") for i, (name, arguments) in enumerate(turn.calls)]
        told: dict[str, Any] = (
            {"input_tokens": read, "output_tokens": turn.tokens} if tells else {"details": {"untold": 1}}
        )
        return ModelResponse([TextPart(turn.words), *calls], usage=RequestUsage(**told), finish_reason="stop")

    return FunctionModel(answer, model_name="drawn")


async def spent(turns: list[Turn], asked: Request, most: int, output: Output = Output.TOOL, tells: bool = True) -> int:
    """Drive one conversation to its end; a model that tells no usage is counted by what was said."""
    who = ModelParticipant(ModelSpec("openai", "drawn"), max_tokens=most, stream=False, output=output, env={})
    exchange = Exchange(who, model_of([turn.within(most) for turn in turns], tells=tells), asked, lambda _: None)
    await exchange.run()
    found = exchange.tokens_in + exchange.tokens_out
    assert found <= most_for(who, asked)
    return found


SCRIPTS = st.sampled_from(("x", "漢", '"', "\\", "\n", "ß ", "\x01"))
WORDS = st.builds(lambda text, times: text * times, SCRIPTS, st.integers(0, 6_000))
ARGUMENTS = st.one_of(
    st.sampled_from(("", "{", "{}", "[]", '{"path": 1}', GOOD, json.dumps({"path": "."}), '{"term": "w"}')),
    st.sampled_from(sorted(FILES)).map(lambda name: json.dumps({"path": name})),
    WORDS,
    WORDS.map(lambda text: json.dumps({text[:2_000]: 1}, ensure_ascii=False)),
    st.integers(1, 400).map(lambda times: f'{{"a":[{"1e5," * times}1]}}'),
)
NAMES = st.sampled_from(("reply", "read", "read", "list", "search", "strange"))
CALLS = st.one_of(
    st.lists(st.tuples(NAMES, ARGUMENTS), max_size=12).map(tuple),
    st.builds(lambda call, times: (call,) * times, st.tuples(NAMES, ARGUMENTS), st.integers(1, 900)),
)
TURNS = st.lists(st.builds(Turn, WORDS, CALLS), min_size=1, max_size=14)


@settings(max_examples=120)
@given(
    turns=TURNS,
    most=st.integers(16, 4_000),
    repairs=st.integers(0, 2),
    looks=st.booleans(),
    output=st.sampled_from((Output.TOOL, Output.PROMPTED)),
    tells=st.booleans(),
)
def test_no_conversation_costs_more_than_was_reserved(
    context: ContextFolder, turns: list[Turn], most: int, repairs: int, looks: bool, output: Output, tells: bool
) -> None:
    asked = replace(request(tools=context if looks else None), repairs=repairs)
    assert asyncio.run(spent(turns, asked, most, output, tells)) > 0


@settings(max_examples=80)
@given(
    beside=st.lists(st.tuples(st.integers(0, 2_000), st.sampled_from(sorted(FILES))), max_size=11),
    small=st.lists(st.integers(0, 2_000), max_size=4),
    most=st.integers(500, 2_000),
    before=st.integers(0, 2),
)
def test_no_looks_cost_more_than_was_reserved(
    context: ContextFolder, beside: list[tuple[int, str]], small: list[int], most: int, before: int
) -> None:
    """Malformed replies before them and after them, and words beside each of them; the last shows all that it may."""
    full = Turn("x" * 3 * most)
    seen = [*[(words, "small.txt") for words in small], *beside, (0, "big.txt")]
    looking = [Turn("y" * 3 * words, (("read", json.dumps({"path": name})),)) for words, name in seen]
    asyncio.run(spent([*[full] * before, *looking, full], request(tools=context), most))


async def test_what_is_reserved_is_not_far_above_the_worst_that_can_be(context: ContextFolder) -> None:
    most = 4_000
    full = Turn("x" * 3 * most)
    asked = request()
    who = ModelParticipant(ModelSpec("openai", "drawn"), max_tokens=most, env={})
    assert await spent([full], asked, most) > 0.95 * most_for(who, asked)
    asked = request(tools=context)
    half = Turn("x" * 3 * (most // 2 - 20), (("read", BIG),))
    assert await spent([half, half, full], asked, most) > 0.9 * most_for(who, asked)


# The worst that are known, over HTTP


def counted(body: dict[str, Any]) -> int:
    """The tokens of a request: all its texts, the form and the tools."""
    found = sum(tokens(json.dumps(tool["function"], ensure_ascii=False)) for tool in body.get("tools") or [])
    if body.get("response_format"):
        found += tokens(json.dumps(body["response_format"], ensure_ascii=False))
    for message in body["messages"]:
        found += tokens(message.get("content") or "")
        for call in message.get("tool_calls") or []:
            found += tokens(call["function"]["name"]) + tokens(call["function"]["arguments"])
    return found


def says(turn: Turn) -> Any:
    def act(http: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        calls = [
            {"id": f"c{i}", "type": "function", "function": {"name": name, "arguments": arguments}}
            for i, (name, arguments) in enumerate(turn.calls)
        ]
        message = {"role": "assistant", "content": turn.words or None, "tool_calls": calls or None}
        choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}
        usage = {"prompt_tokens": counted(body), "completion_tokens": turn.tokens, "total_tokens": 0}
        head = {"id": "x", "created": 1, "model": "m", "object": "chat.completion"}
        send(http, 200, head | {"choices": [choice], "usage": usage})

    return act


MOST = 8_192
TALK = "x" * 3 * (MOST - 20)
ATTACKS = {
    "many calls": [Turn(calls=(("reply", json.dumps({"x" * 900: 1})), *[("reply", "{}")] * 1_800))],
    "long words": [Turn("x" * 3 * MOST)],
    "problems in another script": [Turn(json.dumps({"漢" * 1_500: 1}, ensure_ascii=False))],
    "quotes that are quoted": [Turn(calls=(("reply", '"' * 3 * (MOST - 2)),))],
    "a file in another script": [Turn(calls=(("read", '{"path": "cjk.txt"}'),)), Turn("no")],
    "a file of hidden characters": [Turn(calls=(("read", '{"path": "hidden.txt"}'),)), Turn("x" * 3 * MOST)],
    "words beside looks": [
        Turn(TALK, (("read", '{"path": "small.txt"}'),)),
        Turn(TALK, (("read", BIG),)),
        Turn("x" * 3 * MOST),
    ],
    "many looks at once": [Turn(calls=(("read", BIG),) * MOST_CALLS), Turn(calls=(("list", "{}"),) * 1_000)],
}


@pytest.mark.parametrize("output", [None, Output.TOOL, Output.PROMPTED], ids=["native", "tool", "prompted"])
@pytest.mark.parametrize("attack", ATTACKS)
async def test_no_attack_costs_more_than_was_reserved(
    attack: str, output: Output | None, server: Server, context: ContextFolder
) -> None:
    looking = any(name != "reply" for turn in ATTACKS[attack] for name, _ in turn.calls)
    asked = request(tools=context if looking else None)
    who = participant(server, stream=False, output=output, max_tokens=MOST)
    server.will(*[says(turn.within(MOST)) for turn in ATTACKS[attack]])
    found = await who.reply(asked, lambda _: None)
    assert found is not None
    assert found.reply == Absent(AbsentReason.MALFORMED)
    assert found.attempts >= 3
    assert found.tokens_in == sum(map(counted, server.bodies))
    assert found.tokens_in + found.tokens_out <= most_for(who, asked)


@pytest.mark.parametrize("stream", [True, False])
async def test_what_is_wrong_is_said_once_and_only_some_calls_are_kept(server: Server, stream: bool) -> None:
    many = Says(calls=(("reply", GOOD),) * 1_025)
    found = await participant(server.will(many, Says(calls=(("reply", GOOD),))), stream=stream).reply(
        request(), lambda _: None
    )
    assert found is not None
    assert isinstance(found.reply, Opinion), "one call is enough, and was asked for"
    assert (found.attempts, found.detail) == (2, "repaired 1 time")
    told = [text for role, text in server.said() if role == "tool"]
    assert len(told) == MOST_CALLS == len(server.bodies[-1]["messages"][2]["tool_calls"])
    assert "it makes 1,025 tool calls; expected at most 20" in told[0]
    assert set(told[1:]) == {"See above."}


async def test_a_list_of_problems_is_cut_by_its_bytes(server: Server) -> None:
    bad = Says(json.dumps({"漢" * 1_500: 1}, ensure_ascii=False))
    await participant(server.will(bad)).reply(request(), lambda _: None)
    _, told = server.said()[3]
    assert REPAIR_TOKENS // 4 < tokens(told) <= REPAIR_TOKENS
    assert told.endswith("mend this.")


@pytest.mark.parametrize("name", sorted(FILES))
async def test_looks_are_cut_by_their_bytes(name: str, server: Server, context: ContextFolder) -> None:
    look = Says(calls=(("read", json.dumps({"path": name})),) * 3)
    await participant(server.will(look, Says(GOOD))).reply(request(tools=context), lambda _: None)
    shown = sum(tokens(text) for role, text in server.said() if role == "tool")
    assert shown <= LOOK_TOKENS - TOOL_TOKENS
    assert shown > (LOOK_TOKENS * 0.8 if name != "small.txt" else 30)


async def test_looks_end_where_the_words_beside_them_are_too_many(server: Server, context: ContextFolder) -> None:
    talks = says(Turn("x" * 1_200, (("list", "{}"),)))
    who = participant(server.will(talks), stream=False, max_tokens=1_000)
    found = await who.reply(request(tools=context), lambda _: None)
    assert found is not None
    assert "no more looks" in found.detail
    assert found.attempts == 2 + 3 < LOOKS, "two looks with 400 tokens of words each, then the reply and its repairs"


async def test_the_tools_are_described_in_no_more_than_is_counted(server: Server, context: ContextFolder) -> None:
    for output in (None, Output.TOOL, Output.PROMPTED):
        who = participant(server.will(Says(GOOD, calls=())), output=output)
        await who.reply(request(tools=context), lambda _: None)
        prompt = request().prompt
        beside = counted(server.bodies[-1]) - tokens(prompt.system) - tokens(prompt.user)
        assert beside <= form_tokens(request().schema) + TOOL_TOKENS


def test_the_reservation_of_a_model_counts_its_form(tmp_path: Path) -> None:
    from quorate.runtime.asks import worst_of

    who = ModelParticipant(ModelSpec("openai", "drawn"), env={})
    for asked in (request(), request(tools=ContextFolder(tmp_path))):
        assert worst_of(who, asked)[-1].tokens == most_for(who, asked)
