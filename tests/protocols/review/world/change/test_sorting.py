"""What is shown to a committee comes in order and within bounds; what is not is listed with its reason."""

from __future__ import annotations

from collections import Counter

import pytest

from quorate.kit.change import Change, ChangedFile, FileStatus, LeftOut, Why
from quorate.protocols.review.rules.parts import MOST_FILES
from quorate.protocols.review.world.change import file_order
from quorate.protocols.review.world.change.file_order import FileKind, kind_of, left_out, modules_of, reviewed, shown
from quorate.protocols.review.world.change.read import read_change
from quorate.protocols.review.world.change.source import Branch, Diff, Paths
from tests.protocols.review.world.change.repos import Repo


def changed(path: str, lines: int = 1, size: int = 100) -> ChangedFile:
    added = {number: "x" for number in range(1, lines + 1)}
    return ChangedFile(path, FileStatus.ADDED, "x" * size, None, None, added, {})


def change_of(*files: ChangedFile, out: tuple[LeftOut, ...] = ()) -> Change:
    return Change("t", "", "", file_order.ranked(files, out), out, None, None)


def whys(change: Change) -> dict[str, Why]:
    return {each.path: each.why for each in change.left_out}


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("src/app.py", FileKind.SOURCE),
        ("a/B.TSX", FileKind.SOURCE),
        ("tests/test_app.py", FileKind.TEST),
        ("src/app.spec.ts", FileKind.TEST),
        ("pkg/app_test.go", FileKind.TEST),
        ("src/contest.py", FileKind.SOURCE),
        ("pyproject.toml", FileKind.CONFIGURATION),
        ("Dockerfile", FileKind.CONFIGURATION),
        (".env", FileKind.CONFIGURATION),
        ("requirements.txt", FileKind.CONFIGURATION),
        ("docs/a.md", FileKind.DOCUMENT),
        ("LICENSE", FileKind.DOCUMENT),
        ("data.csv", FileKind.OTHER),
        ("py", FileKind.OTHER),
        (".py", FileKind.OTHER),
    ],
)
def test_what_a_file_is(path: str, kind: FileKind) -> None:
    assert kind_of(path) is kind


def test_the_most_telling_come_first(repo: Repo) -> None:
    repo.commit(
        {
            "notes.md": "1\n",
            "data.csv": "1\n",
            "setup.toml": "1\n",
            "tests/test_a.py": "1\n",
            "long.py": "1\n2\n3\n",
            "short.py": "1\n",
            "alike.py": "1\n",
            "uv.lock": "1\n",
        }
    )
    paths = [file.path for file in read_change(Branch(), repo.folder).files]
    assert paths == [
        *("alike.py", "short.py", "long.py", "tests/test_a.py", "setup.toml", "notes.md", "data.csv"),
        "uv.lock",
    ]


def test_no_more_than_the_forms_allow_is_shown() -> None:
    change = change_of(*(changed(f"f{number:04}.py") for number in range(MOST_FILES + 5)))
    assert [file.path for file in shown(change)] == [f"f{number:04}.py" for number in range(MOST_FILES)]
    assert [each.path for each in left_out(change)] == [
        f"f{number:04}.py" for number in range(MOST_FILES, MOST_FILES + 5)
    ]
    assert {each.why for each in left_out(change)} == {Why.TOO_MANY}


def test_no_more_characters_than_fit_are_shown() -> None:
    files = [changed(f"f{number}.py", lines=number, size=190_000) for number in range(6)]
    change = change_of(*files, changed("small.md", size=1_000))
    assert [file.path for file in shown(change)] == ["f0.py", "f1.py", "f2.py", "f3.py", "small.md"]
    assert sum(len(file.patch) for file in shown(change)) <= file_order.MOST_SHOWN
    assert [each.path for each in left_out(change)] == ["f4.py", "f5.py"]


def test_everything_is_shown_or_left_out(repo: Repo) -> None:
    names = {f"src/f{number}.py": "1\n" for number in range(MOST_FILES + 3)}
    repo.commit({**names, "yarn.lock": "1\n", "logo.png": b"\0", "long.sql": "x" * 300_000})
    change = read_change(Branch(), repo.folder)
    out = left_out(change)
    assert {file.path for file in shown(change)} | {each.path for each in out} == {
        *names,
        *("yarn.lock", "logo.png", "long.sql"),
    }
    assert Counter(each.why for each in out) == {Why.TOO_MANY: 4, Why.GENERATED: 1, Why.BINARY: 1}
    # The checks still read what is text.
    assert {"yarn.lock", "long.sql"} <= {file.path for file in change.files}
    assert "yarn.lock" not in {file.path for file in reviewed(change)}


def test_very_many_are_left_out_each_with_its_reason() -> None:
    out = tuple(LeftOut(f"vendor/{number:05}", Why.GENERATED) for number in range(1_500))
    assert left_out(change_of(out=out)) == out


def test_modules_are_folders() -> None:
    files = [changed("a.py"), changed("src/a.py"), changed("src/b.py"), changed("src/deep/c.py")]
    moved = ChangedFile("src/d.py", FileStatus.RENAMED, "x", None, None, {}, {}, old_path="old/d.py")
    vendored = LeftOut("vendor/x.py", Why.GENERATED)
    assert modules_of(change_of(*files)) == 3
    assert modules_of(change_of(*files, moved)) == 4
    assert modules_of(change_of(*files, changed("vendor/x.py"), out=(vendored,))) == 3


# Generated


@pytest.mark.parametrize(
    "path",
    [
        *("package-lock.json", "web/yarn.lock", "Cargo.lock", "go.sum", "app.min.js", "style.min.css", "app.js.map"),
        *("dist/app.js", "web/dist/x/y.js", "vendor/lib/a.go", "node_modules/x/i.js", "api_pb2.py", "api.pb.go"),
    ],
)
def test_generated_by_name(repo: Repo, path: str) -> None:
    repo.commit({path: "x\n", "src/distance.py": "x\n", "vendors.py": "x\n"})
    assert whys(read_change(Branch(), repo.folder)) == {path: Why.GENERATED}


@pytest.mark.parametrize(
    ("head", "generated"),
    [
        ("// Code generated by protoc. DO NOT EDIT.\n", True),
        ("#!/bin/sh\n# @generated by tool\n", True),
        ("# This file was generated.\n# Please do not modify it.\n", True),
        ("# Do not edit lightly.\n", False),
        ("# Generated reports go to out/.\n", False),
        ("x\n" * 6 + "// Code generated. DO NOT EDIT.\n", False),
    ],
)
def test_generated_by_its_first_lines(repo: Repo, head: str, generated: bool) -> None:
    repo.commit({"api.go": head + "x\n"})
    assert whys(read_change(Branch(), repo.folder)) == {}, "a new file cannot hide itself"
    repo.git("branch", "--force", "main", "HEAD")
    repo.commit({"api.go": head + "y\n"})
    assert whys(read_change(Branch(), repo.folder)) == ({"api.go": Why.GENERATED} if generated else {})


def test_a_change_cannot_declare_a_file_generated(repo: Repo) -> None:
    repo.commit({"src/app.py": "# @generated, do not edit\nevil\n", ".gitattributes": "src/** linguist-generated\n"})
    change = read_change(Branch(), repo.folder)
    assert whys(change) == {}
    assert {file.path for file in shown(change)} == {"src/app.py", ".gitattributes"}


def test_generated_as_the_project_says(repo: Repo) -> None:
    attributes = "gen/** linguist-generated=true\n*.lock -linguist-generated\n/api/*.ts linguist-vendored\n"
    repo.commit({".gitattributes": attributes, "gen/.gitattributes": "hand.py linguist-generated=false\n"})
    repo.git("branch", "--force", "main", "HEAD")
    names = ("gen/a.py", "gen/deep/b.py", "gen/hand.py", "uv.lock", "api/x.ts", "api/deep/y.ts", "other.py")
    repo.commit(dict.fromkeys(names, "x\n"))
    change = read_change(Branch(), repo.folder)
    assert {each.path: each.detail for each in change.left_out} == {
        "gen/a.py": "linguist-generated in .gitattributes; the checks read it",
        "gen/deep/b.py": "linguist-generated in .gitattributes; the checks read it",
        "api/x.ts": "linguist-vendored in .gitattributes; the checks read it",
    }


# Ignored


def test_ignored_as_the_project_says(repo: Repo) -> None:
    repo.commit({".quorateignore": "# fixtures\nfixtures/\n*.snap\n!keep.snap\n"})
    repo.git("branch", "--force", "main", "HEAD")
    repo.commit(dict.fromkeys(("tests/fixtures/key.pem", "a.snap", "keep.snap", "a.py"), "x\n"))
    change = read_change(Branch(), repo.folder)
    assert change.left_out == (
        LeftOut("a.snap", Why.IGNORED, "*.snap in .quorateignore"),
        LeftOut("tests/fixtures/key.pem", Why.IGNORED, "fixtures/ in .quorateignore"),
    )
    assert {file.path for file in change.files} == {"keep.snap", "a.py"}
    text = repo.git("diff", "--no-color", "main", "HEAD") + "\n"
    assert read_change(Diff.of_text(text), repo.folder).left_out == change.left_out
    assert read_change(Paths((".",)), repo.folder).left_out == change.left_out


def test_a_change_cannot_ignore_its_own_files(repo: Repo) -> None:
    repo.commit({".quorateignore": "*\n", "evil.py": "x\n"})
    change = read_change(Branch(), repo.folder)
    assert {file.path for file in change.files} == {".quorateignore", "evil.py"}
    assert change.left_out == ()


def test_moving_a_file_out_of_sight_is_seen(repo: Repo) -> None:
    repo.commit({".quorateignore": "fixtures/\n", ".gitattributes": "gen/** linguist-generated\n", "b.py": "1\n2\n"})
    repo.commit({"c.py": "c\nd\ne\n"})
    repo.git("branch", "--force", "main", "HEAD")
    for folder in ("fixtures", "gen", "vendor"):
        (repo.folder / folder).mkdir()
    repo.git("mv", "src/app.py", "fixtures/app.py")
    repo.git("mv", "b.py", "gen/b.py")
    repo.git("mv", "c.py", "vendor/c.py")
    repo.commit()
    change = read_change(Branch(), repo.folder)
    assert {file.path for file in shown(change)} == {"fixtures/app.py", "gen/b.py", "vendor/c.py"}
    assert change.left_out == ()
