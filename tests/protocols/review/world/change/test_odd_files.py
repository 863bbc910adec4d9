"""Files that are not what one expects: odd names, renames, links, line ends, huge lines, submodules, no text."""

from __future__ import annotations

import os

import pytest

from quorate.kit.change import Change, ChangedFile, FileStatus, LeftOut, Why
from quorate.protocols.review.world.change.read import read_change
from quorate.protocols.review.world.change.source import Branch, Commit, Diff, Paths, Staged
from quorate.protocols.review.world.change.workbench import MOST_FILE
from tests.protocols.review.world.change.repos import Repo

NAMES = {
    b"plain.py": "plain.py",
    b"with blank.py": "with blank.py",
    "größe.py".encode(): "größe.py",
    b"tab\there.py": r"tab\there.py",
    b"line\nbreak.py": r"line\nbreak.py",
    b'quo"te.py': r"quo\"te.py",
    rb"back\slash.py": r"back\\slash.py",
    b"latin\xe9.py": r"latin\351.py",
    "right\u202eleft.py".encode(): r"right\342\200\256left.py",
    "zero\u200bwidth.py".encode(): r"zero\342\200\213width.py",
    b"\x1b[31mred.py": r"\033[31mred.py",
    b"-x.py": "-x.py",
    b":(glob).py": ":(glob).py",
    b" leading.py": " leading.py",
    b"a b/a b.py": "a b/a b.py",
}


def only(change: Change) -> ChangedFile:
    (file,) = change.files
    return file


@pytest.mark.parametrize("name", NAMES, ids=NAMES.get)
def test_every_name_comes_out_printable(repo: Repo, name: bytes) -> None:
    place = os.path.join(os.fsencode(repo.folder), name)
    os.makedirs(os.path.dirname(place), exist_ok=True)
    with open(place, "wb") as file:
        file.write(b"x = 1\n")
    repo.commit()
    shown = NAMES[name]
    read = [read_change(source, repo.folder) for source in (Branch(), Commit("HEAD"), Paths((os.fsdecode(name),)))]
    for change in read:
        file_read = only(change)
        assert (file_read.path, file_read.after) == (shown, "x = 1\n")
        assert file_read.path.isprintable()
        assert all(line.isprintable() or line.rstrip("\t").isprintable() for line in file_read.patch.split("\n"))
        assert change.after is not None
        assert shown in change.after.paths()
        assert change.after.read(shown) == "x = 1\n"
    # What is shown can be applied: the same patch, taken as a diff, leads to the same file.
    diff = read_change(Diff.of_text(read[0].files[0].patch), repo.folder)
    assert (only(diff).path, diff.head) == (shown, read[0].head)


def test_two_names_that_would_look_alike_stay_two(repo: Repo) -> None:
    repo.commit({"a\tb.py": "1\n", "a\\tb.py": "2\n"})
    texts = {file.path: file.after for file in read_change(Branch(), repo.folder).files}
    assert texts == {r"a\tb.py": "1\n", r"a\\tb.py": "2\n"}


def test_a_rename(repo: Repo) -> None:
    repo.git("mv", "src/app.py", "src/main app.py")
    repo.commit()
    file = only(read_change(Branch(), repo.folder))
    assert (file.status, file.old_path, file.path) == (FileStatus.RENAMED, "src/app.py", "src/main app.py")
    assert (file.before, file.after) == ("one\ntwo\nthree\n", "one\ntwo\nthree\n")
    assert (dict(file.added), dict(file.removed)) == ({}, {})


def test_a_rename_with_an_edit(repo: Repo) -> None:
    lines = [f"line {number}\n" for number in range(20)]
    repo.commit({"src/app.py": "".join(lines)})
    repo.git("branch", "--force", "main", "HEAD")
    repo.git("mv", "src/app.py", "lib.py")
    repo.commit({"lib.py": "".join(["first\n", *lines])})
    file = only(read_change(Branch(), repo.folder))
    assert (file.status, file.old_path, dict(file.added)) == (FileStatus.RENAMED, "src/app.py", {1: "first"})
    assert "rename from src/app.py\nrename to lib.py\n--- a/src/app.py\n+++ b/lib.py\n" in file.patch


def test_a_deletion_and_an_empty_file_and_a_mode(repo: Repo) -> None:
    repo.git("rm", "--quiet", "README.md")
    (repo.folder / "src" / "app.py").chmod(0o755)
    repo.commit({"src/__init__.py": ""})
    files = {file.path: file for file in read_change(Branch(), repo.folder).files}
    deleted, empty, mode = files["README.md"], files["src/__init__.py"], files["src/app.py"]
    assert (deleted.status, deleted.before, deleted.after) == (FileStatus.DELETED, "# Shop\n", None)
    assert dict(deleted.removed) == {1: "# Shop"}
    assert (empty.status, empty.after, dict(empty.added)) == (FileStatus.ADDED, "", {})
    assert mode.status is FileStatus.MODIFIED
    assert mode.patch == "diff --git a/src/app.py b/src/app.py\nold mode 100644\nnew mode 100755\n"


def test_line_ends(repo: Repo) -> None:
    repo.git("config", "core.autocrlf", "false")
    repo.commit({"a.txt": b"one\r\ntwo\r\n"})
    repo.git("branch", "--force", "main", "HEAD")
    repo.commit({"a.txt": b"one\r\n2\r\nthree\rstill three"})
    file = only(read_change(Branch(), repo.folder))
    assert (file.before, file.after) == ("one\r\ntwo\r\n", "one\r\n2\r\nthree\rstill three")
    assert (dict(file.added), dict(file.removed)) == ({2: "2", 3: "three\rstill three"}, {2: "two"})
    assert "+2\r\n+three\rstill three\n\\ No newline at end of file\n" in file.patch


def test_a_line_break_at_the_end_that_comes(repo: Repo) -> None:
    repo.commit({"a.txt": "one"})
    repo.git("branch", "--force", "main", "HEAD")
    repo.commit({"a.txt": "one\n"})
    file = only(read_change(Branch(), repo.folder))
    assert (dict(file.added), dict(file.removed)) == ({1: "one"}, {1: "one"})


def test_characters_that_only_python_takes_for_line_ends(repo: Repo) -> None:
    repo.commit({"a.py": "one\x0b\x0c\x1c\u2028\x85two\nthree\n"})
    assert dict(only(read_change(Branch(), repo.folder)).added) == {1: "one\x0b\x0c\x1c\u2028\x85two", 2: "three"}


def test_text_that_looks_like_a_diff(repo: Repo) -> None:
    text = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-- \n\\ No newline\n:100644 100644 a b M\tx\n\n"
    repo.commit({"a.txt": text, "b.txt": "last\n"})
    files = {file.path: file for file in read_change(Branch(), repo.folder).files}
    assert set(files) == {"a.txt", "b.txt"}
    assert list(files["a.txt"].added.values()) == text.split("\n")[:-1]
    repo.commit({"a.txt": ""})
    assert list(only(read_change(Commit("HEAD"), repo.folder)).removed.values()) == text.split("\n")[:-1]


def test_a_huge_line(repo: Repo) -> None:
    repo.commit({"a.txt": "x" * 900_000})
    change = read_change(Branch(), repo.folder)
    assert len(only(change).added[1]) == 900_000
    assert change.left_out == (), "what is too large for a committee stays unread, and is not left out (R45)"


def test_a_link_is_shown_by_its_target(repo: Repo) -> None:
    (repo.folder / "link").symlink_to("/etc/passwd")
    repo.commit()
    change = read_change(Branch(), repo.folder)
    file = only(change)
    assert (file.path, file.before, file.after, dict(file.added)) == ("link", None, None, {1: "/etc/passwd"})
    assert "new file mode 120000" in file.patch
    assert change.after is not None
    assert "link" not in change.after.paths()
    assert change.after.read("link") is None


def test_a_file_that_becomes_a_link(repo: Repo) -> None:
    (repo.folder / "src" / "app.py").unlink()
    (repo.folder / "src" / "app.py").symlink_to("../README.md")
    repo.commit({"z.py": "1\n"})
    files = {file.path: file for file in read_change(Branch(), repo.folder).files}
    file = files["src/app.py"]
    assert (file.status, file.before, file.after) == (FileStatus.MODIFIED, "one\ntwo\nthree\n", None)
    assert (dict(file.added), len(file.removed)) == ({1: "../README.md"}, 3)
    assert file.patch.count("diff --git ") == 2
    assert set(files) == {"src/app.py", "z.py"}


def test_a_submodule(repo: Repo) -> None:
    sha = repo.git("rev-parse", "HEAD")
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{sha},lib")
    change = read_change(Staged(), repo.folder)
    assert (change.files, change.left_out) == ((), (LeftOut("lib", Why.SUBMODULE, f"from nothing to {sha[:10]}"),))
    repo.git("commit", "--quiet", "-m", "lib")
    assert read_change(Branch(), repo.folder).left_out[0].why is Why.SUBMODULE
    text = repo.git("diff", "main", "HEAD", "--no-color", "--submodule=short") + "\n"
    assert read_change(Diff.of_text(text), repo.folder).left_out[0].why is Why.SUBMODULE


@pytest.mark.parametrize(
    "data", [b"\x89PNG\0\1\2", b"x\n" * 9_000 + b"\0", b"caf\xe9\n", "größe\n".encode("utf-16"), b"\xed\xa0\x80\n"]
)
def test_what_is_no_text(repo: Repo, data: bytes) -> None:
    repo.commit({"logo": data})
    for source in (Branch(), Paths(("logo",))):
        change = read_change(source, repo.folder)
        assert (change.files, change.left_out) == ((), (LeftOut("logo", Why.BINARY, "no text in UTF-8"),))


def test_no_text_where_the_change_does_not_look(repo: Repo) -> None:
    repo.commit({"a.txt": b"caf\xe9\n" + b"x\n" * 20})
    repo.git("branch", "--force", "main", "HEAD")
    repo.commit({"a.txt": b"caf\xe9\n" + b"x\n" * 21})
    assert read_change(Branch(), repo.folder).left_out[0].why is Why.BINARY


def test_what_is_too_large_to_be_read(repo: Repo) -> None:
    line = "x" * 999 + "\n"
    repo.commit({"big.txt": line * (MOST_FILE // 1_000) + "x\n", "fits.txt": line * (MOST_FILE // 1_000)})
    for source in (Branch(), Paths((".",))):
        change = read_change(source, repo.folder)
        assert LeftOut("big.txt", Why.TOO_LARGE, "1,000,002 bytes, at most 1,000,000") in change.left_out
        fits = next(file for file in change.files if file.path == "fits.txt")
        assert fits.after is not None
        assert len(fits.added) == MOST_FILE // 1_000
        assert change.after is not None
        assert change.after.read("big.txt") is None
