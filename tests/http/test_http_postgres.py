"""`quorate serve` and workers on a PostgreSQL server: sessions, live events of what others write, and a restart."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

from quorate import api
from quorate.api import worker
from quorate.api.worker import AtWork, ensure_worker, work, worker_folder
from quorate.workspace import Workspace, find_workspace
from tests.cli.shell import Shell, script
from tests.support.postgres import ON_POSTGRES, Postgres, shared_postgres
from tests.support.server import served

pytestmark = [ON_POSTGRES, pytest.mark.slow]
postgres = pytest.fixture(scope="session")(shared_postgres)
PATIENCE = 60
PROBLEM = "Where should a shop keep its audit log?"


@pytest.fixture
def workspace(tmp_path: Path, postgres: Postgres) -> Workspace:
    Shell(tmp_path).write(script())
    return find_workspace(tmp_path, {}, store=postgres.url())


@pytest.fixture(autouse=True)
def no_worker_is_left() -> Iterator[None]:
    yield
    for each in worker._started:
        if each.process.poll() is None:
            each.process.kill()
        each.process.wait()
    worker._started.clear()


def ask(address: str, path: str, body: Any = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    request = Request(f"{address}/api/{path}", data, {"Content-Type": "application/json"})
    with urlopen(request, timeout=PATIENCE) as answer:
        return json.load(answer)


async def test_a_page_is_told_what_another_process_writes(workspace: Workspace, tmp_path: Path) -> None:
    journal = workspace.open()
    with served(tmp_path, workspace.store) as address:
        body = {"protocol": "debate", "inputs": {"problem": PROBLEM}, "start": False}
        session = await asyncio.to_thread(lambda: ask(address, "sessions", body)["session"])

        def watch() -> list[str]:
            url = f"{address}/api/sessions/{session}/events?until=conclusion"
            with urlopen(url, timeout=PATIENCE) as events:
                return [line.decode().strip() for line in events if line.startswith(b"id:")]

        watching = asyncio.create_task(asyncio.to_thread(watch))
        result = await api.run(workspace, journal, session)  # here, and not in the server
        assert len(await asyncio.wait_for(watching, PATIENCE)) == len(result.entries)
        assert (await asyncio.to_thread(ask, address, f"sessions/{session}"))["verdict"] == "SOLUTION"
    await journal.close()


async def test_a_server_hosts_what_is_opened_there(workspace: Workspace, tmp_path: Path) -> None:
    journal = workspace.open()
    with served(tmp_path, workspace.store) as address:
        body = {"protocol": "debate", "inputs": {"problem": PROBLEM}}
        session = await asyncio.to_thread(lambda: ask(address, "sessions", body)["session"])
        async with asyncio.timeout(PATIENCE):
            while not next(each for each in await journal.sessions() if each.id == session).status.verdict:
                await journal.wait(session, len(await journal.entries(session)) - 1, 1)
    assert (await api.load(workspace, journal, session)).exit_code == 0
    await journal.close()


async def test_a_worker_drives_what_is_marked(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = workspace.open()
    session = await api.open_session(workspace, journal, "debate", {"problem": PROBLEM}, seed=5)
    await journal.host(session, True)
    monkeypatch.chdir(tmp_path)
    folder = worker_folder(workspace)
    assert str(folder).startswith(os.environ["XDG_DATA_HOME"]), "it is among the user's data"
    assert ensure_worker(workspace, idle=0.5)
    command = subprocess.list2cmdline([str(each) for each in worker._started[0].process.args])  # type: ignore[union-attr]
    assert "postgresql" not in command, "the URL stands in no command line, where every user of the machine reads it"
    async with asyncio.timeout(PATIENCE):
        while await journal.hosted():
            await asyncio.sleep(0.1)
    assert (await api.load(workspace, journal, session)).exit_code == 0
    assert f"{session} has concluded: SOLUTION" in (folder / "log").read_text()
    await journal.close()


async def test_a_store_has_one_worker_of_a_user(workspace: Workspace) -> None:
    journal = workspace.open()
    first = asyncio.create_task(work(workspace, journal, stay=True))
    try:
        async with asyncio.timeout(PATIENCE):
            while not (worker_folder(workspace) / "owner").exists():
                await asyncio.sleep(0.05)
        with pytest.raises(AtWork):
            await work(workspace, journal, idle=0.1)
    finally:
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        await journal.close()


KILLED = """
import asyncio, os, sys
from quorate import api
from quorate.workspace import find_workspace
from pathlib import Path

async def main(folder, store, session, most):
    workspace = find_workspace(Path(folder), {}, store=store)
    journal = workspace.open()
    extend = journal.extend
    async def extending(*values):
        entries = await extend(*values)
        if entries[-1].seq >= int(most):
            os.kill(os.getpid(), 9)
        return entries
    journal.extend = extending
    await api.run(workspace, journal, session)

asyncio.run(main(*sys.argv[1:]))
"""


async def test_a_session_whose_driver_was_killed_goes_on_elsewhere(workspace: Workspace, tmp_path: Path) -> None:
    journal = workspace.open()
    session = await api.open_session(workspace, journal, "debate", {"problem": PROBLEM}, seed=5)
    command = [sys.executable, "-c", KILLED, str(tmp_path), workspace.store, session, "4"]
    ran = await asyncio.to_thread(subprocess.run, command, timeout=PATIENCE, capture_output=True)
    assert ran.returncode == -9, ran.stderr
    before = await journal.entries(session)
    assert 5 <= len(before) < 9
    result = await api.run(workspace, journal, session)
    assert result.entries[: len(before)] == before
    assert result.exit_code == 0
    await journal.close()
