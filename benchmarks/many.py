"""Many sessions in one process: how far from the best possible, how much memory, how fair, and whether all is there.

    python benchmarks/many.py [SESSIONS ...]

Every session is a whole debate on one SQLite file, its replies scripts that take 50 ms. All of them share one limit on
calls at the same time, as sessions do that use one provider. No schedule can beat the ideal: the longest chain of calls
of a session, or all calls through the limit, whichever takes longer. The baseline makes the same calls under the same
limit and does nothing else.
"""

from __future__ import annotations

import asyncio
import resource
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from quorate import api
from quorate.config import read_config
from quorate.core.record import Said
from quorate.store.journal import Journal
from quorate.store.open import open_journal
from quorate.workspace import Workspace

EXAMPLES = Path(__file__).parent.parent / "examples"
DELAY = 0.05
LIMIT = 8
"""Calls at the same time, as providers allow to a modest account."""
COUNTS = (1, 100, 1_000)


@dataclass(frozen=True, slots=True)
class Done:
    """One session: when it was done, and how many calls it made, in all and one after the other."""

    seconds: float
    calls: int
    chain: int


def prepare(folder: Path) -> Workspace:
    script = (EXAMPLES / "replies.yaml").read_text(encoding="utf-8")
    (folder / "replies.yaml").write_text(f"delay: {DELAY}\n{script}", encoding="utf-8")
    panel = (EXAMPLES / "scripted-panel.yaml").read_text(encoding="utf-8")
    (folder / "panel.yaml").write_text(panel, encoding="utf-8")
    return Workspace(folder, read_config([], {}, ()), f"sqlite:{folder / 'quorate.db'}")


async def one(workspace: Workspace, journal: Journal, session: str, slots: dict[str, asyncio.Semaphore]) -> Done:
    began = time.perf_counter()
    result = await api.run(workspace, journal, session, slots=slots)
    took = time.perf_counter() - began
    said = [line.ask.id for line in result.record.log if isinstance(line, Said)]
    if result.record.session.conclusion is None or len(set(said)) != len(said):
        raise RuntimeError(f"{session}: something is lost, or there twice")
    return Done(took, len(said), len({ask.split(".")[0] for ask in said}))


async def bare(sessions: list[Done]) -> float:
    """The same calls under the same limit, and nothing else."""
    slot = asyncio.Semaphore(LIMIT)

    async def call() -> None:
        async with slot:
            await asyncio.sleep(DELAY)

    began = time.perf_counter()
    await asyncio.gather(*(call() for done in sessions for _ in range(done.calls)))
    return time.perf_counter() - began


async def measure(count: int) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        workspace = prepare(folder)
        journal = open_journal(workspace.store)
        problem = {"problem": "Where should the audit log of a small shop live?"}
        seating = folder / "panel.yaml"
        sessions = [
            await api.open_session(workspace, journal, "debate", problem, panel=seating, seed=seed)
            for seed in range(count)
        ]
        slots = {"script": asyncio.Semaphore(LIMIT)}
        before, began, worked = _memory(), time.perf_counter(), time.process_time()
        done = await asyncio.gather(*(one(workspace, journal, session, slots) for session in sessions))
        wall, worked = time.perf_counter() - began, time.process_time() - worked
        memory = _memory() - before
        await journal.close()
    calls = sum(each.calls for each in done)
    ideal = max(max(each.chain for each in done) * DELAY, calls * DELAY / LIMIT)
    shares = [1 / each.seconds for each in done]
    fair = sum(shares) ** 2 / (count * sum(share * share for share in shares))
    sys.stdout.write(
        f"{count:5} sessions, {calls} calls: {wall:.2f} s, {wall / ideal:.2f} times the ideal {ideal:.2f} s, "
        f"{wall / await bare(done):.2f} times the bare calls; {count / wall:.1f} sessions/s, "
        f"{1000 * worked / calls:.2f} ms of work a call, {memory / count:.0f} KiB a session, fairness {fair:.3f}\n"
    )


def _memory() -> int:
    """The most memory so far, in KiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


if __name__ == "__main__":
    for each in [int(word) for word in sys.argv[1:]] or COUNTS:
        asyncio.run(measure(each))
