"""The SQLite file: several processes, damage, limits, and what the errors say."""

from __future__ import annotations

import asyncio
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from quorate.codec import decode_opening, digest_text, read_record
from quorate.codec.chain import GENESIS, Entry, chain
from quorate.codec.journal_reader import check_chain
from quorate.core.errors import StoreError
from quorate.core.protocol import Protocol
from quorate.protocols.debate.rules.model import State
from quorate.store import database
from quorate.store.journal import START, Status
from quorate.store.sqlite import SqliteJournal

STATUS = Status("PROPOSAL", 1, "", "")


async def opened(path: Path, *sessions: str, entries: int = 0, text: str = "x") -> SqliteJournal:
    journal = SqliteJournal(path)
    for number, session in enumerate(sessions):
        await journal.create(session, "debate", f"Title of {session}", 1_000 + number, "{}", {})
        for seq in range(1, entries + 1):
            await journal.append(session, seq, f'{{"seq":{seq},"text":"{text}"}}', f"{seq}.0", STATUS)
    return journal


async def entries_in(path: Path, session: str) -> list[Entry]:
    journal = SqliteJournal(path)
    try:
        return await journal.entries(session)
    finally:
        await journal.close()


def start(script: str, *arguments: str | Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", script, *map(str, arguments)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


# Several processes

RACE = """
import asyncio, sys
from quorate.store.journal import Conflict, Status
from quorate.store.sqlite import SqliteJournal

async def main(path, name, count):
    journal = SqliteJournal(path)
    print("ready", flush=True)
    sys.stdin.readline()
    won = 0
    while won < count:
        expected = (await journal.sessions())[0].last + 1
        try:
            await journal.append("s", expected, f'{{"by":"{name}","n":{won}}}', f"{name}.{won}", Status())
        except Conflict:
            continue
        won += 1
        print(expected, flush=True)
    await journal.close()

asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
"""


async def test_of_several_processes_exactly_one_writes_each_entry(tmp_path: Path) -> None:
    path = tmp_path / "quorate.db"
    await (await opened(path, "s")).close()
    racers = [start(RACE, path, f"p{number}", "20") for number in range(3)]
    for racer in racers:
        assert racer.stdout is not None
        assert racer.stdout.readline() == "ready\n"
    for racer in racers:
        assert racer.stdin is not None
        racer.stdin.write("go\n")
        racer.stdin.flush()
    told = [[int(line) for line in racer.communicate()[0].split()] for racer in racers]
    assert all(racer.returncode == 0 for racer in racers)
    assert sorted(seq for each in told for seq in each) == list(range(1, 61)), "no entry was won twice, none is missing"
    entries = await entries_in(path, "s")
    check_chain(entries)
    for name, won in zip(("p0", "p1", "p2"), told, strict=True):
        assert [entry.seq for entry in entries if f'"by":"{name}"' in entry.body] == won


CREATE = """
import asyncio, sys
from quorate.store.sqlite import SqliteJournal

async def main(path, name):
    print("ready", flush=True)
    sys.stdin.readline()
    journal = SqliteJournal(path)
    await journal.create(name, "debate", "", 1, "{}", {})
    await journal.close()

asyncio.run(main(sys.argv[1], sys.argv[2]))
"""


async def test_several_processes_may_make_the_file(tmp_path: Path) -> None:
    path = tmp_path / "new" / "quorate.db"
    makers = [start(CREATE, path, f"s{number}") for number in range(4)]
    for maker in makers:
        assert maker.stdout is not None
        maker.stdout.readline()
    for maker in makers:
        maker.communicate("go\n")
        assert maker.returncode == 0
    journal = SqliteJournal(path)
    assert {listed.id for listed in await journal.sessions()} == {"s0", "s1", "s2", "s3"}
    await journal.close()


async def test_what_an_append_returned_survives_a_kill(tmp_path: Path) -> None:
    path = tmp_path / "quorate.db"
    await (await opened(path, "s")).close()
    victim = start(RACE, path, "victim", "100000")
    assert victim.stdout is not None
    assert victim.stdin is not None
    victim.stdin.write("go\n")
    victim.stdin.flush()
    told = [victim.stdout.readline() for _ in range(25)]
    victim.send_signal(signal.SIGKILL)
    rest, _ = victim.communicate()
    last = int((told + [line for line in rest.split("\n") if line])[-1])
    entries = await entries_in(path, "s")
    check_chain(entries)
    assert entries[-1].seq >= last


async def test_waiting_for_another_writer_leaves_the_loop_free(tmp_path: Path) -> None:
    path = tmp_path / "quorate.db"
    journal = await opened(path, "s")
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    append = asyncio.create_task(journal.append("s", 1, "{}", "1.0", STATUS))
    for _ in range(5):  # were the loop blocked, nobody would ever let go of the lock
        await asyncio.sleep(0.01)
    assert not append.done()
    assert len(await journal.entries("s")) == 1, "reading goes on meanwhile"
    other.execute("ROLLBACK")
    other.close()
    assert (await append).seq == 1
    await journal.close()


async def test_a_lock_that_is_never_released_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "PATIENCE", 0.05)
    path = tmp_path / "quorate.db"
    journal = await opened(path, "s")
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match=r"quorate.db is locked by another program; close that one and try again"):
        await journal.append("s", 1, "{}", "1.0", STATUS)
    other.close()
    assert (await journal.append("s", 1, "{}", "1.0", STATUS)).seq == 1
    await journal.close()


# What the file looks like


async def test_anyone_can_open_the_file_and_read_the_journal(tmp_path: Path) -> None:
    path = tmp_path / "quorate.db"
    journal = await opened(path, "s", entries=2)
    written = await journal.entries("s")
    await journal.close()
    assert [each.name for each in tmp_path.iterdir()] == ["quorate.db"], "closing leaves one file"
    with sqlite3.connect(path) as other:
        rows = other.execute("SELECT session, seq, ask, body, hash FROM journal").fetchall()
        assert other.execute("SELECT json_extract(body, '$.text') FROM journal WHERE seq = 1").fetchone() == ("x",)
        assert other.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    other.close()
    assert rows == [
        ("s", entry.seq, f"{entry.seq}.0" if entry.seq else None, entry.body, entry.hash) for entry in written
    ]


async def test_material_is_stored_once(tmp_path: Path) -> None:
    path = tmp_path / "quorate.db"
    journal = SqliteJournal(path)
    text = "a long document " * 20_000
    for number in range(5):
        await journal.create(f"s{number}", "debate", "", 1, "{}", {digest_text(text): text})
    await journal.close()
    assert path.stat().st_size < 1.1 * len(text)


async def test_a_commit_is_flushed_to_disk(tmp_path: Path) -> None:
    journal = SqliteJournal(tmp_path / "quorate.db")
    (row,) = journal._file._connection.execute("PRAGMA synchronous").fetchall()
    assert row == (2,), "FULL"
    await journal.close()


async def test_a_whole_debate_is_read_back(
    tmp_path: Path,
    debate: Protocol[State],
    journal_of: Callable[[Protocol[Any]], list[Entry]],
    material: dict[str, str],
) -> None:
    entries = journal_of(debate)
    journal = SqliteJournal(tmp_path / "quorate.db")
    texts = {digest_text(text): text for text in material.values()}
    await journal.create("s", "debate", "A queue", 1, entries[0].body, texts)
    for entry in entries[1:]:
        assert await journal.append("s", entry.seq, entry.body, f"{entry.seq}.0", STATUS) == entry
    await journal.close()
    journal = SqliteJournal(tmp_path / "quorate.db")
    kept = await journal.entries("s")
    opening, _ = decode_opening(kept[0].body)
    found = {name: await journal.material(digest) for name, digest in opening.material.items()}
    record = read_record(debate, kept, found)
    await journal.close()
    assert kept == entries
    assert record.session == read_record(debate, entries, material).session
    assert record.session.conclusion is not None


# Files that cannot be used


@pytest.mark.parametrize("how", ["deleted", "moved", "replaced"])
async def test_a_file_that_is_taken_away_is_not_written_to(how: str, tmp_path: Path) -> None:
    path = tmp_path / "quorate.db"
    journal = await opened(path, "s")
    if how == "deleted":
        path.unlink()
    else:
        path.rename(tmp_path / "elsewhere.db")
    if how == "replaced":
        path.touch()
    with pytest.raises(StoreError, match=r"quorate.db was moved, deleted or replaced while it was open"):
        await journal.append("s", 1, "{}", "1.0", STATUS)
    await journal.close()


async def test_what_is_no_text_is_refused_whole(tmp_path: Path) -> None:
    journal = await opened(tmp_path / "quorate.db")
    with pytest.raises(StoreError, match="contains half of a surrogate pair"):
        await journal.create("s", "debate", "a \ud83d title", 1, "{}", {})
    with pytest.raises(StoreError, match="contains NUL or half of a surrogate pair"):
        await journal.create("s", "debate", "", 1, "{}", {digest_text("a\0"): "a\0"})
    with pytest.raises(StoreError, match="contains half of a surrogate pair"):
        await journal.entries("\udcff")
    assert await journal.sessions() == []
    await journal.create("s", "debate", "", 1, "{}", {})
    await journal.close()


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("These are my notes. " * 100)
    with pytest.raises(StoreError, match=r"notes.txt is not a database; name another file with --store"):
        SqliteJournal(path)
    assert path.read_text() == "These are my notes. " * 100


def test_a_database_of_another_program(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE song (title)")
    other.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match=r"other.db is a database of another program"):
        SqliteJournal(path)
    assert path.read_bytes() == before, "it was not touched"


async def test_a_file_of_a_newer_version(tmp_path: Path) -> None:
    path = tmp_path / "quorate.db"
    await (await opened(path, "s")).close()
    other = sqlite3.connect(path)
    other.execute("PRAGMA user_version = 3")
    other.close()
    with pytest.raises(StoreError, match=r"written by a newer Quorate \(schema 3, this one knows 2\); upgrade"):
        SqliteJournal(path)


VERSION_1 = """
CREATE TABLE session (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, protocol TEXT NOT NULL, title TEXT NOT NULL,
    opened_at INTEGER NOT NULL, last INTEGER NOT NULL, phase TEXT NOT NULL, round INTEGER NOT NULL,
    verdict TEXT NOT NULL, waiting TEXT NOT NULL, owner TEXT, until INTEGER);
CREATE TABLE entry (session INTEGER NOT NULL REFERENCES session, seq INTEGER NOT NULL, ask TEXT, hash BLOB NOT NULL,
    body TEXT NOT NULL);
CREATE UNIQUE INDEX one_place ON entry (session, seq);
CREATE UNIQUE INDEX one_reply ON entry (session, ask) WHERE ask IS NOT NULL;
CREATE TABLE material (digest BLOB PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID;
CREATE VIEW journal AS SELECT id AS session, seq, ask, body, lower(hex(hash)) AS hash
    FROM entry JOIN session ON session.number = entry.session ORDER BY session.number, seq;
"""
"""The schema as the first version had it."""


def of_version_1(path: Path, session: str, *bodies: str) -> None:
    """Write a file as the first version did."""
    old = sqlite3.connect(path)
    old.executescript(f"PRAGMA page_size = {database.PAGE};{VERSION_1}")
    old.execute(
        "INSERT INTO session VALUES (1, ?, 'debate', 'A title', 1000, ?, 'PROPOSAL', 1, '', '', NULL, NULL)",
        (session, len(bodies) - 1),
    )
    previous = GENESIS
    for seq, body in enumerate(bodies):
        previous = chain(previous, body)
        ask = f"{seq}.0" if seq else None
        old.execute("INSERT INTO entry VALUES (1, ?, ?, ?, ?)", (seq, ask, bytes.fromhex(previous), body))
    old.execute(f"PRAGMA application_id = {database.APPLICATION}")
    old.execute("PRAGMA user_version = 1")
    old.commit()
    old.close()


async def test_a_file_of_the_first_version_is_brought_up_to_date_in_place(tmp_path: Path) -> None:
    path = tmp_path / "quorate.db"
    of_version_1(path, "s", "{}", '{"seq":1}')
    journal = SqliteJournal(path)
    assert [(listed.id, listed.last) for listed in await journal.sessions()] == [("s", 1)]
    check_chain(await journal.entries("s"))
    assert await journal.hosted() == []
    await journal.host("s", True)
    assert (await journal.append("s", 2, "{}", "2.0", STATUS)).seq == 2
    await journal.close()
    journal = SqliteJournal(path)
    assert [(listed.id, listed.last) for listed in await journal.hosted()] == [("s", 2)]
    await journal.close()
    with sqlite3.connect(path) as other:
        assert other.execute("PRAGMA user_version").fetchone() == (database.VERSION,)
    other.close()


async def test_several_processes_may_bring_a_file_up_to_date(tmp_path: Path) -> None:
    path = tmp_path / "quorate.db"
    of_version_1(path, "s", "{}")
    openers = [start(CREATE, path, f"s{number}") for number in range(3)]
    for opener in openers:
        assert opener.stdout is not None
        opener.stdout.readline()
    for opener in openers:
        opener.communicate("go\n")
        assert opener.returncode == 0
    journal = SqliteJournal(path)
    assert {listed.id for listed in await journal.sessions()} == {"s", "s0", "s1", "s2"}
    await journal.close()


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"is a folder; name a file in it, such as .*quorate.db"):
        SqliteJournal(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match=r"its folder cannot be made: .*choose another --store"):
        SqliteJournal(tmp_path / "file" / "quorate.db")


async def test_an_empty_file_is_made_a_store(tmp_path: Path) -> None:
    (tmp_path / "quorate.db").touch()
    journal = await opened(tmp_path / "quorate.db", "s")
    assert len(await journal.sessions()) == 1
    await journal.close()


OPEN_AS_NOBODY = """
import asyncio, os, sys, tempfile
from quorate.core.errors import StoreError
from quorate.store.journal import Status
from quorate.store.sqlite import SqliteJournal

# Nobody may not be able to read Python's own files later.
with tempfile.TemporaryDirectory() as folder:
    asyncio.run(SqliteJournal(f"{folder}/quorate.db").close())
if os.geteuid() == 0:  # who is root may write everywhere
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
try:
    journal = SqliteJournal(sys.argv[1])
    asyncio.run(journal.append("s", 1, "{}", "1.0", Status()))
except StoreError as error:
    print(error)
"""


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that other users may look into; pytest's own are private."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)
        Path(name).chmod(0o755)


async def test_a_folder_that_may_not_be_written_to(open_folder: Path) -> None:
    open_folder.chmod(0o555)
    said, _ = start(OPEN_AS_NOBODY, open_folder / "quorate.db").communicate()
    assert "quorate.db cannot be opened; check that its folder exists and is writable" in said


async def test_a_file_that_may_not_be_written_to(open_folder: Path) -> None:
    path = open_folder / "quorate.db"
    await (await opened(path, "s")).close()
    path.chmod(0o444)
    open_folder.chmod(0o555)
    said, _ = start(OPEN_AS_NOBODY, path).communicate()
    assert str(path) in said
    assert "its folder is read-only" in said or "its folder exists and is writable" in said


async def test_a_full_disk_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "quorate.db"
    journal = await opened(path, "s", entries=3)
    pages = journal._file._connection.execute("PRAGMA page_count").fetchone()[0]
    journal._file._connection.execute(f"PRAGMA max_page_count = {pages + 2}")
    with pytest.raises(StoreError, match=r"quorate.db cannot grow: the disk is full; what was kept is safe"):
        await journal.append("s", 4, "x" * 5_000, "4.0", STATUS)
    assert [entry.seq for entry in await journal.entries("s")] == [0, 1, 2, 3]
    assert (await journal.sessions())[0].last == 3
    journal._file._connection.execute("PRAGMA max_page_count = 1000000")
    assert (await journal.append("s", 4, "x" * 5_000, "4.0", STATUS)).seq == 4
    await journal.close()


LIMITED = """
import asyncio, resource, sys
from quorate.core.errors import StoreError
from quorate.store.journal import Status
from quorate.store.sqlite import SqliteJournal

async def main():
    journal = SqliteJournal(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))
    seq = 1
    try:
        while True:
            await journal.append("s", seq, "x" * 3_000, f"{seq}.0", Status())
            seq += 1
    except StoreError as error:
        print(seq)
        print(error)

asyncio.run(main())
"""


async def test_a_write_that_fails_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "quorate.db"
    await (await opened(path, "s")).close()
    said, _ = start(LIMITED, path).communicate()
    failed, words = said.splitlines()
    assert f"{path} could not be read or written; what was kept is safe" in words
    entries = await entries_in(path, "s")
    check_chain(entries)
    assert [entry.seq for entry in entries] == list(range(int(failed)))
    assert int(failed) > 1


# Damage


def spoil(path: Path, place: bytes, length: int = database.PAGE) -> None:
    """Overwrite the page that holds these bytes."""
    data = bytearray(path.read_bytes())
    start_of = data.index(place) // database.PAGE * database.PAGE
    data[start_of : start_of + length] = b"\xff" * length
    path.write_bytes(data)


async def test_damage_in_one_session_leaves_the_list_and_the_others(tmp_path: Path) -> None:
    path = tmp_path / "quorate.db"
    journal = await opened(path, "a", "b", entries=3, text="text of a session " * 20)
    await journal.create("c", "debate", "Title of c", 2_000, "{}", {})
    await journal.append("c", 1, '{"mark":"HERE"}' + "y" * 400, "1.0", STATUS)
    await journal.close()
    spoil(path, b'{"mark":"HERE"}')
    journal = SqliteJournal(path)
    assert [listed.id for listed in await journal.sessions()] == ["c", "b", "a"]
    check_chain(await journal.entries("a"))
    with pytest.raises(StoreError, match=r"quorate.db is damaged; keep a copy, and save what can be read with"):
        await journal.entries("c")
    await journal.close()


async def test_a_flipped_byte_in_a_body_is_found_by_its_hash(tmp_path: Path) -> None:
    path = tmp_path / "quorate.db"
    await (await opened(path, "s", entries=3)).close()
    data = path.read_bytes()
    at = data.index(b'{"seq":2,"text":"x"}')
    for flipped in (b"y", b"\xff"):  # another letter, and what is no UTF-8 at all
        path.write_bytes(data[: at + 17] + flipped + data[at + 18 :])
        with pytest.raises(StoreError, match="entry 2 does not match its hash"):
            check_chain(await entries_in(path, "s"))


async def test_a_damaged_row_of_a_session_does_not_hide_the_others(tmp_path: Path) -> None:
    path = tmp_path / "quorate.db"
    names = [f"session-{number:02}" for number in range(30)]
    await (await opened(path, *names)).close()
    spoil(path, b"Title of session-11")
    journal = SqliteJournal(path)
    listed = await journal.sessions()
    await journal.close()
    assert len(listed) == 30
    damaged = [each for each in listed if each.id.startswith("damaged-")]
    assert 0 < len(damaged) < 10
    assert damaged[0].title == "this session's row is damaged"
    readable = [each for each in listed if each not in damaged]
    assert readable == sorted(readable, key=lambda each: -each.opened_at)
    assert {each.id for each in readable} < set(names)


async def test_values_spoilt_by_hand_do_not_hide_a_session(tmp_path: Path) -> None:
    path = tmp_path / "quorate.db"
    await (await opened(path, "s", "t")).close()
    other = sqlite3.connect(path)
    other.execute("UPDATE session SET opened_at = 'noon', title = x'ff', round = 'two' WHERE id = 's'")
    other.commit()
    other.close()
    journal = SqliteJournal(path)
    listed = {each.id: each for each in await journal.sessions()}
    await journal.close()
    assert listed["s"].opened_at == 0
    assert listed["s"].status == START
    assert listed["t"].title == "Title of t"


async def test_spoilt_material_is_told(tmp_path: Path) -> None:
    path = tmp_path / "quorate.db"
    journal = SqliteJournal(path)
    await journal.create("s", "debate", "", 1, "{}", {digest_text("the problem"): "the problem"})
    await journal.close()
    path.write_bytes(path.read_bytes().replace(b"the problem", b"the Problem"))
    journal = SqliteJournal(path)
    with pytest.raises(StoreError, match=r"is damaged: the material .* is not the text that was kept"):
        await journal.material(digest_text("the problem"))
    await journal.close()
