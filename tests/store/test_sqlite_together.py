"""Sessions that are driven side by side share flushes to disk, and nothing else: each write is kept or undone alone."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from quorate.core.errors import StoreError
from quorate.store import database
from quorate.store.journal import Conflict, Entry, Status
from quorate.store.sqlite import SqliteJournal

STATUS = Status("PROPOSAL", 1, "", "")
SESSIONS = tuple(f"s{number:02}" for number in range(20))


async def driven(path: Path, *sessions: str) -> SqliteJournal:
    """Open a store with sessions that are all driven here."""
    journal = SqliteJournal(path)
    for session in sessions:
        await journal.create(session, "debate", "Title", 1_000, "{}", {})
        await journal.lease(session, f"driver of {session}", 60)
    return journal


def commits(journal: SqliteJournal) -> list[str]:
    """Return a list that grows by every commit from now on."""
    seen: list[str] = []
    journal._file._connection.set_trace_callback(lambda sql: seen.append(sql) if sql == "COMMIT" else None)
    return seen


async def wrote(journal: SqliteJournal, *sessions: str, body: str = "{}") -> list[Entry | BaseException]:
    """Write the first entry of these sessions at the same moment, and return what came of each."""
    writes = (journal.append(session, 1, body, "1.0", STATUS) for session in sessions)
    return await asyncio.gather(*writes, return_exceptions=True)


async def kept(path: Path) -> dict[str, int]:
    """What another process finds: the last entry of each session, in its entries and in the list alike."""
    journal = SqliteJournal(path)
    try:
        found = {listed.id: listed.last for listed in await journal.sessions()}
        assert found == {session: (await journal.entries(session))[-1].seq for session in found}
        return found
    finally:
        await journal.close()


async def test_those_that_are_driven_side_by_side_share_a_flush(tmp_path: Path) -> None:
    path = tmp_path / "quorate.db"
    journal = await driven(path, *SESSIONS)
    seen = commits(journal)
    entries = await wrote(journal, *SESSIONS)
    assert [entry.seq for entry in entries if isinstance(entry, Entry)] == [1] * len(SESSIONS)
    assert len(seen) == 1
    assert await kept(path) == dict.fromkeys(SESSIONS, 1), "it is there before anybody is told so"
    await journal.close()


async def test_leases_are_given_back_together(tmp_path: Path) -> None:
    journal = await driven(tmp_path / "quorate.db", *SESSIONS)
    seen = commits(journal)
    await asyncio.gather(*(journal.release(session, f"driver of {session}") for session in SESSIONS))
    assert len(seen) < len(SESSIONS) // 2
    assert {await journal.driver(session) for session in SESSIONS} == {""}
    (row,) = journal._file._connection.execute("PRAGMA synchronous").fetchall()
    assert row == (2,), "what comes next is flushed again"
    await journal.close()


async def test_one_alone_waits_for_nobody(tmp_path: Path) -> None:
    journal = await driven(tmp_path / "quorate.db", "alone")
    writing = journal.append("alone", 1, "{}", "1.0", STATUS)
    with pytest.raises(StopIteration) as done:
        writing.send(None)
    assert done.value.value.seq == 1
    await journal.close()


async def test_one_that_is_refused_takes_nobody_along(tmp_path: Path) -> None:
    path = tmp_path / "quorate.db"
    journal = await driven(path, *SESSIONS)
    await journal.append(SESSIONS[3], 1, '{"first":1}', "1.0", STATUS)
    seen = commits(journal)
    results = await wrote(journal, *SESSIONS)
    assert [type(each) for each in results if not isinstance(each, Entry)] == [Conflict.__subclasses__()[0]]
    assert isinstance(results[3], Conflict)
    assert len(seen) == 1
    assert await kept(path) == dict.fromkeys(SESSIONS, 1)
    assert (await journal.entries(SESSIONS[3]))[1].body == '{"first":1}'
    await journal.close()


async def test_a_session_is_extended_once_by_one_of_two(tmp_path: Path) -> None:
    path = tmp_path / "quorate.db"
    journal = await driven(path, "s", "other")
    writes = [journal.append("s", 1, f'{{"by":{by}}}', f"1.{by}", STATUS) for by in range(2)]
    first, second = await asyncio.gather(*writes, return_exceptions=True)
    assert isinstance(first, Entry)
    assert isinstance(second, Conflict)
    assert await kept(path) == {"s": 1, "other": 0}
    await journal.close()


@pytest.mark.parametrize("room", range(0, 40, 4))
async def test_what_a_full_disk_refuses_is_said_and_the_rest_is_kept(room: int, tmp_path: Path) -> None:
    path = tmp_path / "quorate.db"
    journal = await driven(path, *SESSIONS)
    run = journal._file._connection.execute
    run(f"PRAGMA max_page_count = {run('PRAGMA page_count').fetchone()[0] + room}")
    results = await wrote(journal, *SESSIONS, body="x" * 1_000)
    assert any(isinstance(each, StoreError) for each in results)
    assert all(isinstance(each, StoreError | Entry) for each in results)
    said = {session: int(isinstance(each, Entry)) for session, each in zip(SESSIONS, results, strict=True)}
    assert await kept(path) == said
    run("PRAGMA max_page_count = 1000000")
    refused = [session for session in SESSIONS if not said[session]]
    assert all(isinstance(each, Entry) for each in await wrote(journal, *refused, body="x" * 1_000))
    await journal.close()


class Failing:
    """A connection whose next commit fails, as it does when a disk is lost: SQLite undoes all of it by itself."""

    def __init__(self, real: sqlite3.Connection) -> None:
        self.real, self.fails = real, True

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real, name)

    def execute(self, sql: str, values: Any = ()) -> Any:
        if sql == "COMMIT" and self.fails:
            self.fails = False
            self.real.execute("ROLLBACK")
            error = sqlite3.OperationalError("disk I/O error")
            error.sqlite_errorcode = sqlite3.SQLITE_IOERR_FSYNC
            raise error
        return self.real.execute(sql, values)


async def test_a_flush_that_fails_has_kept_nothing_of_anybody(tmp_path: Path) -> None:
    path = tmp_path / "quorate.db"
    journal = await driven(path, *SESSIONS)
    journal._file._connection = Failing(journal._file._connection)  # type: ignore[assignment]
    results = await wrote(journal, *SESSIONS)
    assert all(isinstance(each, StoreError) and "see to the disk" in str(each) for each in results), results
    assert await kept(path) == dict.fromkeys(SESSIONS, 0)
    assert all(isinstance(each, Entry) for each in await wrote(journal, *SESSIONS))
    await journal.close()


async def test_one_that_is_cancelled_is_either_not_written_or_told_first(tmp_path: Path) -> None:
    path = tmp_path / "quorate.db"
    journal = await driven(path, *SESSIONS)
    told: set[str] = set()

    async def write(session: str) -> None:
        await journal.append(session, 1, "{}", "1.0", STATUS)
        told.add(session)
        await asyncio.sleep(0)

    tasks = {session: asyncio.create_task(write(session)) for session in SESSIONS}
    await asyncio.sleep(0)  # all wait for each other now
    tasks["s00"].cancel()
    tasks["s07"].cancel()
    await asyncio.gather(*tasks.values(), return_exceptions=True)
    assert {session for session, task in tasks.items() if task.cancelled()} == {"s00", "s07"}
    assert told == set(SESSIONS) - {"s00"}, "the first one was cancelled in time, the other was written by then"
    assert await kept(path) == {session: int(session in told) for session in SESSIONS}
    await journal.close()


async def test_a_time_limit_stays_one_where_the_write_came_first(tmp_path: Path) -> None:
    journal = await driven(tmp_path / "quorate.db", "s", "other")
    told: list[int] = []

    async def write() -> None:
        async with asyncio.timeout(0):
            told.append((await journal.append("s", 1, "{}", "1.0", STATUS)).seq)
            await asyncio.sleep(60)

    others = asyncio.create_task(journal.append("other", 1, "{}", "1.0", STATUS))
    await asyncio.sleep(0)
    with pytest.raises(TimeoutError):
        await write()
    assert (await others).seq == 1
    assert told in ([], [1])
    assert len(await journal.entries("s")) == 1 + len(told)
    await journal.close()


async def test_all_wait_for_another_process_and_none_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "quorate.db"
    journal = await driven(path, *SESSIONS)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    seen = commits(journal)
    writing = asyncio.create_task(wrote(journal, *SESSIONS))
    for _ in range(5):
        await asyncio.sleep(0.01)
    assert not writing.done()
    other.execute("ROLLBACK")
    other.close()
    assert all(isinstance(each, Entry) for each in await writing)
    assert len(seen) == 1
    assert await kept(path) == dict.fromkeys(SESSIONS, 1)
    await journal.close()


async def test_one_flush_takes_so_many_and_the_next_takes_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "MOST_TOGETHER", 7)
    path = tmp_path / "quorate.db"
    journal = await driven(path, *SESSIONS)
    seen = commits(journal)
    assert all(isinstance(each, Entry) for each in await wrote(journal, *SESSIONS))
    assert len(seen) == 3
    assert await kept(path) == dict.fromkeys(SESSIONS, 1)
    await journal.close()
