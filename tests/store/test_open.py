"""Opening a store by its name."""

from __future__ import annotations

from pathlib import Path

import pytest

from quorate.core.errors import SettingError
from quorate.store.memory import MemoryJournal
from quorate.store.open import open_journal
from quorate.store.sqlite import SqliteJournal


@pytest.mark.parametrize("form", ["sqlite:{}", "{}", "sqlite://{}"])
async def test_a_path_is_a_sqlite_file(form: str, tmp_path: Path) -> None:
    path = tmp_path / "a folder" / "quorate.db"
    journal = open_journal(form.format(path))
    assert isinstance(journal, SqliteJournal)
    await journal.create("s", "debate", "", 1, "{}", {})
    await journal.close()
    assert path.exists()


async def test_relative_paths_and_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for url in ("here.db", "sqlite:there.db", "~/mine.db", "./odd:name.db"):
        await open_journal(url).close()
    names = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.db")}
    assert names == {"here.db", "there.db", "home/mine.db", "odd:name.db"}


async def test_memory() -> None:
    journal = open_journal("memory:")
    assert isinstance(journal, MemoryJournal)
    await journal.close()


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("sqlit:quorate.db", "store: is 'sqlit:quorate.db'; expected memory:, sqlite:PATH, the path of a file, or "),
        ("sqlit:quorate.db", "did you mean 'sqlite:'?"),
        ("SQLITE:x", "did you mean 'sqlite:'?"),
        ("mysql://host/name", "store: is 'mysql://host/name'; expected memory:"),
        ("", "store: is ''; expected memory:"),
        ("sqlite:", "store: is 'sqlite:'; expected memory:"),
        ("memory:x", "expected nothing after memory:; did you mean 'memory:'?"),
    ],
)
def test_what_is_no_store(url: str, words: str) -> None:
    with pytest.raises(SettingError) as caught:
        open_journal(url)
    assert words in str(caught.value)
