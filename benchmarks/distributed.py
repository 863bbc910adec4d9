"""Sessions on workers of a real Temporal server with a real PostgreSQL, both on this machine: one worker, then two.

    python benchmarks/distributed.py [SESSIONS]

Every session is a whole debate whose replies are scripts that take 50 ms. On one machine a second worker brings no more
processors, so the throughput of two is printed for what it is.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parent.parent))  # the tests' servers and workers

from tests.support.postgres import Postgres, postgres_server
from tests.support.temporal import new_namespace, temporal_server
from tests.support.working import Stand

DELAY = 0.05
SESSIONS = 100


async def measure(workers: int, sessions: int, postgres: Postgres) -> None:
    with TemporaryDirectory() as name:
        stand = Stand(Path(name), new_namespace(temporal_server()), store=postgres.url(), delay=DELAY)
        started: list[subprocess.Popen[bytes]] = []
        try:
            for _ in range(workers):
                started.append(stand.process())
                await stand.ready(started[-1])
            opened = [await stand.open(seed) for seed in range(sessions)]
            began = time.perf_counter()
            results = await asyncio.gather(*(stand.run(session) for session in opened))
            wall = time.perf_counter() - began
            noted = stand.calls()
        finally:
            for each in started:
                each.kill()
                each.wait()
            await stand.journal.close()
    calls = sum(len(result.record.envelopes) for result in results)
    lost = sum(result.record.session.conclusion is None for result in results)
    made = sum(what == "called" for _, what, *_ in noted)
    shares = sorted(sum(pid == each.pid for pid, what, *_ in noted if what == "called") for each in started)
    sys.stdout.write(
        f"{workers} worker(s), {sessions} sessions, {calls} calls: {wall:.1f} s, {sessions / wall:.2f} sessions/s, "
        f"{calls / wall:.1f} calls/s; {made - calls} calls too many, {lost} sessions lost; calls by worker: {shares}\n"
    )


def main(sessions: int) -> None:
    with postgres_server() as postgres:
        for workers in (1, 2):
            asyncio.run(measure(workers, sessions, postgres))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else SESSIONS)
