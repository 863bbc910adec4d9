"""An embedded model beside llama.cpp's own server: a small debate and a review, each call made by both, one by one.

    python benchmarks/local.py [MODEL ...] [--only debate review] [--rounds N] [--batches] [--json FILE]

Every call of a session goes to the embedded engine first, and then, with the same prompt and for as many tokens, to a
server that llama.cpp starts with its own settings and that is asked over HTTP. So both meet the same load, and only
their ratio says something; a busy machine makes both slow. What Quorate does between the calls counts as its own.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from figures import Figure, Goal, machine, table, write_json

from quorate import api
from quorate.api.opening import open_named
from quorate.core.record import Said
from quorate.participants import llama
from quorate.participants.local import LocalModel
from quorate.store.open import open_journal
from quorate.workspace import find_workspace

ROOT = Path(__file__).parents[1]
NO_MORE_THAN = Goal(most=1.15, times_raw=True)
KEY = "benchmark"
SESSIONS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "debate": ("examples/problem.md", ("agents=[architect, security]", "rounds={rounds}")),
    "review": ("examples/change.diff", ("members=[engineering-architect, operations-sre]", "rounds={rounds}")),
}


@dataclass
class Taken:
    """What calls took of one side: seconds by the clock, seconds of CPU, and tokens as llama.cpp counted them."""

    wall: float = 0.0
    cpu: float = 0.0
    read: int = 0
    """Tokens of prompts that were read."""
    kept: int = 0
    """Tokens of prompts that an earlier prompt had left in the cache."""
    written: int = 0
    reading: float = 0.0
    """Milliseconds of reading."""
    writing: float = 0.0

    def add(self, wall: float, cpu: float, timings: Mapping[str, Any]) -> None:
        self.wall += wall
        self.cpu += cpu
        self.read += timings.get("prompt_n", 0)
        self.kept += timings.get("cache_n", 0)
        self.written += timings.get("predicted_n", 0)
        self.reading += timings.get("prompt_ms", 0)
        self.writing += timings.get("predicted_ms", 0)


@dataclass
class Twin:
    """Stands before the embedded engine: passes every call on, times it, and makes it again at the server."""

    own: llama.LlamaServer
    address: str
    ours: Taken = field(default_factory=Taken)
    servers: Taken = field(default_factory=Taken)

    @property
    def listening_address(self) -> str:
        return self.own.listening_address

    def handle_chat_completions(self, body: dict[str, Any], take: Callable[[Any], bool]) -> object:
        timings: dict[str, Any] = {}

        def taken(chunk: Any) -> bool:
            timings.update(chunk.get("timings") or {})
            return take(chunk)

        wall, cpu = time.perf_counter(), time.process_time()
        # With every token, since a text that is stopped has no last word that would tell them.
        found = self.own.handle_chat_completions({**body, "timings_per_token": True}, taken)
        self.ours.add(time.perf_counter() - wall, time.process_time() - cpu, timings)
        self._again(body, timings.get("predicted_n", 1))
        return found

    def _again(self, body: Mapping[str, Any], tokens: int) -> None:
        """Make the call at the server, for as many tokens; a grammar says itself when it ends."""
        sent = {**body, "max_tokens": max(1, tokens), "stream": False}
        for name in ("stream_options", "return_progress"):
            sent.pop(name, None)
        if not sent.get("grammar"):
            sent["ignore_eos"] = True
        wall, cpu = time.perf_counter(), time.process_time()
        timings = self._asked(json.dumps(sent).encode()).get("timings", {})
        self.servers.add(time.perf_counter() - wall, time.process_time() - cpu, timings)

    def _asked(self, body: bytes) -> dict[str, Any]:
        with closing(HTTPConnection(self.address.removeprefix("http://"), timeout=3_600)) as line:
            headers = {"Content-Type": "application/json", "Authorization": f"Bearer {KEY}"}
            line.request("POST", "/v1/chat/completions", body, headers)
            found: dict[str, Any] = json.loads(line.getresponse().read())
        return found


def server(path: Path, window: int) -> Any:
    """Start llama.cpp's server on a model, with its own settings but for the window; the key keeps others out."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path, params.n_ctx = str(path), window
    params.verbosity, params.api_keys = -1, [KEY]
    found = xllamacpp.Server(params)
    found.handle_completions(
        {"prompt": " ", "n_predict": 0}, lambda _: False
    )  # until its loop runs it cannot be stopped
    return found


def in_batches(path: Path, calls: int = 3, tokens: int = 100) -> list[Figure]:
    """Make calls of several seats at once, one batch for each token, and then one after another at the same server."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path, params.n_ctx, params.n_parallel = str(path), 2_048 * calls, calls
    params.verbosity, params.api_keys = -1, [KEY]
    beside = xllamacpp.Server(params)

    def call(seat: int) -> str:
        asked = f"You are number {seat}. How should a small library lend books by post?"
        body = {"messages": [{"role": "user", "content": asked}], "seed": 1, "temperature": 0.4, "id_slot": seat}
        said: list[str] = []

        def take(answer: Any) -> bool:
            said.append(answer["choices"][0]["message"]["content"])
            return False

        beside.handle_chat_completions({**body, "max_tokens": tokens, "ignore_eos": True, "stream": False}, take)
        return said[-1]

    for seat in range(calls):
        call(seat)  # all prompts are read, so that only the writing counts
    begun = time.process_time()
    with ThreadPoolExecutor(calls) as seats:
        together = [*seats.map(call, range(calls))]
    middle = time.process_time()
    alone = [call(seat) for seat in range(calls)]
    same = sum(one == other for one, other in zip(together, alone, strict=True))
    group = f"{path.stem}, {calls} seats at once"
    cpu, raw = middle - begun, time.process_time() - middle
    return [
        Figure(
            group, "in one batch; raw: one after another, CPU", cpu, "s", raw, None, f"{same} of {calls} texts alike"
        )
    ]


async def hold(protocol: str, model: str, rounds: int, seed: int) -> tuple[float, int, int]:
    """Hold a session; return its seconds, how many replies it has, and how many of them are absences."""
    file, settings = SESSIONS[protocol]
    text = (ROOT / file).read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        sets = tuple(each.format(rounds=rounds) for each in settings)
        workspace = find_workspace(
            Path(folder),
            {"QUORATE_EXAMINE_LOCAL": "false"},
            store=f"sqlite:{folder}/journal.db",
            sets=sets,
            scope=protocol,
        )
        journal = open_journal(f"sqlite:{folder}/journal.db")
        inputs = {"problem": text} if protocol == "debate" else {"diff": text}
        begun = time.perf_counter()
        opened = await open_named(workspace, journal, protocol, inputs, model=model, seed=seed)
        result = await api.run(workspace, journal, opened.session)
        took = time.perf_counter() - begun
        await journal.close()
    said = [line for line in result.record.log if isinstance(line, Said) and line.envelope.model == model]
    return took, len(said), sum(not line.envelope.tokens_out for line in said)


def measured(model: str, protocols: Sequence[str], rounds: int, seed: int, *, batches: bool) -> list[Figure]:
    """Return the figures of a model."""
    local = LocalModel(model.removeprefix("local:"))
    engine = llama.engine_for(local.weights.path, local.window)
    beside = server(local.weights.path, local.window)
    own: llama.LlamaServer = engine._server
    found: list[Figure] = []
    for protocol in protocols:
        twin = Twin(own, beside.listening_address)
        engine._server = twin
        took, replies, absent = asyncio.run(hold(protocol, local.name, rounds, seed))
        found += figures(f"{local.name}, {protocol}", twin, took - twin.servers.wall, replies, absent)
    engine._server = own
    return [*found, *in_batches(local.weights.path)] if batches else found


def figures(group: str, twin: Twin, whole: float, replies: int, absent: int) -> list[Figure]:
    """Return the rows of one session; `whole` is what it took without the server's calls."""
    ours, servers = twin.ours, twin.servers
    note = f"{replies} replies" + (f", {absent} absent" if absent else "")
    cached = 100 * ours.kept / max(1, ours.kept + ours.read)
    told = 100 * servers.kept / max(1, servers.kept + servers.read)
    return [
        Figure(group, "the whole session, wall time", whole, "s", servers.wall, NO_MORE_THAN, note),
        Figure(group, "its calls alone, wall time", ours.wall, "s", servers.wall),
        Figure(group, "its calls alone, CPU of all cores", ours.cpu, "s", servers.cpu),
        Figure(
            group, "prompt, tokens a second", _pace(ours.read, ours.reading), "/s", _pace(servers.read, servers.reading)
        ),
        Figure(
            group,
            "generation, tokens a second",
            _pace(ours.written, ours.writing),
            "/s",
            _pace(servers.written, servers.writing),
        ),
        Figure(group, "of all prompts, read from the prefix cache", cached, "%", told),
        Figure(group, "tokens generated", ours.written, "", servers.written),
    ]


def _pace(tokens: int, milliseconds: float) -> float | None:
    return 1_000 * tokens / milliseconds if milliseconds else None


def main(words: Sequence[str]) -> int:
    given = _arguments(words)
    found: list[Figure] = []
    for model in given.models or ["smollm2"]:
        found += measured(model, given.only, given.rounds, given.seed, batches=given.batches)
    told = machine()
    sys.stdout.write(f"{told['python']}, {told['system']}, {told['cores']} cores, load {told['load']}, {told['at']}\n")
    sys.stdout.write("raw: llama.cpp's own server, over HTTP\n\n" + table(found) + "\n")
    if given.json is not None:
        write_json(given.json, found)
    return 0


def _arguments(words: Sequence[str]) -> argparse.Namespace:
    reader = argparse.ArgumentParser(description="An embedded model beside llama.cpp's own server.")
    reader.add_argument("models", nargs="*", metavar="MODEL", help="such as qwen2.5-coder-0.5b; default: smollm2")
    reader.add_argument("--only", nargs="+", choices=[*SESSIONS], default=[*SESSIONS], metavar="PROTOCOL")
    reader.add_argument("--rounds", type=int, default=1, metavar="N")
    reader.add_argument("--seed", type=int, default=7, metavar="N")
    reader.add_argument("--batches", action="store_true", help="also what it would bring to ask several seats at once")
    reader.add_argument("--json", type=Path, metavar="FILE")
    return reader.parse_args(words)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
