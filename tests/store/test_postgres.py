"""The journal on a real PostgreSQL server: every promise, and what a server, a cut line and other people can do."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import asyncpg
import pytest

from quorate.codec.journal_reader import check_chain
from quorate.core.errors import SettingError, StoreError
from quorate.store.conformance import CASES, Case, check, run
from quorate.store.journal import Conflict, Journal, Status
from quorate.store.open import open_journal
from quorate.store.postgres import PostgresJournal
from tests.support.postgres import ON_POSTGRES, Between, Postgres, shared_postgres

pytestmark = ON_POSTGRES
postgres = pytest.fixture(scope="session")(shared_postgres)
AT = Status("PROPOSAL", 1, "", "")
PATIENCE = 60


@pytest.fixture
def url(postgres: Postgres) -> str:
    return postgres.url()


@pytest.fixture
async def journal(url: str) -> AsyncIterator[Journal]:
    opened = open_journal(url)
    yield opened
    await opened.close()


async def opened(journal: Journal, session: str = "s", **material: str) -> str:
    await journal.create(session, "debate", "A title", 1, '{"opening":1}', material)
    return session


async def directly(url: str, statement: str, *values: Any) -> list[Any]:
    """Say something to the server as somebody else would."""
    address, schema = url.rsplit("schema=", 1)
    connection = await asyncpg.connect(address.rstrip("?&"), server_settings={"search_path": schema})
    try:
        return list(await connection.fetch(statement, *values))
    finally:
        await connection.close()


# Promises


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
async def test_promise(case: Case, url: str) -> None:
    async def open_it() -> Journal:
        return open_journal(url)

    await run(case, open_it)


async def test_the_whole_suite_runs_in_a_store_that_has_sessions(url: str) -> None:
    async def open_it() -> Journal:
        return open_journal(url)

    await check(open_it)
    await check(open_it)


async def test_texts_are_kept_exactly_or_refused(journal: Journal) -> None:
    session = await opened(journal)
    body = json.dumps({"text": "\0 \ud83d\ude00 ä \\ '; DROP TABLE entry; --"})
    assert (await journal.append(session, 1, body, None, AT)).body == body
    assert (await journal.entries(session))[1].body == body
    for odd in ('{"a":"\0"}', '{"a":"\ud800"}'):
        with pytest.raises(StoreError) as caught:
            await journal.append(session, 2, odd, None, AT)
        assert not isinstance(caught.value, Conflict)
    assert len(await journal.entries(session)) == 2
    await journal.append(session, 2, "{}", None, AT)


# The schema


async def test_many_processes_make_one_schema(url: str) -> None:
    journals = [open_journal(url) for _ in range(6)]
    try:
        await asyncio.gather(*(opened(journal, f"s{number}") for number, journal in enumerate(journals)))
        assert len(await journals[0].sessions()) == 6
        assert [row["number"] for row in await directly(url, "SELECT number FROM version")] == [1]
    finally:
        for journal in journals:
            await journal.close()


async def test_a_newer_schema_is_refused(url: str, journal: Journal) -> None:
    await opened(journal)
    await directly(url, "INSERT INTO version (number) VALUES (99)")
    other = open_journal(url)
    with pytest.raises(StoreError, match=r"newer Quorate \(schema 99, this one knows 1\); upgrade"):
        await other.sessions()
    await other.close()


async def test_tables_of_another_program_are_left_alone(postgres: Postgres, journal: Journal, url: str) -> None:
    name = url.rsplit("schema=", 1)[1] + "_other"
    await opened(journal)
    await directly(url, f"CREATE SCHEMA {name}")
    await directly(url, f"CREATE TABLE {name}.session (theirs text)")
    other = open_journal(postgres.url(name))
    with pytest.raises(StoreError, match="tables of another program"):
        await other.sessions()
    await other.close()
    assert [row[0] for row in await directly(url, f"SELECT count(*) FROM {name}.session")] == [0]


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE entry SET body = '{}'",
        "DELETE FROM entry",
        "TRUNCATE entry",
        "UPDATE material SET text = 'x'",
        "DELETE FROM material",
        "TRUNCATE material",
    ],
)
async def test_what_was_said_stays(statement: str, url: str, journal: Journal) -> None:
    from quorate.codec.canonical import digest_text

    session = await opened(journal, **{digest_text("text"): "text"})
    with pytest.raises(asyncpg.PostgresError, match="never changed or deleted"):
        await directly(url, statement)
    assert len(await journal.entries(session)) == 1
    address, schema = url.rsplit("schema=", 1)
    connection = await asyncpg.connect(address.rstrip("?&"), server_settings={"search_path": schema})
    try:
        async with connection.transaction():
            await connection.execute("SET LOCAL quorate.repairing = 'yes'")
            await connection.execute(statement)
    finally:
        await connection.close()


# Leases and notices


async def test_leases_run_by_the_clock_of_the_server(url: str, journal: Journal, monkeypatch: Any) -> None:
    session = await opened(journal)
    for wrong in (0.0, 4e9):  # what this machine takes for the time does not matter
        monkeypatch.setattr("time.time", lambda wrong=wrong: wrong)
        monkeypatch.setattr("time.time_ns", lambda wrong=wrong: int(wrong * 1e9))
        await journal.lease(session, "me", 600)
        (row,) = await directly(url, "SELECT until - extract(epoch FROM now()) * 1000 AS left FROM session")
        assert 0 < row["left"] <= 600_000
        assert await journal.driver(session) == "me"


async def test_who_waits_is_told_after_the_line_to_the_server_was_cut(url: str, journal: Journal) -> None:
    session = await opened(journal)
    other = open_journal(url)
    for seq in (1, 2):
        waiting = asyncio.create_task(journal.wait(session, seq - 1, PATIENCE * 10))
        await asyncio.sleep(0.3)
        await directly(
            url,
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE application_name = 'quorate' AND query LIKE 'LISTEN%'",
        )
        await other.append(session, seq, "{}", None, AT)
        await asyncio.wait_for(waiting, PATIENCE)
    await other.close()


# A server that restarts, a line that is cut


async def test_a_server_that_restarts_loses_nothing(postgres: Postgres, url: str, journal: Journal) -> None:
    session = await opened(journal)
    await journal.append(session, 1, '{"n":1}', "1.0", AT)
    waiting = asyncio.create_task(journal.wait(session, 2, PATIENCE * 10))
    await asyncio.to_thread(postgres.stop)
    calls = [
        asyncio.create_task(call)
        for call in (journal.append(session, 2, '{"n":2}', "2.0", AT), journal.lease(session, "me", 60))
    ]
    reading = asyncio.create_task(journal.entries(session))
    await asyncio.sleep(0.5)
    assert not any(call.done() for call in (*calls, reading, waiting)), "they wait for the server to come back"
    await asyncio.to_thread(postgres.start)
    await asyncio.wait_for(asyncio.gather(*calls), PATIENCE)
    assert len(await reading) in (2, 3)
    assert [entry.seq for entry in await journal.entries(session)] == [0, 1, 2]
    await journal.append(session, 3, "{}", None, AT)
    await asyncio.wait_for(waiting, PATIENCE)


@pytest.fixture
async def between(postgres: Postgres) -> AsyncIterator[tuple[Between, str]]:
    with TemporaryDirectory(prefix="q") as folder:  # a socket's path is short
        found = Between(postgres.folder)
        async with found.listening(Path(folder)):
            yield found, postgres.url(folder=Path(folder))


async def test_an_append_whose_fate_is_unknown_is_written_once(between: tuple[Between, str]) -> None:
    line, url = between
    journal = open_journal(url)
    session = await opened(journal)
    line.cut_after = b"the answer to this is never heard"
    entry = await journal.append(session, 1, '{"text":"the answer to this is never heard"}', "1.0", AT)
    assert line.cuts == 1
    entries = await journal.entries(session)
    assert entries[1:] == [entry]
    check_chain(entries)
    await journal.append(session, 2, "{}", "2.0", AT)
    await journal.close()


async def test_an_opening_whose_fate_is_unknown_is_written_once(between: tuple[Between, str]) -> None:
    line, url = between
    journal = open_journal(url)
    await opened(journal, "another")
    line.cut_after = b"COMMIT"
    await opened(journal, "s")
    assert line.cuts == 1
    assert [listed.id for listed in await journal.sessions()] == ["s", "another"]
    with pytest.raises(Conflict):
        await opened(journal, "s")
    await journal.close()


async def test_who_is_called_away_while_writing_has_written(journal: Journal) -> None:
    session = await opened(journal)
    writing = asyncio.create_task(journal.append(session, 1, "{}", "1.0", AT))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    writing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await writing
    assert len(await journal.entries(session)) == 2


RACING = """
import asyncio, sys
from quorate.store.journal import Conflict, Status
from quorate.store.open import open_journal

async def main(url, name):
    journal = open_journal(url)
    for number in range(25):
        while True:
            seq = len(await journal.entries("s"))
            try:
                await journal.append("s", seq, '{"by":"%s","n":%d}' % (name, number), f"{name}.{number}", Status())
                break
            except Conflict:
                pass
    await journal.close()

asyncio.run(main(*sys.argv[1:]))
"""


async def test_two_processes_extend_one_journal_and_nothing_is_lost(url: str, journal: Journal) -> None:
    session = await opened(journal)
    racers = [
        await asyncio.create_subprocess_exec(sys.executable, "-c", RACING, url, name, stderr=subprocess.PIPE)
        for name in ("a", "b")
    ]
    for racer in racers:
        _, said = await asyncio.wait_for(racer.communicate(), PATIENCE)
        assert racer.returncode == 0, said
    entries = await journal.entries(session)
    check_chain(entries)
    said_by = [(found["by"], found["n"]) for found in (json.loads(entry.body) for entry in entries[1:])]
    assert sorted(said_by) == [(name, number) for name in "ab" for number in range(25)]


# What is wrong, in words


async def test_a_server_that_is_not_there_is_named_without_the_password() -> None:
    word = "pw-" + "0123456789"
    journal = open_journal(f"postgresql://me:{word}@127.0.0.1:1/shop")
    with pytest.raises(StoreError, match=r"postgresql://me@127.0.0.1:1/shop cannot be reached") as caught:
        await journal.sessions()
    assert word not in str(caught.value)
    await journal.close()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda url: url.replace("/postgres?", "/nothing?"), "has no such database; make it with"),
        (lambda url: url.replace("schema=", "no_such_option=1&schema="), "does not know an option of the URL"),
    ],
)
async def test_what_the_server_refuses(change: Callable[[str], str], words: str, url: str, postgres: Postgres) -> None:
    assert postgres.folder  # another server may be called anything
    journal = open_journal(change(url))
    with pytest.raises(StoreError, match=words):
        await journal.sessions()
    await journal.close()


async def test_without_the_driver_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "asyncpg", None)
    journal = PostgresJournal("postgresql://h/d")
    with pytest.raises(SettingError, match=r"asyncpg is not installed; expected pip install 'quorate\[postgres\]'"):
        await journal.sessions()
