"""What the simulation has found in the stores, as small as it can be told."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from quorate.store.journal import SessionBusy
from quorate.store.lease import LONGEST, Lease, living, take
from quorate.store.sqlite import SqliteJournal
from quorate.store.sqlite_errors import Damaged

NOW = 1_800_000_000_000


async def test_a_digest_that_a_flipped_bit_has_spoilt_is_damage_that_is_told(tmp_path: Path) -> None:
    journal = SqliteJournal(tmp_path / "journal.db")
    with pytest.raises(Damaged, match="is not the digest of a material"):
        await journal.material("g" * 64)
    await journal.close()


def test_a_schema_that_is_no_text_any_more_is_damage_that_is_told(tmp_path: Path) -> None:
    file = tmp_path / "journal.db"
    SqliteJournal(file)._file.close()
    content = file.read_bytes()
    assert b"CREATE TABLE hosted" in content
    file.write_bytes(content.replace(b"CREATE TABLE hosted", b"CREATE TABL\xa8 hosted"))
    with pytest.raises(Damaged):
        SqliteJournal(file)


def test_a_lease_from_before_the_clock_was_set_back_keeps_nobody_out() -> None:
    stale = Lease("elsewhere:1:-", NOW + 24 * 3_600_000)
    assert living(stale, NOW) == ""
    assert take("s", stale, "me", 30, NOW).owner == "me"


def test_the_longest_lease_still_keeps_others_out() -> None:
    held = Lease("elsewhere:1:-", NOW + LONGEST)
    with pytest.raises(SessionBusy):
        take("s", held, "me", 30, NOW)


async def test_a_store_on_disk_lets_a_session_go_on_after_the_clock_was_set_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal, now = SqliteJournal(tmp_path / "journal.db"), time.time_ns()
    await journal.create("s", "debate", "", 1, "{}", {})
    await journal.lease("s", "elsewhere:1:-", 30)
    monkeypatch.setattr("quorate.store.sqlite.time.time_ns", lambda: now - 90_000 * 1_000_000_000)
    await journal.lease("s", "me", 30)
    assert await journal.driver("s") == "me"
    await journal.close()
