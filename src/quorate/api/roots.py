"""Roots: the folders that a surface may reach into on behalf of somebody who is not at this machine."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from quorate.core.errors import InputError

MOST_CHARACTERS = 4096
"""The longest path that is looked at."""
MOST_BYTES = 255
"""The longest name that a file system takes."""


@dataclass(frozen=True)
class Roots:
    """Folders with everything below them. A path that is not absolute counts from the first."""

    folders: tuple[Path, ...]

    def resolve(self, name: str, key: str | None = None) -> Path:
        """Return the path that a name stands for, links followed; one outside all roots raises InputError.

        Whether there is anything is not looked at, so that nothing outside is given away. `key` names the input.
        """
        parts = Path(name).parts
        too_long = len(name) > MOST_CHARACTERS or any(len(part.encode(errors="replace")) > MOST_BYTES for part in parts)
        if not name.strip() or "\0" in name or too_long:
            raise InputError("is no path", key=key, expected="a file or folder inside " + self._told())
        try:
            path = (self.folders[0] / name).resolve() if self.folders else Path(name).resolve()
        except (OSError, RuntimeError, ValueError) as error:
            raise InputError("is no path that can be followed", key=key, expected="a plain path") from error
        if not any(path.is_relative_to(root.resolve()) for root in self.folders):
            raise InputError(
                f"{name!r} is outside of what may be used from here",
                key=key,
                expected="a file or folder inside " + self._told(),
            )
        return path

    def shown(self, path: Path) -> str:
        """Return how a path inside is written: from the first root where it lies there."""
        first = self.folders[0].resolve()
        return str(path.relative_to(first)) if path.is_relative_to(first) else str(path)

    def _told(self) -> str:
        return ", ".join(str(folder) for folder in self.folders) or "a root; there is none"
