"""Roots: nothing outside of them can be reached, and nothing outside is given away."""

from __future__ import annotations

from pathlib import Path

import pytest

from quorate.api.roots import Roots
from quorate.core.errors import InputError


@pytest.fixture
def roots(tmp_path: Path) -> Roots:
    for name in ("one/inner", "two", "outside"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "outside" / "secret").write_text("no")
    (tmp_path / "one" / "link").symlink_to(tmp_path / "outside")
    (tmp_path / "one" / "here").symlink_to(tmp_path / "two")
    return Roots((tmp_path / "one", tmp_path / "two"))


@pytest.mark.parametrize("name", ["inner", "./inner", "inner/../inner", ".", "inner/not/there", "here"])
def test_what_lies_inside_can_be_named(roots: Roots, tmp_path: Path, name: str) -> None:
    assert roots.resolve(name) == (tmp_path / "one" / name).resolve()


def test_an_absolute_path_inside_any_root_is_taken(roots: Roots, tmp_path: Path) -> None:
    path = roots.resolve(str(tmp_path / "two" / "x"))
    assert path == tmp_path / "two" / "x"
    assert roots.shown(path) == str(path)
    assert roots.shown(roots.resolve("inner")) == "inner"


@pytest.mark.parametrize(
    "name", ["..", "../outside/secret", "inner/../../outside", "/etc/passwd", "link", "link/secret", "/", "../one-not"]
)
def test_what_lies_outside_cannot_be_named_by_any_way(roots: Roots, name: str) -> None:
    with pytest.raises(InputError, match="outside of what requests may use") as raised:
        roots.resolve(name, "docs")
    assert raised.value.key == "docs"


@pytest.mark.parametrize("name", ["", " ", "a\0b", "x" * 5_000, "x/" + "ä" * 200])
def test_what_is_no_path_is_refused(roots: Roots, name: str) -> None:
    with pytest.raises(InputError, match="is not a path"):
        roots.resolve(name)


def test_without_roots_nothing_can_be_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is none"):
        Roots(()).resolve(str(tmp_path))


@pytest.mark.parametrize(
    "name",
    [".git", ".git/hooks", ".quorate/briefs", "inner/.GIT/x", ".Quorate/quorate.db", "same", "mine.db", "mine.db-wal"],
)
def test_what_is_gits_or_the_stores_is_nobodys(roots: Roots, tmp_path: Path, name: str) -> None:
    (tmp_path / "one" / ".quorate").mkdir()
    (tmp_path / "one" / "same").symlink_to(tmp_path / "one" / ".quorate")
    own = Roots(roots.folders, closed=(tmp_path / "one" / "mine.db",))
    with pytest.raises(InputError, match="belongs to git or to the store"):
        own.resolve(name, "docs")
    assert not own.holds(tmp_path / "one" / name)


def test_a_root_in_a_folder_of_such_a_name_was_chosen(tmp_path: Path) -> None:
    root = tmp_path / ".quorate" / "briefs"
    root.mkdir(parents=True)
    assert Roots((root,)).resolve("a.md") == root / "a.md"
    assert Roots((tmp_path,)).holds(tmp_path / "a.md")
    assert not Roots((tmp_path,)).holds(tmp_path.parent)
