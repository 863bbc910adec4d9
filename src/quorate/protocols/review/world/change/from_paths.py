"""The two sides of whole files on disk: nothing before, the files after; with or without a repository."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from quorate.core.errors import InputError, SettingError, nearest
from quorate.kit.change import LeftOut, Tree, Why
from quorate.protocols.review.world.change.quoted_paths import shown
from quorate.protocols.review.world.change.repository import Repository, find_repository
from quorate.protocols.review.world.change.sides import Sides, narrowed, titled
from quorate.protocols.review.world.change.source import Paths
from quorate.protocols.review.world.change.trees import FolderTree, GitTree, walk
from quorate.protocols.review.world.change.workbench import MOST_FILE, Given, Workbench

MOST_GIVEN = 20_000
MOST_GIVEN_BYTES = 64_000_000


def of_paths(source: Paths, folder: Path) -> Sides:
    """Compare files with nothing, as if all of them were new."""
    if not source.paths:
        raise SettingError("is empty", key="paths", expected="at least one file or folder")
    if not folder.is_dir():
        raise InputError("is not a folder", file=str(folder))
    repository = find_repository(folder)
    root = repository.root if repository is not None else folder
    files = _files(source, folder, root, repository)
    tree = FolderTree(root, repository.known_files if repository is not None else None)
    bench, out = Workbench(), list[LeftOut]()
    new = bench.tree_of_files(_given(tree, files, out))
    nothing = InputError("no files were found", key="paths", expected="a folder with files in it")
    old = bench.empty_tree()
    title = titled(
        f"{source.paths[0]} as it stands" if len(source.paths) == 1 else f"{len(files):,} files as they stand"
    )
    rules = _rules(repository, tree)
    before = GitTree(bench, old)
    return Sides(bench, old, new, title, "", "", root, nothing, before, tree, rules, left_out=tuple(out))


def _rules(repository: Repository | None, tree: Tree) -> Tree:
    """Return the tree of the last commit; without commits, that of the folder."""
    head = repository.head() if repository is not None else None
    return GitTree(Workbench(repository), head) if head is not None else tree


def _files(source: Paths, folder: Path, root: Path, repository: Repository | None) -> list[bytes]:
    """Return the files that the paths name, relative to the root; a folder means the files git knows in it."""
    found = set[bytes]()
    for path in source.paths:
        seen = narrowed((path,), folder, root)
        place = root / seen[0] if seen else root
        try:
            mode = place.lstat().st_mode
        except OSError as error:
            siblings = os.listdir(place.parent) if place.parent.is_dir() else []
            near = nearest(place.name, siblings)
            expected = "a file or a folder that exists"
            raise SettingError(f"{path!r} does not exist", key="paths", expected=expected, nearest=near) from error
        if not stat.S_ISDIR(mode):
            found.add(os.fsencode(seen[0]))
        elif repository is not None:
            found.update(name for name in repository.known_files(*seen) if _exists(root, name))
        else:
            found.update(walk(root, os.fsencode(seen[0]) if seen else b""))
    if len(found) > MOST_GIVEN:
        how = f"at most {MOST_GIVEN:,}"
        raise SettingError(f"names {len(found):,} files", key="paths", expected=how)
    return sorted(found)


def _exists(root: Path, path: bytes) -> bool:
    try:
        return not stat.S_ISDIR(os.lstat(os.path.join(os.fsencode(root), path)).st_mode)
    except OSError:
        return False


def _given(tree: FolderTree, files: list[bytes], out: list[LeftOut]) -> Iterator[Given]:
    """Yield the readable files, and add the others to `out`."""
    room = MOST_GIVEN_BYTES
    for path in files:
        given = tree.given(path)
        if given is None:
            out.append(_unreadable(tree.root, path))
        elif len(given.data) > room:
            out.append(LeftOut(shown(path), Why.TOO_LARGE, f"more than {MOST_GIVEN_BYTES:,} bytes altogether"))
        else:
            room -= len(given.data)
            yield given


def _unreadable(root: Path, path: bytes) -> LeftOut:
    try:
        about = os.lstat(os.path.join(os.fsencode(root), path))
    except OSError as error:
        return LeftOut(shown(path), Why.UNREADABLE, error.strerror or "it cannot be read")
    if stat.S_ISREG(about.st_mode) and about.st_size > MOST_FILE:
        return LeftOut(shown(path), Why.TOO_LARGE, f"{about.st_size:,} bytes, at most {MOST_FILE:,}")
    return LeftOut(shown(path), Why.UNREADABLE, "no plain file within the project that may be read")
