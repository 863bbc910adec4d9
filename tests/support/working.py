"""Workers at hand: scripted debates in a folder, driven by workers of a Temporal server in this process or others."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections import Counter
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from quorate import api
from quorate.api.temporal import offer, work
from quorate.core.record import Record
from quorate.core.types import Replied
from quorate.runtime.happenings import Watcher, nobody_watches
from quorate.store.journal import Journal
from quorate.store.open import open_journal
from quorate.workspace import find_workspace

PROGRAM = Path(__file__).with_name("workable.py")
PATIENCE = 120.0
SCRIPT = """\
delay: {delay}
seats:
  "*":
    clarify: {{reason: unclear, questions: [{{text: "who asks, <seat>?"}}]}}
    propose: {{reasoning: r, text: "text of <seat>"}}
    criticise: {{critiques: {{"*": {{strengths: s, weaknesses: w, suggestion: g, weight: minor}}}}}}
    refine: {{responses: {{"*": {{reason: r, stance: accepted}}}}, text: "refined by <seat>"}}
  judge:
    synthesize:
      solution: a solution
      tradeoffs: []
      recommendations: []
      unfulfilled_major_requirements: []
      open_questions: []
      confidence: 70
"""


class Noted(NamedTuple):
    """What a worker process wrote down of a call."""

    pid: int
    what: str
    """`calling`, `called`, or `ready` for the worker itself."""
    seed: str
    """The seed of the request: another one for each ask of each session."""
    ask: str
    at: int
    """Milliseconds since 1970."""


@dataclass(frozen=True, slots=True)
class Count:
    """Calls that workers made, beside the replies that journals hold."""

    made: int
    recorded: int
    repeated: int
    """Calls that began although their reply was recorded already."""
    anew: int
    """Calls that were made once more because the first one had left no reply."""
    unknown: int
    """Replies of which nobody has noted the call."""


def counted(calls: list[Noted], results: Iterable[api.Result]) -> Count:
    """Compare what workers wrote down with what journals hold."""
    begun, ended = dict[str, list[int]](), Counter[str]()
    for each in calls:
        if each.what == "calling":
            begun.setdefault(each.seed, []).append(each.at)
        ended[each.seed] += each.what == "called"
    recorded = {
        seed_of(result.record, event.ask): envelope.at
        for result in results
        for event, envelope in result.record.events()
        if isinstance(event, Replied)
    }
    repeated = sum(at > recorded.get(seed, at) for seed, times in begun.items() for at in times)
    return Count(
        made=ended.total(),
        recorded=len(recorded),
        repeated=repeated,
        anew=sum(len(times) - 1 for times in begun.values()) - repeated,
        unknown=sum(not ended[seed] for seed in recorded),
    )


def seed_of(record: Record, ask: str) -> str:
    """Return the seed that a request has, by which the calls of sessions are told apart."""
    return str(int.from_bytes(sha256(f"{record.opening.seed}\0{ask}".encode()).digest()[:4]) // 2)


class Stand:
    """A folder with a scripted panel, a store that several processes share, and a Temporal server."""

    def __init__(self, folder: Path, temporal: str, *sets: str, store: str | None = None, delay: float = 0) -> None:
        self.folder, self.temporal = folder, temporal
        (folder / "script.yaml").write_text(SCRIPT.format(delay=delay))
        (folder / "panel.yaml").write_text("script: script.yaml\n")
        self.url = store or f"sqlite:{folder / 'journal.db'}"
        common = ("agents=[architect, security]", "rounds=1", *sets)
        self.workspace = find_workspace(
            folder, {}, store=self.url, sets=(*common, f"temporal={temporal}"), scope="debate"
        )
        self.alone = find_workspace(folder, {}, store=self.url, sets=common, scope="debate")
        """The same without Temporal."""
        self.journal: Journal = open_journal(self.url)

    async def open(self, seed: int = 1, panel: Path | None = None) -> str:
        """Open a debate; nobody drives it yet."""
        return await api.open_session(
            self.workspace,
            self.journal,
            "debate",
            {"problem": "p"},
            panel=panel or self.folder / "panel.yaml",
            seed=seed,
        )

    async def run(self, session: str, watch: Watcher = nobody_watches) -> api.Result:
        """Have workers drive a session, and follow it."""
        async with asyncio.timeout(PATIENCE):
            return await api.run(self.workspace, self.journal, session, watch=watch)

    async def until(self, session: str, entries: int) -> None:
        """Wait until a session has so many entries after its opening."""
        async with asyncio.timeout(PATIENCE):
            while len(await self.journal.entries(session)) <= entries:
                await self.journal.wait(session, entries - 1, 0.2)

    @asynccontextmanager
    async def worker(self, **offers: Any) -> AsyncIterator[None]:
        """A worker in this process."""
        ready = asyncio.Event()
        offered = offer(**{"providers": {"script": 64}, "heartbeat": 2.0, "grace": 1.0, **offers})
        journal = open_journal(self.url)
        task = asyncio.create_task(work(self.workspace, journal, offered, ready=ready))
        waiting = asyncio.create_task(ready.wait())
        await asyncio.wait([task, waiting], return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        if task.done():
            task.result()
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            await journal.close()

    def process(self, *args: str, heartbeat: float = 2.0, limit: int | None = None) -> subprocess.Popen[bytes]:
        """A worker in a process of its own, that writes down its calls; wait for it with `calls`."""
        told = {"HEARTBEAT": str(heartbeat)} | ({} if limit is None else {"LIMIT": str(limit)})
        kept = {name: value for name, value in os.environ.items() if not name.startswith("QUORATE")}
        root = PROGRAM.parents[2]
        log = (self.folder / "workers.log").open("ab")
        return subprocess.Popen(
            [sys.executable, str(PROGRAM), self.url, self.temporal, str(self.calls_file), *args],
            cwd=self.folder,
            env={**kept, "PYTHONPATH": f"{root / 'src'}{os.pathsep}{root}", **told},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )

    @property
    def calls_file(self) -> Path:
        return self.folder / "calls.log"

    def calls(self) -> list[Noted]:
        """What workers wrote down."""
        if not self.calls_file.exists():
            return []
        lines = (line.split() for line in self.calls_file.read_text().splitlines())
        return [Noted(int(pid), what, seed, ask, int(at)) for pid, what, seed, ask, at in lines]

    async def ready(self, worker: subprocess.Popen[bytes]) -> None:
        """Wait until a worker process works."""
        async with asyncio.timeout(PATIENCE):
            while not any(each.pid == worker.pid for each in self.calls()):
                assert worker.poll() is None, (self.folder / "workers.log").read_text()
                await asyncio.sleep(0.1)
