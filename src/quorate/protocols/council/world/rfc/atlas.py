"""Reading the existing code base: the index of files and atlas of components, or else the repository's tree."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quorate.files.located_values import Located
from quorate.kit.strict_json import strict_json
from quorate.protocols.council.rules.taxonomy import Field
from quorate.protocols.council.world.rfc.files import Shelf, Trouble
from quorate.protocols.council.world.rfc.model import MOST_INDEX, Atlas, Component, Defect, ExtensionPoint, Flaw, Place
from quorate.protocols.council.world.rfc.sheet import Sheet

INDEX = "ccp_index.json"
MOST_ODD = 10
"""Entries of the index that are told one by one where they name no file."""
_ATLAS = ("component_atlas.yaml", "component_atlas.yml", "component_atlas.json")
_FIELD = Field.COMPONENT
MOST_FILES = 100_000
MOST_DEEP = 40
_PASSED = frozenset(
    {".git", ".hg", ".svn", "node_modules", ".venv", "venv", "__pycache__", ".tox", ".nox", ".mypy_cache"}
    | {".pytest_cache", ".ruff_cache", ".cache", ".idea", ".gradle", ".terraform"}
)
"""Folders that hold no work of the project's own."""
_CACHE = "CACHEDIR.TAG"
"""What tools put into a folder of things that can be made again."""


def read_atlas(shelf: Shelf, ccp: Path | None, repo: Path | None) -> tuple[Atlas, tuple[Flaw, ...]]:
    """Return components and files; files come from the index, or from the tree if there is no readable index."""
    flaws: list[Flaw] = []
    components = _components(shelf, ccp, flaws)
    files = _index(shelf, ccp, flaws)
    if files is not None and ccp is not None:
        return Atlas(components, files, "index", shelf.name(ccp / INDEX)), tuple(flaws)
    if repo is None:
        return Atlas(components), tuple(flaws)
    listing = list_tree(repo)
    where = shelf.name(repo)
    if not listing.whole:
        what = f"the repository has folders that could not be opened, or more than {len(listing.files)} files"
        flaws.append(Flaw(Defect.TOO_LARGE, what, Place(where), field=_FIELD, expected=f"an {INDEX}", warns=True))
    return Atlas(components, listing.files, "tree", where), tuple(flaws)


def _index(shelf: Shelf, ccp: Path | None, flaws: list[Flaw]) -> frozenset[str] | None:
    """Return the files of the index; None if there is no readable index."""
    if ccp is None or not _there(ccp / INDEX):
        return None
    sheet = Sheet(shelf.name(ccp / INDEX))
    text = shelf.read(ccp / INDEX, MOST_INDEX)
    if isinstance(text, Trouble):
        sheet.trouble(text)
    else:
        files = _inventory(sheet, text)
        flaws += sheet.told()
        return files
    flaws += sheet.told()
    return None


def _inventory(sheet: Sheet, text: str) -> frozenset[str] | None:
    try:
        data = strict_json(text)
    except json.JSONDecodeError as error:
        sheet.note(Defect.NOT_YAML, f"is not valid JSON: {error.msg}", Place(sheet.file, error.lineno), _FIELD, "JSON")
        return None
    except (ValueError, RecursionError) as error:
        sheet.note(Defect.NOT_YAML, f"cannot be read as JSON: {error}"[:300], Place(sheet.file), _FIELD, "JSON")
        return None
    inner = data.get("ccp_index") if isinstance(data, dict) else None
    index = inner if isinstance(inner, dict) else data
    inventory = index.get("file_inventory") if isinstance(index, dict) else None
    entries: Any = inventory.get("files") if isinstance(inventory, dict) else inventory
    if not isinstance(entries, list):
        at = Place(sheet.file, 1, "file_inventory.files")
        sheet.note(Defect.WRONG_SHAPE, "has no list of files", at, _FIELD, "`file_inventory.files` with a list")
        return None
    paths = [entry.get("path") if isinstance(entry, dict) else entry for entry in entries]
    files = [_path(path) if isinstance(path, str) else "" for path in paths]
    _note_odd(sheet, [number for number, path in enumerate(files) if not path])
    return frozenset(files) - {""}


def _note_odd(sheet: Sheet, numbers: list[int]) -> None:
    """Note index entries without a file name; a file lost this way would seem not to exist."""
    expected = "a path, or a mapping with `path`"
    for number in numbers[:MOST_ODD]:
        at = Place(sheet.file, 1, f"file_inventory.files[{number}]")
        sheet.note(Defect.WRONG_SHAPE, f"`files[{number}]` names no file", at, _FIELD, expected)
    if len(numbers) > MOST_ODD:
        what = f"{len(numbers) - MOST_ODD} further entries name no file"
        sheet.note(Defect.WRONG_SHAPE, what, Place(sheet.file, 1, "file_inventory.files"), _FIELD, expected)


def _components(shelf: Shelf, ccp: Path | None, flaws: list[Flaw]) -> tuple[Component, ...]:
    path = None if ccp is None else next((ccp / name for name in _ATLAS if _there(ccp / name)), None)
    if path is None:
        return ()
    sheet = Sheet(shelf.name(path))
    text = shelf.read(path)
    root = sheet.parse(text) if isinstance(text, str) else None
    if isinstance(text, Trouble):
        sheet.trouble(text)
    components = () if root is None else tuple(_read_components(sheet, root))
    flaws += sheet.told()
    return components


def _read_components(sheet: Sheet, root: Located) -> Iterable[Component]:
    top = sheet.mapping(root, _FIELD)
    inner = top.get("component_atlas")
    if inner is not None:
        top = sheet.mapping(inner, _FIELD)
    if not top.get("components"):
        if not sheet.flaws:
            sheet.note(Defect.MISSING_FIELD, "has no `components`", inner or root, _FIELD, "`components` with a list")
        return
    seen: set[str] = set()
    for entry in sheet.items(top["components"], _FIELD):
        component = _component(sheet, entry)
        if component is None:
            continue
        if component.id in seen:
            sheet.note(
                Defect.DUPLICATE, f"the component {component.id} is listed twice", entry, _FIELD, "an id of its own"
            )
            continue
        seen.add(component.id)
        yield component


def _component(sheet: Sheet, entry: Located) -> Component | None:
    if not isinstance(entry.value, Mapping):
        sheet.wrong(entry, "a mapping with `id` and `path`", _FIELD)
        return None
    given = entry.value
    name = _words(sheet, given, "id")
    if not name:
        sheet.note(Defect.MISSING_FIELD, "a component has no `id`", entry, _FIELD, "`id` with a text")
        return None
    points = list(_points(sheet, given))
    for module in sheet.items(given.get("modules"), _FIELD):
        if isinstance(module.value, Mapping):
            points += _points(sheet, module.value)
    return Component(
        name,
        _words(sheet, given, "name") or name,
        _path(_words(sheet, given, "path", "crate_path")),
        _words(sheet, given, "description"),
        tuple(points),
        tuple(_invariants(sheet, given)),
    )


def _points(sheet: Sheet, given: Mapping[str, Located]) -> Iterable[ExtensionPoint]:
    for entry in sheet.items(given.get("extension_points"), _FIELD):
        point = sheet.mapping(entry, _FIELD)
        name = _words(sheet, point, "id")
        if name:
            words = [
                _words(sheet, point, "name"),
                _path(_words(sheet, point, "path")),
                _words(sheet, point, "description"),
            ]
            yield ExtensionPoint(name, *words)
        elif isinstance(entry.value, Mapping):
            sheet.note(Defect.MISSING_FIELD, "an extension point has no `id`", entry, _FIELD, "`id` with a text")


def _invariants(sheet: Sheet, given: Mapping[str, Located]) -> Iterable[str]:
    for entry in sheet.items(given.get("invariants"), _FIELD):
        node = entry.value.get("statement") if isinstance(entry.value, Mapping) else entry
        text = sheet.prose(node, _FIELD)
        if text:
            yield text


def _words(sheet: Sheet, given: Mapping[str, Located], *names: str) -> str:
    return sheet.prose(sheet.first(given, names), _FIELD)


def _there(path: Path) -> bool:
    return path.exists() or path.is_symlink()


def _path(path: str) -> str:
    """Return a path with forward slashes, without leading `./` and trailing slash."""
    path = path.strip().replace("\\", "/")
    while path.startswith("./"):
        path = path[2:].lstrip("/")
    return path.rstrip("/")


# The tree of the repository


@dataclass(frozen=True, slots=True)
class Listing:
    """The plain files of a repository."""

    files: frozenset[str]
    """Seen from the folder, with forward slashes."""
    whole: bool
    """Nothing was left out for a limit or because it could not be opened."""


def list_tree(folder: Path) -> Listing:
    """Return the plain files below a folder, within limits on number and depth; links are not followed."""
    found: set[str] = set()
    waiting = [("", 0)]
    whole = True
    while waiting:
        below, depth = waiting.pop()
        try:
            with os.scandir(folder / below) as scan:
                entries = list(scan)
        except OSError:
            whole = False
            continue
        if below and any(entry.name == _CACHE for entry in entries):
            continue
        for entry in entries:
            path = f"{below}/{entry.name}" if below else entry.name
            if entry.is_dir(follow_symlinks=False):
                if entry.name in _PASSED:
                    continue
                if depth + 1 > MOST_DEEP:
                    whole = False
                else:
                    waiting.append((path, depth + 1))
            elif entry.is_file(follow_symlinks=False):
                if len(found) == MOST_FILES:
                    return Listing(frozenset(found), whole=False)
                found.add(path.encode("utf-8", "backslashreplace").decode())
    return Listing(frozenset(found), whole)
