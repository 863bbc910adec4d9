"""Two worker processes on one Temporal server: one is killed in the middle, rules change, and nothing is lost."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from quorate.api.temporal import overview, queue_of
from quorate.runtime.durable.server import Queue
from tests.support.postgres import Postgres, shared_postgres
from tests.support.temporal import new_namespace, temporal_server
from tests.support.working import PATIENCE, Noted, Stand, counted

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("temporal")]
postgres = pytest.fixture(scope="session")(shared_postgres)
SESSIONS = 8
LIMIT = 2


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


async def kill_one_of_two(stand: Stand, processes: list[subprocess.Popen[bytes]]) -> None:
    """Run debates on two workers, kill one with -9 in the middle; all conclude, and no durable reply is asked again."""
    first, second = stand.process(), stand.process()
    processes += [first, second]
    await asyncio.gather(stand.ready(first), stand.ready(second))
    sessions = [await stand.open(seed) for seed in range(SESSIONS)]
    following = [asyncio.create_task(stand.run(session)) for session in sessions]
    await asyncio.gather(*(stand.until(session, 2) for session in sessions))
    first, second = _worked_first(stand, first, second)
    first.kill()
    first.wait()
    results = await asyncio.gather(*following)

    assert [result.exit_code for result in results] == [0] * SESSIONS
    calls = stand.calls()
    assert {each.pid for each in calls if each.what == "called"} == {first.pid, second.pid}, "both took part"
    count = counted(calls, results)
    assert count.recorded == sum(len(result.record.envelopes) for result in results)
    assert (count.repeated, count.unknown) == (0, 0), "a finished call was made again, or none was made"
    lost = [each for each in calls if each.pid == first.pid and each.what == "calling"]
    assert count.anew <= len(lost), "only what the killed worker had not written was made anew"


async def test_one_of_two_workers_is_killed_on_sqlite(
    tmp_path: Path, temporal: str, processes: list[subprocess.Popen[bytes]]
) -> None:
    await kill_one_of_two(Stand(tmp_path, temporal, delay=0.3), processes)


async def test_one_of_two_workers_is_killed_on_postgresql(
    tmp_path: Path, temporal: str, postgres: Postgres, processes: list[subprocess.Popen[bytes]]
) -> None:
    await kill_one_of_two(Stand(tmp_path, temporal, delay=0.3, store=postgres.url()), processes)


@pytest.mark.parametrize("on", ["sqlite", "postgresql"])
async def test_a_limit_holds_for_two_workers_together(
    on: str, tmp_path: Path, temporal: str, postgres: Postgres, processes: list[subprocess.Popen[bytes]]
) -> None:
    """Sixteen calls could be under way in each; two are, of both, and a worker that is killed holds nobody up."""
    store = postgres.url() if on == "postgresql" else None
    stand = Stand(tmp_path, temporal, "rounds=2", delay=0.2, store=store)  # enough is left to do when one is killed
    first, second = stand.process(limit=LIMIT), stand.process(limit=LIMIT)
    processes += [first, second]
    await asyncio.gather(stand.ready(first), stand.ready(second))
    sessions = [await stand.open(seed) for seed in range(4)]
    following = [asyncio.create_task(stand.run(session)) for session in sessions]
    await asyncio.gather(*(stand.until(session, 3) for session in sessions))
    first, second = _worked_first(stand, first, second)
    first.kill()
    first.wait()
    results = await asyncio.gather(*following)

    assert [result.exit_code for result in results] == [0] * 4
    calls = stand.calls()
    assert {each.pid for each in calls if each.what == "called"} == {first.pid, second.pid}, "both took part"
    died = max(each.at for each in calls if each.pid == first.pid)
    before = [each for each in calls if each.at < died]
    assert _at_once(before) == LIMIT
    left = [each for each in calls if each.pid == second.pid]
    assert _at_once(left, since=died + 1_000) == LIMIT, "its slots were taken back"


def _worked_first(
    stand: Stand, one: subprocess.Popen[bytes], other: subprocess.Popen[bytes]
) -> tuple[subprocess.Popen[bytes], subprocess.Popen[bytes]]:
    """Return the two with one first that has made calls: whom the server gives its tasks is up to the server."""
    worked = {each.pid for each in stand.calls() if each.what == "called"}
    return (one, other) if one.pid in worked else (other, one)


def _at_once(calls: list[Noted], since: int = 0) -> int:
    """The most calls that were under way at the same time since then; of one millisecond the ends come first."""
    most = now = 0
    for each in sorted(calls, key=lambda each: (each.at, each.what == "calling")):
        now += {"calling": 1, "called": -1}.get(each.what, 0)  # from the first one on: some began before
        most = max(most, now if each.at > since else 0)
    return most


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

    def polls(queue: Queue) -> bool:
        return any(worker.startswith(f"{changed.pid}@") for worker in queue.workers)

    async with asyncio.timeout(PATIENCE):  # a worker that is gone is named for some minutes, a changed one never
        found = await overview(stand.workspace)
        while not found.running or not any(map(polls, found.queues)):  # it has begun, and polls a moment later
            found = await overview(stand.workspace)
    assert [each.session for each in found.running] == [session]
    ours = next(each for each in found.queues if each.name == queue_of("debate"))
    assert not polls(ours)
    assert any(map(polls, found.queues))
    await asyncio.sleep(4)  # time for the changed one to do damage, if it could
    assert len(await stand.journal.entries(session)) <= entries + 2  # what was under way
    renewed = stand.process()
    processes.append(renewed)
    assert (await following).exit_code == 0
