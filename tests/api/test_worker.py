"""Workers: one for a store, apart from who started it, gone when there is nothing to do, and back when there is."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from quorate import api
from quorate.api import worker
from quorate.api.worker import AtWork, ensure_worker, failure_of, work, worker_folder
from quorate.core.errors import SettingError, StoreError
from quorate.core.record import Said
from quorate.files.lock import locked
from quorate.store.journal import Journal
from quorate.workspace import Workspace, find_workspace
from tests.cli.shell import SCRIPT, Shell, script

SLOW = {"criticise": {"delay": 60, "reply": SCRIPT["seats"]["*"]["criticise"]}}
PATIENCE = 60
"""Seconds until a test gives up; none waits for them where all is well."""


@pytest.fixture(autouse=True)
def no_worker_is_left() -> Iterator[None]:
    """Every worker that a test has started is ended, and is one that was started here."""
    yield
    for process in [each.process for each in worker._started]:
        if process.poll() is None:
            process.kill()
        process.wait()
    worker._started.clear()


async def hosted(workspace: Workspace, journal: Journal) -> str:
    session = await api.open_session(workspace, journal, "debate", {"problem": "Where to keep logs?"}, seed=5)
    await journal.host(session, True)
    return session


async def entries(journal: Journal, session: str, count: int) -> None:
    """Wait for so many entries."""
    async with asyncio.timeout(PATIENCE):
        while len(await journal.entries(session)) < count:
            await asyncio.sleep(0.05)


async def verdict(workspace: Workspace, journal: Journal, session: str) -> str:
    """Wait for the conclusion."""
    async with asyncio.timeout(PATIENCE):
        while True:
            found = next(each for each in await journal.sessions() if each.id == session).status.verdict
            if found:
                return found
            await asyncio.sleep(0.05)


async def ended(process: subprocess.Popen[bytes]) -> int:
    async with asyncio.timeout(PATIENCE):
        while process.poll() is None:
            await asyncio.sleep(0.05)
    return int(process.returncode)


async def test_a_worker_drives_what_is_marked_and_ends_when_there_is_nothing_to_do(
    workspace: Workspace, journal: Journal
) -> None:
    session = await hosted(workspace, journal)
    assert ensure_worker(workspace, idle=0.5)
    assert await verdict(workspace, journal, session) == "SOLUTION"
    assert await ended(worker._started[0].process) == 0
    log = (worker_folder(workspace) / "log").read_text()
    assert f"{session} is driven" in log
    assert f"{session} has concluded: SOLUTION" in log
    assert await journal.hosted() == []


async def test_a_worker_imports_nothing_from_the_project(
    workspace: Workspace, journal: Journal, tmp_path: Path
) -> None:
    """It runs in the folder of a project that anybody may have written."""
    session = await hosted(workspace, journal)
    (tmp_path / "quorate").mkdir()
    for name in ("quorate/__init__.py", "platformdirs.py", "json.py", "sitecustomize.py"):
        (tmp_path / name).write_text(f"from pathlib import Path\nPath({str(tmp_path / 'imported')!r}).touch()\n")
    assert ensure_worker(workspace, idle=0.5)
    assert await ended(worker._started[0].process) == 0
    assert not (tmp_path / "imported").exists()
    assert await verdict(workspace, journal, session) == "SOLUTION"


async def test_a_worker_writes_through_no_link(
    workspace: Workspace, journal: Journal, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder, victim = worker_folder(workspace), tmp_path_factory.mktemp("home") / "authorized_keys"
    folder.mkdir(parents=True)
    victim.write_text("mine\n")
    for name in ("owner", "failures.json", f"owner.{os.getpid()}", f"failures.json.{os.getpid()}"):
        (folder / name).symlink_to(victim)
    await work(workspace, journal, idle=0.1)
    assert not (folder / "owner").is_symlink()
    (folder / "log").symlink_to(victim)
    with pytest.raises(StoreError, match="log cannot be written"):
        ensure_worker(workspace)
    (folder / "log").unlink()
    assert ensure_worker(workspace, idle=0.1)
    assert await ended(worker._started[-1].process) == 0
    assert victim.read_text() == "mine\n"
    assert {stat.S_IMODE((folder / name).stat().st_mode) for name in ("log", "owner", "failures.json")} == {0o600}


async def test_a_store_has_one_living_worker(workspace: Workspace, journal: Journal, tmp_path: Path) -> None:
    """It sees what is marked later, so nobody else is needed."""
    Shell(tmp_path).write(script(every=SLOW))
    first = await hosted(workspace, journal)
    assert ensure_worker(workspace)
    await entries(journal, first, 3)
    assert not ensure_worker(workspace)
    with pytest.raises(AtWork, match=f"the worker .*:{worker._started[0].process.pid}:.* drives the hosted sessions"):
        await work(workspace, journal, idle=0.1)
    Shell(tmp_path).write(script())
    second = await hosted(workspace, journal)
    assert not ensure_worker(workspace)
    assert await verdict(workspace, journal, second) == "SOLUTION"
    assert len(worker._started) == 1


async def test_one_that_is_on_its_way_is_waited_for(workspace: Workspace, journal: Journal, tmp_path: Path) -> None:
    """On a busy machine a worker takes seconds to begin; whoever asks meanwhile must not start others."""
    Shell(tmp_path).write(script())
    session = await hosted(workspace, journal)
    assert [ensure_worker(workspace) for _ in range(5)] == [True, False, False, False, False]
    assert await verdict(workspace, journal, session) == "SOLUTION"


async def test_a_killed_worker_is_replaced_and_no_finished_call_is_repeated(
    workspace: Workspace, journal: Journal, tmp_path: Path
) -> None:
    Shell(tmp_path).write(script(every=SLOW))
    session = await hosted(workspace, journal)
    ensure_worker(workspace)
    await entries(journal, session, 3)
    before = await journal.entries(session)
    worker._started[0].process.kill()
    worker._started[0].process.wait()
    Shell(tmp_path).write(script())
    assert ensure_worker(workspace, idle=0.5), "the lock of the dead one is nobody's"
    assert await verdict(workspace, journal, session) == "SOLUTION"
    result = await api.load(workspace, journal, session)
    assert result.entries[: len(before)] == before
    said = [str(line.ask.id) for line in result.record.log if isinstance(line, Said)]
    assert len(said) == len(set(said))


STARTER = """
import os, sys
from pathlib import Path
from quorate.api.worker import ensure_worker
from quorate.workspace import find_workspace

workspace = find_workspace(Path(sys.argv[1]), {}, store=f"sqlite:{sys.argv[1]}/quorate.db")
ensure_worker(workspace, idle=0.5)
print("started", flush=True)
sys.stdin.readline()
"""


async def test_it_outlives_who_started_it(workspace: Workspace, journal: Journal, tmp_path: Path) -> None:
    """The one that started it and everybody in its group are killed while a call is under way."""
    Shell(tmp_path).write(script(delay=0.3))
    session = await hosted(workspace, journal)
    command = [sys.executable, "-c", STARTER, str(tmp_path)]
    starter = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
    assert starter.stdout is not None
    assert starter.stdout.readline() == b"started\n"
    os.killpg(starter.pid, signal.SIGKILL)
    starter.communicate()
    assert await verdict(workspace, journal, session) == "SOLUTION"
    until_free(worker_folder(workspace))


def until_free(folder: Path) -> None:
    """Wait until the worker of this store has ended; nobody here is its parent."""
    with locked(folder, PATIENCE):
        return


async def test_a_signal_suspends_it_and_keeps_the_marks(workspace: Workspace, journal: Journal, tmp_path: Path) -> None:
    Shell(tmp_path).write(script(every=SLOW))
    session = await hosted(workspace, journal)
    ensure_worker(workspace)
    await entries(journal, session, 3)
    worker._started[0].process.send_signal(signal.SIGTERM)
    assert await ended(worker._started[0].process) == 0
    assert [each.id for each in await journal.hosted()] == [session]
    await journal.lease(session, "somebody:else", 1)
    assert "Traceback" not in (worker_folder(workspace) / "log").read_text()


async def test_one_that_waits_for_a_person_ends_and_another_goes_on_after_the_answer(
    workspace: Workspace, journal: Journal, tmp_path: Path
) -> None:
    (tmp_path / "panel.yaml").write_text(json.dumps({"script": "script.yaml", "seats": {"judge": "person"}}))
    session = await hosted(workspace, journal)
    ensure_worker(workspace, idle=0.2)
    assert await ended(worker._started[0].process) == 0
    result = await api.load(workspace, journal, session)
    ask = str(result.waiting[0].id)
    assert await api.answer(workspace, journal, session, ask, SCRIPT["seats"]["judge"]["synthesize"])
    assert ensure_worker(workspace, idle=0.2)
    assert await ended(worker._started[-1].process) == 0
    assert await journal.hosted() == [], "the answer has ended it, and what it leaves is left"


async def test_what_it_could_not_drive_can_be_told(workspace: Workspace, journal: Journal, tmp_path: Path) -> None:
    """Also when it has ended; and when the next one could, there is nothing to tell."""
    assert failure_of(workspace, "any") == ""
    session = await hosted(workspace, journal)
    (tmp_path / "script.yaml").unlink()
    await work(workspace, journal, idle=0.1)
    assert "script.yaml" in failure_of(workspace, session)
    assert failure_of(workspace, "another") == ""
    (tmp_path / "script.yaml").write_text(json.dumps(script()))
    await work(workspace, journal, idle=0.1)
    assert failure_of(workspace, session) == ""
    assert await verdict(workspace, journal, session) == "SOLUTION"
    (worker_folder(workspace) / "failures.json").write_text("[1]")
    assert failure_of(workspace, session) == ""


async def test_what_is_marked_while_it_is_about_to_end_is_seen(
    workspace: Workspace, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever marks a session sees the lock taken, and relies on the worker that has it."""
    marked: list[str] = []
    waits = worker._until_idle

    async def at_the_last_moment(*args: object, **more: object) -> set[tuple[str, int, int]]:
        seen = await waits(*args, **more)  # type: ignore[arg-type]
        if not marked:
            marked.append(await hosted(workspace, journal))
            assert not ensure_worker(workspace)
        return seen

    monkeypatch.setattr(worker, "_until_idle", at_the_last_moment)
    async with asyncio.timeout(PATIENCE):
        await work(workspace, journal, idle=0.1)
    assert await verdict(workspace, journal, marked[0]) == "SOLUTION"


async def test_one_that_stays_does_not_end(workspace: Workspace, journal: Journal) -> None:
    staying = asyncio.create_task(work(workspace, journal, idle=0.05, stay=True))
    session = await hosted(workspace, journal)
    assert await verdict(workspace, journal, session) == "SOLUTION"
    await asyncio.sleep(0.3)
    assert not staying.done()
    staying.cancel()
    await asyncio.gather(staying, return_exceptions=True)
    with locked(worker_folder(workspace), 0):
        pass


def test_a_store_in_memory_has_no_worker(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="store: is in the memory of this process"):
        ensure_worker(find_workspace(tmp_path, {}, store="memory:"))


def test_a_log_does_not_grow_for_ever(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "MOST_LOG", 100)
    folder = worker_folder(workspace)
    folder.mkdir(parents=True)
    (folder / "log").write_text("old " * 100)
    assert ensure_worker(workspace, idle=0.1)
    assert "old" not in (folder / "log").read_text()
    ends = time.monotonic() + PATIENCE
    while worker._started[0].process.poll() is None:
        assert time.monotonic() < ends
        time.sleep(0.05)
