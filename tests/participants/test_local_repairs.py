"""The embedded model's reply, part by part: what is whole, written anew, cut at a sentence, and told."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

import pytest

from quorate.codec import reply_to_data
from quorate.core.forms import AtMost, Key, Prose, Refers, Reply
from quorate.core.types import Absent, AbsentReason
from quorate.participants.llama import _ENGINES, End, Engine
from quorate.participants.local import LocalModel
from quorate.participants.port import Answer
from quorate.participants.scribe import Scribe, Unwritten
from quorate.participants.sheet import Sheet
from quorate.protocols.debate.rules.model import Evaluation, Proposal, Synthesis
from tests.support.embedded import Opinion, Played, quiet, request


@dataclass(frozen=True, slots=True)
class Concern:
    words: Annotated[Prose, AtMost(400), "what worries you"]


@dataclass(frozen=True, slots=True)
class Concerns(Reply):
    summary: Annotated[Prose, AtMost(2_000), "what you think"]
    concerns: Annotated[tuple[Concern, ...], AtMost(6), "what has to change; an empty list if nothing"]


@dataclass(frozen=True, slots=True)
class Pick(Reply):
    named: Annotated[tuple[Annotated[Key, Refers()], ...], AtMost(2), "whom you mean"]


@pytest.fixture(scope="module")
def model() -> LocalModel:
    return LocalModel("smollm2")


AT_MOST = re.compile(r"Write now, in plain words, text: [^.]*\. At most ([\d,]+) characters")
FILLED = ("stop", '{"stance": "accept", "confidence": 50}')
WRONG = ("stop", '{"stance": "acept", "confidence": 50}')
FINE = ("stop", "It is fine.")
LOOP = "The members want it so that they can read more. "


async def play(
    model: LocalModel, monkeypatch: pytest.MonkeyPatch, *results: tuple[str, str], form: type[Reply] = Opinion
) -> tuple[Answer, Played]:
    server = Played(*results)
    monkeypatch.setitem(_ENGINES, (model.weights.path, model.window), Engine(server, json.dumps))
    return await model.reply(request(seed=3, form=form), quiet), server


def data_of(answer: Answer) -> dict[str, object]:
    assert not isinstance(answer.reply, Absent), answer.detail
    return reply_to_data(answer.reply)


@pytest.mark.model
async def test_texts_come_first_and_the_closed_fields_are_asked_for_about_them(
    model: LocalModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer, server = await play(model, monkeypatch, FINE, FILLED)
    assert data_of(answer) == {"reason": "It is fine.", "stance": "accept", "confidence": 50}
    assert (answer.attempts, answer.tokens_in, answer.tokens_out, answer.detail) == (1, 20, 10, "")
    text, form = server.bodies
    assert text["grammar"] == ""
    assert "reason: why. At most 60 characters." in text["messages"][-1]["content"]
    assert [each["role"] for each in form["messages"]] == ["system", "user", "assistant", "user"]
    assert form["messages"][-2]["content"] == "It is fine."
    assert set(json.loads(form["grammar"])["properties"]) == {"stance", "confidence"}
    assert all(body["cache_prompt"] for body in server.bodies)


@pytest.mark.model
@pytest.mark.parametrize("nothing", ["", "# Proposal", LOOP * 4, "The members want books, and"])
async def test_a_text_that_says_nothing_is_written_anew(
    model: LocalModel, monkeypatch: pytest.MonkeyPatch, nothing: str
) -> None:
    parts = [("stop", "They want books."), ("stop", nothing), ("stop", "Lend them by post.")]
    answer, server = await play(model, monkeypatch, *parts, form=Proposal)
    assert data_of(answer)["text"] == "Lend them by post."
    assert "text: a text that" in answer.detail
    assert [body["seed"] for body in server.bodies] == [3, 3, 4]


@pytest.mark.model
async def test_what_is_only_repeated_is_left_out_where_nothing_better_comes(
    model: LocalModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = [("stop", "They want books."), ("stop", "Lend them. " + LOOP * 5), ("stop", LOOP * 4)]
    answer, _ = await play(model, monkeypatch, *parts, form=Proposal)
    assert data_of(answer)["text"] == f"Lend them. {LOOP.strip()}"
    assert "what it only repeated was left out" in answer.detail


@pytest.mark.model
@pytest.mark.parametrize("finish", ["length", "stop"])
async def test_a_text_at_its_limit_ends_with_a_whole_sentence_and_says_so(
    model: LocalModel, monkeypatch: pytest.MonkeyPatch, finish: str
) -> None:
    long = "".join(f"Shelf {n} is for the readers of town number {n}. " for n in range(40))[:1_190]
    assert not long.endswith(". ")
    answer, _ = await play(model, monkeypatch, (finish, long), ("stop", '{"confidence": 5}'), form=Evaluation)
    reason = str(data_of(answer)["reason"])
    assert reason.endswith(".")
    assert 400 < len(reason) <= 900
    assert "reason: met its limit of 900 characters" in answer.detail


@pytest.mark.model
async def test_the_model_s_own_labels_are_no_part_of_a_text(model: LocalModel, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = [("stop", "## Reasoning\n\nThey want books.\n\n## Text\nLend"), ("stop", "**Text:** Lend them by post.")]
    answer, _ = await play(model, monkeypatch, *parts, form=Proposal)
    assert (data_of(answer)["reasoning"], data_of(answer)["text"]) == ("They want books.", "Lend them by post.")


@pytest.mark.model
async def test_fences_of_the_prompt_are_not_copied_into_a_text(
    model: LocalModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    copied = "<<data 45f4c0f1 The problem>>\n\nThey want books.\n<<end 45f4c0f1>>"
    answer, _ = await play(model, monkeypatch, ("stop", copied), ("stop", "Lend them."), form=Proposal)
    assert (data_of(answer)["reasoning"], data_of(answer)["text"]) == ("They want books.", "Lend them.")


@pytest.mark.model
async def test_a_list_goes_on_for_as_long_as_the_model_says_that_there_is_more(
    model: LocalModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    yes, no = ("stop", "yes"), ("stop", "no")
    parts = [("stop", "One thing."), yes, ("stop", "It costs postage."), no]
    answer, server = await play(model, monkeypatch, *parts, form=Concerns)
    assert data_of(answer)["concerns"] == [{"words": "It costs postage."}]
    assert server.bodies[1]["grammar"] == 'root ::= "yes" | "no"'
    parts = [("stop", "Two things."), yes, ("stop", "It costs postage."), yes, ("stop", "Books get lost.")]
    answer, server = await play(model, monkeypatch, *parts, form=Concerns)
    assert len(data_of(answer)["concerns"]) == model.fit.entries == 2  # type: ignore[arg-type]
    assert len(server.bodies) == 5


@pytest.mark.model
async def test_a_list_ends_where_an_entry_says_nothing_new(model: LocalModel, monkeypatch: pytest.MonkeyPatch) -> None:
    yes = ("stop", "yes")
    parts = [("stop", "One thing."), yes, ("stop", "It costs postage."), yes, ("stop", "It costs postage.")]
    answer, _ = await play(model, monkeypatch, *parts, form=Concerns)
    assert len(data_of(answer)["concerns"]) == 1  # type: ignore[arg-type]


@pytest.mark.model
async def test_a_form_without_any_text_is_one_call(model: LocalModel, monkeypatch: pytest.MonkeyPatch) -> None:
    answer, server = await play(model, monkeypatch, ("stop", '{"named": []}'), form=Pick)
    assert (data_of(answer), len(server.bodies)) == ({"named": []}, 1)


@pytest.mark.model
async def test_closed_fields_that_do_not_fit_are_asked_for_again_with_their_problems(
    model: LocalModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer, server = await play(model, monkeypatch, FINE, WRONG, FILLED)
    assert data_of(answer)["stance"] == "accept"
    assert answer.attempts == 2
    assert "did you mean 'accept'" in server.bodies[2]["messages"][-1]["content"]


@pytest.mark.model
@pytest.mark.parametrize("bad", [WRONG, ("length", '{"stance": "acc'), ("stop", "{}")])
async def test_after_two_repairs_it_is_malformed_and_says_why(
    model: LocalModel, monkeypatch: pytest.MonkeyPatch, bad: tuple[str, str]
) -> None:
    answer, server = await play(model, monkeypatch, FINE, bad, bad, bad)
    assert answer.reply == Absent(AbsentReason.MALFORMED)
    assert (answer.attempts, len(server.bodies)) == (3, 4)
    assert answer.detail


@pytest.mark.model
@pytest.mark.parametrize("bad", [("error", "out of memory"), ("strange", "")])
async def test_an_engine_that_fails_is_a_failure_and_not_asked_again(
    model: LocalModel, monkeypatch: pytest.MonkeyPatch, bad: tuple[str, str]
) -> None:
    answer, server = await play(model, monkeypatch, bad)
    assert (answer.reply, len(server.bodies)) == (Absent(AbsentReason.FAILED), 1)
    assert bad[1] in answer.detail
    assert answer.detail


@pytest.mark.model
async def test_the_oldest_parts_are_forgotten_before_the_window_is_full(
    model: LocalModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise llama.cpp refuses the prompt, and the whole reply is lost."""
    small = LocalModel("smollm2", window=512)
    long = "".join(f"Shelf {n} is for the readers of town number {n}. " for n in range(9))
    yes = ("stop", "yes")
    parts = [("stop", long)] + [p for n in range(4) for _ in (0, 1) for p in (yes, ("stop", f"Entry {n} {_}."))]
    monkeypatch.setattr("quorate.participants.local.TINY", model.fit)
    server = Played(*parts, *[("stop", '{"confidence": 5}')] * 4)
    monkeypatch.setitem(_ENGINES, (small.weights.path, small.window), Engine(server, json.dumps))
    answer = await small.reply(request(seed=3, form=Synthesis), quiet)
    assert data_of(answer)["confidence"] == 5
    sizes = [sum(len(each["content"]) for each in body["messages"]) for body in server.bodies]
    assert max(sizes) <= 512 * 3
    assert all("lend books by post" in body["messages"][1]["content"] for body in server.bodies)


def scribe_of(server: Played, clock: Callable[[], float], form: type[Reply] = Proposal, most: int = 10_000) -> Scribe:
    """A scribe with a clock that the test sets."""
    return Scribe(
        engine=Engine(server, json.dumps),
        request=request(seed=3, form=form),
        sheet=Sheet(form, (), 3_000),
        window=4096,
        sampling={},
        seed=3,
        timeout=1_000,
        say=quiet,
        stop=threading.Event(),
        allowance=most,
        clock=clock,
    )


class Slow(Played):
    """As `Played`, and every piece of a text takes this many seconds; the text comes in pieces of a sentence."""

    def __init__(self, seconds: float, *results: tuple[str, str]) -> None:
        super().__init__(*results)
        self.seconds, self.now = seconds, 0.0
        self.pieces = re.compile(r"[^.]+\.?")

    def handle_chat_completions(self, body: dict[str, Any], take: Callable[[Any], bool]) -> None:
        self.bodies.append(body)
        finish, text = self.results.pop(0)
        for piece in self.pieces.findall(text):
            if take({"choices": [{"delta": {"content": piece}, "finish_reason": None}]}):
                return
            self.now += self.seconds
        take({"choices": [{"delta": {}, "finish_reason": finish}]})
        take({"choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": 5}})


def test_texts_are_shorter_where_the_time_that_is_left_is_short() -> None:
    """Each may use half of it at the pace so far, so the closed fields are filled in before the time is over."""
    server = Slow(90, ("stop", "They want books."), ("stop", "Lend them by post."))
    scribe = scribe_of(server, lambda: server.now)
    assert scribe.written() == {"reasoning": "They want books.", "text": "Lend them by post."}
    assert scribe.notes == ["text: the time was short, so its limit was 120 characters"]
    assert "At most 120 characters." in server.bodies[1]["messages"][-1]["content"]


def test_what_was_written_when_its_time_is_over_is_kept_to_its_last_sentence() -> None:
    """No text takes more than half of the time that is left, so the rest of the reply still comes about."""
    many = "".join(f" Shelf {n} is for town number {n}." for n in range(20))
    server = Slow(60, ("stop", many), ("stop", '{"confidence": 5}'))
    scribe = scribe_of(server, lambda: server.now, form=Evaluation)
    reason = scribe.written()["reason"]
    assert reason.startswith("Shelf 0 is for town number 0. Shelf 1")
    assert reason.endswith(".")
    assert 1 < reason.count("Shelf") < 12
    assert scribe.notes == ["reason: its time was over, and it ends with its last whole sentence"]
    assert scribe.filled({"reason": reason}) == {"confidence": 5}
    assert server.now < 1_000


def test_a_text_that_meets_its_limit_is_asked_for_its_end() -> None:
    long = "".join(f"Shelf {n} is for the readers of town number {n}. " for n in range(90))
    end = "Begin with the first shelf, and measure for a month."
    server = Slow(0.01, ("stop", "They want books."), ("length", long + "\n\n5. **Next steps**:"), ("stop", end))
    scribe = scribe_of(server, lambda: server.now)
    text = scribe.written()["text"]
    told = next(
        int(found[1].replace(",", "")) for found in [AT_MOST.search(str(server.bodies[1]["messages"]))] if found
    )
    assert text.endswith(f".\n\n{end}")
    assert len(text) <= told + 2
    assert f"text: met its limit of {told:,} characters and was asked for its end" in scribe.notes
    assert [each["role"] for each in server.bodies[2]["messages"][-3:]] == ["user", "assistant", "user"]


@pytest.mark.parametrize(
    "echo", ["The proposal, with a last part on which requirements it covers.", "At most 2,500 characters."]
)
def test_a_text_that_only_repeats_the_question_is_written_anew(echo: str) -> None:
    server = Slow(0.01, ("stop", "They want books."), ("stop", echo), ("stop", "Lend them by post."))
    scribe = scribe_of(server, lambda: server.now)
    assert scribe.written()["text"] == "Lend them by post."
    assert "What you wrote only repeats the question: write it anew" in str(server.bodies[2]["messages"][-1])
    assert scribe.notes == ["text: a text that only repeats the question was written anew"]
    stubborn = Slow(0.01, ("stop", "They want books."), ("stop", echo), ("stop", echo))
    scribe = scribe_of(stubborn, lambda: stubborn.now)
    assert scribe.written()["text"] == ""
    assert scribe.notes[0].endswith("was written anew, and it still only repeats the question")


def test_an_entry_that_says_only_what_was_asked_for_ends_the_list_and_is_told() -> None:
    yes, no = ("stop", "yes"), ("stop", "no")
    echo = ("stop", "what is given up for what.")
    lists = [yes, echo, echo, no, no, no]
    server = Slow(0.01, ("stop", "Lend the books by post."), *lists)
    scribe = scribe_of(server, lambda: server.now, form=Synthesis)
    assert scribe.written()["tradeoffs"] == []
    assert scribe.notes[1:] == ["tradeoffs: entry 1 said nothing new and was left out"]
    assert "was written anew, and it still only repeats the question" in scribe.notes[0]


def test_a_reply_takes_no_more_tokens_than_were_reserved_for_it() -> None:
    server = Slow(0.01, ("stop", "They want books."), ("stop", "Lend them."))
    scribe = scribe_of(server, lambda: server.now, most=1_000)
    with pytest.raises(Unwritten) as raised:
        scribe.written()
    assert raised.value.made.end is End.FAILED
    assert raised.value.made.error == "its parts need more than the 1,000 tokens reserved"
    assert scribe.tokens_in + scribe.tokens_out <= 1_000


def test_where_not_one_sentence_came_in_time_there_is_no_reply() -> None:
    endless = "They want the books, and the books that others have read, and those that nobody has read yet, " * 20
    server = Slow(600, ("stop", endless))
    server.pieces = re.compile(r".{1,40}")
    scribe = scribe_of(server, lambda: server.now, form=Evaluation)
    with pytest.raises(Unwritten) as raised:
        scribe.written()
    assert raised.value.made.end is End.TIMED_OUT
