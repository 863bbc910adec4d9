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
    with pytest.raises(InputError, match="outside of what may be used") as raised:
        roots.resolve(name, "docs")
    assert raised.value.key == "docs"


@pytest.mark.parametrize("name", ["", " ", "a\0b", "x" * 5_000, "x/" + "ä" * 200])
def test_what_is_no_path_is_refused(roots: Roots, name: str) -> None:
    with pytest.raises(InputError, match="is no path"):
        roots.resolve(name)


def test_without_roots_nothing_can_be_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is none"):
        Roots(()).resolve(str(tmp_path))
