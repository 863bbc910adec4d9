"""The embedded model: a real one, held to its form, the same for the same seed, and stopped when it should stop."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from dataclasses import replace
from pathlib import Path

import pytest

from quorate.codec import form_schema, reply_to_data
from quorate.core.errors import InputError
from quorate.core.forms import Key
from quorate.core.types import Absent, AbsentReason, Ask, AskId, Seat
from quorate.core.view import Section, View
from quorate.participants.llama import RANDOM_SEED, End, Generated, Job, engine_for, threads
from quorate.participants.local import TINY, LocalModel, fit_of
from quorate.participants.port import Participant, Request
from quorate.participants.prompt import render
from quorate.participants.weights import Weights
from quorate.protocols.debate.rules.model import Critiques, Proposal, Refinement, Synthesis
from tests.support.embedded import Opinion, quiet, request

KEYS = (Key("proposal-1"), Key("proposal-2"))
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def model() -> LocalModel:
    return LocalModel("smollm2")


# What it is


@pytest.mark.model
def test_it_is_a_participant_that_costs_nothing(model: LocalModel) -> None:
    seat: Participant = model
    assert (seat.name, seat.provider, seat.concurrency, seat.window) == ("local:smollm2", "local", 1, 4096)
    assert seat.price(10_000, 10_000) == 0
    assert 400 < seat.most_tokens(400) <= 4 * 4096
    assert threads() == len(os.sched_getaffinity(0))


def test_a_model_that_is_not_there_is_refused_before_anything_starts() -> None:
    with pytest.raises(InputError, match="did you mean 'smollm2'"):
        LocalModel("smollm")


def test_the_window_of_other_files_is_what_they_were_trained_for_up_to_a_limit() -> None:
    weights = Weights("/m.gguf", Path("/m.gguf"), 131_072)
    assert fit_of(weights).window == 8192
    assert fit_of(weights, 32_768).window == 32_768
    assert fit_of(replace(weights, trained=2048), 4096).window == 2048
    assert fit_of(replace(weights, name="qwen2.5-coder-0.5b")) == fit_of(weights), "only smollm2 is tiny"
    assert fit_of(replace(weights, name="smollm2"), 2048) == replace(TINY, window=2048)


# A real reply


@pytest.mark.model
async def test_it_answers_in_the_form_streams_and_counts(model: LocalModel) -> None:
    pieces: list[str] = []
    answer = await model.reply(request(), pieces.append)
    assert isinstance(answer.reply, Opinion)
    assert answer.reply.reason.text
    said = "".join(pieces)
    assert said.startswith("## reason\n\n")
    assert answer.reply.reason.text.removesuffix(" …") in said
    assert (answer.model, answer.cost, answer.attempts) == ("local:smollm2", 0, 1)
    assert answer.tokens_in > 10
    assert answer.tokens_out > 5
    assert len(pieces) > 5


@pytest.mark.model
async def test_the_same_seed_gives_the_same_text_whatever_ran_before_and_in_another_process(model: LocalModel) -> None:
    first = await model.reply(request(seed=7), quiet)
    await model.reply(request(seed=8, prompt="Should a library lend books by post? And bicycles?"), quiet)
    again = await model.reply(request(seed=7), quiet)
    other = await model.reply(request(seed=9), quiet)
    assert (first.reply, first.tokens_out) == (again.reply, again.tokens_out)
    assert other.reply != first.reply
    code = (
        "import asyncio, json\n"
        "from quorate.participants.local import LocalModel\n"
        "from quorate.codec import reply_to_data\n"
        "from tests.support.embedded import quiet, request\n"
        "found = asyncio.run(LocalModel('smollm2').reply(request(seed=7), quiet))\n"
        "print(json.dumps(reply_to_data(found.reply)))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert not isinstance(first.reply, Absent)
    assert json.loads(done.stdout) == reply_to_data(first.reply)


@pytest.mark.model
async def test_a_seed_of_any_size_is_kept_away_from_the_one_that_means_random(model: LocalModel) -> None:
    big = await model.reply(request(seed=RANDOM_SEED), quiet)
    same = await model.reply(request(seed=0), quiet)
    assert big.reply == same.reply


@pytest.mark.model
async def test_it_leaves_the_event_loop_free_and_answers_one_at_a_time(model: LocalModel) -> None:
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            ticks += 1
            await asyncio.sleep(0.005)

    ticking = asyncio.create_task(tick())
    answers = await asyncio.gather(*(model.reply(request(seed=n), quiet) for n in (1, 2)))
    ticking.cancel()
    assert ticks > 20
    alone = await model.reply(request(seed=2), quiet)
    assert answers[1].reply == alone.reply


# Stopping


@pytest.mark.model
async def test_a_reply_that_takes_too_long_is_stopped_and_timed_out(model: LocalModel) -> None:
    hasty = LocalModel("smollm2", timeout=0.05)
    answer = await hasty.reply(request(prompt="Tell a long story. " * 20, form=Synthesis), quiet)
    assert answer.reply == Absent(AbsentReason.TIMED_OUT)
    assert "no whole reply within 0.05 s" in answer.detail
    await assert_idle(model)


@pytest.mark.model
async def test_cancelling_the_task_stops_the_engine_and_the_talking(model: LocalModel) -> None:
    pieces: list[str] = []
    begun = asyncio.Event()

    def say(piece: str) -> None:
        pieces.append(piece)
        begun.set()

    task = asyncio.create_task(model.reply(request(form=Synthesis), say))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    spoken = len(pieces)
    await assert_idle(model)
    assert len(pieces) == spoken


async def assert_idle(model: LocalModel) -> None:
    """The queue has one thread: what is given to it now runs when the generation before has ended."""
    engine = engine_for(model.weights.path, model.window)
    await asyncio.wait_for(asyncio.wrap_future(engine.queue.submit(lambda: None)), timeout=10)


@pytest.mark.model
def test_a_generation_that_is_stopped_before_it_begins_does_nothing(model: LocalModel) -> None:
    stop = threading.Event()
    stop.set()
    engine = engine_for(model.weights.path, model.window)
    job = Job((("user", "Hello"),), 1, 10, 60, form_schema(Opinion, ()))
    assert engine.generate(job, quiet, stop) == Generated(End.STOPPED)


@pytest.mark.model
async def test_a_real_reply_that_runs_out_of_tokens_is_noticed(model: LocalModel) -> None:
    engine = engine_for(model.weights.path, model.window)
    job = Job((("user", "Tell a story."),), 1, 4, 60, form_schema(Opinion, ()))
    made = engine.generate(job, quiet, threading.Event())
    assert (made.end, made.tokens_out) == (End.CUT, 4)


@pytest.mark.model
async def test_a_prompt_that_is_longer_than_the_window_is_a_failure_with_both_numbers(model: LocalModel) -> None:
    answer = await model.reply(request(prompt="word " * 5_000), quiet)
    assert answer.reply == Absent(AbsentReason.FAILED)
    assert "4096" in answer.detail


async def test_a_file_that_only_looks_like_a_model_is_a_failure_in_words(tmp_path: Path) -> None:
    import struct

    name = b"llama.context_length"
    header = b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + struct.pack("<Q", len(name)) + name + struct.pack("<II", 4, 512)
    (tmp_path / "fake.gguf").write_bytes(header)
    answer = await LocalModel(str(tmp_path / "fake.gguf")).reply(request(), quiet)
    assert answer.reply == Absent(AbsentReason.FAILED)
    assert "cannot load the model" in answer.detail
    assert "fake.gguf" in answer.detail


# Manners


@pytest.mark.model
async def test_nobody_else_on_this_machine_can_use_it_or_read_its_prompts(model: LocalModel) -> None:
    await model.reply(request(), quiet)
    address = engine_for(model.weights.path, model.window).address
    assert address.startswith("http://127.0.0.1:")
    for path in ("/slots", "/props", "/metrics", "/v1/models", "/v1/chat/completions", "/tokenize"):
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(address + path, timeout=10)
        assert refused.value.code in (401, 404), path


@pytest.mark.model
def test_it_prints_nothing_and_leaves_the_interrupt_key_to_python() -> None:
    code = (
        "import os, signal, time\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # whoever runs the tests may ignore it
        "from quorate.participants.llama import engine_for\n"
        "from quorate.participants.weights import resolve\n"
        "engine_for(resolve('smollm2').path, 512)\n"
        "try:\n"
        "    os.kill(os.getpid(), signal.SIGINT); time.sleep(5)\n"
        "except KeyboardInterrupt:\n"
        "    raise SystemExit(42)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (42, "", "")
    assert signal.getsignal(signal.SIGINT) is not None


@pytest.mark.model
@pytest.mark.long
async def test_every_form_of_a_debate_is_filled_in_validly(model: LocalModel) -> None:
    briefs = {"task": "# Task: answer\n\nAnswer in your role."}
    problem = "A small library must lend books to its members, also when the internet is down."
    for form, keys in ((Proposal, ()), (Critiques, KEYS), (Refinement, KEYS), (Synthesis, ())):
        for seed in range(2):
            ask = Ask(AskId("1.0"), Seat("architect"), "task", form, keys)
            view = View(
                "", (Section("The problem", problem), *(Section(f"Text {key}", "Use a card index.") for key in keys))
            )
            schema = form_schema(form, keys)
            prompt, _ = render(briefs, view, ask, "abcd1234", model.window)
            answer = await model.reply(Request(ask, view, prompt, schema, 1, seed), quiet)
            assert isinstance(answer.reply, form), answer.detail
