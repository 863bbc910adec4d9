"""Snapshots of a project's files: a git tree, a folder on disk, or an overlay of one on another."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable
from pathlib import Path

from quorate.kit.change import Change, Tree
from quorate.protocols.review.world.change.quoted_paths import hidden, shown
from quorate.protocols.review.world.change.workbench import MOST_FILE, Given, Workbench

MOST_LISTED = 200_000
"""Files that a folder is searched for."""

LINK, SUBMODULE = "120000", "160000"
_NEVER_ENTERED = frozenset({b".git", b"node_modules", b"__pycache__", b".venv", b".tox", b".mypy_cache"})
_OWN = b".quorate"
_STORE = (b"quorate.db", b".lock")
"""What names begin with that are the store's: to open and close its file drops the locks that we hold on it."""


def is_private(path: bytes) -> bool:
    """Return whether a file belongs to git or the session store, not to the project."""
    *folders, name = path.lower().split(b"/")
    return b".git" in folders or (_OWN in folders and name.startswith(_STORE))


def text_of(data: bytes | None) -> str | None:
    """Return the text of a file; None if it is binary or not UTF-8."""
    if data is None or b"\0" in data:
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


class GitTree:
    """A commit, a tree or the index. Symbolic links and submodules are not included."""

    def __init__(self, bench: Workbench, tree: str) -> None:
        self.bench, self.tree = bench, tree
        self._files: dict[str, str] | None = None

    def paths(self) -> tuple[str, ...]:
        return tuple(self._listing())

    def read(self, path: str) -> str | None:
        oid = self._listing().get(path)
        return None if oid is None else text_of(self.bench.read(oid))

    def _listing(self) -> dict[str, str]:
        if self._files is None:
            printed = self.bench.git.run("ls-tree", "-r", "-z", "--full-tree", self.tree)
            self._files = {}
            for line in printed.split(b"\0")[:-1]:
                about, _, path = line.partition(b"\t")
                mode, _, oid = about.decode().split(" ")
                if mode not in (LINK, SUBMODULE):
                    self._files[shown(path)] = oid
        return self._files

    def close(self) -> None:
        self.bench.close()


class FolderTree:
    """A folder on disk. Symbolic links are never followed, and only plain files are opened."""

    def __init__(self, root: Path, listing: Callable[[], Iterable[bytes]] | None = None) -> None:
        self.root = root
        self._list = listing or self._walk
        self._paths: tuple[str, ...] | None = None

    def paths(self) -> tuple[str, ...]:
        if self._paths is None:
            found = (path for path in self._list() if self._is_file(path))
            self._paths = tuple(shown(path) for path in sorted(found))
        return self._paths

    def read(self, path: str) -> str | None:
        given = self.given(hidden(path))
        return text_of(given.data) if given is not None and given.mode != LINK else None

    def given(self, path: bytes) -> Given | None:
        """Return a file, or a symbolic link as the text of its target; None if it is neither, or too large."""
        *folders, name = path.split(b"/")
        if b"\0" in path or is_private(path) or any(part in (b"", b".", b"..") for part in (*folders, name)):
            return None
        opened = list[int]()
        try:
            opened.append(os.open(self.root, os.O_RDONLY | os.O_DIRECTORY))
            for folder in folders:
                opened.append(os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=opened[-1]))
            if stat.S_ISLNK(os.lstat(name, dir_fd=opened[-1]).st_mode):
                return Given(path, LINK, os.readlink(name, dir_fd=opened[-1]))
            if _is_in_use(name, opened[-1]):
                return None
            # Without O_NONBLOCK a named pipe would wait for a writer.
            opened.append(os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=opened[-1]))
            return _plain_file(path, opened[-1])
        except OSError:
            return None
        finally:
            for each in opened:
                os.close(each)

    def _is_file(self, path: bytes) -> bool:
        try:
            return stat.S_ISREG(os.lstat(os.path.join(os.fsencode(self.root), path)).st_mode)
        except OSError:
            return False

    def _walk(self) -> Iterable[bytes]:
        return walk(self.root, b"")

    def close(self) -> None:
        """Do nothing; a folder holds no resources."""


class Laid:
    """An overlay of one tree on another: its files win, those in `taken` are removed, the rest shows through."""

    def __init__(self, over: Tree, under: Tree, taken: Iterable[str] = ()) -> None:
        self.over, self.under, self.taken = over, under, frozenset(taken)
        self._over = frozenset(over.paths())

    def paths(self) -> tuple[str, ...]:
        return tuple(sorted((set(self.under.paths()) - self.taken) | self._over))

    def read(self, path: str) -> str | None:
        if path in self._over:
            return self.over.read(path)
        return None if path in self.taken else self.under.read(path)

    def close(self) -> None:
        for tree in (self.over, self.under):
            _close(tree)


class Undisputed:
    """A tree without some files, whose content is not known to be the project's own."""

    def __init__(self, tree: Tree, disputed: frozenset[str]) -> None:
        self.tree, self.disputed = tree, disputed

    def paths(self) -> tuple[str, ...]:
        return tuple(path for path in self.tree.paths() if path not in self.disputed)

    def read(self, path: str) -> str | None:
        return None if path in self.disputed else self.tree.read(path)


def _is_in_use(name: bytes, folder: int) -> bool:
    """Return whether a file is a session store in use, recognised by the index file beside it."""
    try:
        os.lstat(name + b"-shm", dir_fd=folder)
    except OSError:
        return name.endswith((b"-shm", b"-wal"))
    return True


def walk(root: Path, below: bytes) -> list[bytes]:
    """Return the plain files and links under a folder, relative to the root, skipping hidden and installed folders."""
    found, waiting = list[bytes](), [below]
    while waiting and len(found) < MOST_LISTED:
        folder = waiting.pop()
        try:
            entries = sorted(os.scandir(os.path.join(os.fsencode(root), folder)), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            path = folder + b"/" + entry.name if folder else entry.name
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in _NEVER_ENTERED:
                    waiting.append(path)
            elif not is_private(path) and (entry.is_symlink() or entry.is_file(follow_symlinks=False)):
                found.append(path)
    return sorted(found[:MOST_LISTED])


def close(change: Change) -> None:
    """Release the resources of a change's trees; they cannot be read afterwards. Closing twice is harmless."""
    for tree in (change.before, change.after):
        _close(tree)


def _close(tree: Tree | None) -> None:
    if isinstance(tree, (GitTree, FolderTree, Laid)):
        tree.close()


def _plain_file(path: bytes, file: int) -> Given | None:
    about = os.fstat(file)
    if not stat.S_ISREG(about.st_mode) or about.st_size > MOST_FILE:
        return None
    with os.fdopen(os.dup(file), "rb") as stream:
        data = stream.read(MOST_FILE + 1)
    return Given(path, "100755" if about.st_mode & 0o100 else "100644", data) if len(data) <= MOST_FILE else None
