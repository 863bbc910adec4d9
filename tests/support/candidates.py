"""A server on this machine that sits the exam: it knows every item, and judges as it is told."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from math import log
from typing import Any

from quorate.api.exams import papers
from quorate.participants.token_odds import askings
from tests.support.provider import Act, Says, Server, send

PAPERS = papers()
MATTERS = {
    paper.put(twins, good=good): good for paper in PAPERS.values() for twins in paper.items for good in (True, False)
}
QUESTIONS = {asking.text: asking.wording.words for paper in PAPERS.values() for asking in askings(paper.wordings)}


def with_odds(text: str, **chances: float) -> Act:
    """A completion with the alternatives of its first token, as Chat Completions gives them."""

    def act(http: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        top = [{"token": token, "logprob": log(chance), "bytes": None} for token, chance in chances.items()]
        first = {"token": text, "logprob": log(max(chances.values())), "bytes": None, "top_logprobs": top}
        message = {"role": "assistant", "content": text}
        choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": {"content": [first]}}
        head = {"id": "x", "created": 1, "model": "tiny-2026", "object": "chat.completion", "choices": [choice]}
        send(http, 200, head | {"usage": {"prompt_tokens": 9, "completion_tokens": 1, "total_tokens": 10}})

    return act


def judging(well: Callable[[bool], bool], odds: float | None = None) -> Act:
    """Speak for a text where `well` says so of whether it is good; with `odds` as a probability of that answer."""

    def act(http: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        asked = body["messages"][-1]["content"]
        matter = next((matter for matter in MATTERS if asked.startswith(matter)), None)
        if matter is None:  # a form task
            return Says("I would rather not.")(http, body)
        words = QUESTIONS[asked.removeprefix(matter)]
        said, other = words if well(MATTERS[matter]) else words[::-1]
        if odds is None or not body.get("logprobs"):
            return Says(said.capitalize())(http, body)
        return with_odds(said, **{said: odds, other: 1 - odds})(http, body)

    return act


def measuring(chance: Callable[[str], float]) -> Act:
    """Speak for any text with a probability that depends on it, whatever the question."""

    def act(http: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        asked = body["messages"][-1]["content"]
        question = next((each for each in QUESTIONS if asked.endswith(each)), None)
        if question is None:  # a form task
            return Says("I would rather not.")(http, body)
        said, other = QUESTIONS[question]
        odds = chance(asked.removesuffix(question))
        return with_odds(said, **{said: odds, other: 1 - odds})(http, body)

    return act


def candidate_server() -> Iterator[Server]:
    """A server; a test file has it by `server = pytest.fixture(candidate_server)`."""
    found = Server()
    yield found
    found.http.shutdown()
    found.http.server_close()
