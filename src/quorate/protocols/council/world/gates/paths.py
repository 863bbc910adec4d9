"""Paths in tickets: validation, normalisation, and the component they belong to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from unicodedata import category, normalize

from quorate.protocols.council.world.rfc.model import Component, FilePath, Ticket

MOST_PATH = 1_000
_DRIVE = re.compile(r"[A-Za-z]:")
_ENCODED = re.compile(r"%(?:2e|2f|5c)", re.IGNORECASE)
_GLOB = re.compile(r"[*?\[]")


def refusal(path: str) -> str:
    """Return why a path cannot be a file in a repository; empty if it can."""
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
    return _disguise(plain)


def folder_refusal(path: str) -> str:
    """Return why a path cannot be a folder below a repository's root; empty if it can."""
    return refusal(path.replace("\\", "/").removesuffix("/")) or ("" if normal(path) else "it is the root")


def _disguise(plain: str) -> str:
    """Return why a path might be opened as a different one, or as several; empty if it cannot."""
    parts = plain.split("/")
    if _ENCODED.search(plain):
        return "it encodes a dot or a slash"
    if any(set("./\\").intersection(normalize("NFKC", char)) for char in plain if char not in "./"):
        return "it holds a character that stands for a dot or a slash"
    if any(part != part.strip() for part in parts):
        return "a name in it begins or ends with a space"
    if any(part.casefold() == ".git" for part in parts):
        return "it lies in `.git`"
    if _GLOB.search(plain):
        return "it is a pattern, not a path"
    return "it is a folder: it ends with a slash" if is_folder(plain) else ""


def normal(path: str) -> str:
    """Return a normalised path: forward slashes, no `.`, no doubled or trailing slashes."""
    return "/".join(part for part in path.strip().replace("\\", "/").split("/") if part not in ("", "."))


def is_folder(path: str) -> bool:
    """Return whether a path is written as a folder, with a trailing slash."""
    return path.replace("\\", "/").endswith("/")


def lies_in(path: str, folder: str) -> bool:
    """Return whether a normalised path is inside a folder; the empty folder contains everything."""
    return not folder or path == folder or path.startswith(f"{folder}/")


def folders_of(path: str) -> Iterator[str]:
    """Yield the parent folders of a normalised path, innermost first, without the root."""
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


class Components:
    """Lookup of the component that a path belongs to: the one with the longest matching folder."""

    def __init__(self, components: Iterable[Component]) -> None:
        self._folders: dict[str, Component] = {}
        for component in sorted(components, key=lambda each: each.id, reverse=True):
            if not folder_refusal(component.path):  # a component without a folder of its own owns none
                self._folders[normal(component.path)] = component

    def __len__(self) -> int:
        return len(self._folders)

    def of(self, path: str) -> Component | None:
        for folder in (path, *folders_of(path)):
            if component := self._folders.get(folder):
                return component
        return None


def files_of(ticket: Ticket) -> dict[str, FilePath]:
    """Return the paths that a ticket changes or creates, each once, in the order of its file."""
    files: dict[str, FilePath] = {}
    for file in sorted((*ticket.modifies, *ticket.creates), key=lambda each: (each.at.line, each.path)):
        files.setdefault(normal(file.path), file)
    return files
