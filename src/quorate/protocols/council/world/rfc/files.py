"""Opening the files of an RFC: only plain text files of limited size inside the folders the user named."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from quorate.files.plain_file import Unread, plain_text, unreadable
from quorate.protocols.council.world.rfc.model import MOST_FILE, MOST_TEXT, Defect

MOST_LISTED = 2_000
"""Files of one folder that are looked at."""
YAML_NAMES = (".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why a file could not be read."""

    defect: Defect
    what: str
    line: int = 1
    expected: str = "a text file in UTF-8"


class Shelf:
    """The folders that may be read. Links that lead out of them are not followed; only plain files are opened."""

    def __init__(self, root: Path, given: tuple[Path, ...] = ()) -> None:
        self.root = root
        self.named = ((root, Path()), *((path.resolve(), path) for path in given))
        self.left = MOST_TEXT
        """Characters of documents and tickets that may still be kept."""

    def name(self, path: Path) -> str:
        """Return the path for display: relative to the root, or as given, with forward slashes."""
        for folder, shown in self.named:
            if path.is_relative_to(folder):
                return _printable((shown / path.relative_to(folder)).as_posix())
        return _printable(path.as_posix())

    def inside(self, path: Path) -> bool:
        """Return whether a path exists and, with links resolved, is inside one of the folders."""
        try:
            real = path.resolve(strict=True)
        except (OSError, RuntimeError, ValueError):
            return False
        return any(real.is_relative_to(folder) for folder, _ in self.named)

    def read(self, path: Path, most: int = MOST_FILE) -> str | Trouble:
        """Return the text of a file, or why it cannot be read."""
        try:
            real = path.resolve(strict=True)
            if not any(real.is_relative_to(folder) for folder, _ in self.named):
                return Trouble(Defect.UNREADABLE, "is a link that leads out of the RFC's folders and is not followed")
        except (OSError, RuntimeError, ValueError) as error:
            return _trouble(unreadable(error))
        text = plain_text(path, most, real)
        return _trouble(text) if isinstance(text, Unread) else text

    def keep(self, text: str) -> Trouble | None:
        """Count a text toward the total limit; return a Trouble if the total is exceeded."""
        self.left -= len(text)
        if self.left >= 0:
            return None
        return Trouble(
            Defect.TOO_LARGE, f"makes documents and tickets longer than {MOST_TEXT} characters", 1, "less text"
        )

    def listed(self, folder: Path | None, endings: tuple[str, ...] = YAML_NAMES) -> tuple[list[Path], int]:
        """Return the files in a folder with these endings, sorted, and how many were beyond the limit."""
        if folder is None or not self.inside(folder):
            return [], 0
        try:
            names = sorted(name for name in os.listdir(folder) if name.endswith(endings) and not name.startswith("."))
        except OSError:
            return [], 0
        return [folder / name for name in names[:MOST_LISTED]], max(0, len(names) - MOST_LISTED)


def _trouble(found: Unread) -> Trouble:
    return Trouble(Defect(found.obstacle.value), found.what, found.line, found.expected)


def _printable(name: str) -> str:
    if not name.isprintable():
        name = "".join(each if each.isprintable() else ascii(each)[1:-1] for each in name)
    return name if len(name) <= 1_000 else name[:999] + "…"
