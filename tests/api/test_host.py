"""A host drives what is marked, goes on after its own death, and lets go of everything without losing a word."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from quorate import api
from quorate.api.host import MOST_PAUSE, TRY_AGAIN, Host, pause_after
from quorate.api.stream import Ephemeral, Told
from quorate.codec.chain import Entry
from quorate.core.errors import QuorateError, StoreError
from quorate.core.record import Said
from quorate.core.types import Reason
from quorate.protocols.review.world.change.source import Branch
from quorate.protocols.review.world.review import open_review
from quorate.protocols.workshop.world.workshop import open_workshop
from quorate.store.journal import Journal, SessionBusy, UnknownSession
from quorate.store.ledger import read_ledger
from quorate.store.memory import MemoryJournal
from quorate.store.process import this_process
from quorate.workspace import Workspace, find_workspace
from tests.cli.shell import SCRIPT, Shell, script
from tests.cli.workshops import AGENDA, Workshops, question, synthesis
from tests.cli.workshops import item as artifact
from tests.cli.workshops import script as workshop_script
from tests.support.reviewing import Project, ballot, item, replies

SLOW = {"criticise": {"delay": 60, "reply": SCRIPT["seats"]["*"]["criticise"]}}
WITH_JUDGE = {"script": "script.yaml", "seats": {"judge": "person"}}
SYNTHESIS = SCRIPT["seats"]["judge"]["synthesize"]
PATIENCE = 60
"""Seconds until a test gives up; none waits for them where all is well."""


@asynccontextmanager
async def another(workspace: Workspace) -> AsyncIterator[Journal]:
    """The same store as another process would have it."""
    journal = workspace.open()
    try:
        yield journal
    finally:
        await journal.close()


async def opened(workspace: Workspace, journal: Journal, **more: Any) -> str:
    return await api.open_session(workspace, journal, "debate", {"problem": "Where to keep logs?"}, seed=5, **more)


async def until(held: Callable[[], Any]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not held():
            await asyncio.sleep(0.02)


async def concluded(host: Host, session: str) -> list[Told]:
    """Watch until the conclusion; returns every entry."""
    seen: list[Told] = []
    async with asyncio.timeout(PATIENCE), aclosing(host.watch(session, ephemeral=False)) as events:
        async for event in events:
            assert isinstance(event, Told)
            seen.append(event)
            if event.data["conclusion"] is not None:
                break
    return seen


def verdict(events: list[Told]) -> str:
    return str(events[-1].data["conclusion"]["verdict"])


async def waiting(host: Host, session: str) -> str:
    """Wait until a session stands still for a person; returns the open ask."""
    async with asyncio.timeout(PATIENCE), aclosing(host.watch(session)) as events:
        async for event in events:
            if isinstance(event, Told) and event.data["after"]["waiting"]:
                await until(lambda: session not in host.running())
                return str(event.data["after"]["waiting"][0]["ask"])
    raise AssertionError("it never waited")


# Driving


async def test_it_drives_a_session_to_its_verdict(workspace: Workspace, journal: Journal) -> None:
    session = await opened(workspace, journal)
    said: list[tuple[str, str]] = []
    async with Host(workspace, journal, says=lambda *words: said.append(words)) as host:
        await host.start(session)
        await host.start(session)
        assert host.running() == {session}
        events = await concluded(host, session)
        await until(lambda: host.running() == set())
        assert verdict(events) == "SOLUTION"
        assert [event.seq for event in events] == list(range(len(events)))
        assert host.failures == {}
        assert await host.at_rest()
        assert await journal.hosted() == [], "it needs no host any more"
    assert said == [(session, "is driven"), (session, "has concluded: SOLUTION")]


async def test_a_session_that_has_ended_is_left_as_it_is(workspace: Workspace, journal: Journal) -> None:
    session = await opened(workspace, journal)
    before = await api.run(workspace, journal, session)
    async with Host(workspace, journal) as host:
        await host.start(session)
        assert host.running() == set()
    assert await journal.entries(session) == before.entries
    assert await journal.hosted() == []


async def test_an_unknown_session(workspace: Workspace, journal: Journal) -> None:
    async with Host(workspace, journal) as host:
        for call in (host.start("nobody"), host.suspend("nobody"), host.look("nobody")):
            with pytest.raises(UnknownSession):
                await call
        with pytest.raises(UnknownSession):
            await anext(host.watch("nobody"))


async def test_several_sessions_run_side_by_side(workspace: Workspace, journal: Journal) -> None:
    sessions = [await opened(workspace, journal) for _ in range(4)]
    async with Host(workspace, journal) as host:
        for session in sessions:
            await host.start(session)
        found = await asyncio.gather(*(concluded(host, session) for session in sessions))
    assert [verdict(events) for events in found] == ["SOLUTION"] * 4


async def test_sessions_of_one_host_share_the_limits_on_calls(
    workspace: Workspace, journal: Journal, tmp_path: Path
) -> None:
    """Two sessions want two calls each; three places at the provider are all there are for both."""
    Shell(tmp_path).write(script(delay=60))
    sessions = [await opened(workspace, journal) for _ in range(2)]
    passed: list[str] = []
    async with Host(workspace, journal) as host:
        host._slots["script"] = places = asyncio.Semaphore(3)
        watching = [asyncio.create_task(note(host.watch(session), passed)) for session in sessions]
        for session in sessions:
            await host.start(session)
        await until(lambda: passed.count("calling") == 3)
        assert places.locked()
        await end(*watching)
    assert passed.count("calling") == 3


# People


async def test_a_session_that_was_answered_elsewhere_goes_on(
    workspace: Workspace, journal: Journal, tmp_path: Path
) -> None:
    """The answer is written by another process's journal, with no word to the host."""
    (tmp_path / "panel.yaml").write_text(json.dumps(WITH_JUDGE))
    session = await opened(workspace, journal)
    async with Host(workspace, journal) as host:
        await host.start(session)
        ask = await waiting(host, session)
        assert await host.at_rest()
        async with another(workspace) as elsewhere:
            assert await api.answer(workspace, elsewhere, session, ask, SYNTHESIS)
        events = await concluded(host, session)
        assert verdict(events) == "SOLUTION"
        assert [event.seq for event in events] == list(range(len(events)))
        async with asyncio.timeout(PATIENCE):
            while await journal.hosted():
                await asyncio.sleep(0.02)


async def test_an_answer_in_the_middle_is_followed_by_calls(
    workspace: Workspace, journal: Journal, tmp_path: Path
) -> None:
    (tmp_path / "panel.yaml").write_text(json.dumps({"script": "script.yaml", "seats": {"architect": "person"}}))
    session = await opened(workspace, journal)
    async with Host(workspace, journal) as host:
        await host.start(session)
        for brief in ("propose", "criticise", "refine"):
            ask = await waiting_for(host, session, brief)
            keys = next(each for each in (await api.load(workspace, journal, session)).waiting if each.id == ask).keys
            words = SCRIPT["seats"]["*"][brief]
            filled = {
                name: {key: each["*"] for key in keys} if isinstance(each, dict) else each
                for name, each in words.items()
            }
            assert await api.answer(workspace, journal, session, ask, filled)
            await host.look(session)
        assert verdict(await concluded(host, session)) == "SOLUTION"


async def waiting_for(host: Host, session: str, brief: str) -> str:
    async with asyncio.timeout(PATIENCE):
        while True:
            result = await api.load(host.workspace, host.journal, session)
            found = [ask for ask in result.waiting if ask.brief == brief]
            if found and len(result.record.session.open) == 1:
                return str(found[0].id)
            await asyncio.sleep(0.02)


async def test_a_cancelled_session_is_let_go(workspace: Workspace, journal: Journal, tmp_path: Path) -> None:
    """Also where it only waited, and somebody else cancels it."""
    (tmp_path / "panel.yaml").write_text(json.dumps(WITH_JUDGE))
    session = await opened(workspace, journal)
    async with Host(workspace, journal) as host:
        await host.start(session)
        await waiting(host, session)
        async with another(workspace) as elsewhere:
            await api.interrupt(workspace, elsewhere, session, Reason.CANCELLED)
        assert verdict(await concluded(host, session)) == "ABORTED"
        async with asyncio.timeout(PATIENCE):
            while await journal.hosted():
                await asyncio.sleep(0.02)


# Letting go, and coming back


async def test_leaving_suspends_and_coming_back_goes_on(workspace: Workspace, journal: Journal, tmp_path: Path) -> None:
    Shell(tmp_path).write(script(every=SLOW))
    session = await opened(workspace, journal)
    async with Host(workspace, journal) as host:
        await host.start(session)
        await calling(host, session, "criticise")
    assert [each.id for each in await journal.hosted()] == [session], "the mark is kept"
    await journal.lease(session, "somebody:else", 1)  # nobody holds it
    await journal.release(session, "somebody:else")
    Shell(tmp_path).write(script())
    done = said_by_now(await api.load(workspace, journal, session))
    assert len(done) == 2
    async with Host(workspace, journal) as host:
        assert host.running() == {session}
        asked = await calls_until_the_end(host, session)
    assert not asked & done, "finished work is not repeated"


async def calling(host: Host, session: str, brief: str) -> None:
    """Wait until somebody is asked this."""
    asks: dict[str, str] = {}
    async with asyncio.timeout(PATIENCE), aclosing(host.watch(session)) as events:
        async for event in events:
            if isinstance(event, Told):
                asks |= {ask["id"]: ask["brief"] for ask in event.data["asked"]}
            elif event.kind == "calling" and asks[event.data["ask"]] == brief:
                return


def said_by_now(result: api.Result) -> set[str]:
    return {str(line.ask.id) for line in result.record.log if isinstance(line, Said)}


async def calls_until_the_end(host: Host, session: str) -> set[str]:
    asked: set[str] = set()
    async with asyncio.timeout(PATIENCE), aclosing(host.watch(session)) as events:
        async for event in events:
            if isinstance(event, Ephemeral) and event.kind == "calling":
                asked.add(event.data["ask"])
            if isinstance(event, Told) and event.data["conclusion"] is not None:
                return asked
    raise AssertionError("it never ended")


async def test_a_suspended_session_is_driven_by_nobody(workspace: Workspace, journal: Journal, tmp_path: Path) -> None:
    Shell(tmp_path).write(script(every=SLOW))
    session = await opened(workspace, journal)
    async with Host(workspace, journal) as host:
        await host.start(session)
        await calling(host, session, "criticise")
        await host.suspend(session)
        assert host.running() == set()
        assert await journal.hosted() == []
        await host.suspend(session)
        await host.start(session)
        await host.suspend(session)  # before it has begun
        assert host.running() == set()
    async with Host(workspace, journal) as host:
        assert host.running() == set()


async def test_a_mark_that_is_taken_away_elsewhere_is_obeyed(
    workspace: Workspace, journal: Journal, tmp_path: Path
) -> None:
    Shell(tmp_path).write(script(every=SLOW))
    session = await opened(workspace, journal)
    async with Host(workspace, journal) as host, another(workspace) as elsewhere:
        await elsewhere.host(session, True)
        await calling(host, session, "criticise")
        await elsewhere.host(session, False)
        await until(lambda: host.running() == set())


HOSTING = """
import asyncio, os, sys
from pathlib import Path
from quorate.api.host import Host
from quorate.api.stream import Told
from quorate.workspace import find_workspace

async def main(folder, session):
    workspace = find_workspace(Path(folder), {}, store=f"sqlite:{folder}/quorate.db")
    async with Host(workspace, workspace.open()) as host:
        await host.start(session)
        async for event in host.watch(session):
            print(f"entry {event.seq}" if isinstance(event, Told) else event.kind, flush=True)

asyncio.run(main(*sys.argv[1:]))
"""


def host_elsewhere(folder: Path, session: str) -> subprocess.Popen[str]:
    """A real process that hosts this session."""
    command = [sys.executable, "-c", HOSTING, str(folder), session]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


async def test_a_killed_host_is_followed_by_another_that_repeats_no_finished_call(
    workspace: Workspace, journal: Journal, tmp_path: Path
) -> None:
    """`kill -9` while two calls are under way and three are done."""
    one_slow = {"criticise": {"delay": 60, "reply": SCRIPT["seats"]["*"]["criticise"]}}
    Shell(tmp_path).write(script(security={**SCRIPT["seats"]["*"], **one_slow}))
    session = await opened(workspace, journal)
    process = host_elsewhere(tmp_path, session)
    assert process.stdout is not None
    while "entry 3" not in process.stdout.readline():
        assert process.poll() is None
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    done = said_by_now(await api.load(workspace, journal, session))
    assert len(done) == 3
    Shell(tmp_path).write(script())
    async with Host(workspace, journal) as host:
        assert host.running() == {session}, "a dead host's lease is nobody's"
        asked = await calls_until_the_end(host, session)
        events = await concluded(host, session)
    assert not asked & done
    assert verdict(events) == "SOLUTION"


async def test_two_hosts_never_drive_one_session(workspace: Workspace, journal: Journal, tmp_path: Path) -> None:
    """One in another process holds the lease; the one here looks again until it is free."""
    Shell(tmp_path).write(script(every=SLOW))
    session = await opened(workspace, journal)
    process = host_elsewhere(tmp_path, session)
    assert process.stdout is not None
    seen = [process.stdout.readline() for _ in range(8)]
    assert process.poll() is None, seen
    with pytest.raises(SessionBusy):
        await journal.lease(session, this_process(), 1)
    passed: list[str] = []
    async with Host(workspace, journal) as host, aclosing(host.watch(session)) as events:
        watching = asyncio.create_task(note(events, passed))
        await until(lambda: host.running() == set())
        assert not await host.at_rest(), "somebody else drives it, and might die"
        assert host.failures == {}
        assert passed == []
        Shell(tmp_path).write(script())
        process.kill()
        process.wait()
        await until(lambda: "conclusion" in passed)
        await end(watching)
    assert "calling" in passed, "the one here has gone on with it"
    process.stdout.close()


async def end(*tasks: asyncio.Task[Any]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def note(events: Any, passed: list[str]) -> None:
    async for event in events:
        if isinstance(event, Ephemeral):
            passed.append(event.kind)
        elif event.data["conclusion"] is not None:
            passed.append("conclusion")


async def test_two_hosts_of_one_process_never_drive_one_session(
    workspace: Workspace, journal: Journal, tmp_path: Path
) -> None:
    session = await opened(workspace, journal)
    calls: list[str] = []

    async def count(host: Host) -> None:
        async for event in host.watch(session):
            if isinstance(event, Ephemeral) and event.kind == "calling":
                calls.append(event.data["ask"])

    async with another(workspace) as elsewhere, Host(workspace, elsewhere) as other, Host(workspace, journal) as host:
        counting = [asyncio.create_task(count(each)) for each in (host, other)]
        await asyncio.sleep(0)
        await asyncio.gather(host.start(session), other.start(session))
        await concluded(host, session)
        await until(lambda: host.running() | other.running() == set())
        await end(*counting)
    result = await api.load(workspace, journal, session)
    assert sorted(calls) == sorted(said_by_now(result)), "each was called once"


# What goes wrong


async def test_a_failure_is_kept_and_the_host_goes_on(workspace: Workspace, journal: Journal, tmp_path: Path) -> None:
    """The script of one session is gone; the other one has its own."""
    (tmp_path / "other.yaml").write_text(json.dumps({"script": "own.yaml"}))
    (tmp_path / "own.yaml").write_text(json.dumps(script()))
    broken = await opened(workspace, journal, panel=tmp_path / "other.yaml")
    whole = await opened(workspace, journal)
    (tmp_path / "own.yaml").unlink()
    async with Host(workspace, journal) as host:
        await host.start(broken)
        await host.start(whole)
        assert verdict(await concluded(host, whole)) == "SOLUTION"
        await until(lambda: host.running() == set())
        assert set(host.failures) == {broken}
        assert "own.yaml" in host.failures[broken]
        assert await host.at_rest(), "it is not tried again and again"
        (tmp_path / "own.yaml").write_text(json.dumps(script()))
        await host.start(broken)
        assert verdict(await concluded(host, broken)) == "SOLUTION"
        assert host.failures == {}


async def test_a_session_that_is_marked_again_elsewhere_is_tried_again(
    workspace: Workspace, journal: Journal, tmp_path: Path
) -> None:
    """Nothing was written to it; somebody else has mended what was wrong, and wants it driven."""
    session = await opened(workspace, journal)
    (tmp_path / "script.yaml").rename(tmp_path / "away.yaml")
    async with Host(workspace, journal) as host, another(workspace) as elsewhere:
        await elsewhere.host(session, True)
        await until(lambda: session in host.failures and host.running() == set())
        (tmp_path / "away.yaml").rename(tmp_path / "script.yaml")
        assert await host.at_rest()
        await elsewhere.host(session, True)
        assert verdict(await concluded(host, session)) == "SOLUTION"
        assert host.failures == {}


async def test_a_session_that_the_store_has_failed_is_tried_again(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The store fails in the middle, also when the lease is to be given back."""

    class Failing(MemoryJournal):
        failing = 0

        def fail(self) -> None:
            if self.failing:
                self.failing -= 1
                raise StoreError("the disk is full")

        async def extend(self, *args: Any) -> list[Entry]:
            self.fail()
            return await super().extend(*args)

        async def release(self, session: str, owner: str) -> None:
            self.fail()
            await super().release(session, owner)

    monkeypatch.setattr("quorate.api.host.TRY_AGAIN", 0.05)
    journal, said = Failing(), list[str]()
    session = await opened(workspace, journal)
    journal.failing = 6
    async with Host(workspace, journal, says=lambda _, words: said.append(words)) as host:
        await host.start(session)
        assert verdict(await concluded(host, session)) == "SOLUTION"
        await until(lambda: host.running() == set())
        assert host.failures == {}
    assert said.count("failed: the disk is full") == 3
    assert said[-1] == "has concluded: SOLUTION"


async def test_a_session_that_the_store_fails_for_ever_is_not_waited_for(
    workspace: Workspace, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Full(MemoryJournal):
        async def extend(self, *args: Any) -> list[Entry]:
            raise StoreError("the disk is full")

    monkeypatch.setattr("quorate.api.host.TRY_AGAIN", 0.001)  # and a quarter of a second after ENOUGH_TRIES
    full = Full()
    session = await opened(workspace, full)
    async with asyncio.timeout(PATIENCE), Host(workspace, full) as host:
        await host.start(session)
        while not await host.at_rest():
            await asyncio.sleep(0.02)
        assert host.failures == {session: "the disk is full"}


def test_pauses_grow_to_their_most_and_stay_there() -> None:
    pauses = [pause_after(tries) for tries in range(2_000)]
    assert pauses == sorted(pauses)
    assert (pauses[0], pauses[1], pauses[-1]) == (TRY_AGAIN, 2 * TRY_AGAIN, MOST_PAUSE)


async def test_a_store_that_cannot_be_read_is_told_on_entering(workspace: Workspace, journal: Journal) -> None:
    closed = workspace.open()
    await closed.close()
    with pytest.raises(QuorateError):
        async with Host(workspace, closed):
            raise AssertionError("it was entered")


# What a session leaves


async def test_a_review_is_settled_in_the_ledger(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.change()
    panel = project.panel(replies(operations_sre={"ballot": ballot(items=[item("high")])}))
    workspace = find_workspace(project.folder, {})
    journal = workspace.open()
    review = await open_review(workspace, journal, Branch("main"), folder=project.folder, panel=panel, seed=3)
    async with Host(workspace, journal) as host:
        await host.start(review.session)
        await concluded(host, review.session)
        await until(lambda: host.running() == set())
        assert host.failures == {}
    assert len(read_ledger(api.ledger_path(project.folder)).entries) == 1
    await journal.close()


@pytest.fixture
def workshops(tmp_path: Path) -> Workspace:
    made = ("REQ", artifact("REQ", "Entries are kept", supported_by=["P1", "P2"]))
    words = workshop_script(
        [question("T1"), question("T2"), question("T1")],
        [synthesis("specs", made, covered=["K1"]), synthesis("specs", covered=["K1"]), synthesis("specs")],
    )
    Workshops(tmp_path).says(words).brings(AGENDA)
    return find_workspace(tmp_path, {}, store="memory:")


async def workshop(workspace: Workspace, journal: Journal) -> str:
    assert workspace.root is not None
    held = await open_workshop(
        workspace,
        journal,
        str(workspace.root / "agenda.yaml"),
        "An audit log",
        participants="software-architect,technical-lead",
        strategy="standard",
        documents=workspace.root / "documents",
    )
    return held.session


async def test_the_documents_of_a_workshop_are_left(workshops: Workspace, tmp_path: Path) -> None:
    journal = workshops.open()
    session = await workshop(workshops, journal)
    async with Host(workshops, journal) as host:
        await host.start(session)
        await concluded(host, session)
        await until(lambda: host.running() == set())
        assert host.failures == {}
    assert list((tmp_path / "documents").iterdir())


async def test_what_is_in_the_way_is_told_and_can_be_cleared(workshops: Workspace, tmp_path: Path) -> None:
    journal = workshops.open()
    session = await workshop(workshops, journal)
    (tmp_path / "documents").rmdir()
    (tmp_path / "documents").write_text("I was here before.")
    async with Host(workshops, journal) as host:
        await host.start(session)
        assert verdict(await concluded(host, session))
        await until(lambda: session in host.failures and host.running() == set())
        assert "not all files were written" in host.failures[session]
        (tmp_path / "documents").unlink()
        await host.start(session)
        await until(lambda: host.running() == set())
        assert host.failures == {}
    assert list((tmp_path / "documents").iterdir())


async def test_what_ended_while_no_host_was_there_is_left_by_the_next(workshops: Workspace, tmp_path: Path) -> None:
    """As after a kill between the verdict and what follows from it."""
    journal = workshops.open()
    session = await workshop(workshops, journal)
    await journal.host(session, True)
    await api.run(workshops, journal, session)
    assert not list((tmp_path / "documents").iterdir())
    async with Host(workshops, journal) as host:
        await until(lambda: host.running() == set())
        assert await journal.hosted() == []
    assert list((tmp_path / "documents").iterdir())


async def test_a_session_that_is_not_hosted_is_cancelled_with_what_it_leaves(
    workshops: Workspace, tmp_path: Path
) -> None:
    journal = workshops.open()
    session = await workshop(workshops, journal)
    async with Host(workshops, journal) as host:
        await api.interrupt(workshops, journal, session, Reason.CANCELLED)
        await host.look(session)
        await host.look(session)
    assert list((tmp_path / "documents").iterdir())
    assert await journal.hosted() == []
