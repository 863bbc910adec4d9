"""Comparing two trees on the workbench: one git call yields every changed file and its patch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from quorate.core.errors import InputError
from quorate.files.git import GitFailed
from quorate.kit.change import FileStatus
from quorate.protocols.review.world.change.quoted_paths import name_of
from quorate.protocols.review.world.change.trees import SUBMODULE
from quorate.protocols.review.world.change.workbench import Workbench

MOST_CHANGED = 20_000
"""Files of one change."""

_STATUS = {
    "A": FileStatus.ADDED,
    "D": FileStatus.DELETED,
    "M": FileStatus.MODIFIED,
    "T": FileStatus.MODIFIED,
    "R": FileStatus.RENAMED,
}
_DIFF = (
    "diff-tree",
    "-r",
    "--raw",
    "--no-abbrev",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--ignore-submodules=none",
    "--submodule=short",
    "--find-renames=50%",
    "-l500",
)


@dataclass(frozen=True, slots=True)
class FileDifference:
    """A file that differs between two trees."""

    status: FileStatus
    path: str
    old_path: str
    """Empty unless it was renamed."""
    modes: tuple[str, str]
    oids: tuple[str, str]
    """What it held before and after; empty where it did not exist."""

    @property
    def submodule(self) -> bool:
        return SUBMODULE in self.modes

    @property
    def files(self) -> tuple[str, ...]:
        """The git object ids of its two sides."""
        return () if self.submodule else tuple(oid for oid in self.oids if oid)


def differences(bench: Workbench, old: str, new: str, paths: Sequence[str] = ()) -> list[FileDifference]:
    """Return the files that differ."""
    return [_difference(line) for line in bench.git.run(*_DIFF, old, new, "--", *paths).decode("ascii").splitlines()]


def compare(
    bench: Workbench, old: str, new: str, paths: Sequence[str] = ()
) -> Iterator[tuple[FileDifference, list[bytes]]]:
    """Yield the files that differ, each with its patch; with two if a file became a link."""
    try:
        printed = bench.git.run(*_DIFF, "--patch", "--unified=3", old, new, "--", *paths)
    except GitFailed as error:
        if "unable to read" not in error.complaint:
            raise
        how = "all of them: in a partial clone, a plain `git diff` of the same change fetches what is missing"
        raise InputError("some files of the change are missing from the repository", expected=how) from error
    raw, _, rest = printed.partition(b"\n\n")
    del printed
    found = [_difference(line) for line in raw.decode("ascii").splitlines()]
    if len(found) > MOST_CHANGED:
        how = f"at most {MOST_CHANGED:,}: narrow it by paths"
        raise InputError(f"the change touches {len(found):,} files", expected=how)
    patches = iter(rest.split(b"\ndiff --git "))
    del rest
    for entry in found:
        count = 2 if entry.modes[0] and entry.modes[1] and entry.modes[0][:2] != entry.modes[1][:2] else 1
        yield entry, [_whole(next(patches)) for _ in range(count)]


def _whole(patch: bytes) -> bytes:
    return patch if patch.startswith(b"diff --git ") else b"diff --git " + patch


def _difference(line: str) -> FileDifference:
    about, *names = line.split("\t")
    old_mode, new_mode, old_oid, new_oid, status = about.removeprefix(":").split(" ")
    paths = [name_of(name) for name in names]
    return FileDifference(
        _STATUS[status[0]],
        paths[-1],
        paths[0] if len(paths) > 1 else "",
        (_none_if_zero(old_mode), _none_if_zero(new_mode)),
        (_none_if_zero(old_oid), _none_if_zero(new_oid)),
    )


def _none_if_zero(text: str) -> str:
    return text if text.strip("0") else ""
