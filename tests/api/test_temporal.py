"""Sessions that workers drive on Temporal, in one process: people, cancelling, budgets, long ones, and resting."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from temporalio.client import Client
from temporalio.worker import Replayer

from quorate import api
from quorate.api.host import Host
from quorate.api.temporal import build, rest
from quorate.core.errors import SettingError
from quorate.core.record import Stopped
from quorate.core.types import Reason
from quorate.runtime.durable.activities import OWNER
from quorate.runtime.durable.messages import STANDING, Standing
from quorate.runtime.durable.rules import use
from quorate.runtime.durable.server import TemporalAddress, connect
from quorate.runtime.durable.worker import runner
from quorate.runtime.durable.workflow import Deliberation
from quorate.runtime.happenings import Concluded, Happening, Waiting, Wrote
from quorate.store.journal import SessionBusy
from tests.support.temporal import new_namespace, temporal_server
from tests.support.working import PATIENCE, Stand

CLARIFY = ("interactive_clarifications=true", "clarifications_max_iterations=1")
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("temporal")]


@pytest.fixture
def temporal() -> str:
    return new_namespace(temporal_server())


async def client_of(temporal: str) -> Client:
    return await connect(TemporalAddress.read(temporal))


async def test_a_debate_runs_to_the_verdict_that_it_has_alone(tmp_path: Path, temporal: str) -> None:
    stand, seen = Stand(tmp_path, temporal), list[Happening]()
    session, other = await stand.open(), await stand.open()
    async with stand.worker():
        result = await stand.run(session, seen.append)
        async with asyncio.timeout(PATIENCE):  # the lease is given back after the last entry
            while await stand.journal.driver(session):
                await asyncio.sleep(0.1)
    alone = await api.run(stand.alone, stand.journal, other)
    assert api.summary(result)["result"] == api.summary(alone)["result"]
    assert result.exit_code == 0
    wrote = [each.envelope.seq for each in seen if isinstance(each, Wrote)]
    assert wrote == list(range(1, len(result.record.envelopes) + 1))
    assert isinstance(seen[-1], Concluded)
    assert await stand.journal.driver(session) == ""


async def test_a_history_is_small_holds_no_prose_and_replays(tmp_path: Path, temporal: str) -> None:
    stand = Stand(tmp_path, temporal)
    session = await stand.open()
    client = await client_of(temporal)
    handle = client.get_workflow_handle(session)
    async with stand.worker():
        result = await stand.run(session)
        await handle.result()  # it ends a moment after the journal, and only while somebody works
    history = await handle.fetch_history()
    text = history.to_json()
    for word in ("text of architect", "refined by", "a solution"):
        assert any(word in entry.body for entry in result.entries)
        assert word not in text
    use(build)
    found = await Replayer(
        workflows=[Deliberation], workflow_runner=runner(), namespace=client.namespace
    ).replay_workflow(history)
    assert found.replay_failure is None


async def test_people_are_waited_for_and_answer(tmp_path: Path, temporal: str) -> None:
    stand, seen = Stand(tmp_path, temporal, *CLARIFY), list[Happening]()
    session = await stand.open()
    async with stand.worker():
        waiting = await stand.run(session, seen.append)
        assert [ask.brief for ask in waiting.waiting] == ["answer"]
        assert isinstance(seen[-1], Waiting)
        client = await client_of(temporal)
        async with asyncio.timeout(PATIENCE):
            while (standing := await _standing(client, session)).calling or not standing.waiting:
                await asyncio.sleep(0.1)
        assert standing.protocol == "debate"
        described = await client.get_workflow_handle(session).describe()
        assert not described.raw_description.pending_activities
        (ask,) = waiting.waiting
        answers = {"answers": {str(key): {"text": "the shop"} for key in ask.keys}}
        assert await api.answer(stand.workspace, stand.journal, session, str(ask.id), answers)
        async with asyncio.timeout(PATIENCE):  # nobody resumes it: the answer alone is enough
            async for _ in api.follow(stand.alone, stand.journal, session):
                pass
    assert (await api.load(stand.alone, stand.journal, session)).exit_code == 0


async def _standing(client: Client, session: str) -> Standing:
    found: Standing = await client.get_workflow_handle(session).query(STANDING, result_type=Standing)
    return found


async def test_cancelling_the_workflow_interrupts_and_still_concludes(tmp_path: Path, temporal: str) -> None:
    stand = Stand(tmp_path, temporal, delay=1.0)
    session = await stand.open()
    async with stand.worker():
        following = asyncio.create_task(stand.run(session))
        await stand.until(session, 1)
        client = await client_of(temporal)
        await client.get_workflow_handle(session).cancel()
        result = await following
        ended = await client.get_workflow_handle(session).result()
    assert result.record.session.interrupted is Reason.CANCELLED
    stops = [line for line in result.record.log if isinstance(line, Stopped)]
    assert [line.reason for line in stops] == [Reason.CANCELLED]
    assert ended["verdict"] == result.record.session.conclusion.verdict.name  # type: ignore[union-attr]


async def test_cancelling_the_session_stops_the_calls(tmp_path: Path, temporal: str) -> None:
    stand = Stand(tmp_path, temporal, delay=60.0)
    session = await stand.open()
    async with stand.worker():
        following = asyncio.create_task(stand.run(session))
        async with asyncio.timeout(PATIENCE):
            while await stand.journal.driver(session) != f"{OWNER}{session}":
                await asyncio.sleep(0.1)
        with pytest.raises(SessionBusy, match="temporal"):
            await api.run(stand.alone, stand.journal, session)
        await api.interrupt(stand.workspace, stand.journal, session, Reason.CANCELLED, "enough")
        result = await following
    assert result.record.session.interrupted is Reason.CANCELLED


async def test_a_budget_ends_it_as_it_does_alone(tmp_path: Path, temporal: str) -> None:
    stand = Stand(tmp_path, temporal, "budget.tokens=6000")
    session, other = await stand.open(), await stand.open()
    async with stand.worker():
        result = await stand.run(session)
    alone = await api.run(stand.alone, stand.journal, other)
    assert result.record.session.interrupted is alone.record.session.interrupted is Reason.BUDGET
    assert api.summary(result)["verdict"] == api.summary(alone)["verdict"]


async def test_a_long_session_is_continued_with_new_histories(tmp_path: Path, temporal: str) -> None:
    stand = Stand(tmp_path, temporal, "rounds=3")
    session = await stand.open()
    async with stand.worker(most_entries=3):
        result = await stand.run(session)
    client, runs = await client_of(temporal), list[str]()
    async with asyncio.timeout(PATIENCE):  # what the server lists lags behind what it has
        while len(runs) < 3:
            await asyncio.sleep(0.1)
            runs = [str(each.run_id) async for each in client.list_workflows(f"WorkflowId = '{session}'")]
    assert result.exit_code == 0
    assert len(runs) >= 3


async def test_a_worker_that_comes_later_goes_on(tmp_path: Path, temporal: str) -> None:
    stand = Stand(tmp_path, temporal, delay=0.5)
    session = await stand.open()
    async with stand.worker():
        following = asyncio.create_task(stand.run(session))
        await stand.until(session, 2)
    async with stand.worker():
        result = await following
    assert result.exit_code == 0


async def test_a_session_that_is_resumed_right_after_its_suspension_goes_on(tmp_path: Path, temporal: str) -> None:
    stand = Stand(tmp_path, temporal, delay=0.5)
    session = await stand.open()
    async with stand.worker():
        following = asyncio.create_task(stand.run(session))
        await stand.until(session, 2)
        assert await rest(stand.workspace, session)
        result = await stand.run(session)  # before the workflow has come to rest, or after it
        assert result.exit_code == 0
        assert (await following).exit_code == 0


async def test_a_host_follows_finishes_and_suspends(tmp_path: Path, temporal: str) -> None:
    stand = Stand(tmp_path, temporal, delay=0.5)
    session, paused = await stand.open(), await stand.open()
    async with stand.worker(), Host(stand.workspace, stand.journal) as host:
        await host.start(paused)
        await stand.until(paused, 1)
        await host.suspend(paused)
        await host.start(session)
        async with asyncio.timeout(PATIENCE):
            while {each.id for each in await stand.journal.hosted()}:
                await asyncio.sleep(0.2)
        assert host.failures == {}
        assert (await api.load(stand.alone, stand.journal, session)).exit_code == 0
        assert (await api.load(stand.alone, stand.journal, paused)).record.session.conclusion is None
        assert (await stand.run(paused)).exit_code == 0


async def test_what_no_worker_could_do_is_refused_at_once(tmp_path: Path, temporal: str) -> None:
    stand = Stand(tmp_path, temporal)
    session = await stand.open()
    with pytest.raises(SettingError, match="panel"):
        await api.run(stand.workspace, stand.journal, session, panel=tmp_path / "panel.yaml")
    with pytest.raises(SettingError, match="HOST:PORT"):
        TemporalAddress.read("temporal")
    assert TemporalAddress.read("h:7233/there") == TemporalAddress("h:7233", "there")
    assert str(TemporalAddress.read("h:7233")) == "h:7233"
