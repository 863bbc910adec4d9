"""An amendment is the change anew with patches on top, built away from the user's files."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from quorate.core.errors import InputError
from quorate.kit.change import Change, FileStatus
from quorate.protocols.review.world.change.amendment import amended
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
from quorate.protocols.review.world.change.trees import close
from tests.protocols.review.world.change.repos import Repo

PATCH = """\
diff --git a/src/new.py b/src/new.py
--- a/src/new.py
+++ b/src/new.py
@@ -1,2 +1,2 @@
-key = "abc"
+key = read_key()
 print(key)
"""
NEW = 'key = "abc"\nprint(key)\n'


@pytest.fixture
def changed(repo: Repo) -> Repo:
    repo.commit({"src/new.py": NEW})
    return repo


def one(change: Change | None, path: str = "src/new.py") -> str | None:
    assert change is not None
    return {file.path: file for file in change.files}[path].after


def everything(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file() and not path.is_symlink()}


def test_a_branch_amended(changed: Repo) -> None:
    before = everything(changed.folder)
    original = read_change(Branch(), changed.folder)
    change = amended(Branch(), changed.folder, [PATCH])
    assert change is not None
    assert (change.title, change.base, change.head) == ("feature against main, amended", original.base, "")
    assert one(change) == "key = read_key()\nprint(key)\n"
    assert (change.files[0].status, dict(change.files[0].added)) == (
        FileStatus.ADDED,
        {1: "key = read_key()", 2: "print(key)"},
    )
    assert change.after is not None
    assert change.after.read("src/new.py") == "key = read_key()\nprint(key)\n"
    assert change.after.read("README.md") == "# Shop\n"
    assert everything(changed.folder) == before
    close(change)


def test_patches_follow_one_another(changed: Repo) -> None:
    second = PATCH.replace("key = read_key()", "key = ask()").replace('key = "abc"', "key = read_key()")
    assert one(amended(Branch(), changed.folder, [PATCH, second])) == "key = ask()\nprint(key)\n"
    assert amended(Branch(), changed.folder, [PATCH, PATCH]) is None


def test_every_source_can_be_amended(changed: Repo) -> None:
    text = changed.git("diff", "--no-color", "main", "HEAD") + "\n"
    changed.write("x.diff", text)
    sources: list[Source] = [Branch("main"), Commit("HEAD"), Paths(("src",)), Diff("x.diff"), Diff.of_text(text)]
    for source in sources:
        assert one(amended(source, changed.folder, [PATCH])) == "key = read_key()\nprint(key)\n"
    changed.git("reset", "--quiet", "--soft", "main")
    for staged in (Staged(), Staged(("src",)), Diff("x.diff")):
        assert one(amended(staged, changed.folder, [PATCH])) == "key = read_key()\nprint(key)\n"


def test_a_diff_of_which_only_the_text_is_known_cannot(changed: Repo, tmp_path: Path) -> None:
    text = "--- a/other.py\n+++ b/other.py\n@@ -1 +1 @@\n-a\n+b\n"
    assert amended(Diff.of_text(text), changed.folder, [PATCH]) is None
    assert amended(Diff.of_text(text), tmp_path, [PATCH]) is None
    kept = from_plain(to_plain(Diff.of_text(text)))
    assert amended(kept, changed.folder, [PATCH]) is None


def test_whole_files_amended_show_the_rest_of_the_folder(tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "new.py").write_text(NEW)
    (folder / "src" / "old.py").write_text("old\n")
    (folder / "other.py").write_text("other\n")
    removal = "--- a/src/old.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-old\n"
    change = amended(Paths(("src",)), folder, [PATCH, removal])
    assert change is not None
    assert [file.path for file in change.files] == ["src/new.py"]
    assert change.after is not None
    assert change.after.paths() == ("other.py", "src/new.py")
    assert change.after.read("src/new.py") == "key = read_key()\nprint(key)\n"
    assert change.after.read("other.py") == "other\n"
    assert (folder / "src" / "old.py").exists()


def test_a_patch_may_touch_what_the_change_did_not(changed: Repo) -> None:
    more = PATCH + "--- a/README.md\n+++ b/README.md\n@@ -1 +1 @@\n-# Shop\n+# Shop with keys\n"
    change = amended(Branch(paths=("src",)), changed.folder, [more])
    assert change is not None
    assert {file.path for file in change.files} == {"src/new.py", "README.md"}
    assert one(change, "README.md") == "# Shop with keys\n"


@pytest.mark.parametrize("path", ["vendor/new.py", "notes/new.py", "yarn.lock", ".env"])
def test_a_patch_of_what_no_member_is_shown_is_none_r17_r45(repo: Repo, path: str) -> None:
    repo.git("checkout", "--quiet", "main")
    repo.commit({".quorateignore": "notes/\n", "yarn.lock": "1\n"})
    repo.git("checkout", "--quiet", "-B", "feature")
    repo.commit({"src/new.py": NEW})
    moved = f"diff --git a/src/new.py b/{path}\nsimilarity index 100%\nrename from src/new.py\nrename to {path}\n"
    more = f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-1\n+2\n"
    with pytest.raises(InputError, match=f"would change {path}, which no member is shown"):
        amended(Branch(), repo.folder, [more if path == "yarn.lock" else moved])


def test_a_patch_that_takes_everything_back_leaves_nothing(changed: Repo) -> None:
    removal = f"--- a/src/new.py\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-{NEW.splitlines()[0]}\n-print(key)\n"
    with pytest.raises(InputError, match="has no changes"):
        amended(Branch(), changed.folder, [removal])


def test_lines_that_are_miscounted_or_moved_are_found(changed: Repo) -> None:
    wrong = PATCH.replace("-1,2 +1,2", "-1,7 +1,9").rstrip("\n")
    assert one(amended(Branch(), changed.folder, [wrong])) == "key = read_key()\nprint(key)\n"


@pytest.mark.parametrize(
    "patch",
    [
        "",
        "  \n",
        "no patch",
        PATCH.replace('"abc"', '"abcd"'),
        PATCH.replace("src/new.py", "src/none.py"),
        "--- /dev/null\n+++ b/../outside.py\n@@ -0,0 +1 @@\n+x\n",
        "--- /dev/null\n+++ b//etc/x/../../../y\n@@ -0,0 +1 @@\n+x\n",
        "--- /dev/null\n+++ b/.git/config\n@@ -0,0 +1 @@\n+x\n",
        "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc\n\\ No newline\n",
        "diff --git a/s b/s\nnew file mode 160000\n--- /dev/null\n+++ b/s\n@@ -0,0 +1 @@\n+Subproject commit "
        + "1" * 40,
        "x" * 1_000_001,
        "\udce9",
    ],
    ids=range(12),
)
def test_a_patch_that_does_not_apply_is_none(changed: Repo, patch: str) -> None:
    before = everything(changed.folder.parent)
    assert amended(Branch(), changed.folder, [patch]) is None
    assert everything(changed.folder.parent) == before


def test_a_patch_behind_a_link_is_none(changed: Repo, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (changed.folder / "out").symlink_to(tmp_path / "outside")
    changed.commit()
    assert amended(Branch(), changed.folder, ["--- /dev/null\n+++ b/out/x.py\n@@ -0,0 +1 @@\n+x\n"]) is None
    assert list((tmp_path / "outside").iterdir()) == []


def test_too_many_patches(changed: Repo) -> None:
    assert amended(Branch(), changed.folder, [PATCH] + [""] * 30) is None


def test_a_source_that_has_moved_on_is_an_error(changed: Repo) -> None:
    change = read_change(Branch(), changed.folder)
    expected, source = digest_of(change), pinned(Branch(), change)
    changed.commit({"src/more.py": "x\n"})
    assert one(amended(source, changed.folder, [PATCH], expected)) == "key = read_key()\nprint(key)\n"
    with pytest.raises(InputError, match="no longer the one"):
        amended(Branch(), changed.folder, [PATCH], expected)


def test_nothing_is_left_behind(changed: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "scratch"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    change = amended(Branch(), changed.folder, [PATCH])
    assert change is not None
    assert len(list(place.iterdir())) == 1
    close(change)
    assert amended(Branch(), changed.folder, ["no patch"]) is None
    assert list(place.iterdir()) == []
