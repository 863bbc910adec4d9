"""Sessions on workers of a real Temporal server with a real PostgreSQL, on this machine: one worker, two, one killed.

    python benchmarks/distributed.py [SESSIONS] [--json FILE]

Every session is a whole debate whose replies are scripts that take 50 ms, and this process follows all of them as
`quorate serve` does. The ideal is the longest chain of calls of a session, or all calls through the limits of the
workers, whichever takes longer. On one machine a second worker brings no more processors, and shares them with both
servers, so the throughput of two is printed for what it is. The Temporal server is its development server, which keeps
all in memory. In the last case one of two workers is killed with -9 when half of the calls are recorded.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parent.parent))  # the tests' servers and workers

from quorate import api
from quorate.core.record import Said
from tests.support.postgres import Postgres, postgres_server
from tests.support.temporal import new_namespace, temporal_server
from tests.support.working import Count, Stand, counted

DELAY = 0.05
SESSIONS = 100
LIMIT = 16
"""Calls that a worker of `tests/support/workable.py` makes at the same time."""
HEARTBEAT = 10.0
"""As `quorate worker` has it by default: after so long the calls of the killed worker are made by the other one."""
PATIENCE = 900.0
TELL_EVERY = 5.0


@dataclass(frozen=True, slots=True)
class Case:
    """What came of one case."""

    workers: int
    killed: bool
    sessions: int
    concluded: int
    seconds: float
    ideal: float
    """Seconds that no schedule can beat."""
    count: Count
    memory: dict[int, int]
    """The most MiB of each worker, by process."""
    worked: dict[int, float]
    """Seconds of processor time that each worker has taken, its start included, by process."""
    shares: dict[int, int]
    """The calls of each worker, by process."""

    def holds(self) -> bool:
        """Whether nothing is lost, and nothing that was finished was done again."""
        count = self.count
        whole = self.concluded == self.sessions and not count.repeated and not count.unknown
        return whole and (self.killed or count.made == count.recorded)

    def line(self) -> str:
        count, per_second = self.count, self.sessions / self.seconds
        name = f"{self.workers} worker{'s' if self.workers > 1 else ''}{', one killed' if self.killed else ''}"
        memory = " and ".join(map(str, self.memory.values()))
        work = 1000 * sum(self.worked.values()) / max(1, count.made)
        result = "holds" if self.holds() else "FAILS"
        calls = f"calls: {count.made} made ({' and '.join(map(str, self.shares.values()))}), {count.recorded} recorded"
        return (
            f"{name}: {self.concluded} of {self.sessions} sessions in {self.seconds:.1f} s, {per_second:.2f} a second, "
            f"{self.seconds / self.ideal:.1f} times the ideal {self.ideal:.2f} s; {calls}, {count.repeated} repeated, "
            f"{count.anew} anew, {count.unknown} unknown; {memory} MiB by worker, "
            f"{work:.0f} ms of work a call: {result}"
        )


class Watch:
    """What is looked at while a case runs: how far it is, and how much memory workers take."""

    def __init__(self, stand: Stand, workers: list[subprocess.Popen[bytes]], name: str) -> None:
        self.stand, self.workers, self.name = stand, workers, name
        self.memory = dict.fromkeys((each.pid for each in workers), 0)
        self.worked = dict.fromkeys(self.memory, 0.0)
        self.following: list[asyncio.Task[api.Result]] = []
        self.kill_after: int | None = None
        """Calls after which the first worker is killed."""

    async def go_on(self) -> None:
        began = told = time.monotonic()
        while True:
            await asyncio.sleep(0.5)
            called = sum(each.what == "called" for each in self.stand.calls())
            for pid in self.memory:
                self.memory[pid] = max(self.memory[pid], _memory(pid))
                self.worked[pid] = max(self.worked[pid], _worked(pid))
            if self.kill_after is not None and called >= self.kill_after:
                self.kill_after = None
                self.workers[0].send_signal(signal.SIGKILL)
                _tell(f"{self.name}: killed {self.workers[0].pid} with -9 after {called} calls")
            if time.monotonic() - told > TELL_EVERY:
                told = time.monotonic()
                done = sum(each.done() for each in self.following)
                ended = f"{done} of {len(self.following)} sessions"
                _tell(f"{self.name}: {told - began:4.0f} s, {ended}, {called} calls")


async def measure(workers: int, sessions: int, postgres: Postgres, kill_after: int | None = None) -> Case:
    name = f"{workers} worker(s)"
    with TemporaryDirectory() as folder:
        stand = Stand(Path(folder), new_namespace(temporal_server()), store=postgres.url(), delay=DELAY)
        started = [stand.process(heartbeat=HEARTBEAT) for _ in range(workers)]
        watch = Watch(stand, started, name)
        watching: asyncio.Task[None] | None = None
        try:
            await asyncio.gather(*map(stand.ready, started))
            _tell(f"{name}: opening {sessions} sessions")
            opened = [await stand.open(seed) for seed in range(sessions)]
            watch.kill_after = kill_after
            watching = asyncio.create_task(watch.go_on())
            began = time.perf_counter()
            watch.following = [asyncio.create_task(api.run(stand.workspace, stand.journal, each)) for each in opened]
            async with asyncio.timeout(PATIENCE):
                results = await asyncio.gather(*watch.following)
            seconds = time.perf_counter() - began
            calls = stand.calls()
        finally:
            if watching is not None:
                watching.cancel()
            for each in started:
                each.kill()
                each.wait()
            await stand.journal.close()
    count = counted(calls, results)
    limit = LIMIT * workers
    return Case(
        workers=workers,
        killed=kill_after is not None,
        sessions=sessions,
        concluded=sum(result.record.session.conclusion is not None for result in results),
        seconds=seconds,
        ideal=DELAY * max(*map(_chain, results), count.recorded / limit),
        count=count,
        memory=watch.memory,
        worked=watch.worked,
        shares={each.pid: sum(c.pid == each.pid for c in calls if c.what == "called") for each in started},
    )


def _chain(result: api.Result) -> int:
    """The calls of a session that had to be made one after the other."""
    return len({line.ask.id.split(".")[0] for line in result.record.log if isinstance(line, Said)})


def _memory(pid: int) -> int:
    """MiB that a process holds now; 0 where it is gone, or where the system does not say."""
    with suppress(OSError):
        lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
        return sum(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) // 1024
    return 0


def _worked(pid: int) -> float:
    """Seconds of processor time that a process has taken; 0 where it is gone, or where the system does not say."""
    with suppress(OSError):
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return 0.0


def _tell(words: str) -> None:
    sys.stderr.write(f"{words}\n")


def main(sessions: int, file: Path | None) -> int:
    cases = list[Case]()
    with postgres_server() as postgres:
        for workers, killed in ((1, False), (2, False), (2, True)):
            half = cases[0].count.recorded // 2 if killed else None
            cases.append(asyncio.run(measure(workers, sessions, postgres, half)))
            sys.stdout.write(f"{cases[-1].line()}\n")
            sys.stdout.flush()
    if file is not None:
        about = {
            "cores": os.cpu_count(),
            "python": platform.python_version(),
            "temporalio": version("temporalio"),
            "delay": DELAY,
            "cases": [{**asdict(case), "holds": case.holds()} for case in cases],
        }
        file.write_text(json.dumps(about, indent=2) + "\n")
    return 0 if all(case.holds() for case in cases) else 1


if __name__ == "__main__":
    reader = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    reader.add_argument("sessions", nargs="?", type=int, default=SESSIONS)
    reader.add_argument("--json", type=Path, metavar="FILE", help="write the results there, too")
    given = reader.parse_args()
    sys.exit(main(given.sessions, given.json))
