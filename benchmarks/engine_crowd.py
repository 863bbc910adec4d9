"""What many debates at the same time cost: CPU and memory of each, and how far from the ideal where calls take time."""

from __future__ import annotations

import asyncio
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import many
import rounds
from figures import TWICE_RAW, Figure, fresh

from quorate import api
from quorate.store.open import open_journal
from quorate.store.sqlite import SqliteJournal

AT_ONCE = "Many debates at once in one process, 3 agents x 3 rounds each, durable, instant model"
WAITING = f"Many built-in debates at once, wall time, calls of {1000 * many.DELAY:.0f} ms, {many.LIMIT} under way"


@dataclass(frozen=True, slots=True)
class Crowd:
    """What a process used that ran so many debates and nothing else."""

    cpu: float
    peak: int
    """KiB, at most, of the whole process."""
    grown: int
    """KiB of that since before the debates."""


def at_once(times: int, counts: tuple[int, ...]) -> Iterator[Figure]:
    """CPU and memory a debate; each crowd has a process of its own, and so has its baseline."""
    for count in counts:
        again = times if count <= 100 else 1  # a thousand of them are their own repetition
        ours, raw = [fresh(by_quorate, count) for _ in range(again)], [fresh(by_raw, count) for _ in range(again)]
        cpu, bare = (min(each.cpu for each in crowd) / count for crowd in (ours, raw))
        name = f"{count:,} at once"
        yield Figure(AT_ONCE, f"{name}: CPU a debate", 1e3 * cpu, "ms", 1e3 * bare, TWICE_RAW)
        peak, low = ours[0].peak / 1024, raw[0].peak / 1024
        yield Figure(
            AT_ONCE, f"{name}: peak memory of the process", peak, "MiB", low, note="both have imported Quorate"
        )
        if count > 1:
            more, less = ours[0].grown / count, raw[0].grown / count
            yield Figure(AT_ONCE, f"{name}: memory a debate", more, "KiB", less)


def by_quorate(count: int) -> Crowd:
    async def run(folder: str) -> Crowd:
        journal = SqliteJournal(Path(folder) / "quorate.db")
        await rounds.by_quorate(journal, "first", 3, 3)  # what is worked out once in a process is no debate's own cost
        before, began = memory(), time.process_time()
        kept = await asyncio.gather(*(rounds.by_quorate(journal, f"debate-{n}", 3, 3) for n in range(count)))
        crowd = _crowd(before, began)
        await journal.close()
        _expect(sum(kept), 9 * count)
        return crowd

    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(run(folder))


def by_raw(count: int) -> Crowd:
    async def run(folder: str) -> Crowd:
        with closing(rounds.raw_log(Path(folder) / "raw.db")) as log:
            await rounds.raw(log, 3, 3)
            before, began = memory(), time.process_time()
            kept = await asyncio.gather(*(rounds.raw(log, 3, 3) for _ in range(count)))
            crowd = _crowd(before, began)
        _expect(sum(kept), 9 * count)
        return crowd

    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(run(folder))


def _crowd(before: int, began: float) -> Crowd:
    cpu, peak = time.process_time() - began, memory()
    return Crowd(cpu, peak, peak - before)


def _expect(kept: int, wanted: int) -> None:
    if kept != wanted:
        raise RuntimeError(f"{kept} answers are kept of {wanted}: what was measured are no whole debates")


def memory() -> int:
    """The most memory of this process so far, in KiB; where the system tells, without that of the one that began it."""
    told = Path("/proc/self/status")
    if told.is_file():
        return int(next(line.split()[1] for line in told.read_text().splitlines() if line.startswith("VmHWM")))
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most // 1024 if sys.platform == "darwin" else most


def waiting(counts: tuple[int, ...]) -> Iterator[Figure]:
    """Wall time against the ideal: the longest chain of calls, or all of them through the limit."""
    for count in counts:
        wall, ideal, cpu, calls = fresh(waited, count)
        note = f"{calls:,} calls, {1e3 * cpu / calls:.2f} ms of CPU each; raw: the ideal"
        yield Figure(WAITING, f"{count:,} at once", wall, "s", ideal, note=note)


def waited(count: int) -> tuple[float, float, float, int]:
    return asyncio.run(_waited(count))


async def _waited(count: int) -> tuple[float, float, float, int]:
    with tempfile.TemporaryDirectory() as name:
        workspace = many.prepare(Path(name))
        journal = open_journal(workspace.store)
        problem, panel = {"problem": rounds.PROBLEM}, Path(name) / "panel.yaml"
        sessions = [
            await api.open_session(workspace, journal, "debate", problem, panel=panel, seed=n) for n in range(count)
        ]
        slots = {"script": asyncio.Semaphore(many.LIMIT)}
        began, worked = time.perf_counter(), time.process_time()
        done = await asyncio.gather(*(many.one(workspace, journal, session, slots) for session in sessions))
        wall, worked = time.perf_counter() - began, time.process_time() - worked
        await journal.close()
    calls = sum(each.calls for each in done)
    ideal = max(max(each.chain for each in done) * many.DELAY, calls * many.DELAY / many.LIMIT)
    return wall, ideal, worked, calls
