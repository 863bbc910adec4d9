"""Listing the files of a repository, with limits on number and depth; links are not followed."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

MOST_FILES = 100_000
MOST_DEEP = 40
_PASSED = frozenset(
    {".git", ".hg", ".svn", "node_modules", ".venv", "venv", "__pycache__", ".tox", ".nox", ".mypy_cache"}
    | {".pytest_cache", ".ruff_cache", ".cache", ".idea", ".gradle", ".terraform"}
)
"""Folders that hold no work of the project's own."""
_CACHE = "CACHEDIR.TAG"
"""What tools put into a folder of things that can be made again."""


@dataclass(frozen=True, slots=True)
class Listing:
    files: frozenset[str]
    """Seen from the folder, with forward slashes."""
    whole: bool
    """Nothing was left out for a limit or because it could not be opened."""


def list_tree(folder: Path) -> Listing:
    """Return the plain files below a folder."""
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
