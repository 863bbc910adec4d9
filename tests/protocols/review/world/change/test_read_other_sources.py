"""What is staged, a diff, whole files: each is read as the change that it is."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from quorate.core.errors import InputError, SettingError
from quorate.kit.change import FileStatus, LeftOut, Why
from quorate.protocols.review.world.change.read import digest_of, read_change
from quorate.protocols.review.world.change.source import (
    Branch,
    Commit,
    Diff,
    Paths,
    Source,
    Staged,
    from_plain,
    pinned,
    to_plain,
)
from tests.protocols.review.world.change.repos import Repo

DIFF = """\
diff --git a/src/app.py b/src/app.py
--- a/src/app.py
+++ b/src/app.py
@@ -1,3 +1,3 @@
 one
-two
+2
 three
"""


def test_what_is_staged(repo: Repo) -> None:
    repo.write("src/app.py", "one\n2\nthree\n")
    repo.git("add", "src/app.py")
    repo.write("src/app.py", "not staged\n")
    change = read_change(Staged(), repo.folder)
    assert (change.title, change.base, change.head) == ("what is staged on feature", repo.git("rev-parse", "HEAD"), "")
    assert [(file.path, file.after) for file in change.files] == [("src/app.py", "one\n2\nthree\n")]
    assert change.after is not None
    assert change.after.read("src/app.py") == "one\n2\nthree\n"


def test_what_is_staged_before_the_first_commit(empty: Repo) -> None:
    empty.write("a.py", "1\n")
    empty.git("add", "a.py")
    change = read_change(Staged(), empty.folder)
    assert (change.base, change.files[0].status) == ("", FileStatus.ADDED)


def test_a_hook_of_git_sees_what_is_being_committed(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """`git commit FILE` stages into another file, which the hook learns of through the environment."""
    repo.write("a.py", "1\n")
    repo.write("b.py", "1\n")
    repo.git("add", "a.py", "b.py")
    other = repo.folder / ".git" / "next-index-1.lock"
    repo.git("read-tree", f"--index-output={other}", "HEAD")
    monkeypatch.setenv("GIT_INDEX_FILE", str(other))
    repo.git("add", "a.py")
    assert [file.path for file in read_change(Staged(), repo.folder).files] == ["a.py"]
    monkeypatch.setenv("GIT_INDEX_FILE", ".git/next-index-1.lock")
    assert [file.path for file in read_change(Staged(), repo.folder).files] == ["a.py"]


def test_an_environment_that_points_elsewhere_is_not_followed(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.write("a.py", "1\n")
    repo.git("add", "a.py")
    elsewhere = Repo(tmp_path / "elsewhere")
    elsewhere.folder.mkdir()
    elsewhere.git("init", "--quiet")
    elsewhere.write("secret.py", "1\n")
    elsewhere.git("add", "secret.py")
    git_dir = elsewhere.folder / ".git"
    variables = {"GIT_DIR": git_dir, "GIT_WORK_TREE": elsewhere.folder, "GIT_INDEX_FILE": git_dir / "index"}
    for name, value in {**variables, "GIT_OBJECT_DIRECTORY": git_dir / "objects", "GIT_NAMESPACE": "x"}.items():
        monkeypatch.setenv(name, str(value))
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", f"touch {tmp_path}/ran")
    change = read_change(Staged(), repo.folder)
    assert [file.path for file in change.files] == ["a.py"]
    assert not (tmp_path / "ran").exists()


# A diff


def test_a_diff_that_fits_the_last_commit_knows_the_project(repo: Repo) -> None:
    repo.write("change.diff", DIFF)
    change = read_change(Diff("change.diff"), repo.folder)
    assert (change.title, change.base, change.head) == ("the diff change.diff", repo.git("rev-parse", "HEAD"), "")
    assert (change.files[0].before, change.files[0].after) == ("one\ntwo\nthree\n", "one\n2\nthree\n")
    assert change.after is not None
    assert change.after.read("src/app.py") == "one\n2\nthree\n"
    assert change.after.read("README.md") == "# Shop\n"


def test_a_diff_that_is_already_committed(repo: Repo) -> None:
    head = repo.commit({"src/app.py": "one\n2\nthree\n"})
    change = read_change(Diff.of_text(DIFF), repo.folder)
    assert (change.title, change.base, change.head) == ("a diff from standard input", "", head)
    assert change.files[0].before == "one\ntwo\nthree\n"


def test_a_diff_that_fits_what_is_staged(repo: Repo) -> None:
    repo.commit({"src/app.py": "four\n"})
    repo.write("src/app.py", "one\ntwo\nthree\n")
    repo.git("add", "-A")
    change = read_change(Diff.of_text(DIFF), repo.folder)
    assert (change.base, change.head, change.files[0].after) == ("", "", "one\n2\nthree\n")


def test_the_lines_of_a_diff_that_fits_elsewhere_are_those_of_the_project(repo: Repo) -> None:
    repo.commit({"src/app.py": "zero\n" * 8 + "one\ntwo\nthree\n"})
    moved = DIFF.replace("-1,3 +1,3", "-5,3 +5,3")
    assert dict(read_change(Diff.of_text(moved), repo.folder).files[0].added) == {10: "2"}


def test_a_diff_that_fits_nothing_is_read_as_it_is(repo: Repo) -> None:
    repo.commit({"src/app.py": "other\n"})
    change = read_change(Diff.of_text(DIFF), repo.folder)
    assert (change.before, change.after, change.base, change.root) == (None, None, "", str(repo.folder))
    file = change.files[0]
    assert (file.path, file.before, file.after, dict(file.added)) == ("src/app.py", None, None, {2: "2"})
    assert file.patch == DIFF


def test_a_diff_without_a_repository(tmp_path: Path) -> None:
    (tmp_path / "x.diff").write_text(DIFF)
    change = read_change(Diff(str(tmp_path / "x.diff")), tmp_path)
    assert (change.root, [file.path for file in change.files]) == ("", ["src/app.py"])


def test_a_new_file_of_a_diff_alone_is_known_whole(tmp_path: Path) -> None:
    new = (
        "diff --git a/new.py b/new.py\nnew file mode 100644\n--- /dev/null\n+++ b/new.py\n@@ -0,0 +1,2 @@\n+one\n+two\n"
    )
    link = new.replace("new.py", "link").replace("100644", "120000")
    (tmp_path / "x.diff").write_text(DIFF + new + link, encoding="utf-8")
    change = read_change(Diff(str(tmp_path / "x.diff")), tmp_path)
    assert {file.path: file.after for file in change.files} == {
        "new.py": "one\ntwo\n",
        "src/app.py": None,
        "link": None,
    }


def test_a_diff_narrowed_by_paths(repo: Repo) -> None:
    repo.commit({"src/app.py": "one\n2\nthree\n", "docs/a.md": "1\n"})
    text = repo.git("diff", "main", "HEAD", "--no-color") + "\n"
    change = read_change(Diff.of_text(text, ("docs",)), repo.folder)
    assert [file.path for file in change.files] == ["docs/a.md"]
    with pytest.raises(InputError, match="under nowhere"):
        read_change(Diff.of_text(text, ("nowhere",)), repo.folder)


def test_a_diff_with_a_binary_file_still_finds_its_project(repo: Repo) -> None:
    repo.commit({"src/app.py": "one\n2\nthree\n", "logo.png": b"\x89PNG\0\1\2" * 50})
    text = repo.git("diff", "main", "HEAD", "--binary", "--no-color") + "\n"
    change = read_change(Diff.of_text(text), repo.folder)
    assert change.head == repo.git("rev-parse", "HEAD")
    assert change.left_out == (LeftOut("logo.png", Why.BINARY, "as the diff says"),)
    assert [file.path for file in change.files] == ["src/app.py"]


def test_a_diff_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_change(Diff("none.diff"), tmp_path)
    with pytest.raises(InputError, match="cannot be read"):
        read_change(Diff("."), tmp_path)
    with pytest.raises(InputError, match="no unified diff"):
        read_change(Diff.of_text("hello\n"), tmp_path)


# Whole files


def test_whole_files_as_they_stand(repo: Repo) -> None:
    repo.write("src/app.py", "not\ncommitted\n")
    repo.write("src/new.py", "x = 1\n")
    repo.write("src/ignored.log", "x\n")
    repo.write(".gitignore", "*.log\n")
    change = read_change(Paths(("src",)), repo.folder)
    assert (change.title, change.base, change.head) == ("src as it stands", "", "")
    assert [(file.path, file.status, file.after) for file in change.files] == [
        ("src/new.py", FileStatus.ADDED, "x = 1\n"),
        ("src/app.py", FileStatus.ADDED, "not\ncommitted\n"),
    ]
    assert dict(change.files[1].added) == {1: "not", 2: "committed"}
    assert change.after is not None
    assert "README.md" in change.after.paths()
    assert change.after.read("README.md") == "# Shop\n"
    assert change.before is not None
    assert change.before.paths() == ()


def test_a_file_that_is_named_is_read_even_if_git_ignores_it(repo: Repo) -> None:
    repo.write(".gitignore", "*.log\n")
    repo.write("x.log", "x\n")
    assert [file.path for file in read_change(Paths(("x.log",)), repo.folder).files] == ["x.log"]


def test_whole_files_without_a_repository(tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    (folder / "a" / "node_modules").mkdir(parents=True)
    (folder / "a" / "x.py").write_text("x\n")
    (folder / "a" / "node_modules" / "y.js").write_text("y\n")
    (folder / "b.py").write_text("b\n")
    change = read_change(Paths(("a", "b.py")), folder)
    assert (change.title, [file.path for file in change.files]) == ("2 files as they stand", ["a/x.py", "b.py"])
    assert change.root == str(folder)
    assert [file.path for file in read_change(Paths((".",)), folder).files] == ["a/x.py", "b.py"]


def test_paths_that_are_none(repo: Repo) -> None:
    for paths, message in ((("src/ap.py",), "does not exist"), (("../x",), "outside"), ((), "is empty")):
        with pytest.raises(SettingError, match=message):
            read_change(Paths(paths), repo.folder)
    with pytest.raises(SettingError) as caught:
        read_change(Paths(("src/ap.py",)), repo.folder)
    assert caught.value.nearest == "app.py"
    (repo.folder / "void").mkdir()
    with pytest.raises(InputError, match="no files were found"):
        read_change(Paths(("void",)), repo.folder)


def test_whole_files_never_lead_out_of_the_project(repo: Repo, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.txt").write_text("out of reach\n")
    (repo.folder / "link").symlink_to(tmp_path / "outside" / "secret.txt")
    (repo.folder / "folder").symlink_to(tmp_path / "outside")
    os.mkfifo(repo.folder / "pipe")
    change = read_change(Paths(("link", "folder", "folder/secret.txt", "pipe")), repo.folder)
    texts = {file.path: list(file.added.values()) for file in change.files}
    assert texts == {"link": [str(tmp_path / "outside" / "secret.txt")], "folder": [str(tmp_path / "outside")]}
    assert [(each.path, each.why) for each in change.left_out] == [
        ("folder/secret.txt", Why.UNREADABLE),
        ("pipe", Why.UNREADABLE),
    ]


# As plain data


SOURCES: list[Source] = [
    Branch(),
    Branch("main", "abc", ("a", "b")),
    Diff("x.diff", paths=("a",)),
    Staged(("a",)),
    Commit("abc"),
    Paths(("a",)),
]


@pytest.mark.parametrize("source", SOURCES, ids=str)
def test_there_and_back(source: Source) -> None:
    assert from_plain(json.loads(json.dumps(to_plain(source)))) == source


def test_the_text_of_a_diff_is_never_kept() -> None:
    assert "secret" not in json.dumps(to_plain(Diff.of_text("a secret")))


def test_plain_data_that_is_no_source() -> None:
    for plain, key in (
        ({"kind": "brunch", "paths": []}, "kind"),
        ({}, "kind"),
        ({"kind": ["x"]}, "kind"),
        ({"kind": "staged"}, "paths"),
        ({"kind": "staged", "paths": "a"}, "paths"),
        ({"kind": "staged", "paths": [1]}, "paths"),
        ({"kind": "staged", "paths": [], "more": 1}, "more"),
        ({"kind": "commit", "paths": [], "sha": None}, "sha"),
    ):
        with pytest.raises(InputError) as caught:
            from_plain(plain)
        assert caught.value.key == key


def test_pinning(repo: Repo) -> None:
    head = repo.commit({"a.py": "1\n"})
    change = read_change(Branch(paths=("a.py",)), repo.folder)
    assert pinned(Branch(paths=("a.py",)), change) == Branch(change.base, head, ("a.py",))
    assert pinned(Commit("HEAD"), change) == Commit(head)
    assert pinned(Staged(), change) == Staged()
    assert pinned(Diff("x.diff"), change) == Diff("x.diff")
    assert digest_of(read_change(pinned(Commit("HEAD"), change), repo.folder)) == digest_of(change)
