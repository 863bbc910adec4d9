"""Types of a code change: files with their texts and patches, the trees before and after, what was left out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Protocol


class FileStatus(Enum):
    ADDED = "added"
    MODIFIED = "modified"
    DELETED = "deleted"
    RENAMED = "renamed"


class Why(Enum):
    """Why a file of the change is not reviewed."""

    BINARY = "binary"
    GENERATED = "generated"
    TOO_LARGE = "too large"
    IGNORED = "ignored"
    SUBMODULE = "submodule"
    UNREADABLE = "unreadable"
    TOO_MANY = "too many files"
    GUARDED = "may hold secrets"


class Tree(Protocol):
    """The files of a project at one commit or in a folder. Nothing in it is ever executed."""

    def paths(self) -> Iterable[str]:
        """Return the paths of all files, relative to the root, with forward slashes."""
        ...

    def read(self, path: str) -> str | None:
        """Return the text of a file; None if it does not exist, is not text or is too large."""
        ...


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """One reviewed file of the change."""

    path: str
    status: FileStatus
    patch: str
    """Its part of the unified diff, from the line `diff --git` on."""
    before: str | None
    """Its whole text before the change; None where it did not exist or is not known."""
    after: str | None
    """Its whole text after the change; None where it no longer exists or is not known."""
    added: Mapping[int, str]
    """The lines that the change brings, by their number in the new text."""
    removed: Mapping[int, str]
    """The lines that it takes away, by their number in the old text."""
    old_path: str = ""
    """Where it came from, if it was renamed."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    path: str
    why: Why
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Change:
    """A code change, as data. All of it is untrusted."""

    title: str
    """What it is called in lists, such as `feature against main`."""
    base: str
    """The commit it starts from; empty where there is none."""
    head: str
    """The commit it leads to; empty where it is not committed."""
    files: tuple[ChangedFile, ...]
    """The files under review, the most telling first."""
    left_out: tuple[LeftOut, ...]
    before: Tree | None
    after: Tree | None
    """The whole project before and after; None where only a diff is known."""
    root: str = ""
    """The folder of the repository; empty where there is none."""
    grounds: Tree | None = None
    """Where the project says how it is judged, if that is not `before`: whoever sends a diff may choose that one."""
    disputed: frozenset[str] = frozenset()
    """Files of which neither side is known to be the project's own, so that nothing in them counts."""

    @property
    def judged_by(self) -> Tree | None:
        """The tree whose house rules, claims and dismissals apply; None if only a diff is known."""
        return self.before if self.grounds is None else self.grounds
