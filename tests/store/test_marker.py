"""Whose marks count: this user's on this machine, and nobody else's, whatever file they come in."""

from __future__ import annotations

import os
import sqlite3
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from quorate.core.errors import StoreError
from quorate.store.journal import START
from quorate.store.marker import NAME, this_user
from quorate.store.sqlite import SqliteJournal


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data folder of a user who has not used Quorate yet."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path / "data" / "quorate"


def test_a_user_has_one_id_however_many_ask_for_it_first(data: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        found = set(pool.map(lambda _: this_user(), range(40)))
    assert len(found) == 1
    assert [each.name for each in data.iterdir()] == [NAME]
    if os.name == "posix":
        assert stat.S_IMODE((data / NAME).stat().st_mode) == 0o600


def test_users_have_different_ids(data: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    first = this_user()
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "other"))
    assert this_user() != first


@pytest.mark.parametrize("text", ["", "short", "0" * 33, "é" * 32])
def test_a_damaged_id_is_nobodys(data: Path, text: str) -> None:
    data.mkdir(parents=True)
    (data / NAME).write_text(text)
    with pytest.raises(StoreError, match="is damaged; delete it"):
        this_user()


def test_an_id_that_cannot_be_kept_is_said_so(data: Path) -> None:
    data.parent.write_text("a file where the folder should be")
    with pytest.raises(StoreError, match="sessions cannot be hosted"):
        this_user()


async def test_the_marks_of_others_are_none_until_the_session_is_marked_here(tmp_path: Path) -> None:
    path = tmp_path / "quorate.db"
    theirs = SqliteJournal(path, lambda: "theirs")
    await theirs.create("s", "debate", "A title", 1_000, "{}", {}, START)
    await theirs.host("s", True)
    ours = SqliteJournal(path)
    assert [each.id for each in await theirs.hosted()] == ["s"]
    assert await ours.hosted() == []
    assert [each.id for each in await ours.sessions()] == ["s"]
    await ours.host("s", True)
    assert [each.id for each in await ours.hosted()] == ["s"]
    assert await theirs.hosted() == [], "a session has one mark"
    await theirs.close()
    await ours.close()


async def test_a_file_cannot_mark_sessions_by_itself(tmp_path: Path) -> None:
    """A trigger would see who marks a session, and could mark others in that name."""
    path = tmp_path / "quorate.db"
    await SqliteJournal(path).close()
    with sqlite3.connect(path) as other:
        other.execute(
            "CREATE TRIGGER more AFTER INSERT ON hosted BEGIN INSERT INTO hosted VALUES (1, 1, NEW.marker); END"
        )
    other.close()
    with pytest.raises(StoreError, match="has triggers, which Quorate never makes"):
        SqliteJournal(path)
