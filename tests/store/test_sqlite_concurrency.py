"""Sessions that are driven side by side share flushes to disk, and nothing else: each write is kept or undone alone."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from quorate.codec.chain import Entry
from quorate.core.errors import StoreError
from quorate.store import database
from quorate.store.journal import Conflict, Status
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


async def test_leases_are_given_back_by_those_who_are_cancelled(tmp_path: Path) -> None:
    """At whatever moment that is: what is in the file says who drives, for half a minute at least."""
    journal = await driven(tmp_path / "quorate.db", *SESSIONS[:2])
    written = 0
    for steps in range(1, 7):
        session = f"cancelled after {steps}"
        await journal.create(session, "debate", "Title", 1_000, "{}", {})

        async def drive(session: str = session) -> None:
            await journal.lease(session, "driver", 60)
            try:
                await journal.append(session, 1, "{}", "1.0", STATUS)
            finally:
                await journal.release(session, "driver")

        task = asyncio.create_task(drive())
        for _ in range(steps):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        assert await journal.driver(session) == "", session
        written += len(await journal.entries(session)) - 1
    assert 0 < written < 6, "some came before the cancellation, and some after it"
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


class Stopped(BaseException):
    """Somebody stops the program, as Ctrl-C does."""


def _disk_error() -> sqlite3.OperationalError:
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = sqlite3.SQLITE_IOERR_FSYNC
    return error


class Failing:
    """A connection whose next commit fails, as it does when a disk is lost: SQLite undoes all of it by itself."""

    def __init__(self, real: sqlite3.Connection, error: BaseException | None = None) -> None:
        self.real, self.fails, self.error = real, True, error or _disk_error()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real, name)

    def execute(self, sql: str, values: Any = ()) -> Any:
        if sql == "COMMIT" and self.fails:
            self.fails = False
            self.real.execute("ROLLBACK")
            raise self.error
        return self.real.execute(sql, values)


async def test_a_flush_that_fails_has_kept_nothing_of_anybody(tmp_path: Path) -> None:
    path = tmp_path / "quorate.db"
    journal = await driven(path, *SESSIONS)
    journal._file._connection = Failing(journal._file._connection)  # type: ignore[assignment]
    results = await wrote(journal, *SESSIONS)
    assert all(isinstance(each, StoreError) and "check the disk" in str(each) for each in results), results
    assert await kept(path) == dict.fromkeys(SESSIONS, 0)
    assert all(isinstance(each, Entry) for each in await wrote(journal, *SESSIONS))
    await journal.close()


async def test_a_flush_that_fails_makes_nobody_believe_in_another_write(tmp_path: Path) -> None:
    """The second of one session is refused for the sake of the first, and then the first is undone."""
    path = tmp_path / "quorate.db"
    journal = await driven(path, "s", "other")
    journal._file._connection = Failing(journal._file._connection)  # type: ignore[assignment]
    results = await wrote(journal, "s", "s")
    assert [isinstance(each, Conflict) for each in results] == [False, False], results
    assert await kept(path) == {"s": 0, "other": 0}
    await journal.close()


async def test_a_program_that_is_stopped_stops_once(tmp_path: Path) -> None:
    path = tmp_path / "quorate.db"
    journal = await driven(path, *SESSIONS)
    connection = Failing(journal._file._connection, Stopped())
    journal._file._connection = connection  # type: ignore[assignment]
    results = await wrote(journal, *SESSIONS)
    assert [type(each) for each in results].count(Stopped) == 1
    said = {session: int(isinstance(each, Entry)) for session, each in zip(SESSIONS, results, strict=True)}
    assert sum(said.values()) == len(SESSIONS) - 1
    assert await kept(path) == said
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


def after_the_flush(journal: SqliteJournal, happens: Callable[[], object]) -> None:
    """Have something happen right after the next flush, before anybody is told of it."""
    file, flush = journal._file, journal._file._flush

    def flushed() -> None:
        flush()
        del file._flush
        happens()

    file._flush = flushed  # type: ignore[method-assign]


async def test_a_cancellation_that_is_taken_back_strikes_nobody(tmp_path: Path) -> None:
    journal = await driven(tmp_path / "quorate.db", "s", "other")

    async def write() -> int:
        task = asyncio.current_task()
        assert task is not None
        after_the_flush(journal, task.cancel)
        entry = await journal.append("s", 1, "{}", "1.0", STATUS)
        task.uncancel()  # as a time limit does that was left in time
        await asyncio.sleep(0.01)
        return entry.seq

    seq, _ = await asyncio.gather(write(), journal.host("other", True))
    assert seq == 1
    await journal.close()


async def test_a_cancellation_comes_after_what_was_written_in_the_words_of_whoever_asked_for_it(tmp_path: Path) -> None:
    journal = await driven(tmp_path / "quorate.db", "s", "other")

    async def write() -> tuple[int, tuple[str, ...]]:
        task = asyncio.current_task()
        assert task is not None
        after_the_flush(journal, lambda: task.cancel("enough"))
        entry = await journal.append("s", 1, "{}", "1.0", STATUS)
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError as cancelled:
            return entry.seq, cancelled.args
        raise AssertionError("it was not cancelled")

    told, _ = await asyncio.gather(write(), journal.host("other", True))
    assert told == (1, ("enough",))
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
