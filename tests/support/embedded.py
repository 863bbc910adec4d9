"""What tests of the embedded model share: a small form, a request, and a stand-in for llama.cpp's server."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Any

from quorate.codec import form_schema
from quorate.core.forms import AtMost, Between, Prose, Reply
from quorate.core.types import Ask, AskId, Seat
from quorate.core.view import Section, View
from quorate.participants.port import Prompt, Request

UNEXAMINED = {"QUORATE_EXAMINE_LOCAL": "false"}
"""The environment of a workspace in which the embedded model is seated without sitting its first exam."""


class Stance(Enum):
    ACCEPT = "accept"
    REJECT = "reject"


@dataclass(frozen=True, slots=True)
class Opinion(Reply):
    reason: Annotated[Prose, AtMost(60), "why"]
    stance: Annotated[Stance, "what you think"]
    confidence: Annotated[int, Between(0, 100), "how sure you are"]


def request(
    seed: int = 1, prompt: str = "Should a library lend books by post?", form: type[Reply] = Opinion
) -> Request:
    ask = Ask(AskId("1.0"), Seat("architect"), "opine", form)
    view = View("", (Section("The problem", prompt),))
    schema = form_schema(form, ())
    return Request(ask, view, Prompt("You answer with JSON.", prompt), schema, 1, seed)


def quiet(_: str) -> None:
    return None


class Played:
    """Stands for llama.cpp's server and gives what a model rarely does: (finish reason, text) one after another."""

    listening_address = ""

    def __init__(self, *results: tuple[str, str]) -> None:
        self.results = list(results)
        self.bodies: list[dict[str, Any]] = []

    def handle_chat_completions(self, body: dict[str, Any], take: Callable[[Any], bool]) -> None:
        self.bodies.append(body)
        finish, text = self.results.pop(0)
        if finish == "error":
            take({"error": {"code": 500, "message": text}})
            return
        take({"choices": [{"delta": {"content": text}, "finish_reason": None}]})
        take({"choices": [{"delta": {}, "finish_reason": finish}]})
        take({"choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": 5}})

    def schemas(self) -> list[Any]:
        return [json.loads(body["grammar"]) for body in self.bodies]


def most_characters(text: Mapping[str, str]) -> int:
    return int(text["pattern"].rpartition(",")[2].partition("}")[0])
