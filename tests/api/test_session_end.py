"""What a session leaves is left once, by whoever brought it to its end: a driver, or the word of a person."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest

from quorate import api
from quorate.api.host import Host
from quorate.api.session_end import finish_ended, leased
from quorate.core.types import Reason
from quorate.protocols.review.world.change.source import Branch
from quorate.protocols.review.world.review import open_review
from quorate.protocols.workshop.world.workshop import open_workshop
from quorate.runtime.happenings import Calling, Happening
from quorate.store.journal import Journal, SessionBusy
from quorate.store.ledger import read_ledger
from quorate.store.memory import MemoryJournal
from quorate.store.process import a_driver
from quorate.workspace import Workspace, find_workspace
from tests.cli.shell import SCRIPT, Shell, script
from tests.cli.workshops import AGENDA, Workshops, question, synthesis
from tests.cli.workshops import item as artifact
from tests.cli.workshops import script as workshop_script
from tests.support.reviewing import Project, ballot, item, replies

AGREED = {"agreement": "Bound it, then merge.", "next_steps": []}
PATIENCE = 60


# One who drives


async def test_one_process_drives_a_session_once(tmp_path: Path) -> None:
    Shell(tmp_path).write(script(delay=0.05))
    workspace = find_workspace(tmp_path, {}, store=f"sqlite:{tmp_path / 'quorate.db'}")
    journal = workspace.open()
    session = await api.open_session(workspace, journal, "debate", {"problem": "Where?"}, seed=5)
    calls: list[str] = []

    def watch(happening: Happening) -> None:
        if isinstance(happening, Calling):
            calls.append(str(happening.ask.id))

    both = [api.run(workspace, journal, session, watch=watch) for _ in range(2)]
    first, second = await asyncio.gather(*both, return_exceptions=True)
    assert isinstance(first, api.Result)
    assert first.record.session.conclusion is not None
    assert isinstance(second, SessionBusy)
    assert len(calls) == len(set(calls)), "nobody was called twice"
    await journal.close()


async def test_who_is_refused_takes_nobody_s_lease_away() -> None:
    journal = MemoryJournal()
    await journal.create("s", "debate", "A title", 0, "{}", {})
    async with leased(journal, "s", a_driver(), 60):
        for _ in range(2):
            with pytest.raises(SessionBusy):
                async with leased(journal, "s", a_driver(), 60):
                    raise AssertionError("it had a lease")
    await journal.lease("s", "me", 60)


async def test_a_word_that_comes_as_a_driver_leaves_is_followed_by_that_driver(tmp_path: Path) -> None:
    """A person is quick: the word that ends it is there before the lease is given back, and finds it taken."""
    Shell(tmp_path).write(script())
    (tmp_path / "panel.yaml").write_text(json.dumps({"script": "script.yaml", "seats": {"judge": "person"}}))
    workspace = find_workspace(tmp_path, {}, store="memory:")

    class Quick(MemoryJournal):
        answered = 0

        async def release(self, session: str, owner: str) -> None:
            result = await api.load(workspace, self, session)
            for ask in result.waiting[: 1 if self.answered == 0 else 0]:
                Quick.answered += 1
                await api.answer(workspace, self, session, str(ask.id), SCRIPT["seats"]["judge"]["synthesize"])
            await super().release(session, owner)

    journal = Quick()
    session = await api.open_session(workspace, journal, "debate", {"problem": "Where?"}, seed=5)
    result = await api.run(workspace, journal, session)
    assert journal.answered == 1
    assert result.record.session.conclusion is not None, "who drives it sees the end, and finishes"


# The word of a person


async def reviewed(project: Project, workspace: Workspace, journal: Journal) -> tuple[str, str]:
    """A review that has one finding and waits for its chair's last word; returns it and the ask."""
    panel = project.panel(replies(operations_sre={"ballot": ballot(items=[item("high")])}), seats={"chair": "person"})
    review = await open_review(workspace, journal, Branch("main"), folder=project.folder, panel=panel, seed=3)
    while True:
        (ask,) = (await api.run(workspace, journal, review.session)).waiting
        if ask.brief == "agree":
            return review.session, str(ask.id)
        assert await api.answer(workspace, journal, review.session, str(ask.id), {"summary": "x", "questions": []})


@pytest.mark.parametrize("by", ["answer", "decline"])
async def test_a_review_that_a_person_ends_is_settled(by: str, tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.change()
    workspace = find_workspace(project.folder, {})
    journal = workspace.open()
    session, ask = await reviewed(project, workspace, journal)
    ledger = api.ledger_path(project.folder)
    assert not ledger.exists()
    if by == "answer":
        assert await api.answer(workspace, journal, session, ask, AGREED)
    else:
        assert await api.decline(workspace, journal, session, ask)
    assert (await api.load(workspace, journal, session)).record.session.conclusion is not None
    assert len(read_ledger(ledger).entries) == 1
    ledger.unlink()
    assert not await api.answer(workspace, journal, session, ask, AGREED)
    assert not ledger.exists(), "a word that came late settles nothing"
    await journal.close()


@pytest.fixture
def workshops(tmp_path: Path) -> Workspace:
    made = ("REQ", artifact("REQ", "Entries are kept", supported_by=["P1", "P2"]))
    words = workshop_script([question("T1")], [synthesis("specs", made, covered=["K1"])])
    Workshops(tmp_path).says(words).brings(AGENDA)
    return find_workspace(tmp_path, {})


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


async def test_a_cancelled_workshop_leaves_its_documents_and_needs_no_host(
    workshops: Workspace, tmp_path: Path
) -> None:
    journal = workshops.open()
    session = await workshop(workshops, journal)
    await journal.host(session, True)
    await api.interrupt(workshops, journal, session, Reason.CANCELLED)
    assert list((tmp_path / "documents").iterdir())
    assert await journal.hosted() == []
    await journal.close()


async def test_what_could_not_be_left_is_for_a_host_to_tell(workshops: Workspace, tmp_path: Path) -> None:
    journal = workshops.open()
    session = await workshop(workshops, journal)
    await journal.host(session, True)
    (tmp_path / "documents").rmdir()
    (tmp_path / "documents").write_text("I was here before.")
    await api.interrupt(workshops, journal, session, Reason.CANCELLED)
    async with asyncio.timeout(PATIENCE), Host(workshops, journal) as host:
        while session not in host.failures:
            await asyncio.sleep(0.02)
    await journal.close()


async def test_who_drives_it_finishes_it(workshops: Workspace, tmp_path: Path) -> None:
    journal = workshops.open()
    session = await workshop(workshops, journal)
    before = await api.load(workshops, journal, session)
    assert await finish_ended(workshops, journal, before) is None, "it has not ended"
    async with leased(journal, session, a_driver(), 60):
        await api.interrupt(workshops, journal, session, Reason.CANCELLED)
    assert not list((tmp_path / "documents").iterdir())
    await journal.close()


@pytest.mark.parametrize("more", [(), ("--json",)])
def test_cancel_at_the_command_line_leaves_documents(
    more: tuple[str, ...], workshops: Workspace, tmp_path: Path
) -> None:
    async def opened() -> None:
        journal = workshops.open()
        await workshop(workshops, journal)
        await journal.close()

    asyncio.run(opened())
    ran = Shell(tmp_path).call("cancel", "latest", *more)
    assert ran.code == 0, ran.err
    assert list((tmp_path / "documents").iterdir())
    assert ("wrote documents" in ran.err) is not bool(more)


# Two hosts

FINISHING = """
import asyncio, sys, time
from pathlib import Path
import quorate.api.host as module
from quorate.workspace import find_workspace

finish = module.finish

def slowly(*args, **more):
    print("finishes", flush=True)
    time.sleep(1)
    return finish(*args, **more)

module.finish = slowly
module.TRY_AGAIN = 0.1

async def main(folder):
    workspace = find_workspace(Path(folder), {}, store=f"sqlite:{folder}/quorate.db")
    journal = workspace.open()
    async with module.Host(workspace, journal):
        while await journal.hosted():
            await asyncio.sleep(0.05)
        await asyncio.sleep(0.3)

asyncio.run(main(sys.argv[1]))
"""


async def test_two_hosts_never_finish_one_session(tmp_path: Path) -> None:
    """Finishing takes a while, as with a large ledger or a slow disk, and both look again all the time."""
    Shell(tmp_path).write(script(delay=0.05))
    workspace = find_workspace(tmp_path, {}, store=f"sqlite:{tmp_path / 'quorate.db'}")
    journal = workspace.open()
    session = await api.open_session(workspace, journal, "debate", {"problem": "Where?"}, seed=5)
    await journal.host(session, True)
    await journal.close()
    command = [sys.executable, "-c", FINISHING, str(tmp_path)]
    hosts = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    said = [host.communicate(timeout=PATIENCE)[0] for host in hosts]
    assert [host.returncode for host in hosts] == [0, 0]
    assert "".join(said).count("finishes") == 1
