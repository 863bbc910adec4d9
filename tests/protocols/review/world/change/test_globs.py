"""Patterns of ignored files mean what git means by them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quorate.protocols.review.world.change.globs import ignored_by, patterns

PATHS = [
    *("a", "b", "a/b", "b/a", "a/b/c", "a/a/b", "x.log", "a/x.log", "a/b/x.log", "log", "ab", "abc", "a/abc", "!a"),
    *("#a", "a b", "a ", "a*b", "a[b", "z/a/b/c/d", "a.b", "-"),
]
PATTERNS = [
    *("a", "a/", "/a", "a/b", "*.log", "**/b", "a/**", "a/**/b", "**", "*", "/*", "a*", "?", "[ab]", "[!a]", "[^a]"),
    *("!a/b", "*\n!a", "a/\n!a/b", "*\n!*/\n!x.log", "\\!a", "\\#a", "#a", "a\\ ", "a ", "a\\*b", "a\\[b", "**/*.log"),
    *("**/a/**", "z/**/d", "/a/*/c", "a**", "**b", "a//b", "/", "", "!", "[a", "a\r", "*/b", "b/*"),
]


def by_git(folder: Path, text: str) -> set[str]:
    (folder / ".gitignore").write_text(text + "\n", newline="")
    command = ["git", "-c", "core.excludesFile=/dev/null", "check-ignore", "--no-index", "-z", "--stdin"]
    done = subprocess.run(command, cwd=folder, input="\0".join(PATHS).encode(), capture_output=True)
    assert done.returncode in (0, 1), done.stderr
    return set(done.stdout.decode().split("\0")) - {""}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "--quiet", str(tmp_path / "x")], check=True)
    return tmp_path / "x"


def by_us(text: str) -> set[str]:
    return {path for path in PATHS if ignored_by(patterns(text), path) is not None}


@pytest.mark.parametrize("text", PATTERNS, ids=repr)
def test_as_git_ignores(folder: Path, text: str) -> None:
    assert by_us(text) == by_git(folder, text)


@given(st.lists(st.text(alphabet="ab/*?!.", min_size=1, max_size=7), min_size=1, max_size=3))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_as_git_ignores_by_any_pattern(folder: Path, lines: list[str]) -> None:
    assert by_us("\n".join(lines)) == by_git(folder, "\n".join(lines))


def test_no_pattern_takes_long() -> None:
    text = "\n".join(["*a" * 400, "**/" * 300 + "b", "*" * 900, "[" * 500, "x" * 2_000])
    assert ignored_by(patterns(text), "/".join(["a" * 200] * 40)) is not None
    assert ignored_by(patterns("*a" * 400 + "b"), "a" * 4_000) is None
