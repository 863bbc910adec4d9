"""Paths that tickets name: which are none of a repository's, how they are compared, and the component they lie in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from unicodedata import category

from quorate.intake.rfc.model import Component, FilePath, Ticket

MOST_PATH = 1_000
_DRIVE = re.compile(r"[A-Za-z]:")


def refusal(path: str) -> str:
    """Return why a path can be no file of a repository; empty where it can."""
    plain = path.replace("\\", "/")
    if not plain.strip():
        return "it is empty"
    if len(plain) > MOST_PATH:
        return f"it has more than {MOST_PATH:,} characters"
    if not plain.isprintable() and any(category(char) in ("Cc", "Cs", "Zl", "Zp") for char in plain):
        return "it holds a control character"
    if plain.startswith(("/", "~/")):
        return "it is absolute"
    if _DRIVE.match(plain):
        return "it names a drive"
    if ".." in plain.split("/"):
        return "it leads out through `..`"
    return ""


def normal(path: str) -> str:
    """Return a path with forward slashes, without `.`, doubled or closing slashes, so that equal ones are equal."""
    return "/".join(part for part in path.strip().replace("\\", "/").split("/") if part not in ("", "."))


def lies_in(path: str, folder: str) -> bool:
    """Whether a normal path lies in a folder, compared name by name; the empty folder holds everything."""
    return not folder or path == folder or path.startswith(f"{folder}/")


def folders_of(path: str) -> Iterator[str]:
    """Yield the folders that a normal path lies in, the innermost first, without the root."""
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


class Components:
    """Finds the component that a path belongs to: the one with the longest folder."""

    def __init__(self, components: Iterable[Component]) -> None:
        self._folders: dict[str, Component] = {}
        for component in sorted(components, key=lambda each: each.id, reverse=True):
            if component.path and not refusal(component.path):  # a component without a folder of its own owns none
                self._folders[normal(component.path)] = component

    def __len__(self) -> int:
        return len(self._folders)

    def of(self, path: str) -> Component | None:
        for folder in (path, *folders_of(path), ""):
            if component := self._folders.get(folder):
                return component
        return None


def files_of(ticket: Ticket) -> dict[str, FilePath]:
    """Return the paths that a ticket changes or creates, each once, in the order they stand in its file."""
    files: dict[str, FilePath] = {}
    for file in sorted((*ticket.modifies, *ticket.creates), key=lambda each: (each.at.line, each.path)):
        files.setdefault(normal(file.path), file)
    return files
