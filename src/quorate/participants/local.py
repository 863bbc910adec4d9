"""Embedded model on a seat: runs in process, with no key, server or network, for trying things out.

`local:smollm2` is tiny: it exercises the path from prompt to record, and its judgement is worth nothing. `local:PATH`
is any other GGUF model. Embedded models get no tools, because the grammar that enforces the form rules out tool calls.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from quorate.codec import Malformed, parse_reply
from quorate.core.errors import InputError
from quorate.core.forms import Reply
from quorate.core.types import Absent, AbsentReason
from quorate.core.view import BYTES_PER_TOKEN
from quorate.participants.brevity import in_sentences, round_off, shorten, text_limits
from quorate.participants.llama import End, Engine, Generated, Job, engine_for, require_engine
from quorate.participants.port import MOST_REPAIRS, Answer, Request, Say
from quorate.participants.weights import PACKAGED, Weights, resolve

WIDEST = 8192
"""The window of a file that was trained for more, where none is given: memory grows with it."""


@dataclass(frozen=True, slots=True)
class Fit:
    """Limits that suit a model: context window in tokens, size of a reply, and how strictly texts are constrained."""

    window: int
    characters: int
    """For all texts of a reply together."""
    entries: int
    """Of one list."""
    plain: bool = False
    """Texts are held to plain sentences."""
    sampling: Mapping[str, float] = field(default_factory=dict)


TINY = Fit(
    window=4096,
    characters=900,
    entries=2,
    plain=True,
    # Measured: without these it repeats one clause to the end of the text, with stronger ones it avoids it in odd ways.
    sampling={"presence_penalty": 0.3, "frequency_penalty": 0.2, "repeat_last_n": 128},
)
"""SmolLM2: on one core it reads about 120 tokens a second and writes about 60, so that a reply takes some seconds."""


def fit_of(weights: Weights, window: int | None = None) -> Fit:
    """Return the limits for these weights. A given window is capped at the context the model was trained for."""
    if weights.name in PACKAGED:
        return replace(TINY, window=min(window or TINY.window, weights.trained))
    wide = min(window or WIDEST, weights.trained)
    return Fit(wide, characters=wide // 3 * BYTES_PER_TOKEN, entries=6)


class LocalModel:
    """An embedded model. The file is found at once and loaded later; seats with the same file share an engine."""

    concurrency = 1
    provider = "local"

    def __init__(self, spec: str, *, temperature: float = 0.4, timeout: float = 300, window: int | None = None) -> None:
        """Take `smollm2` or a path. Raises InputError if the weights or the engine are not installed."""
        require_engine()
        self.weights = resolve(spec)
        self.fit = fit_of(self.weights, window)
        self.temperature, self.timeout = temperature, timeout

    @property
    def name(self) -> str:
        return f"local:{self.weights.name}"

    @property
    def window(self) -> int:
        return self.fit.window

    def most_tokens(self, prompt_tokens: int, repairs: int = MOST_REPAIRS, *, looks: bool = False) -> int:
        """Return the token bound: no attempt can exceed the window, and a repair resends the reply with the prompt."""
        first = min(self.window, prompt_tokens + self.window // 2)
        return first + repairs * self.window

    def price(self, tokens_in: int, tokens_out: int) -> int:
        """Return 0: it runs on this machine and costs nothing."""
        return 0

    async def reply(self, request: Request, say: Say) -> Answer:
        """Answer in the form, with up to two repairs. Cancelling the task stops the generation."""
        try:
            engine = await asyncio.to_thread(engine_for, self.weights.path, self.window)
        except InputError as problem:
            return Answer(Absent(AbsentReason.FAILED), self.name, detail=str(problem), attempts=0)
        return await _Exchange(self, engine, request, say).run()


class _Exchange:
    """One ask: the conversation with its repairs, and the tokens used."""

    def __init__(self, model: LocalModel, engine: Engine, request: Request, say: Say) -> None:
        self.model, self.engine, self.request, self.say = model, engine, request, say
        self.messages: list[tuple[str, str]] = [("system", request.prompt.system), ("user", request.prompt.user)]
        self.characters = model.fit.characters
        self.tokens_in = self.tokens_out = self.attempts = 0
        self.notes: list[str] = []

    async def run(self) -> Answer:
        for attempt in range(1 + self.request.repairs):
            schema = shorten(self.request.schema, self.characters, self.model.fit.entries)
            made = await self._generate(schema, attempt)
            if made.end in (End.TIMED_OUT, End.STOPPED):
                return self._answer(Absent(AbsentReason.TIMED_OUT), f"no reply within {self.model.timeout:g} s")
            if made.end is End.FAILED:
                return self._answer(Absent(AbsentReason.FAILED), made.error)
            if made.end is End.CUT:
                self._ask_for_less(made)
                continue
            try:
                return self._answer(self._read(made.text, schema))
            except Malformed as problem:
                self._ask_for_repair(made.text, problem)
        return self._answer(Absent(AbsentReason.MALFORMED))

    async def _generate(self, schema: dict[str, Any], attempt: int) -> Generated:
        job = Job(
            tuple(self.messages),
            in_sentences(schema) if self.model.fit.plain else schema,
            seed=self.request.seed + attempt,
            max_tokens=min(most_reply_tokens(schema), self.model.window // 2),
            timeout=self.model.timeout,
            sampling={"temperature": self.model.temperature, **self.model.fit.sampling},
        )
        made = await _in_thread(self.engine, job, self.say)
        self.attempts += 1
        self.tokens_in += made.tokens_in
        self.tokens_out += made.tokens_out
        return made

    def _read(self, text: str, schema: dict[str, Any]) -> Reply:
        reply = parse_reply(self.request.ask, text)
        data, ended = round_off(json.loads(text), schema)
        if not ended:
            return reply
        self.notes.append(f"{ended} {'text' if ended == 1 else 'texts'} met the length limit of this model")
        return parse_reply(self.request.ask, data)

    def _ask_for_less(self, made: Generated) -> None:
        """Ask again for a reply that ran out of tokens, with half the length for its texts."""
        self.notes.append(f"a reply was cut after {made.tokens_out} tokens and asked for again, shorter")
        self.characters //= 2

    def _ask_for_repair(self, text: str, problem: Malformed) -> None:
        """Send the last reply back with its problems; earlier attempts are dropped to save context."""
        self.notes.append(str(problem))
        self.messages[2:] = [("assistant", text), ("user", f"{problem}\nAnswer again, with JSON of the form.")]

    def _answer(self, reply: Reply | Absent, detail: str = "") -> Answer:
        notes = "; ".join([*self.notes, *([detail] if detail else [])])
        return Answer(reply, self.model.name, self.tokens_in, self.tokens_out, 0, self.attempts, notes)


def most_reply_tokens(schema: dict[str, Any]) -> int:
    """Return enough tokens for any reply of this schema in ordinary prose, JSON punctuation included."""
    return sum(text_limits(schema)) // 2 + len(json.dumps(schema)) // 6 + 64


async def _in_thread(engine: Engine, job: Job, say: Say) -> Generated:
    """Generate in a worker thread. Cancelling the task stops the generation without waiting for it."""
    loop = asyncio.get_running_loop()
    stop = threading.Event()

    def say_unless_stopped(piece: str) -> None:
        if not stop.is_set():
            say(piece)

    def pass_on(piece: str) -> None:
        try:
            loop.call_soon_threadsafe(say_unless_stopped, piece)
        except RuntimeError:  # the loop was closed: nobody waits for this reply
            stop.set()

    try:
        return await loop.run_in_executor(engine.queue, engine.generate, job, pass_on, stop)
    except asyncio.CancelledError:
        stop.set()
        raise
