"""Stray files in the tickets' folder that are not read: other endings, and files in subfolders."""

from __future__ import annotations

import os
from pathlib import Path

from quorate.protocols.council.world.rfc.files import MOST_LISTED, YAML_NAMES, Shelf

MOST_STRAYS = 100
"""Files that are told one by one."""
MOST_LOOKED = 20_000
"""Entries of folders that are looked at."""
NOT_READ = "is not read as a ticket"
EXPECTED = "a file that ends in .yaml, in the tickets' folder itself"
_DATA = (*YAML_NAMES, ".json")


def strays(shelf: Shelf, folder: Path | None) -> tuple[list[Path], bool]:
    """Return files that may be meant as tickets but are not read, and whether the search was complete."""
    if folder is None or not shelf.inside(folder):
        return [], True
    found: list[Path] = []
    waiting = [folder]
    looked = 0
    while waiting:
        here = waiting.pop(0)
        for path, is_folder in _entries(here):
            looked += 1
            if looked > MOST_LOOKED or len(found) > MOST_LISTED:
                return sorted(found), False
            if is_folder:
                waiting.append(path)
            elif not (here == folder and _is_read(path.name)) and _may_be_a_ticket(path):
                found.append(path)
    return sorted(found), True


def is_named_like_a_ticket(path: Path) -> bool:
    return path.name.lstrip(".").casefold().startswith("tck-")


def _is_read(name: str) -> bool:
    return name.endswith(YAML_NAMES) and not name.startswith(".")


def _may_be_a_ticket(path: Path) -> bool:
    return path.name.casefold().endswith(_DATA) or is_named_like_a_ticket(path)


def _entries(folder: Path) -> list[tuple[Path, bool]]:
    """Return the entries of a folder, each with whether it is a folder; links are not followed."""
    try:
        with os.scandir(folder) as entries:
            return sorted((folder / each.name, each.is_dir(follow_symlinks=False)) for each in entries)
    except OSError:
        return []
