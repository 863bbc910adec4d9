"""A real git repository in a temporary folder, and the user's git configuration at its most unhelpful."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.protocols.review.world.change.repos import Repo

USERS_CONFIG = """\
[init]
\tdefaultBranch = trunk
[diff]
\tnoprefix = true
\trenames = false
\tcontext = 9
\tsuppressBlankEmpty = true
\tsubmodule = log
[color]
\tui = always
[core]
\tquotePath = false
\tpager = false
"""


@pytest.fixture(autouse=True)
def users_config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / ".gitconfig").write_text(USERS_CONFIG)
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(home / ".gitconfig"))
    # Every repository of these tests belongs to whoever runs them, but the folder above may not.
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))


@pytest.fixture
def empty(tmp_path: Path) -> Repo:
    """A repository without a commit, on the branch main."""
    repo = Repo(tmp_path / "project")
    repo.folder.mkdir()
    repo.git("init", "--quiet", "--initial-branch=main")
    return repo


@pytest.fixture
def repo(empty: Repo) -> Repo:
    """A repository with one commit on main, and a branch `feature` checked out."""
    empty.commit({"src/app.py": "one\ntwo\nthree\n", "README.md": "# Shop\n"})
    empty.git("checkout", "--quiet", "-b", "feature")
    return empty
