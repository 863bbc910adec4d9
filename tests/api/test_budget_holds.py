"""A budget of tokens and the worst case of an estimate hold against models that try to exceed them, in whole sessions.

A real server counts every byte that it is sent, three of them a token, and its model writes as much as it may. The
conversation of one ask is tried on its own in tests/participants/test_exchange_tokens.py.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from quorate import api
from quorate.api.estimate import estimate
from quorate.core.record import Said
from quorate.core.view import estimate_tokens as tokens
from quorate.store.memory import MemoryJournal
from quorate.workspace import Workspace, find_workspace
from tests.support.provider import Server, send

MOST = 2_000
Calls = list[tuple[str, str]]


@pytest.fixture
def server() -> Iterator[Server]:
    found = Server()
    yield found
    found.http.shutdown()
    found.http.server_close()


@pytest.fixture
def context(tmp_path: Path) -> Path:
    folder = tmp_path / "context"
    folder.mkdir()
    (folder / "cjk.txt").write_text("漢字" * 20_000)
    (folder / "small.txt").write_text("Answer within one second.")
    return folder


def many_calls(said: int) -> tuple[str, Calls]:
    return "", [("reply", json.dumps({"x" * 900: 1})), *[("reply", "{}")] * (MOST // 3 - 150)]


def long_words(said: int) -> tuple[str, Calls]:
    return "x" * 3 * MOST, []


def another_script(said: int) -> tuple[str, Calls]:
    return ("", [("read", '{"path": "cjk.txt"}')]) if said == 0 else ("漢" * MOST, [])


def words_beside_looks(said: int) -> tuple[str, Calls]:
    if said > 1:
        return "x" * 3 * MOST, []
    return "x" * 3 * (MOST - 20), [("read", json.dumps({"path": ("small.txt", "cjk.txt")[said]}))]


Attack = Callable[[int], tuple[str, Calls]]
ATTACKS: list[Attack] = [many_calls, long_words, another_script, words_beside_looks]


def acts(attack: Attack) -> Callable[[BaseHTTPRequestHandler, dict[str, Any]], None]:
    def act(http: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        tools = [tool["function"] for tool in body.get("tools") or []]
        read = sum(tokens(json.dumps(tool, ensure_ascii=False)) for tool in tools)
        if body.get("response_format"):
            read += tokens(json.dumps(body["response_format"], ensure_ascii=False))
        for message in body["messages"]:
            read += tokens(message.get("content") or "")
            for call in message.get("tool_calls") or []:
                read += tokens(call["function"]["name"]) + tokens(call["function"]["arguments"])
        said = sum(message["role"] == "assistant" for message in body["messages"])
        words, wanted = attack(said)
        wrote = tokens(words) + sum(tokens(name) + tokens(arguments) for name, arguments in wanted)
        assert wrote <= MOST
        calls = [
            {"id": f"c{said}-{i}", "type": "function", "function": {"name": name, "arguments": arguments}}
            for i, (name, arguments) in enumerate(wanted)
        ]
        message = {"role": "assistant", "content": words or None, "tool_calls": calls or None}
        choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}
        usage = {"prompt_tokens": read, "completion_tokens": wrote, "total_tokens": read + wrote}
        send(
            http,
            200,
            {"id": "x", "created": 1, "model": "m", "object": "chat.completion"}
            | {"choices": [choice], "usage": usage},
        )

    return act


def panel(server: Server) -> dict[str, Any]:
    seat = {
        "model": "openai-compatible:tiny",
        "base_url": server.url,
        "max_tokens": MOST,
        "output": "tool",
        "stream": False,
    }
    return {"default": seat}


def place(folder: Path, *sets: str) -> Workspace:
    return find_workspace(
        folder, {}, store="memory:", sets=("rounds=1", "agents=[architect, security]", *sets), scope="debate"
    )


async def spent(workspace: Workspace, server: Server, context: Path | None) -> Counter[tuple[str, str]]:
    """Run a session and return its tokens by phase and direction."""
    journal = MemoryJournal()
    opened = await api.open_session(
        workspace, journal, "debate", {"problem": "Should we?"}, panel=panel(server), context=context, seed=7
    )
    found: Counter[tuple[str, str]] = Counter()
    for line in (await api.run(workspace, journal, opened)).record.log:
        if isinstance(line, Said):
            found[line.phase.name, "tokens_in"] += line.envelope.tokens_in
            found[line.phase.name, "tokens_out"] += line.envelope.tokens_out
    return found


@pytest.mark.parametrize("looks", [False, True])
@pytest.mark.parametrize("attack", ATTACKS)
async def test_neither_is_exceeded(attack: Attack, looks: bool, tmp_path: Path, server: Server, context: Path) -> None:
    server.will(acts(attack))
    shown = context if looks else None
    inputs = {"problem": "Should we?"} | ({"context": str(context)} if looks else {})
    phases = (await estimate(place(tmp_path), "debate", inputs, panel=panel(server))).phases
    found = await spent(place(tmp_path), server, shown)
    assert found.total() > 4 * MOST
    for (phase, kind), value in found.items():
        assert value <= getattr(phases[phase], kind)
    first = phases["PROPOSAL"]
    for_one = (first.tokens_in + first.tokens_out) // first.asks
    kept = []
    for most in (int(found.total() * 0.4), int(found.total() * 0.9), for_one):
        kept.append((await spent(place(tmp_path, f"budget.tokens={most}"), server, shown)).total())
        assert kept[-1] <= most
    assert kept[-1] > 0, "what one ask can cost lets somebody be asked"
