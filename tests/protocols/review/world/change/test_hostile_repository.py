"""A repository under review is hostile: its configuration, attributes, hooks and names run nothing and bend nothing."""

from __future__ import annotations

import os
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

from quorate.core.errors import InputError
from quorate.files.git import Git, GitFailed
from quorate.protocols.review.world.change.amendment import amended
from quorate.protocols.review.world.change.read import read_change
from quorate.protocols.review.world.change.source import Branch, Commit, Diff, Paths, Source, Staged
from tests.protocols.review.world.change.repos import Repo

PATCH = """\
--- a/a.py
+++ b/a.py
@@ -1 +1 @@
-changed
+amended
"""


@pytest.fixture
def trapped(repo: Repo, tmp_path: Path) -> tuple[Repo, Path]:
    """A repository in which everything that git could run leaves a trace."""
    trace = tmp_path / "trace"
    run = f"sh -c 'touch {trace}; cat' --"
    repo.commit({"a.py": "plain\n", "b.trap": "plain\n"})
    repo.git("branch", "--force", "main", "HEAD")
    repo.commit(
        {
            "a.py": "changed\n",
            "b.trap": "changed\n",
            ".gitattributes": "*.py diff=trap filter=trap merge=trap\n*.trap filter=trap diff=trap\n",
        }
    )
    repo.write("a.py", "staged\n")
    repo.git("add", "a.py")
    repo.write("a.py", "changed once more\n")
    settings = {
        "diff.external": run,
        "diff.trap.command": run,
        "diff.trap.textconv": run,
        "filter.trap.clean": run,
        "filter.trap.smudge": run,
        "filter.trap.required": "true",
        "merge.trap.driver": run,
        "core.fsmonitor": run,
        "core.pager": run,
        "pager.diff": run,
        "core.sshCommand": run,
        "core.editor": run,
        "credential.helper": f"!{run}",
        "gpg.program": run,
        "log.showSignature": "true",
        "diff.noprefix": "true",
        "diff.mnemonicPrefix": "true",
        "color.ui": "always",
        "color.diff": "always",
        "core.attributesFile": str(tmp_path / "attributes"),
        "alias.diff-tree": f"!{run}",
        "core.quotePath": "false",
    }
    for name, value in settings.items():
        repo.git("config", name, value)
    (repo.folder / ".git" / "info" / "attributes").write_text("* diff=trap filter=trap\n")
    hooks = repo.folder / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for hook in ("post-index-change", "pre-commit", "post-checkout", "reference-transaction", "fsmonitor-watchman"):
        (hooks / hook).write_text(f"#!/bin/sh\ntouch {trace}\n")
        (hooks / hook).chmod(0o755)
    trace.unlink(missing_ok=True)
    return repo, trace


@pytest.mark.parametrize(
    "source",
    [Branch(), Commit("HEAD"), Staged(), Paths(("a.py",)), Diff.of_text(PATCH.replace("changed", "staged"))],
    ids=lambda source: type(source).__name__,
)
def test_reading_runs_nothing(trapped: tuple[Repo, Path], source: Source) -> None:
    repo, trace = trapped
    index = (repo.folder / ".git" / "index").read_bytes()
    change = read_change(source, repo.folder)
    assert change.files[0].patch.startswith("diff --git a/")
    assert "\x1b" not in change.files[0].patch
    assert change.after is not None
    assert change.after.read("b.trap") == "changed\n"
    assert not trace.exists()
    assert (repo.folder / ".git" / "index").read_bytes() == index


def test_amending_runs_nothing_and_writes_nothing(trapped: tuple[Repo, Path]) -> None:
    repo, trace = trapped
    before = {path: path.read_bytes() for path in repo.folder.rglob("*") if path.is_file()}
    change = amended(Branch(), repo.folder, [PATCH])
    assert change is not None
    assert {file.path: file.after for file in change.files}["a.py"] == "amended\n"
    assert not trace.exists()
    assert {path: path.read_bytes() for path in repo.folder.rglob("*") if path.is_file()} == before


def test_the_trap_would_have_worked(trapped: tuple[Repo, Path]) -> None:
    repo, trace = trapped
    with suppress(subprocess.CalledProcessError):
        repo.git("diff", "HEAD~1", "HEAD")
    assert trace.exists()


def test_attributes_do_not_hide_a_text(repo: Repo) -> None:
    repo.commit({"evil.py": "x = 1\n", ".gitattributes": "*.py binary -diff\n"})
    assert "evil.py" in [file.path for file in read_change(Branch(), repo.folder).files]


def test_replaced_objects_do_not_count(repo: Repo) -> None:
    evil = repo.commit({"a.py": "evil\n"})
    repo.git("replace", repo.git("rev-parse", f"{evil}:a.py"), repo.git("rev-parse", "main:README.md"))
    assert read_change(Branch(), repo.folder).files[0].after == "evil\n"


def test_a_configuration_that_points_to_another_folder(repo: Repo, tmp_path: Path) -> None:
    repo.commit({"a.py": "1\n"})
    repo.git("config", "core.worktree", str(tmp_path))
    with pytest.raises(InputError, match="points to another folder"):
        read_change(Branch(), repo.folder)


def test_a_branch_with_a_long_name_does_not_make_a_long_title(repo: Repo) -> None:
    repo.git("checkout", "--quiet", "-b", "/".join(["x" * 60] * 10))
    repo.commit({"a.py": "1\n"})
    assert len(read_change(Branch(), repo.folder).title) <= 200


def test_a_failure_of_git_is_a_clear_error(repo: Repo) -> None:
    with pytest.raises(GitFailed, match="git cat-file failed: fatal") as caught:
        Git.in_repository(repo.folder).run("cat-file", "-p", "main:none")
    assert caught.value.code == 128
    assert isinstance(caught.value, InputError)


def test_output_is_bounded(repo: Repo) -> None:
    with pytest.raises(InputError, match="larger than 3 bytes"):
        Git.in_repository(repo.folder).run("rev-parse", "HEAD", most=3)


def test_time_is_bounded(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quorate.files.git.MOST_SECONDS", 0.2)
    os.mkfifo(tmp_path / "never")
    with pytest.raises(InputError, match="took longer"):
        Git.in_repository(repo.folder).run("hash-object", "--", str(tmp_path / "never"))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_repository_of_somebody_else(repo: Repo) -> None:
    repo.commit({"a.py": "1\n"})
    for path in (repo.folder, repo.folder / ".git"):
        os.chown(path, 12_345, 12_345)
    with pytest.raises(InputError, match=r"safe\.directory"):
        read_change(Branch(), repo.folder)
    config = Path(os.environ["GIT_CONFIG_GLOBAL"])
    config.write_text(f"[safe]\n\tdirectory = {repo.folder}\n")
    assert [file.path for file in read_change(Branch(), repo.folder).files] == ["a.py"]


def test_a_damaged_repository(repo: Repo) -> None:
    repo.commit({"a.py": "1\n"})
    oid = repo.git("rev-parse", "HEAD:a.py")
    file = repo.folder / ".git" / "objects" / oid[:2] / oid[2:]
    file.chmod(0o644)
    file.unlink()
    with pytest.raises(InputError, match="some files of the change are missing"):
        read_change(Branch(), repo.folder)
