"""Workspaces: what a project ships in our folder leads nowhere else, and what we keep there is for its user alone."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from quorate.core.errors import SettingError
from quorate.workspace import find_workspace

LINKS = [
    "",
    "briefs",
    "ledger.json",
    ".gitignore",
    "quorate.db",
    "quorate.db-wal",
    "quorate.db-shm",
    "quorate.db-journal",
    "quorate.db.worker",
    "quorate.db.worker/owner",
    "quorate.db.worker/log",
    "quorate.db.worker/failures.json",
]


@pytest.mark.parametrize("name", LINKS)
@pytest.mark.parametrize("leads", ["to a file", "nowhere"])
def test_links_where_we_write_are_refused(tmp_path: Path, name: str, leads: str) -> None:
    project, elsewhere = tmp_path / "project", tmp_path / "elsewhere"
    place = project / ".quorate" / name
    place.parent.mkdir(parents=True)
    (project / ".git").mkdir()
    if leads == "to a file":
        elsewhere.write_text("mine\n")
    place.symlink_to(elsewhere)
    with pytest.raises(SettingError, match="is a link"):
        find_workspace(project, {})
    assert not elsewhere.exists() or elsewhere.read_text() == "mine\n"


async def test_other_links_are_the_projects_own(tmp_path: Path) -> None:
    (tmp_path / ".quorate").mkdir()
    (tmp_path / ".quorate" / "notes").symlink_to(tmp_path)
    await find_workspace(tmp_path, {}).open().close()


@pytest.mark.skipif(os.name != "posix", reason="modes of files")
async def test_a_store_is_for_its_user_alone(tmp_path: Path) -> None:
    file = tmp_path / ".quorate" / "quorate.db"
    file.parent.mkdir()
    journal = find_workspace(tmp_path, {}).open()
    made = [each for each in file.parent.iterdir() if each.name.startswith("quorate.db")]
    await journal.close()
    assert file in made
    assert {stat.S_IMODE(each.stat().st_mode) for each in made if each.exists()} == {0o600}
    file.chmod(0o640)
    await find_workspace(tmp_path, {}).open().close()
    assert stat.S_IMODE(file.stat().st_mode) == 0o640, "somebody has decided that others may read it"
