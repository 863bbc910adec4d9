"""The parser of unified diffs: what git and diff print is understood, what miscounts or hides is refused by line."""

from __future__ import annotations

import difflib
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quorate.core.errors import InputError
from quorate.kit.change import FileStatus
from quorate.protocols.review.world.change.patches import MOST_FILES_OF_A_DIFF, Patch, parse

HUNK = "@@ -1 +1 @@\n-a\n+b\n"


def only(text: str) -> Patch:
    (patch,) = parse(text)
    return patch


def refused(text: str) -> InputError:
    with pytest.raises(InputError) as caught:
        parse(text, "x.diff")
    return caught.value


@pytest.mark.parametrize(
    ("header", "path", "old_path"),
    [
        ("--- a/x.py\n+++ b/x.py\n", "x.py", ""),
        ("--- x.py\t2026-01-01 10:00:00\n+++ x.py\t2026-01-02\n", "x.py", ""),
        ("--- old/src/x.py\n+++ new/src/x.py\n", "src/x.py", ""),
        ("--- x.py.orig\n+++ x.py\n", "x.py", ""),
        ("--- /tmp/a/x.py\n+++ /tmp/b/x.py\n", "tmp/b/x.py", ""),
        ("diff -u a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n", "x.py", ""),
        ("Index: x.py\n=====\n--- x.py\t(revision 1)\n+++ x.py\t(working copy)\n", "x.py", ""),
        ("diff --git a/x.py b/x.py\nindex 12..34 100644\n--- a/x.py\n+++ b/x.py\n", "x.py", ""),
        ("diff --git i/x.py w/x.py\n--- i/x.py\n+++ w/x.py\n", "x.py", ""),
        ("diff --git src/x.py src/x.py\n--- src/x.py\n+++ src/x.py\n", "src/x.py", ""),
        ("diff --git a/x y.py b/x y.py\n--- a/x y.py\t\n+++ b/x y.py\t\n", "x y.py", ""),
        ('diff --git "a/t\\tb" "b/t\\tb"\n--- "a/t\\tb"\n+++ "b/t\\tb"\n', r"t\tb", ""),
        ('diff --git "a/\\303\\251" "b/\\303\\251"\n--- "a/\\303\\251"\n+++ "b/\\303\\251"\n', "é", ""),
        ("diff --git a/x.py b/y.py\nrename from x.py\nrename to y.py\n--- a/x.py\n+++ b/y.py\n", "y.py", "x.py"),
        ("diff --git a/x.py b/y.py\n--- a/x.py\n+++ b/y.py\n", "y.py", "x.py"),
        (
            "From 12\nSubject: [PATCH] x\n\n---\n x.py | 2 +-\n\ndiff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n",
            "x.py",
            "",
        ),
    ],
)
def test_names(header: str, path: str, old_path: str) -> None:
    patch = only(header + HUNK)
    assert (patch.path, patch.old_path) == (path, old_path)
    assert (dict(patch.added), dict(patch.removed)) == ({1: "b"}, {1: "a"})
    assert patch.text.startswith("diff --git ")
    assert patch.text.endswith(HUNK)
    # What comes out goes in again.
    assert only(patch.text) == patch


@pytest.mark.parametrize(
    ("text", "path", "status"),
    [
        (
            "diff --git a/x b/x\nnew file mode 100644\nindex 0..1\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+b\n",
            "x",
            FileStatus.ADDED,
        ),
        (
            "diff --git b/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+b\n",
            "b/x",
            FileStatus.ADDED,
        ),
        ("diff --git a/x b/x\nnew file mode 100644\n", "x", FileStatus.ADDED),
        ("diff --git a/x y b/x y\ndeleted file mode 100644\n", "x y", FileStatus.DELETED),
        ("--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-b\n", "x", FileStatus.DELETED),
        ("--- old/x\t1970\n+++ new/x\t2026\n@@ -0,0 +1 @@\n+b\n", "x", FileStatus.ADDED),
        ("diff --git a/x b/x\nold mode 100644\nnew mode 100755\n", "x", FileStatus.MODIFIED),
        ("diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n", "y", FileStatus.RENAMED),
        ("diff --git a/x b/y\nsimilarity index 100%\ncopy from x\ncopy to y\n", "y", FileStatus.ADDED),
    ],
)
def test_statuses(text: str, path: str, status: FileStatus) -> None:
    patch = only(text)
    assert (patch.path, patch.status) == (path, status)
    assert only(patch.text) == patch


def test_binary() -> None:
    for text in (
        "diff --git a/x b/x\nindex 1..2\nBinary files a/x and b/x differ\n",
        "diff --git a/x b/x\nindex 1..2 100644\nGIT binary patch\nliteral 3\nKcmZ\n\nliteral 0\nHcmV\n\n",
        "Binary files old/x and new/x differ\n",
        "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\0\n",
        "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\udce9\n",
    ):
        first, second = parse(text + "--- a/y\n+++ b/y\n" + HUNK)
        assert (first.path, first.binary) == ("x", True)
        assert (second.path, second.binary) == ("y", False)


def test_no_line_break_at_the_end_and_carriage_returns() -> None:
    patch = only("--- a/x\r\n+++ b/x\r\n@@ -1,2 +1,2 @@\r\n one\r\n-a\r\n+b\n\\ No newline at end of file\n")
    assert (dict(patch.added), dict(patch.removed)) == ({2: "b"}, {2: "a"})
    assert patch.text.endswith("-a\r\n+b\n\\ No newline at end of file\n")


def test_a_mailer_has_stripped_the_blank_of_an_empty_line() -> None:
    patch = only("--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n one\n\n-a\n+b\n-- \n2.39\n")
    assert dict(patch.added) == {3: "b"}
    assert "\n one\n \n-a\n" in patch.text


HEAD = "--- a/x\n+++ b/x\n"


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("", None, "no unified diff"),
        ("hello\nworld\n", None, "no unified diff"),
        (HEAD + "@@ -1 +1 @@\n-a\n", 3, "announces more lines"),
        (HEAD + "@@ -1 +1 @@\n-a\n+b\n+hidden\n", 6, "is beyond the line counts"),
        (HEAD + "@@ -1 +1 @@\n-a\n+b\n--- hidden\n", 6, "is beyond the line counts"),
        (HEAD + "@@ -1,2 +1,2 @@\n-a\n+b\nstray\n", 6, "not a line of the hunk"),
        (HEAD + "@@ -1 +1 @@ \n one\n-more\n", 5, "is beyond the line counts"),
        (HEAD + "@@ one @@\n", 3, "not a hunk header"),
        (HEAD + "@@ -1,99999999999 +1 @@\n", 3, "not a hunk header"),
        (HEAD + "@@ -1,9999999999 +1 @@\n", 3, "impossible line numbers"),
        (HEAD + HUNK + HUNK, 6, "earlier hunk"),
        (HEAD + "@@@ -1 -1 +1 @@@\n", 3, "combined diff"),
        ("diff --cc x\n", 1, "combined diff"),
        (HUNK, 1, "is a hunk without a file"),
        (HEAD + HUNK + HEAD + HUNK, 6, "twice"),
        ("--- a/../../etc/passwd\n+++ b/../../etc/passwd\n" + HUNK, 1, "names '../../etc/passwd'"),
        ("--- /dev/null\n+++ /dev/null\n" + HUNK, 1, "both creates and deletes"),
        ("diff --git a/x\n", 1, "which file"),
        ("diff --git a/x b/y z\n", 1, "which file"),
        ("diff --git a/x b/x\n--- a/x\nno\n", 3, "does not name the new file"),
        ("Only in new: x\n" + HEAD + HUNK, 1, "without its content"),
        ("--- a/\n+++ b/\n" + HUNK, 1, "has an empty file name"),
    ],
)
def test_what_is_refused(text: str, line: int | None, says: str) -> None:
    error = refused(text)
    assert (error.file, error.line) == ("x.diff", line)
    assert says in error.what


def test_too_many_files() -> None:
    text = "".join(
        f"diff --git a/{number} b/{number}\nnew file mode 100644\n" for number in range(MOST_FILES_OF_A_DIFF + 1)
    )
    assert "too many files" in str(refused(text))


@given(st.text(alphabet='-+ @\\ab/1,\ndiff\t"\r\0', max_size=300))
@settings(max_examples=500, deadline=None)
def test_garbage_is_refused_or_read_and_nothing_else(text: str) -> None:
    for start in ("", HEAD, "diff --git a/x b/x\n", HEAD + "@@ -1,2 +1,2 @@\n"):
        try:
            patches = parse(start + text)
        except InputError:
            continue
        for patch in patches:
            assert patch.path.isprintable()
            assert patch.text.startswith("diff --git ")
            assert only(patch.text).path == patch.path


LINES = st.lists(st.text(alphabet="ab-+@ \\\r\x0c\u2028", max_size=4), max_size=25)
ENDS = st.booleans()


def joined(lines: list[str], end: bool) -> str:
    return "\n".join(lines) + ("\n" if end and lines else "")


@given(LINES, LINES)
@settings(max_examples=300, deadline=None)
def test_the_lines_are_those_that_difflib_moves(old: list[str], new: list[str]) -> None:
    diff = list(difflib.unified_diff(old, new, "a/x", "b/x", lineterm=""))
    if not diff:
        return
    patch = only("\n".join(diff) + "\n")
    expected_added, expected_removed = dict[int, str](), dict[int, str]()
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, old, new).get_opcodes():
        if tag != "equal":
            expected_removed |= {number + 1: old[number].removesuffix("\r") for number in range(i1, i2)}
            expected_added |= {number + 1: new[number].removesuffix("\r") for number in range(j1, j2)}
    assert (dict(patch.added), dict(patch.removed)) == (expected_added, expected_removed)


@given(LINES, LINES, ENDS, ENDS, st.integers(1, 4))
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_comes_out_does_the_same_to_a_file_as_what_git_printed(
    tmp_path: Path, old: list[str], new: list[str], old_end: bool, new_end: bool, context: int
) -> None:
    before, after = joined(old, old_end), joined(new, new_end)
    folder = tmp_path / "both"
    folder.mkdir(exist_ok=True)
    (folder / "old").write_text(before, newline="")
    (folder / "new").write_text(after, newline="")
    command = ["git", "diff", "--no-index", "--no-color", "--src-prefix=a/", "--dst-prefix=b/", f"-U{context}"]
    printed = subprocess.run([*command, "old", "new"], cwd=folder, capture_output=True).stdout.decode()
    if before == after:
        assert printed == ""
        return
    patch = only(printed)
    (folder / "new").unlink()
    apply = ["git", "apply", "--whitespace=nowarn", "-"]
    subprocess.run(apply, cwd=folder, input=patch.text.encode(), check=True, capture_output=True)
    assert (folder / "new").read_bytes() == after.encode()
    for text, lines in ((after, patch.added), (before, patch.removed)):
        for number, line in lines.items():
            assert text.split("\n")[number - 1].removesuffix("\r") == line
