"""Every surface on a real Temporal server: HTTP, MCP, Python and commands open sessions, and a worker drives them.

All share one town: a PostgreSQL store, a Temporal namespace, and a worker process that tells what it does.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from quorate import AsyncQuorate, api
from quorate.core.errors import SettingError
from quorate.runtime.durable.server import TemporalAddress, connect
from quorate.store.open import open_journal
from quorate.watching.telemetry import trace_id
from quorate.workspace import find_workspace
from tests.cli.elaborated import STEP, TOPIC
from tests.cli.shell import CONFIG, Shell, script
from tests.http.served import heard
from tests.mcp.assistant import Project, end
from tests.support.postgres import Postgres, shared_postgres
from tests.support.temporal import new_namespace, temporal_server
from tests.support.town import PATIENCE, PERSON_ASKED, Town, founded, metrics_of, until
from tests.watching.watched_sessions import PROSE

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("temporal")]
postgres = pytest.fixture(scope="session")(shared_postgres)
PROBLEM = "Where should a zebra keep its audit log?"
WAITING = 4


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory, postgres: Postgres) -> Iterator[Town]:
    with founded(tmp_path_factory.mktemp("town"), postgres.url()) as made:
        yield made


async def opened(client: httpx2.AsyncClient, **more: object) -> str:
    body = {"protocol": "debate", "inputs": {"problem": PROBLEM}, "seed": 5, **more}
    answer = await client.post("/api/sessions", json=body)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["session"])


async def followed(client: httpx2.AsyncClient, session: str) -> list[int]:
    """Follow a session to its end as a browser does, and return the entries that were told."""
    url = f"/api/sessions/{session}/events"
    async with client.stream("GET", url, params={"until": "conclusion"}) as answer:
        return [event.seq async for event in heard(answer) if event.seq is not None]


async def runs(town: Town, session: str) -> bool:
    """Whether a session's workflow runs."""
    client = await connect(TemporalAddress.read(town.temporal))
    status = (await client.get_workflow_handle(session).describe()).status
    return status is not None and status.name == "RUNNING"


async def ended(town: Town, session: str) -> None:
    """Wait for the end of a session's workflow, which comes a moment after the journal's."""
    async with asyncio.timeout(PATIENCE):
        while await runs(town, session):
            await asyncio.sleep(0.1)


async def test_a_server_opens_shows_answers_and_cancels(town: Town) -> None:
    async with asyncio.timeout(PATIENCE), town.serving() as client:
        session = await opened(client, settings=PERSON_ASKED)
        following = asyncio.create_task(followed(client, session))
        slow = await opened(client, panel="slow-panel.yaml")
        while not (questions := (await client.get(f"/api/sessions/{session}/questions")).json()):
            await asyncio.sleep(0.1)
        (question,) = questions
        answers = {"answers": {key: {"text": "Two hundred."} for key in question["keys"]}}
        said = await client.post(f"/api/sessions/{session}/answers/{question['ask']}", json={"answer": answers})
        assert said.json() == {"counted": True}, said.text
        seqs = await following
        told = (await client.get(f"/api/sessions/{session}")).json()
        assert (told["verdict"], told["exit_code"]) == ("SOLUTION", 0)
        assert seqs == list(range(told["last"] + 1)), "every entry once and in order"
        await ended(town, session)

        while not (await client.get(f"/api/sessions/{slow}")).json()["running"]:
            await asyncio.sleep(0.1)
        cancelled = await client.post(f"/api/sessions/{slow}/cancel", json={"why": "enough"})
        assert cancelled.status_code == 200, cancelled.text
        await followed(client, slow)
        told = (await client.get(f"/api/sessions/{slow}")).json()
        assert (told["interrupted"], told["verdict"]) == ("cancelled", "ABORTED")
        await ended(town, slow)  # it is told, and withdraws its calls
    by = {line["event"] for line in town.lines("serve") if line.get("session") == session}
    assert "asking" not in by, "the server calls nobody itself"


async def test_an_assistant_opens_a_session_leaves_and_comes_back(town: Town, tmp_path: Path) -> None:
    config = {**CONFIG, "store": town.store, "temporal": town.temporal}
    project = Project(Shell(tmp_path).write(script(), config))
    try:
        async with project.assistant() as assistant:
            session = str((await assistant.call("open_debate", problem=PROBLEM, settings=PERSON_ASKED))["session"])
        async with project.assistant() as assistant:
            await assistant.until(session, "waiting")
            (question,) = (await assistant.call("questions", session=session))["questions"]
            keys = question["form"]["properties"]["answers"]["properties"]
            answers = {"answers": {key: {"text": "Two hundred."} for key in keys}}
            await assistant.call("answer", session=session, ask=question["ask"], answer=answers)
            told = await assistant.until(session, "verdict")
            assert (told["verdict"], told["exit_code"]) == ("SOLUTION", 0)
            assert "append-only log" in json.dumps(await assistant.call("report", session=session))
        await ended(town, session)
        assert any(line["session"] == session for line in town.lines("worker") if line["event"] == "concluded")
    finally:
        for owner in Path(project.shell.env["XDG_DATA_HOME"]).rglob("owner"):  # who drives for assistants outlives them
            end(int(owner.read_text().split(":")[1]))


async def test_a_program_opens_and_awaits_a_session(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUORATE_TEMPORAL", town.temporal)
    async with asyncio.timeout(PATIENCE), AsyncQuorate(town.folder) as place:
        debate = await place.open("debate", PROBLEM, settings=PERSON_ASKED)
        assert await debate.run() is None
        (question,) = await debate.questions()
        assert await debate.answer(question.ask, {"answers": {k: {"text": "Two hundred."} for k in question.keys}})
        events = [event async for event in debate.watch()]  # nobody runs it: the answer alone is enough
        assert (debate.verdict, debate.exit_code) == ("SOLUTION", 0)
        assert [event["seq"] for event in events] == list(range(debate.last + 1))
        other = await place.open("debate", PROBLEM)
        seen = [event["kind"] async for event in other.events()]
        assert (seen[0], other.verdict) == ("opened", "SOLUTION")
        panel = {"script": str(town.folder / "script.yaml"), "seats": {"judge": lambda _: {}}}
        own = await place.open("debate", PROBLEM, panel=panel)
        with pytest.raises(SettingError, match="workers cannot call functions of this program"):
            await own.run()


async def test_a_roundtable_waits_without_a_worker_and_goes_on_by_answers(town: Town) -> None:
    begun = town.run("roundtable", TOPIC, "--docs", "specs", *STEP, "--panel", "talk-panel.yaml")
    assert (begun["code"], begun["phase"]) == (WAITING, "MENU"), begun
    session = str(begun["session"])
    client = await connect(TemporalAddress.read(town.temporal))
    handle = client.get_workflow_handle(session)

    async def is_let_go() -> None:  # what was written last is told to the server a moment later
        async with asyncio.timeout(PATIENCE):
            while (await handle.describe()).raw_description.pending_activities:
                await asyncio.sleep(0.1)

    assert await runs(town, session)
    await is_let_go()
    ran = town.shell.run("--temporal", town.temporal, "answer", session, "--set", "choice=elaborate", "--set", "text=")
    assert ran.code in {0, WAITING}, ran.err
    assert "go on with" not in ran.err, "the workers go on by themselves"

    def waits() -> bool:  # nobody resumes it: workers go on by themselves, to the next turn of the person
        shown = town.run("show", session)
        return bool(shown["waiting"]) and shown["phase"] != "MENU"

    await asyncio.to_thread(until, waits)
    await is_let_go()
    done = town.run("answer", session, "--set", "text=/done", "--resume")
    assert (done["code"], done["phase"]) == (WAITING, "MENU"), done
    last = town.run("answer", session, "--set", "choice=continue", "--set", "text=", "--resume")
    assert (last["code"], last["verdict"]) == (0, "CONTINUE"), last
    assert (town.folder / "specs" / "requirements.md").read_text().count("<!-- quorate roundtable") == 1
    await ended(town, session)


async def test_a_worker_tells_what_it_does(town: Town) -> None:
    before = _replies(metrics_of(town))
    session = str(town.run("debate", PROBLEM)["session"])
    await ended(town, session)
    journal = open_journal(town.store)
    try:
        replies = len(await journal.entries(session)) - 1
    finally:
        await journal.close()
    assert _replies(metrics_of(town)) - before == replies, "each is counted once, by who wrote it"
    assert 'quorate_sessions_concluded_total{degradation="none",protocol="debate",verdict="SOLUTION"}' in metrics_of(
        town
    )
    assert json.loads(metrics_of(town, "readyz"))["checks"] == {"store": "ok", "temporal": "ok"}

    lines = [line for line in town.lines("worker") if line.get("session") == session]
    events = [line["event"] for line in lines]
    assert events.count("asking") == events.count("answered") == replies
    assert (events[0], {"moved", "concluded"} <= set(events)) == ("driven", True)

    def spans() -> list[str]:  # they are sent in batches
        mine = [each for each in town.collector.spans() if int.from_bytes(each.trace_id) == trace_id(session)]
        names = [each.name for each in mine]
        return names if "invoke_workflow debate" in names else []

    names = await asyncio.to_thread(until, spans)
    assert sum(name == "call script" for name in names) == replies
    told = town.collector.raw + (town.folder / "worker.log").read_bytes()
    assert not any(word.encode() in told for word in PROSE)


def _replies(metrics: str) -> int:
    """The replies that a worker has counted."""
    lines = (line for line in metrics.splitlines() if line.startswith("quorate_replies_total{"))
    return sum(int(float(line.split()[-1])) for line in lines if 'provider="script"' in line)


RATE = 5
MOST_TRIES = 10


async def test_a_rate_holds_for_two_workers_together(town: Town) -> None:
    """Whom the server gives its tasks is up to the server, so it is tried until both have had some."""
    temporal = new_namespace(temporal_server())
    words = ("worker", "--temporal", temporal, "--provider", "script", "--rate", f"script={RATE}")
    with town.process("first", *words) as first, town.process("second", *words) as second:
        for name, process in (("first", first), ("second", second)):
            await asyncio.to_thread(town.said, name, r"(works for)", process)
        for _ in range(MOST_TRIES):
            debates = [town.shell.start("--temporal", temporal, "debate", PROBLEM, "--json") for _ in range(2)]
            said = [await asyncio.to_thread(debate.communicate, timeout=PATIENCE) for debate in debates]
            sessions = {str(json.loads(out)["session"]) for out, _ in said}
            by = [_asked(town, name, sessions) for name in ("first", "second")]
            if all(by):
                break
    workspace = find_workspace(town.folder, {})
    journal = workspace.open()
    try:
        results = [await api.load(workspace, journal, session) for session in sessions]
    finally:
        await journal.close()
    times = [envelope.at for result in results for envelope in result.record.envelopes]
    assert sum(by) == len(times)
    assert all(by), "both made calls"
    seconds = (max(times) - min(times)) / 1000
    assert seconds > (len(times) - 1) / RATE / 2, "at least half of what the rate wants: the server lets a few ahead"


def _asked(town: Town, worker: str, sessions: set[str]) -> int:
    """How many calls a worker made for these sessions."""
    return sum(line["event"] == "asking" and line["session"] in sessions for line in town.lines(worker))
