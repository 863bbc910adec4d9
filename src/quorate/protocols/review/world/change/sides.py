"""The two sides of a change: the trees to compare, the paths, and the title."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from quorate.core.errors import InputError, SettingError
from quorate.files.git import printable
from quorate.kit.change import LeftOut, Tree
from quorate.protocols.review.world.change.patches import Patch
from quorate.protocols.review.world.change.source import MOST_PATHS
from quorate.protocols.review.world.change.workbench import Workbench

MOST_TITLE = 200
MOST_NAMED = 3
"""Paths that a title names; it counts the others."""


@dataclass(frozen=True, slots=True)
class Sides:
    """Two trees on a workbench."""

    bench: Workbench
    old: str
    new: str
    title: str
    base: str
    head: str
    root: Path
    nothing: InputError
    """What to say where the two are alike."""
    before: Tree
    after: Tree
    rules: Tree
    """Where the project says what is ignored and generated; never the changed side."""
    paths: tuple[str, ...] = ()
    """Only what is under these, seen from the root."""
    left_out: tuple[LeftOut, ...] = ()
    grounds: Tree | None = None
    """As in a Change."""
    disputed: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Loose:
    """A diff that applies to no known tree, so that only its text is available."""

    patches: tuple[Patch, ...]
    title: str
    root: Path | None
    rules: Tree | None


def narrowed(paths: Sequence[str], folder: Path, root: Path) -> tuple[str, ...]:
    """Return the paths relative to the root; empty if they mean all of it. Raises SettingError if one is outside."""
    if len(paths) > MOST_PATHS:
        raise SettingError(f"names {len(paths):,} paths", key="paths", expected=f"at most {MOST_PATHS:,}")
    found = list[str]()
    for path in paths:
        if not path or "\0" in path:
            raise SettingError(f"names {path!r}", key="paths", expected="files and folders")
        seen = os.path.relpath(os.path.join(folder, path), root)
        if seen == os.pardir or seen.startswith(os.pardir + os.sep):
            raise SettingError(f"{path!r} is outside of {root}", key="paths", expected="files and folders within it")
        if seen == os.curdir:
            return ()
        found.append(seen.replace(os.sep, "/"))
    return tuple(found)


def titled(text: str, paths: Sequence[str] = ()) -> str:
    """Return a printable title of limited length; of a change that is narrowed to some paths it names them first."""
    more = f" and {len(paths) - MOST_NAMED} more" if len(paths) > MOST_NAMED else ""
    only = f"only {', '.join(paths[:MOST_NAMED])}{more} of " if paths else ""
    clean = printable(only + text)
    return clean if len(clean) <= MOST_TITLE else f"{clean[: MOST_TITLE - 1]}…"


def nothing_in(what: str, paths: Sequence[str], expected: str) -> InputError:
    """Return the error for an empty change."""
    if paths:
        return InputError(f"{what} under {', '.join(paths[:5])}", expected="other paths, or none for the whole change")
    return InputError(what, expected=expected)
