"""Rebuilding a change with patches applied on top, away from the user's files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from quorate.core.errors import InputError
from quorate.kit.change import Change
from quorate.protocols.review.world.change.read import change_of, digest_of, find_sides
from quorate.protocols.review.world.change.sides import Loose, Sides
from quorate.protocols.review.world.change.source import STDIN, Diff, Paths, Source
from quorate.protocols.review.world.change.tree_diff import differences
from quorate.protocols.review.world.change.trees import LINK, SUBMODULE, FolderTree, GitTree, Laid, close

MOST_PATCHES = 20
MOST_PATCH = 1_000_000
"""Characters of one patch."""


def amended(source: Source, folder: Path, patches: Sequence[str], expected: str | None = None) -> Change | None:
    """Return the change from its base to its head with the patches on top; None if one does not apply.

    Only a temporary folder is written to. `expected` is the `digest_of` the change that the patches
    were written for: where the source has changed since, that is an InputError. So it is where the patches touch a
    file that no member is shown, since what they bring would be read by nobody. `trees.close` the result when done.
    """
    if isinstance(source, Diff) and source.file == STDIN and source.text is None:
        return None
    sides = find_sides(source, folder)
    if isinstance(sides, Loose):
        return None
    if expected is not None and digest_of(change_of(sides)) != expected:
        sides.bench.close()
        raise InputError("the change is no longer the one that the patch was written for", expected="a new review")
    new: str | None = sides.new
    for patch in patches:
        new = _applied(sides, new, patch) if new is not None and len(patches) <= MOST_PATCHES else None
    if new is None:
        sides.bench.close()
        return None
    touched = _touched(sides, new)
    change = change_of(_onto(sides, new, source, touched))
    if hidden := min((left.path for left in change.left_out if left.path in touched), default=""):
        close(change)
        raise InputError(f"would change {hidden}, which no member is shown", expected="a patch of files under review")
    return change


def _applied(sides: Sides, tree: str, patch: str) -> str | None:
    """Apply one patch; miscounted hunks are accepted, links and submodules are not."""
    if not patch.strip() or len(patch) > MOST_PATCH or "GIT binary patch" in patch:
        return None
    for recount in (False, True):
        result = sides.bench.applied(tree, patch, recount=recount)
        if result is not None:
            special = any(entry.modes[1] in (LINK, SUBMODULE) for entry in differences(sides.bench, tree, result))
            return None if special else result
    return None


def _touched(sides: Sides, new: str) -> set[str]:
    """Return the paths of the files that differ between the change and the amended one."""
    touched = differences(sides.bench, sides.new, new)
    return {name for entry in touched for name in (entry.path, entry.old_path) if name}


def _onto(sides: Sides, new: str, source: Source, names: set[str]) -> Sides:
    """Return the sides with the amended tree, including everything that the patches touched."""
    after = GitTree(sides.bench, new)
    title = f"{sides.title}, amended"
    paths = (*sides.paths, *sorted(names)) if sides.paths else ()
    if not isinstance(source, Paths):
        return replace(sides, new=new, head="", after=after, title=title, paths=paths)
    assert isinstance(sides.after, FolderTree)
    laid = Laid(after, sides.after, names - set(after.paths()))
    return replace(sides, new=new, head="", after=laid, title=title, paths=paths)
