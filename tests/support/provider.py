"""A provider on this machine that does what it is told, request by request: replies, streams, faults and silence."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Annotated, Any

from quorate.codec import form_schema
from quorate.core.forms import AtMost, Between, Prose, Reply
from quorate.core.types import Ask, AskId, Seat
from quorate.core.view import View
from quorate.participants.model import ModelParticipant
from quorate.participants.port import Answer, Prompt, Request, Tools
from quorate.participants.providers import ModelSpec

KEY = "sk-one-very-secret-key"


@dataclass(frozen=True, slots=True)
class Opinion(Reply):
    reason: Annotated[Prose, AtMost(300), "why"]
    confidence: Annotated[int, Between(0, 100), "0 to 100"]


GOOD = json.dumps({"reason": "It is simple.", "confidence": 70})
OPINION = Opinion(Prose("It is simple."), 70)


@dataclass(frozen=True)
class Says:
    """A completion, streamed in small pieces where the client asks for a stream."""

    content: str = ""
    finish: str = "stop"
    refusal: str | None = None
    calls: tuple[tuple[str, str], ...] = ()
    cached: int = 0
    """Of the 100 tokens of the prompt, those that were read from a cache."""

    def __call__(self, http: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        calls = [
            {"index": i, "id": f"call-{i}", "type": "function", "function": {"name": name, "arguments": arguments}}
            for i, (name, arguments) in enumerate(self.calls)
        ]
        usage: dict[str, Any] = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
        if self.cached:
            usage["prompt_tokens_details"] = {"cached_tokens": self.cached}
        head = {"id": "x", "created": 1, "model": "m"}
        if not body.get("stream"):
            message = {
                "role": "assistant",
                "content": self.content,
                "refusal": self.refusal,
                "tool_calls": calls or None,
            }
            choice = {"index": 0, "message": message, "finish_reason": self.finish}
            return send(http, 200, head | {"object": "chat.completion", "choices": [choice], "usage": usage})
        deltas: list[dict[str, Any]] = [{"content": self.content[i : i + 7]} for i in range(0, len(self.content), 7)]
        deltas += [{"refusal": self.refusal}] if self.refusal else []
        deltas += [{"tool_calls": calls}] if calls else []
        chunks: list[dict[str, Any]] = [
            {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas
        ]
        chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": self.finish}]})
        chunks.append({"choices": [], "usage": usage})
        http.send_response(200)
        http.send_header("Content-Type", "text/event-stream")
        http.end_headers()
        for chunk in chunks:
            http.wfile.write(f"data: {json.dumps(head | {'object': 'chat.completion.chunk'} | chunk)}\n\n".encode())
            http.wfile.flush()
        http.wfile.write(b"data: [DONE]\n\n")
        return None


@dataclass(frozen=True)
class Fails:
    status: int
    message: str = "something is wrong"
    code: str | None = None
    headers: dict[str, str] = field(default_factory=dict)

    def __call__(self, http: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        send(http, self.status, {"error": {"message": self.message, "code": self.code}}, self.headers)


def hangs(http: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
    time.sleep(1.5)


def drops(http: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
    http.connection.close()


def send(http: BaseHTTPRequestHandler, status: int, data: Any, headers: dict[str, str] | None = None) -> None:
    payload = json.dumps(data).encode()
    http.send_response(status)
    for name, value in {
        "Content-Type": "application/json",
        "Content-Length": str(len(payload)),
        **(headers or {}),
    }.items():
        http.send_header(name, value)
    http.end_headers()
    http.wfile.write(payload)


Act = Callable[[BaseHTTPRequestHandler, dict[str, Any]], None]


class Server:
    """Acts in the order given, and again as the last one did; keeps what it was sent."""

    def __init__(self) -> None:
        self.acts: list[Act] = []
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                server.bodies.append(body)
                server.paths.append(self.path)
                server.headers.append({name.lower(): value for name, value in self.headers.items()})
                server.acts[min(len(server.bodies), len(server.acts)) - 1](self, body)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.http.server_address[1]}/v1"

    def will(self, *acts: Act) -> Server:
        self.acts = list(acts)
        return self

    def said(self, index: int = -1) -> list[tuple[str, Any]]:
        """The conversation of a request, as (role, content)."""
        return [(message["role"], message.get("content")) for message in self.bodies[index]["messages"]]

    def forget(self) -> None:
        self.acts, self.bodies, self.headers, self.paths = [], [], [], []


def fills_in(http: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
    """Answer with the form that is asked for, filled in as plainly as can be."""
    Says(filled_in(body))(http, body)


def filled_in(body: dict[str, Any]) -> str:
    """Return the form that a request asks for, filled in as plainly as can be."""
    return json.dumps(filled(body["response_format"]["json_schema"]["schema"]))


def filled(schema: dict[str, Any]) -> Any:
    """The plainest value of a schema."""
    if "enum" in schema:
        return schema["enum"][0]
    match schema["type"]:
        case "object":
            return {name: filled(each) for name, each in schema["properties"].items()}
        case "array":
            return []
        case "integer":
            return schema["minimum"]
        case "boolean":
            return False
        case _:
            return "some words"


def form_server() -> Iterator[Server]:
    """A server that fills in every form; a test file has it by `server = pytest.fixture(form_server)`."""
    found = Server()
    yield found.will(fills_in)
    found.http.shutdown()
    found.http.server_close()


def request(form: type[Reply] = Opinion, tools: Tools | None = None, system: str = "You judge.") -> Request:
    ask = Ask(AskId("1.0"), Seat("judge"), "evaluate", form)
    return Request(ask, View("", ()), Prompt(system, "Is it good?"), form_schema(form, ()), 1, 2**40 + 5, tools)


def participant(server: Server, **options: Any) -> ModelParticipant:
    given: dict[str, Any] = {
        "spec": ModelSpec("openai-compatible", "tiny", server.url),
        "env": {"QUORATE_KEY_127_0_0_1": KEY, "OPENAI_API_KEY": "sk-not-for-this-server", "QUORATE_OFFLINE": "1"},
        "first_wait": 0.001,
        "timeout": 20,
    }
    return ModelParticipant(**(given | options))


async def ask(server: Server, asked: Request | None = None, **options: Any) -> Answer:
    found = await participant(server, **options).reply(asked or request(), lambda _: None)
    assert found is not None
    return found
