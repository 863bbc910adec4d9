"""Embedded model on a seat: runs in process, with no key, server or network, for trying things out.

`local:smollm2` is tiny: it exercises the path from prompt to record, and its judgement is worth nothing. `local:PATH`
is any other GGUF model. A reply is written text by text and its closed fields are filled in afterwards (scribe.py).
Embedded models get no tools.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from quorate.codec import Malformed, parse_entries, parse_reply
from quorate.core.errors import InputError
from quorate.core.form_values import Measured, Unfit, unfit_text
from quorate.core.forms import Reply
from quorate.core.types import Absent, AbsentReason
from quorate.core.view import BYTES_PER_TOKEN, estimate_tokens
from quorate.participants.llama import End, Engine, engine_for, require_engine
from quorate.participants.measures import Measures, measured
from quorate.participants.port import MOST_REPAIRS, Answer, Request, Say
from quorate.participants.scribe import Scribe, Unwritten
from quorate.participants.sheet import Sheet
from quorate.participants.token_odds import ALTERNATIVES, Asking, Odds, PlainAnswer, odds_of
from quorate.participants.weights import Weights, resolve

SIMPLE = 800_000_000
"""Bytes of weights up to which a model is told its task in one line: with more it repeats the brief instead."""
WORDIEST = 6_000
"""Characters of a reply: on a laptop it is written in a minute or two."""
WIDEST = 8192
"""The window of a file that was trained for more, where none is given: memory grows with it."""
NOTHING_MEASURED: Measures = {}

STEADY = {"dry_multiplier": 0.8, "dry_allowed_length": 12, "dry_penalty_last_n": 512, "dry_sequence_breakers": ["\n\n"]}
"""Against going round in circles: whole clauses are not said again. It bends facts too, for what stands in the prompt
is not said again either ("30 days" becomes "28 days"), so only a model that has none to bend is given it."""


@dataclass(frozen=True, slots=True)
class Fit:
    """Limits that suit a model: context window in tokens, and the size of a reply."""

    window: int
    characters: int
    """For all texts of a reply together."""
    entries: int
    """Of one list."""
    sampling: Mapping[str, Any] = field(default_factory=dict)


TINY = Fit(window=4096, characters=900, entries=2, sampling=STEADY)
"""SmolLM2: with 135 million parameters it has little to say, and says it in some seconds."""


def fit_of(weights: Weights, window: int | None = None) -> Fit:
    """Return the limits for these weights. A given window is capped at the context the model was trained for."""
    if weights.name == "smollm2":
        return replace(TINY, window=min(window or TINY.window, weights.trained))
    wide = min(window or WIDEST, weights.trained)
    return Fit(wide, characters=min(WORDIEST, wide // 3 * BYTES_PER_TOKEN), entries=6)


class LocalModel:
    """An embedded model. The file is found at once and loaded later; seats with the same file share an engine."""

    concurrency = 1
    provider = "local"
    in_parts = True
    """It asks for the parts of a form itself, so prompts say nothing of the form."""

    def __init__(
        self,
        spec: str,
        *,
        temperature: float = 0.4,
        timeout: float = 300,
        window: int | None = None,
        measure: bool = True,
        measures: Measures = NOTHING_MEASURED,
    ) -> None:
        """Take `smollm2` or a path. Raises InputError if the weights or the engine are not installed.

        Of replies in the forms that `measures` names, closed fields are measured unless `measure` is false.
        """
        require_engine()
        self.weights = resolve(spec)
        self.fit = fit_of(self.weights, window)
        self.gists = self.weights.path.stat().st_size < SIMPLE
        self.temperature, self.timeout = temperature, timeout
        self.measures = measures if measure else NOTHING_MEASURED

    @property
    def name(self) -> str:
        return f"local:{self.weights.name}"

    @property
    def window(self) -> int:
        return self.fit.window

    def most_tokens(self, prompt_tokens: int, repairs: int = MOST_REPAIRS, *, looks: bool = False) -> int:
        """Return the token bound.

        Every text may be written twice, every repair fills in the closed fields anew, and closed fields are measured.
        """
        measuring = self.window // 2 if self.measures else 0
        return prompt_tokens + 2 * self.window + repairs * self.window // 2 + measuring

    def price(self, tokens_in: int, tokens_out: int) -> int:
        """Return 0: it runs on this machine and costs nothing."""
        return 0

    async def reply(self, request: Request, say: Say) -> Answer:
        """Answer in the form, with up to two repairs. Cancelling the task stops the generation."""
        try:
            engine = await asyncio.to_thread(engine_for, self.weights.path, self.window)
        except InputError as problem:
            return Answer(Absent(AbsentReason.FAILED), self.name, detail=str(problem), attempts=0)
        return await _in_thread(engine, _Exchange(self, engine, request), say)


@dataclass
class _Exchange:
    """One ask: the reply as it is written, its repairs, and the tokens used. It runs in the engine's thread."""

    model: LocalModel
    engine: Engine
    request: Request
    notes: list[str] = field(default_factory=list)
    unfit: tuple[Unfit, ...] = ()
    """What of the reply did not fit its form."""
    measured: tuple[Measured, ...] = ()

    def run(self, say: Say, stop: threading.Event) -> Answer:
        """Write the reply and fill in its closed fields; what does not fit is filled in again with its problems."""
        model, request = self.model, self.request
        sheet = Sheet(request.ask.form, request.ask.keys, model.fit.characters, model.fit.entries)
        sampling = {"temperature": model.temperature, **model.fit.sampling}
        prompt = estimate_tokens(request.prompt.system) + estimate_tokens(request.prompt.user)
        allowance = model.most_tokens(prompt, request.repairs)
        scribe = Scribe(
            self.engine, request, sheet, model.window, sampling, request.seed, model.timeout, say, stop, allowance
        )
        attempts = 1
        try:
            written, problem = scribe.written(), ""
            while True:
                try:
                    data = sheet.joined(written, scribe.filled(written, problem))
                    reply = self._read(data, last=attempts > request.repairs)
                    return self._answer(scribe, self._measured(scribe, reply), attempts)
                except Malformed as malformed:
                    problem = str(malformed)
                if attempts > request.repairs:
                    return self._answer(scribe, Absent(AbsentReason.MALFORMED), attempts, problem)
                self.notes.append(problem)
                attempts += 1
        except Unwritten as unwritten:
            absence, detail = self._absence(unwritten)
            return self._answer(scribe, absence, attempts, detail)

    def _read(self, data: Any, *, last: bool) -> Reply:
        """Parse the reply. The last attempt is taken entry by entry, and the record says what was refused."""
        if not last:
            return parse_reply(self.request.ask, data)
        reply, self.unfit = parse_entries(self.request.ask, data)
        if self.unfit:
            self.notes.append(unfit_text(self.unfit))
        return reply

    def _measured(self, scribe: Scribe, reply: Reply) -> Reply:
        """Return the reply with its measured fields; what is left of time and tokens decides how many there are."""
        measures = self.model.measures.get(self.request.ask.form.__name__, ())
        reply, self.measured = measured(reply, measures, lambda how: _odds(scribe, how))
        for each in self.measured:
            if each.value != each.said:
                self.notes.append(f"{each.at}: it had filled in {each.said}, and {each.value} was measured")
        return reply

    def _absence(self, unwritten: Unwritten) -> tuple[Absent, str]:
        if unwritten.made.end is End.FAILED:
            return Absent(AbsentReason.FAILED), unwritten.made.error
        late = f"no whole reply within {self.model.timeout:g} s (`timeout` in the panel)"
        return Absent(AbsentReason.TIMED_OUT), late

    def _answer(self, scribe: Scribe, reply: Reply | Absent, attempts: int, detail: str = "") -> Answer:
        notes = "; ".join([*scribe.notes, *self.notes, *([detail] if detail else [])])
        told = self.model.name, scribe.tokens_in, scribe.tokens_out, 0, attempts, notes
        return Answer(reply, *told, unfit=self.unfit, measured=self.measured)


def _odds(scribe: Scribe, how: Sequence[Asking]) -> Odds | None:
    """Ask in the conversation that the engine has still in its cache; None where time or tokens do not suffice."""
    heard = []
    try:
        for asking in how:
            made = scribe.generate(asking.text, 1, sampling={"temperature": 0}, alternatives=ALTERNATIVES)
            heard.append([PlainAnswer(made.text, made.alternatives)])
    except Unwritten as unwritten:
        if unwritten.made.end is End.STOPPED:
            raise
        scribe.notes.append("not all that is measured could be: time or tokens were used up")
        return None
    return odds_of(how, heard)


async def _in_thread(engine: Engine, exchange: _Exchange, say: Say) -> Answer:
    """Write in the engine's thread. Cancelling the task stops the generation without waiting for it."""
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
        return await loop.run_in_executor(engine.queue, exchange.run, pass_on, stop)
    except asyncio.CancelledError:
        stop.set()
        raise
