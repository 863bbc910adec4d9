"""How a program lets go of its sessions: closed or just left, nothing hangs, nothing is lost, leases are given back."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from quorate import AsyncQuorate, Quorate, Request, RuleViolation, api
from quorate.store.journal import SessionBusy
from quorate.workspace import find_workspace
from tests.cli.shell import SCRIPT, script
from tests.cli.workshops import whole

EXAMPLES = Path(__file__).parents[2] / "examples"

SMALL: dict[str, Any] = {"agents": ["architect", "security"], "rounds": 1}


@pytest.fixture
def slow(tmp_path: Path) -> dict[str, Any]:
    """A panel that takes a while for every word."""
    (tmp_path / "script.yaml").write_text(json.dumps(script(delay=0.4)))
    return {"script": str(tmp_path / "script.yaml")}


@pytest.fixture
def store(tmp_path: Path) -> str:
    return f"sqlite:{tmp_path / 'work.db'}"


def test_a_program_that_leaves_everything_open_ends(tmp_path: Path, store: str, slow: dict[str, Any]) -> None:
    """Its session is free for the next program at once, and a function that was never asked has not failed."""
    program = f"""
import quorate, time
def architect(request):
    time.sleep(0.2)
    return {{"reasoning": "x", "text": "y"}}
place = quorate.Quorate({str(tmp_path)!r}, store={store!r})
panel = {{**{slow!r}, "seats": {{"architect": architect}}}}
debate = place.open("debate", "How?", settings={SMALL!r}, panel=panel)
events = debate.events()
print(next(events)["kind"])
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "opened\n", "")
    with Quorate(tmp_path, store=store) as place:
        debate = place.get("latest")
        assert debate.run(panel=slow) == "SOLUTION"
        assert debate.summary()["absences"] == []


def test_closing_suspends_a_run_in_another_thread(tmp_path: Path, store: str, slow: dict[str, Any]) -> None:
    place = Quorate(tmp_path, store=store)
    debate = place.open("debate", "How?", settings=SMALL, panel=slow)
    raised: list[BaseException] = []

    def run() -> None:
        try:
            for _ in debate.events():
                begun.set()
        except BaseException as error:
            raised.append(error)

    begun = threading.Event()
    running = threading.Thread(target=run)
    running.start()
    assert begun.wait(30)
    place.close()
    running.join(30)
    assert [type(error) for error in raised] == [RuleViolation]
    assert "Quorate is closed" in str(raised[0])
    with Quorate(tmp_path, store=store) as place:
        assert place.get(debate.id).run() == "SOLUTION", "the lease was given back"


async def test_leaving_suspends_what_is_driven_and_watched(tmp_path: Path, store: str, slow: dict[str, Any]) -> None:
    async with AsyncQuorate(tmp_path, store=store) as place:
        debate = await place.open("debate", "How?", settings=SMALL, panel=slow)
        running = asyncio.create_task(debate.run())
        other = await place.get(debate.id)
        seen = asyncio.Event()

        async def watch() -> None:
            async for _ in other.watch():
                seen.set()

        watching = asyncio.create_task(watch())
        await seen.wait()
    for task in (running, watching):
        with pytest.raises(RuleViolation, match="Quorate is closed"):
            await task
    with pytest.raises(RuleViolation, match="Quorate is closed"):
        await debate.run()
    async with AsyncQuorate(tmp_path, store=store) as place:
        assert await (await place.get(debate.id)).run() == "SOLUTION"


async def test_who_cancels_a_run_gets_a_cancelled_run(tmp_path: Path, slow: dict[str, Any]) -> None:
    async with AsyncQuorate(tmp_path, store="memory:") as place:
        debate = await place.open("debate", "How?", settings=SMALL, panel=slow)
        running = asyncio.create_task(debate.run())
        await asyncio.sleep(0.1)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert await debate.run() == "SOLUTION"


def test_closing_does_not_wait_for_a_function_that_blocks(tmp_path: Path, store: str, slow: dict[str, Any]) -> None:
    begun, go_on, ended = threading.Event(), threading.Event(), threading.Event()

    def architect(request: Request) -> Any:
        begun.set()
        go_on.wait(60)
        ended.set()
        return SCRIPT["seats"]["*"][request.ask.brief]

    place = Quorate(tmp_path, store=store)
    debate = place.open("debate", "How?", settings=SMALL, panel={**slow, "seats": {"architect": architect}})
    raised: list[BaseException] = []

    def run() -> None:
        try:
            debate.run()
        except BaseException as error:
            raised.append(error)

    running = threading.Thread(target=run)
    running.start()
    assert begun.wait(30)
    place.close()
    place.close()
    assert not ended.is_set()
    go_on.set()
    running.join(30)
    assert [type(error) for error in raised] == [RuleViolation]


def test_a_second_run_is_told_that_somebody_drives(tmp_path: Path, store: str, slow: dict[str, Any]) -> None:
    with Quorate(tmp_path, store=store) as place:
        debate = place.open("debate", "How?", settings=SMALL, panel=slow)
        events = debate.events(passing=True)
        while next(events)["kind"] != "calling":
            pass
        with pytest.raises(SessionBusy, match="is being driven already: follow it with `watch`"):
            place.get(debate.id).run()
        assert list(events)[-1]["kind"] in ("replied", "called")
        assert debate.verdict == "SOLUTION"


@pytest.mark.parametrize("how", ["decline", "cancel"])
def test_a_session_that_a_person_ends_leaves_what_it_leaves(how: str, tmp_path: Path) -> None:
    (tmp_path / "script.yaml").write_text(json.dumps(whole("brainstorm")))
    panel = {"script": str(tmp_path / "script.yaml"), "seats": {"facilitator": "person"}}
    with Quorate(tmp_path, store="memory:") as place:
        inputs = {"topic": "Logs", "kind": "brainstorm", "documents": str(tmp_path / "documents")}
        session = place.open("workshop", inputs, panel=panel, seed=7)
        assert session.run() is None
        while session.verdict is None:
            if how == "cancel":
                session.cancel()
            else:
                session.decline(session.waiting[0])
                if session.verdict is None:
                    session.run()
        assert session.problems == ()
        assert list((tmp_path / "documents").iterdir())


async def test_watching_ends_with_what_was_ruled_after_the_conclusion(tmp_path: Path, store: str) -> None:
    (tmp_path / "script.yaml").write_text(json.dumps({"seats": {"*": {}}}))
    async with AsyncQuorate(tmp_path, store=store) as place:
        diff = (EXAMPLES / "change.diff").read_text()
        review = await place.open("review", {"diff": diff}, panel={"script": str(tmp_path / "script.yaml")}, seed=7)
        assert await review.run() == "INCONCLUSIVE"
        concluded = review.last
        found = find_workspace(tmp_path, {}, store=store)
        journal = found.open()
        await api.adjudicate(found, journal, review.id, "APPROVED", "Ada", "It is fine.")
        await journal.close()
        async with asyncio.timeout(60):
            assert [event["kind"] async for event in review.watch(after=concluded)] == ["ruled"]
            assert [event["seq"] async for event in review.watch()] == list(range(concluded + 2))
            assert [event async for event in review.watch(after=concluded + 1)] == []
