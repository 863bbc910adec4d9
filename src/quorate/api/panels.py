"""Panels to choose from: the files inside the roots that look like one."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from quorate.api.roots import Roots
from quorate.core.errors import QuorateError
from quorate.files.yaml import load
from quorate.participants.panel import TOP

MOST_FOLDERS = 2_000
MOST_FILES = 500
"""YAML files that are opened in a search."""
DEEPEST = 4
MOST_BYTES = 50_000
ENDINGS = (".yaml", ".yml")
PASSED = frozenset({"node_modules", "__pycache__", "venv", "site-packages", "build", "dist", "target"})
"""Folders that hold no panels and many files; those whose names begin with a dot are passed by too."""


def find_panels(roots: Roots) -> list[dict[str, Any]]:
    """Return the panels inside the roots: the name for a request, and the seats each one fills."""
    found: dict[str, dict[str, Any]] = {}
    for path in _candidates(roots):
        seats = _seats_of(path)
        if seats is not None:
            name = roots.shown(path.resolve())
            found[name] = {"path": name, "seats": list(seats)}
    return [found[name] for name in sorted(found)]


def _candidates(roots: Roots) -> Iterator[Path]:
    opened, seen = 0, 0
    for root in roots.folders:
        base = root.resolve()
        for folder, folders, files in os.walk(base):  # links to folders are not followed
            seen += 1
            depth = len(Path(folder).relative_to(base).parts)
            folders[:] = sorted(
                name for name in folders if depth < DEEPEST and name[0] != "." and name.lower() not in PASSED
            )
            if seen > MOST_FOLDERS:
                return
            for name in sorted(files):
                path = Path(folder) / name
                if name.endswith(ENDINGS) and not path.is_symlink():
                    opened += 1
                    if opened > MOST_FILES:
                        return
                    yield path


def _seats_of(path: Path) -> tuple[str, ...] | None:
    """Return the seats that a panel names; None if the file is unreadable or another kind of YAML."""
    try:
        found = path.stat()
    except OSError:
        return None
    return _read(path, found.st_mtime_ns, found.st_size) if found.st_size <= MOST_BYTES else None


@lru_cache(MOST_FILES * 4)
def _read(path: Path, _changed: int, _size: int) -> tuple[str, ...] | None:
    """Read a file; cached until it changes."""
    try:
        spec = load(path).plain()
    except QuorateError:
        return None
    if not isinstance(spec, Mapping) or not spec or not set(spec) <= set(TOP):
        return None
    # A script has `seats` too, of replies: what sits on a panel's seats is named by a text, or has a model.
    seats = spec.get("seats", {})
    named = isinstance(seats, Mapping) and all(
        isinstance(each, str) or (isinstance(each, Mapping) and "model" in each) for each in seats.values()
    )
    return tuple(sorted(map(str, seats))) if named else None
