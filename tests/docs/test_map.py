"""The map is true: every path that it names exists, and every room stands on it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.book import PAGES, ROOT

HOUSE = ROOT / "src/quorate"
MAPS = [ROOT / name for name in ("ARCHITECTURE.md", "CONTRIBUTING.md", "GLOSSARY.md")]
QUOTED_PATH = re.compile(r"`([\w<>.-]+(?:/[\w<>.-]*)+)`")
BARE_PATH = re.compile(r"(?<![\w<>./`:-])((?:[\w<>-]+/)*(?:[\w<>-]+/|[\w<>-]+\.py))(?![\w/`<-])")
MODULE = re.compile(r"`(quorate(?:\.\w+)+)`")
NAME_IN_DOCSTRING = re.compile(r"\b(\w+)\.py\b")


def missing_paths(text: str) -> list[str]:
    """Return the paths of a text that exist neither in the package nor in the repository; `<name>` is any name."""
    named = {*QUOTED_PATH.findall(text), *BARE_PATH.findall(text)}
    return sorted(path for path in named if not _exists(path))


def _exists(path: str) -> bool:
    pattern = re.sub(r"<\w+>", "*", path).rstrip("/")
    endings = ("",) if path.endswith("/") or Path(path).suffix else ("", ".py")
    found = (each for place in (HOUSE, ROOT) for ending in endings for each in place.glob(pattern + ending))
    return any(each.is_dir() or not path.endswith("/") for each in found)


@pytest.mark.parametrize("page", MAPS, ids=lambda page: page.name)
def test_every_path_on_the_map_exists(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert QUOTED_PATH.search(text)
    assert missing_paths(text) == []


def test_a_path_that_is_not_there_is_found() -> None:
    text = """Read `core/engine.py`, `core/engine`, `kit/`, `protocols/<name>/rules/` and tests/docs/, then
    `core/settings.py`, `intake/`, `api/seating`, `protocols/<name>/result/` and

        catalog.py  seating.py      modules
        redteam/                    a room
    """
    gone = ["api/seating", "core/settings.py", "intake/", "protocols/<name>/result/", "redteam/", "seating.py"]
    assert missing_paths(text) == gone


def test_every_room_stands_on_the_map() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    tree = text.partition("## The rooms")[2].partition("\n## ")[0]
    rooms = {f"{each.parent.name}/" for each in HOUSE.glob("*/__init__.py")}
    rooms |= {each.name for each in HOUSE.glob("*.py")} - {"__init__.py"}
    inner = {f"protocols/<name>/{each.parent.name}/" for each in HOUSE.glob("protocols/*/*/__init__.py")}
    assert {*rooms, *inner} - {"protocols/"} <= set(tree.split())


def _modules(page: Path) -> list[str]:
    """Return the dotted names on a page that begin with a room; others are files, settings and metrics."""
    found = MODULE.findall(page.read_text(encoding="utf-8"))
    return [name for name in found if (HOUSE / name.split(".")[1]).is_dir()]


@pytest.mark.parametrize("page", [page for page in (*PAGES, *MAPS) if _modules(page)], ids=lambda page: page.name)
def test_every_module_that_a_page_names_exists(page: Path) -> None:
    for name in _modules(page):
        path = ROOT / "src" / name.replace(".", "/")
        assert path.is_dir() or path.with_suffix(".py").is_file(), f"{page.name} names {name}"


def _docstrings() -> Iterator[tuple[Path, str]]:
    for file in sorted(HOUSE.rglob("__init__.py")):
        yield file, ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""


def test_every_module_that_the_docstring_of_a_package_tells_to_read_stands_in_it() -> None:
    gone = [
        f"{file.parent.relative_to(HOUSE)}: {name}.py"
        for file, text in _docstrings()
        for name in NAME_IN_DOCSTRING.findall(text)
        if not any(file.parent.rglob(f"{name}.py"))
    ]
    assert gone == []
