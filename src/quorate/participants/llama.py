"""Embedded models: llama.cpp in this process, one engine per model file, one generation at a time.

What a prompt has in common with the one before is not read again, and all cores work on it. The seed decides the text
as far as the order of floating-point additions does not: after other calls, or on other cores, it may differ.
"""

from __future__ import annotations

import json
import os
import secrets
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from enum import Enum
from importlib.util import find_spec
from pathlib import Path
from time import monotonic
from typing import Any, Protocol

from quorate.core.errors import InputError

BATCH = 256
"""Prompt tokens between two looks at whether to stop: a second or two."""
PASSIVE = {"OMP_WAIT_POLICY": "passive", "GOMP_SPINCOUNT": "0"}
"""Threads that wait give their core away; spinning ones bring everything to a crawl beside other work."""
CACHE_MIB = 512
"""Memory for what was read of earlier prompts, so that seats which speak in turn do not read it again."""
COMPACT = {"x-guidance": {"whitespace_flexible": False, "item_separator": ", ", "key_separator": ": "}}
"""White space between fields is fixed: a small model would spend a third of its tokens on it."""
RANDOM_SEED = 0xFFFF_FFFF
"""llama.cpp draws a seed of its own where it is given this one."""


class End(Enum):
    """How a generation ended."""

    WHOLE = "whole"
    CUT = "cut at the limit of tokens"
    STOPPED = "stopped by the caller"
    TIMED_OUT = "timed out"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Generated:
    """The text of a generation, how it ended, and its token counts."""

    end: End
    text: str = ""
    tokens_in: int = 0
    """Of the prompt, those that were read: what stood in the cache is not among them."""
    tokens_out: int = 0
    error: str = ""
    alternatives: tuple[tuple[str, float], ...] = ()
    """Of the first token, with their log probabilities, where the job asked for them."""


@dataclass(frozen=True, slots=True)
class Job:
    """Input of one generation: the messages, the JSON Schema of the answer, and the limits."""

    messages: tuple[tuple[str, str], ...]
    """Pairs of role (system, user, assistant) and text. What comes from the assistant last is continued."""
    seed: int
    max_tokens: int
    timeout: float
    """Seconds from its beginning; waiting for another generation does not count."""
    schema: Mapping[str, Any] | None = None
    """The JSON Schema of what is generated; None for plain text."""
    choices: tuple[str, ...] = ()
    """Generate one of these texts and nothing else."""
    sampling: Mapping[str, Any] = field(default_factory=dict)
    """llama.cpp's own names: temperature, presence_penalty, …"""
    until: Callable[[str], bool] | None = None
    """Asked of the text so far with every piece; it ends where this says so."""
    alternatives: int = 0
    """Of the first token: how many to tell, with their probabilities."""


class LlamaServer(Protocol):
    """The part of `xllamacpp.Server` that is used. The callback gets each chunk; returning True ends the generation."""

    listening_address: str

    def handle_chat_completions(self, body: dict[str, Any], take: Callable[[Any], bool]) -> object: ...


class Engine:
    """A loaded model. `queue` runs its generations one after another, off the event loop."""

    def __init__(self, server: LlamaServer, grammar: Callable[[dict[str, Any]], str]) -> None:
        """Wrap a running server and the function that turns a JSON Schema into its grammar."""
        self._server, self._grammar = server, grammar
        self.queue = ThreadPoolExecutor(1, thread_name_prefix="quorate-model")

    @property
    def address(self) -> str:
        """Address the library listens on; only this process has its key."""
        return self._server.listening_address

    def generate(self, job: Job, say: Callable[[str], None], stop: threading.Event) -> Generated:
        """Generate in the calling thread. `stop` ends it within one token, or within `BATCH` tokens of the prompt."""
        if stop.is_set():
            return Generated(End.STOPPED)
        taking = _Taking(say, stop, monotonic() + job.timeout, job.until)
        body = {
            "messages": [{"role": role, "content": text} for role, text in job.messages],
            "grammar": self._rules(job),
            "chat_template_kwargs": {"enable_thinking": False},  # thoughts would stand in the text
            "seed": job.seed % RANDOM_SEED,
            **job.sampling,
            "max_tokens": job.max_tokens,
            "cache_prompt": True,
            "stream": True,
            "stream_options": {"include_usage": True},
            "return_progress": True,
            **({"logprobs": True, "top_logprobs": job.alternatives} if job.alternatives else {}),
        }
        try:
            self._server.handle_chat_completions(body, taking)
        except RuntimeError as error:  # how exceptions of llama.cpp arrive
            return Generated(End.FAILED, error=str(error))
        return taking.result()

    def _rules(self, job: Job) -> str:
        """Return the grammar of what may be generated; empty for plain text."""
        if job.choices:
            return "root ::= " + " | ".join(json.dumps(choice) for choice in job.choices)
        return "" if job.schema is None else self._grammar({**job.schema, **COMPACT})

    def complete(
        self, messages: tuple[tuple[str, str], ...], max_tokens: int, alternatives: int = 0
    ) -> tuple[str, tuple[tuple[str, float], ...]]:
        """Answer without a form, the likeliest words; also the first token's alternatives with log probabilities.

        What an earlier prompt began with is not read again. Raises InputError if llama.cpp gives no answer.
        """
        body = {
            "messages": [{"role": role, "content": text} for role, text in messages],
            "chat_template_kwargs": {"enable_thinking": False},
            **{"temperature": 0, "max_tokens": max_tokens, "stream": False, "cache_prompt": True},
            **({"logprobs": True, "top_logprobs": alternatives} if alternatives else {}),
        }
        found: list[Any] = []

        def take(chunk: Any) -> bool:
            found.append(chunk)
            return False

        try:
            self._server.handle_chat_completions(body, take)
            choice = found[-1]["choices"][0]
            return choice["message"]["content"] or "", _alternatives(choice)
        except (RuntimeError, LookupError, TypeError) as error:
            said = found[-1].get("error", {}) if found and isinstance(found[-1], dict) else {}
            raise InputError(f"llama.cpp gave no answer: {said.get('message') or error}") from None


def load(path: Path, window: int) -> Engine:
    """Load a model file. Raises InputError if llama.cpp cannot load it."""
    for name, setting in PASSIVE.items():
        os.environ.setdefault(name, setting)
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.n_ctx = window
    params.n_parallel = 1
    params.n_batch = params.n_ubatch = BATCH
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads()
    params.flash_attn_type = xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
    params.cache_prompt, params.cache_ram_mib = True, CACHE_MIB
    params.warmup = False
    params.verbosity = -1
    # The library opens a port on the loopback address in any case: nobody else may use it, or read prompts there.
    params.api_keys = [secrets.token_hex(32)]
    params.endpoint_slots = params.endpoint_props = params.endpoint_metrics = params.ui = False
    params.n_threads_http = 1
    try:
        server = xllamacpp.Server(params)
        # Until its loop runs, a server cannot be stopped: a program that ended now would hang.
        server.handle_completions({"prompt": " ", "n_predict": 0}, lambda _: False)
        return Engine(server, xllamacpp.json_schema_to_grammar)
    except RuntimeError as error:
        raise InputError(
            f"llama.cpp cannot load the model: {error}", file=str(path), expected="a chat model that fits in memory"
        ) from None


class _Taking:
    """Callback that collects the chunks of one generation; it returns True to end it."""

    def __init__(
        self,
        say: Callable[[str], None],
        stop: threading.Event,
        deadline: float,
        until: Callable[[str], bool] | None = None,
    ) -> None:
        self.say, self.stop, self.deadline, self.until = say, stop, deadline, until
        self.text = ""
        self.pieces: list[str] = []
        self.finish, self.error = "", ""
        self.ended: End | None = None
        self.usage: Mapping[str, Any] = {}
        self.prompt_tokens = self.cached = 0
        self.alternatives: tuple[tuple[str, float], ...] = ()

    def __call__(self, chunk: Mapping[str, Any]) -> bool:
        if "error" in chunk:
            self.error = str(chunk["error"].get("message", chunk["error"]))
            return False
        self.usage = chunk.get("usage") or self.usage
        progress = chunk.get("prompt_progress", {})
        self.prompt_tokens = progress.get("total", self.prompt_tokens)
        self.cached = progress.get("cache", self.cached)
        for choice in chunk.get("choices", ()):
            self.finish = choice.get("finish_reason") or self.finish
            self.alternatives = self.alternatives or _alternatives(choice)
            if piece := choice.get("delta", {}).get("content"):
                self.pieces.append(piece)
                self.text += piece
                self.say(piece)
                if self.until is not None and self.until(self.text):
                    self.ended = End.WHOLE
        if self.stop.is_set():
            self.ended = End.STOPPED
        elif monotonic() > self.deadline:
            self.ended = End.TIMED_OUT
        return self.ended is not None

    def result(self) -> Generated:
        cached = (self.usage.get("prompt_tokens_details") or {}).get("cached_tokens", self.cached)
        tokens_in = max(0, self.usage.get("prompt_tokens", self.prompt_tokens) - cached)
        tokens_out = self.usage.get("completion_tokens", len(self.pieces))
        if self.error:
            return Generated(End.FAILED, "", tokens_in, tokens_out, self.error)
        end = self.ended or {"stop": End.WHOLE, "length": End.CUT}.get(self.finish, End.FAILED)
        error = f"llama.cpp gave no end ({self.finish!r})" if end is End.FAILED else ""
        return Generated(end, self.text, tokens_in, tokens_out, error, self.alternatives)


def _alternatives(choice: Mapping[str, Any]) -> tuple[tuple[str, float], ...]:
    """Return the alternatives of the first token that a choice tells."""
    tokens = ((choice.get("logprobs") or {}).get("content") or [{}])[0].get("top_logprobs") or ()
    return tuple((each["token"], each["logprob"]) for each in tokens)


def threads() -> int:
    """Return the number of threads: all cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def require_engine() -> None:
    """Raise InputError with install instructions if xllamacpp is not installed."""
    if find_spec("xllamacpp") is None:
        raise InputError(
            "embedded models need xllamacpp, which is not installed", expected="pip install 'quorate[local]'"
        )


_ENGINES: dict[tuple[Path, int], Engine] = {}
_LOADING = threading.Lock()


def engine_for(path: Path, window: int) -> Engine:
    """Return the engine of a file, loaded on first use and shared by all seats. Blocks while loading."""
    with _LOADING:
        if (path, window) not in _ENGINES:
            _ENGINES[(path, window)] = load(path, window)
        return _ENGINES[(path, window)]
