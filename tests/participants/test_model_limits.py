"""Every limit of a provider's reply against a real HTTP server: what is cut, late or empty is asked for again."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler
from typing import Annotated, Any

import pytest

from quorate.core.forms import AtMost, Prose, Reply
from quorate.core.types import Absent, AbsentReason
from quorate.core.view import estimate_tokens
from quorate.participants.model import Output
from quorate.participants.port import Prompt
from quorate.protocols.debate.rules.model import Proposal
from tests.support.provider import GOOD, OPINION, Act, Says, Server, ask, request, send


@dataclass(frozen=True, slots=True)
class Remark(Reply):
    words: Annotated[Prose, AtMost(400), "what you noticed"]


WHOLE = json.dumps({"reasoning": "One order is a must.", "text": "One queue for each customer."})


def streams(*deltas: dict[str, Any], finish: str | None = "stop", pause: float = 0.0) -> Act:
    """Stream these deltas; without `finish` the connection is closed, after `pause`, as if the server had died."""

    def act(http: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        http.send_response(200)
        http.send_header("Content-Type", "text/event-stream")
        http.end_headers()
        chunks: list[dict[str, Any]] = [
            {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas
        ]
        if finish is not None:
            chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
        for chunk in chunks:
            line: dict[str, Any] = {"id": "x", "created": 1, "model": "m", "object": "chat.completion.chunk", **chunk}
            http.wfile.write(f"data: {json.dumps(line)}\n\n".encode())
            http.wfile.flush()
        time.sleep(pause)
        if finish is not None:
            http.wfile.write(b"data: [DONE]\n\n")

    return act


def text(words: str) -> dict[str, Any]:
    return {"content": words}


# Time


async def test_what_was_said_before_the_time_was_over_is_kept_and_gone_on_from(server: Server) -> None:
    partial = '{"reason": "It is simp'
    found = await ask(server.will(streams(text(partial), finish=None, pause=6), Says(GOOD)), timeout=3)
    assert (found.reply, found.attempts) == (OPINION, 2)
    assert server.said()[2] == ("assistant", partial)
    assert "cut off, for it was not whole after 3 seconds" in server.said()[3][1]
    assert "no whole reply within 3 seconds" in found.detail
    assert found.tokens_out >= 10 + estimate_tokens(partial)


async def test_a_reply_that_is_never_whole_in_time_is_timed_out(server: Server) -> None:
    late = streams(text('{"reason": "It'), finish=None, pause=4)
    found = await ask(server.will(late), timeout=2)
    assert (found.reply, found.attempts) == (Absent(AbsentReason.TIMED_OUT), 3)
    assert "no whole reply within 2 seconds" in found.detail


async def test_the_beginning_of_a_tool_call_is_kept_too(server: Server) -> None:
    call = {
        "index": 0,
        "id": "call-1",
        "type": "function",
        "function": {"name": "reply", "arguments": '{"reason": "It'},
    }
    late = streams({"tool_calls": [call]}, finish=None, pause=6)
    found = await ask(server.will(late, Says(calls=(("reply", GOOD),))), timeout=3, output=Output.TOOL)
    assert found.reply == OPINION
    assert [role for role, _ in server.said()] == ["system", "user", "assistant", "tool"]


def breaks_off(http: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
    http.send_response(200)
    http.send_header("Content-Type", "application/json")
    http.send_header("Content-Length", "1000")
    http.end_headers()
    http.wfile.write(b'{"id": "x", "choices": [{"message": {"content": "')
    http.wfile.flush()
    http.connection.close()


@pytest.mark.parametrize("stream", [True, False])
async def test_a_connection_that_is_lost_in_the_middle_is_no_reply(server: Server, stream: bool) -> None:
    lost = streams(text('{"reason": "It is'), finish=None) if stream else breaks_off
    found = await ask(server.will(lost, Says(GOOD)), stream=stream)
    assert (found.reply, found.attempts) == (OPINION, 2)


# Tokens


async def test_json_that_a_server_has_closed_at_its_limit_is_not_taken_for_whole(server: Server) -> None:
    closed = json.dumps(
        {"reasoning": "One order is a must.", "text": "One queue for each customer and one for the sho"}
    )
    found = await ask(server.will(Says(closed, "length"), Says(WHOLE)), request(Proposal))
    assert isinstance(found.reply, Proposal)
    assert (found.reply.text.text, found.attempts) == ("One queue for each customer.", 2)
    assert "cut off at the limit of 4096 tokens (`max_tokens`)" in server.said()[3][1]
    spaces = await ask(server.will(Says(WHOLE + " " * 500, "length")), request(Proposal))
    assert spaces.attempts == 1, "it is whole, and only white space was cut"


@pytest.mark.parametrize("stream", [True, False])
async def test_thoughts_that_leave_no_room_for_the_reply_are_told_and_not_sent_again(
    server: Server, stream: bool
) -> None:
    thoughts = "Let me think about it once more. " * 30

    def thinks(http: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        if body.get("stream"):
            return streams({"reasoning_content": thoughts}, finish="length")(http, body)
        message = {"role": "assistant", "content": "", "reasoning_content": thoughts}
        choice = {"index": 0, "message": message, "finish_reason": "length"}
        return send(
            http, 200, {"id": "x", "created": 1, "model": "m", "object": "chat.completion", "choices": [choice]}
        )

    found = await ask(server.will(thinks, Says(GOOD)), max_tokens=200, stream=stream)
    assert (found.reply, found.attempts) == (OPINION, 2)
    assert [role for role, _ in server.said()] == ["system", "user"]
    assert "200 tokens (`max_tokens`) was used up by thinking" in server.said()[1][1]
    assert thoughts not in json.dumps(server.bodies[1])


async def test_with_a_window_no_call_asks_for_more_than_it_holds(server: Server) -> None:
    prompt = "word " * 500
    asked = replace(request(), prompt=Prompt("You judge.", prompt))
    bad = "never JSON " * 60
    found = await ask(server.will(Says(bad), Says(bad), Says(GOOD)), asked, window=2_048, max_tokens=4_000)
    assert found.reply == OPINION
    for body in server.bodies:
        sent = sum(estimate_tokens(str(message.get("content"))) for message in body["messages"])
        assert sent + body["max_tokens"] <= 2_048
        assert body["max_tokens"] >= 2_048 // 3 - 1
    assert "Your last reply did not do: " in server.said()[1][1]
    assert "not valid JSON" in server.said()[1][1]


# Texts


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "text: says nothing"),
        ("The proposal, with a last part on which requirements it covers.", "text: only repeats the question"),
        ("See the reasoning.", "text: has 18 characters, and `reasoning`, which nobody is shown, has 576"),
    ],
)
async def test_an_answer_without_its_answer_is_asked_for_again(server: Server, text: str, words: str) -> None:
    thinks = "".join(f"Option {number:>3} is dearer than it looks. " for number in range(16))
    broken = json.dumps({"reasoning": thinks, "text": text})
    found = await ask(server.will(Says(broken), Says(WHOLE)), request(Proposal))
    assert isinstance(found.reply, Proposal)
    assert (found.reply.text.text, found.attempts) == ("One queue for each customer.", 2)
    assert words in server.said()[3][1]


async def test_a_short_text_that_goes_round_in_circles_is_asked_for_again(server: Server) -> None:
    loop = json.dumps({"words": "The queue keeps the order of all events. " * 5})
    plain = json.dumps({"words": "The queue keeps the order."})
    found = await ask(server.will(Says(loop), Says(plain)), request(Remark))
    assert (found.reply, found.attempts) == (Remark(Prose("The queue keeps the order.")), 2)
