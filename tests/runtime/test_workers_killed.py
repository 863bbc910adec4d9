"""Two worker processes on one Temporal server: one is killed in the middle, rules change, and nothing is lost."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from quorate import api
from quorate.api import distributed
from quorate.core.types import Replied
from tests.support.postgres import Postgres, shared_postgres
from tests.support.temporal import new_namespace, temporal_server
from tests.support.working import PATIENCE, Stand

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("temporal")]
postgres = pytest.fixture(scope="session")(shared_postgres)
SESSIONS = 8


@pytest.fixture
def temporal() -> str:
    return new_namespace(temporal_server())


@pytest.fixture
def processes() -> Iterator[list[subprocess.Popen[bytes]]]:
    started: list[subprocess.Popen[bytes]] = []
    yield started
    for each in started:
        each.kill()
        each.wait()


def replied(result: api.Result) -> set[str]:
    """The asks whose reply is durable."""
    return {str(event.ask) for event, _ in result.record.events() if isinstance(event, Replied)}


async def kill_one_of_two(stand: Stand, processes: list[subprocess.Popen[bytes]]) -> None:
    """Run debates on two workers, kill one with -9 in the middle; all conclude, and no durable reply is asked again."""
    first, second = stand.process(), stand.process()
    processes += [first, second]
    await asyncio.gather(stand.ready(first), stand.ready(second))
    sessions = [await stand.open(seed) for seed in range(SESSIONS)]
    following = [asyncio.create_task(stand.run(session)) for session in sessions]
    await asyncio.gather(*(stand.until(session, 2) for session in sessions))
    first.kill()
    first.wait()
    before = len(stand.calls())
    durable = {each: replied(await api.load(stand.alone, stand.journal, each)) for each in sessions}
    results = await asyncio.gather(*following)

    assert [result.exit_code for result in results] == [0] * SESSIONS
    calls = stand.calls()
    made_by = {pid for pid, what, *_ in calls if what == "called"}
    assert made_by == {first.pid, second.pid}, "both took part"
    written = 0
    for result in results:
        seeds = {ask: _seed(result, ask) for ask in replied(result)}
        written += len(seeds)
        again = {ask for _, what, session, ask in calls[before:] if what == "calling" and seeds.get(ask) == session}
        assert not again & durable[result.session], "a finished call was made again"
        for ask, seed in seeds.items():
            done = [pid for pid, what, session, own in calls if (what, session, own) == ("called", seed, ask)]
            assert len(done) == 1 or (len(done) == 2 and first.pid in done), (
                "one that the killed worker had not written"
            )
    assert written == sum(len(result.record.envelopes) for result in results)


def _seed(result: api.Result, ask: str) -> str:
    """The seed of a request, by which the calls of sessions are told apart."""
    from hashlib import sha256

    return str(int.from_bytes(sha256(f"{result.record.opening.seed}\0{ask}".encode()).digest()[:4]) // 2)


async def test_one_of_two_workers_is_killed_on_sqlite(
    tmp_path: Path, temporal: str, processes: list[subprocess.Popen[bytes]]
) -> None:
    await kill_one_of_two(Stand(tmp_path, temporal, delay=0.3), processes)


async def test_one_of_two_workers_is_killed_on_postgresql(
    tmp_path: Path, temporal: str, postgres: Postgres, processes: list[subprocess.Popen[bytes]]
) -> None:
    await kill_one_of_two(Stand(tmp_path, temporal, delay=0.3, store=postgres.url()), processes)


async def test_changed_rules_leave_an_old_session_alone(
    tmp_path: Path, temporal: str, processes: list[subprocess.Popen[bytes]]
) -> None:
    stand = Stand(tmp_path, temporal, delay=0.3)
    session = await stand.open()
    old = stand.process()
    processes.append(old)
    await stand.ready(old)
    following = asyncio.create_task(stand.run(session))
    await stand.until(session, 1)
    old.kill()
    old.wait()
    changed = stand.process("changed")
    processes.append(changed)
    await stand.ready(changed)
    entries = len(await stand.journal.entries(session))
    async with asyncio.timeout(PATIENCE):  # a worker that is gone is named for some minutes, a changed one never
        found = await distributed.overview(stand.workspace)
        while not found.running:
            found = await distributed.overview(stand.workspace)
    assert [each.session for each in found.running] == [session]
    ours = next(each for each in found.queues if each.name == distributed.queue_of("debate"))
    assert not any(worker.startswith(f"{changed.pid}@") for worker in ours.workers)
    assert any(worker.startswith(f"{changed.pid}@") for each in found.queues for worker in each.workers)
    await asyncio.sleep(4)  # time for the changed one to do damage, if it could
    assert len(await stand.journal.entries(session)) <= entries + 2  # what was under way
    renewed = stand.process()
    processes.append(renewed)
    assert (await following).exit_code == 0
