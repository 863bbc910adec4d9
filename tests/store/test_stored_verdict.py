"""Verdict and ruling are stored in one column, and read back as the two that they are."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from quorate import catalog
from quorate.api.session_list import list_sessions
from quorate.store.journal import Status, read_verdict, stored_verdict
from quorate.store.sqlite import SqliteJournal

VERDICTS = {
    verdict.name: [ruling.name for ruling in built.rulings.get(verdict, ())]
    for name in catalog.definitions()
    for built in catalog.profiles(name).values()
    for verdict in (*built.exit_codes, *built.rulings)
}
PAIRS = [(verdict, ruling) for verdict, rulings in VERDICTS.items() for ruling in ("", *rulings)]
ODD = [
    *(("", ""), ("", "A"), ("A, ruled B", ""), ("A, ruled B", "C"), ("A", "B, ruled C"), (", ruled ", "")),
    *(("[", ""), ('["A", "B"]', ""), ('["A", "B"]', "C"), ("[1]", ""), ("null", ""), ('"', '"')),
]


def test_every_protocol_has_verdicts_and_some_are_ruled_on() -> None:
    assert len(VERDICTS) > 10
    assert any(ruling for _, ruling in PAIRS)


@pytest.mark.parametrize(("verdict", "ruling"), [*PAIRS, *ODD])
def test_a_verdict_and_its_ruling_are_read_back_as_they_were(verdict: str, ruling: str) -> None:
    assert read_verdict(stored_verdict(Status(verdict=verdict, ruling=ruling))) == (verdict, ruling)


@pytest.mark.parametrize("verdict", VERDICTS)
def test_a_verdict_alone_is_stored_as_it_is(verdict: str) -> None:
    assert stored_verdict(Status(verdict=verdict)) == verdict


@pytest.mark.parametrize("stored", ["[", "[]", '["A"]', '["A", 1]', "[" * 100_000])
def test_what_nobody_wrote_is_shown_as_it_stands(stored: str) -> None:
    assert read_verdict(stored) == (stored, "")


async def test_a_store_of_an_earlier_release_is_read(tmp_path: Path) -> None:
    journal = SqliteJournal(tmp_path / "store.db")
    await journal.create("s", "review", "A title", 1, "{}", {})
    await journal.close()
    with sqlite3.connect(tmp_path / "store.db") as file:
        file.execute("UPDATE session SET verdict = 'INCONCLUSIVE, ruled APPROVED'")
    file.close()
    journal = SqliteJournal(tmp_path / "store.db")
    (row,) = await list_sessions(journal)
    await journal.close()
    assert (row.verdict, row.ruling, row.stands_at) == ("INCONCLUSIVE", "APPROVED", "INCONCLUSIVE, ruled APPROVED")
