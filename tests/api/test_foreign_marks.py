"""A store that came with a project runs nothing by itself: only what this user has started here goes on."""

from __future__ import annotations

import asyncio
from pathlib import Path

from quorate import api
from quorate.api.host import Host
from quorate.store.sqlite import SqliteJournal
from quorate.workspace import Workspace, find_workspace
from tests.cli.shell import Shell, script


async def shipped(folder: Path) -> tuple[Workspace, str]:
    """A project with a session that somebody else has opened and marked."""
    Shell(folder).write(script())
    workspace = find_workspace(folder, {})
    journal = workspace.open()
    session = await api.open_session(workspace, journal, "debate", {"problem": "Where to keep logs?"}, seed=5)
    await journal.close()
    theirs = SqliteJournal(folder / ".quorate" / "quorate.db", lambda: "0" * 32)
    await theirs.host(session, True)
    assert [each.id for each in await theirs.hosted()] == [session]
    await theirs.close()
    return workspace, session


async def test_a_session_that_others_have_marked_is_not_driven_until_it_is_started_here(tmp_path: Path) -> None:
    workspace, session = await shipped(tmp_path)
    journal = workspace.open()
    said: list[tuple[str, str]] = []
    async with Host(workspace, journal, says=lambda *told: said.append(told)) as host:
        assert await host.at_rest()
        assert host.running() == set()
        await host.look(session)
        assert await host.at_rest()
        assert said == []
        assert len(await journal.entries(session)) == 1
        await host.start(session)
        async with asyncio.timeout(60):
            while await journal.hosted():
                await asyncio.sleep(0.02)
    assert said[0] == (session, "is driven")
    assert said[-1] == (session, "has concluded: SOLUTION")
    await journal.close()
