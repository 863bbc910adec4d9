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


BOTH = """\
model: {of}:model
panel: {of}.yaml
curtail: {curtail}
budget:
  tokens: {tokens}
debate:
  rounds: {rounds}
  agents: [{agents}]
"""


def test_settings_of_the_project_go_before_the_users_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project, own = tmp_path / "project", tmp_path / "config" / "quorate"
    monkeypatch.setenv("XDG_CONFIG_HOME", str(own.parent))
    for folder in (project, own):
        folder.mkdir(parents=True)
    mine = BOTH.format(of="mine", curtail="true", tokens=1000, rounds=1, agents="architect, security")
    (own / "quorate.yaml").write_text(mine)
    theirs = BOTH.format(of="theirs", curtail="false", tokens=2000, rounds=2, agents="architect, testing")
    (project / "quorate.yaml").write_text(theirs)

    both = find_workspace(project, {}).config
    assert (both.model, both.panel, both.curtail) == ("theirs:model", project / "theirs.yaml", False)
    assert both.budget.tokens == 2000
    assert both.protocol("debate") == {"rounds": 2, "agents": ["architect", "testing"]}
    (project / "quorate.yaml").write_text("debate: {rounds: 3}\n")
    some = find_workspace(project, {}).config
    assert (some.model, some.panel, some.budget.tokens) == ("mine:model", own / "mine.yaml", 1000)
    assert some.protocol("debate") == {"rounds": 3, "agents": ["architect", "security"]}
    told = {"QUORATE__DEBATE__ROUNDS": "4"}
    assert find_workspace(project, told).config.protocol("debate")["rounds"] == 4
    assert find_workspace(project, told, sets=("debate.rounds=5",)).config.protocol("debate")["rounds"] == 5


def test_a_wrong_setting_is_told_of_the_file_it_holds_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project, own = tmp_path / "project", tmp_path / "config" / "quorate"
    monkeypatch.setenv("XDG_CONFIG_HOME", str(own.parent))
    for folder, tokens in ((project, 1000), (own, -1)):
        folder.mkdir(parents=True)
        (folder / "quorate.yaml").write_text(f"budget: {{tokens: {tokens}}}\n")
    assert find_workspace(project, {}).config.budget.tokens == 1000
    (project / "quorate.yaml").write_text("budget: {tokens: -2}\n")
    with pytest.raises(SettingError) as refused:
        find_workspace(project, {})
    assert refused.value.file == str(project / "quorate.yaml")
