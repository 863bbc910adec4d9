"""Roots: the folders that an interface may access on behalf of a remote caller."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quorate.core.errors import InputError

MOST_CHARACTERS = 4096
"""The longest path that is looked at."""
MOST_BYTES = 255
"""The longest name that a file system takes."""
PRIVATE = frozenset({".git", ".quorate"})
"""Folders that are closed whatever root they lie in: git runs hooks from its own, and a process that opens and closes
the file of a store releases its locks on it."""


_PLACES = frozenset({"context", "folder", "rules", "tickets", "prd", "ccp", "repo", "docs", "documents", "export"})
"""What a session's `run` calls the files and folders that it goes on with."""


@dataclass(frozen=True)
class Roots:
    """Folders with everything below them. Relative paths are resolved against the first."""

    folders: tuple[Path, ...]
    closed: tuple[Path, ...] = ()
    """Files of a store that lies elsewhere; what begins with their name is closed too."""

    def resolve(self, name: str, key: str | None = None) -> Path:
        """Return the path of a name with links resolved; one outside all roots, or private, raises InputError.

        Existence is not checked, so nothing about files outside is revealed. `key` names the input.
        """
        parts = Path(name).parts
        too_long = len(name) > MOST_CHARACTERS or any(len(part.encode(errors="replace")) > MOST_BYTES for part in parts)
        if not name.strip() or "\0" in name or too_long:
            raise InputError("is not a path", key=key, expected="a file or folder inside " + self._told())
        try:
            path = (self.folders[0] / name).resolve() if self.folders else Path(name).resolve()
        except (OSError, RuntimeError, ValueError) as error:
            raise InputError("cannot be resolved", key=key, expected="a path without circular links") from error
        if not any(path.is_relative_to(root.resolve()) for root in self.folders):
            raise InputError(
                f"{name!r} is outside of what requests may use",
                key=key,
                expected="a file or folder inside " + self._told(),
            )
        if self._is_private(path):
            raise InputError(
                f"{name!r} belongs to git or to the store, which requests may not use",
                key=key,
                expected="another file or folder inside " + self._told(),
            )
        return path

    def holds(self, path: Path) -> bool:
        """Whether a path, links resolved, lies inside a root and is not private."""
        real = path.resolve()
        return any(real.is_relative_to(root.resolve()) for root in self.folders) and not self._is_private(real)

    def _is_private(self, path: Path) -> bool:
        """Whether a path is private (git, the store), unless the root itself lies in such a folder."""
        roots = [root.resolve() for root in self.folders]
        below = [path.relative_to(root).parts for root in roots if path.is_relative_to(root)]
        if any(part.casefold() in PRIVATE for part in min(below, key=len, default=())):
            return True
        name = path.name.casefold()
        own = [file.resolve() for file in self.closed]
        return any(path.parent == file.parent and name.startswith(file.name.casefold()) for file in own)

    def shown(self, path: Path) -> str:
        """Return how to display a path: relative to the first root if it lies there."""
        first = self.folders[0].resolve()
        return str(path.relative_to(first)) if path.is_relative_to(first) else str(path)

    def _told(self) -> str:
        return ", ".join(str(folder) for folder in self.folders) or "a root; there is none"


def check_reach(run: Mapping[str, Any], roots: Roots, more: Mapping[str, str]) -> None:
    """Raise InputError if continuing a session would access a file or folder outside of the roots.

    `more` are further files that the protocol's own code reads, by the name of their part of the `run`.
    """
    parts = [("", run), *((f"{name}.", each) for name, each in run.items() if isinstance(each, Mapping))]
    places = [(prefix + name, each) for prefix, part in parts for name, each in part.items() if name in _PLACES]
    for name, place in (*places, *more.items()):
        if isinstance(place, str) and place and not roots.holds(Path(place)):
            raise InputError(
                f"the session uses a file outside the folders that requests may use (its {name})",
                key="session",
                expected="a session inside the roots, or a fork made on the server's machine: `quorate fork`",
            )
