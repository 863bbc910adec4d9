"""Copying sessions between stores: byte by byte, sealed as before, and never over something else."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from quorate import api
from quorate.api.store_copy import CopyOutcome, copy_sessions
from quorate.codec.canonical import digest_text
from quorate.core.types import Reason
from quorate.store.journal import Conflict, Journal, Status, UnknownSession
from quorate.store.memory import MemoryJournal
from quorate.store.open import open_journal
from quorate.workspace import Workspace
from tests.support.postgres import ON_POSTGRES, Postgres, shared_postgres

postgres = pytest.fixture(scope="session")(shared_postgres)
AT = Status("PROPOSAL", 1, "", "")


@pytest.fixture
async def other(tmp_path: Path) -> AsyncIterator[Journal]:
    opened = open_journal(f"sqlite:{tmp_path / 'other.db'}")
    yield opened
    await opened.close()


async def held(workspace: Workspace, journal: Journal) -> str:
    session = await api.open_session(workspace, journal, "debate", {"problem": "Where to keep logs?"}, seed=5)
    await api.run(workspace, journal, session)
    return session


async def outcomes(source: Journal, target: Journal, *sessions: str) -> list[tuple[CopyOutcome, int]]:
    return [(each.outcome, each.entries) async for each in copy_sessions(source, target, sessions)]


async def test_a_session_is_the_same_in_the_other_store(workspace: Workspace, journal: Journal, other: Journal) -> None:
    session = await held(workspace, journal)
    await journal.host(session, True)
    await journal.lease(session, "me", 600)
    entries = await journal.entries(session)
    assert await outcomes(journal, other, session) == [(CopyOutcome.COPIED, len(entries))]
    assert await other.entries(session) == entries
    assert await other.sessions() == await journal.sessions()
    assert (await other.hosted(), await other.driver(session)) == ([], ""), "marks and leases stay where they are"
    before, after = await api.load(workspace, journal, session), await api.load(workspace, other, session)
    assert api.bundle(after) == api.bundle(before)
    assert await outcomes(journal, other, session) == [(CopyOutcome.EQUAL, 0)]


async def test_a_session_that_went_on_is_extended(workspace: Workspace, journal: Journal, other: Journal) -> None:
    session = await api.open_session(workspace, journal, "debate", {"problem": "Where to keep logs?"}, seed=5)
    assert await outcomes(journal, other, session) == [(CopyOutcome.COPIED, 1)]
    await api.run(workspace, journal, session)
    entries = await journal.entries(session)
    assert await outcomes(journal, other, session) == [(CopyOutcome.EXTENDED, len(entries) - 1)]
    assert (await other.entries(session), await other.sessions()) == (entries, await journal.sessions())
    replied = json.loads(entries[1].body)["ask"]
    with pytest.raises(Conflict):
        await other.append(session, len(entries), "{}", replied, AT)  # asks that have their reply are known there


async def test_one_that_went_on_there_is_left_alone(workspace: Workspace, journal: Journal, other: Journal) -> None:
    session = await api.open_session(workspace, journal, "debate", {"problem": "Where to keep logs?"}, seed=5)
    await outcomes(journal, other, session)
    await api.run(workspace, other, session)
    entries = await other.entries(session)
    assert await outcomes(journal, other, session) == [(CopyOutcome.AHEAD, 0)]
    assert await other.entries(session) == entries


async def test_another_session_of_the_same_name_is_refused_and_no_other(
    workspace: Workspace, journal: Journal, other: Journal
) -> None:
    first, second = await held(workspace, journal), await held(workspace, journal)
    session = await api.open_session(workspace, journal, "debate", {"problem": "Where to keep logs?"}, seed=5)
    await outcomes(journal, other, session)
    for each in (journal, other):
        await api.interrupt(workspace, each, session, Reason.CANCELLED, why=f"{id(each)}")
    before = await other.entries(session)
    done = [each async for each in copy_sessions(journal, other, [first, session, second])]
    assert [each.outcome for each in done] == [CopyOutcome.COPIED, CopyOutcome.REFUSED, CopyOutcome.COPIED]
    assert done[1].why == f"session {session} exists in the target store already, and differs from entry 1 on"
    assert await other.entries(session) == before


async def test_what_is_damaged_is_not_copied(workspace: Workspace, journal: Journal) -> None:
    source, target = MemoryJournal(), MemoryJournal()
    session = await held(workspace, source)
    entries = source._sessions[session].entries
    entries[3] = type(entries[3])(3, entries[3].body + " ", entries[3].hash)
    (found,) = [each async for each in copy_sessions(source, target, [session])]
    assert (found.outcome, "entry 3 does not match its hash" in found.why) == (CopyOutcome.REFUSED, True)
    assert await target.sessions() == []


async def test_a_session_that_is_not_there_stops_it_before_it_begins(
    workspace: Workspace, journal: Journal, other: Journal
) -> None:
    session = await held(workspace, journal)
    with pytest.raises(UnknownSession, match="no session nobody"):
        await outcomes(journal, other, session, "nobody")
    assert await other.sessions() == []


async def test_texts_come_along_those_of_a_fork_too(workspace: Workspace, journal: Journal, other: Journal) -> None:
    session = await held(workspace, journal)
    fork = await api.fork(workspace, journal, session, at=3)
    await outcomes(journal, other, fork)
    assert await other.material(digest_text("Where to keep logs?")) == "Where to keep logs?"
    assert (await api.run(workspace, other, fork)).record.session.conclusion is not None


@ON_POSTGRES
async def test_the_seal_is_intact_after_a_way_over_a_server(
    workspace: Workspace, journal: Journal, other: Journal, postgres: Postgres, tmp_path: Path
) -> None:
    session = await held(workspace, journal)
    server = open_journal(postgres.url())
    try:
        assert (await outcomes(journal, server, session))[0][0] is CopyOutcome.COPIED
        assert (await outcomes(server, other, session))[0][0] is CopyOutcome.COPIED
        bundles = [api.bundle(await api.load(workspace, each, session)) for each in (journal, server, other)]
        assert bundles[0] == bundles[1] == bundles[2]
        for number, bundle in enumerate(bundles):
            file = tmp_path / f"bundle-{number}.json"
            file.write_text(json.dumps(bundle))
            assert api.check(file) == []
    finally:
        await server.close()
