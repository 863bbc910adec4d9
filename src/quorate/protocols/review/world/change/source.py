"""Sources of a change: a branch, a diff, the index, a commit, or whole files; with conversion to plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, assert_never

from quorate.core.errors import InputError, nearest
from quorate.kit.change import Change

MOST_DIFF = 32_000_000
"""Bytes of a diff that is given as a text."""
MOST_PATHS = 1_000
STDIN = "-"


@dataclass(frozen=True, slots=True)
class Branch:
    """The changes of a branch: from its merge base with `base` up to `head`."""

    base: str | None = None
    """None for the default branch."""
    head: str | None = None
    """None for what is checked out."""
    paths: tuple[str, ...] = ()
    """Only what is under these files and folders, seen from the folder that is worked in; all where there are none."""


@dataclass(frozen=True, slots=True)
class Diff:
    """A unified diff: a file, or what was read from standard input (`-`, with its text)."""

    file: str
    text: str | None = None
    """Never kept with a session: it may hold what must be masked first."""
    paths: tuple[str, ...] = ()

    @classmethod
    def of_text(cls, text: str, paths: tuple[str, ...] = ()) -> Diff:
        return cls(STDIN, text, paths)


@dataclass(frozen=True, slots=True)
class Staged:
    """What `git commit` would commit."""

    paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit, against its first parent."""

    sha: str
    paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Paths:
    """Whole files as they stand in the working tree."""

    paths: tuple[str, ...]


Source = Branch | Diff | Staged | Commit | Paths

_KINDS = {"branch": Branch, "diff": Diff, "staged": Staged, "commit": Commit, "paths": Paths}
_FIELDS = {
    "branch": ("base", "head", "paths"),
    "diff": ("file", "paths"),
    "staged": ("paths",),
    "commit": ("sha", "paths"),
    "paths": ("paths",),
}


def to_plain(source: Source) -> dict[str, Any]:
    """Return the source as plain JSON data."""
    kind = next(name for name, each in _KINDS.items() if isinstance(source, each))
    plain = {name: getattr(source, name) for name in _FIELDS[kind]}
    return {"kind": kind, **plain, "paths": list(source.paths)}


def from_plain(plain: Mapping[str, Any]) -> Source:
    """Return the source from the data of `to_plain`; raises InputError for anything else."""
    kind = plain.get("kind")
    if not isinstance(kind, str) or kind not in _KINDS:
        known = nearest(str(kind), _KINDS)
        raise InputError(f"is {kind!r}", key="kind", expected=f"one of {', '.join(_KINDS)}", nearest=known)
    if unknown := sorted(set(plain) - {"kind", *_FIELDS[kind]}):
        raise InputError("unknown key", key=unknown[0], expected=f"one of {', '.join(_FIELDS[kind])}")
    if missing := [name for name in _FIELDS[kind] if name not in plain]:
        raise InputError("is missing", key=missing[0])
    paths = plain["paths"]
    if not isinstance(paths, list) or not all(isinstance(path, str) for path in paths):
        raise InputError("is not a list of texts", key="paths")
    words = {name: plain[name] for name in _FIELDS[kind] if name != "paths"}
    for name, word in words.items():
        if not isinstance(word, str) and not (kind == "branch" and word is None):
            raise InputError("is not a text", key=name)
    made: Source = _KINDS[kind](**words, paths=tuple(paths))
    return made


def pinned(source: Source, change: Change) -> Source:
    """Return the source with refs pinned to commits, so that it stays the same when branches move."""
    match source:
        case Branch():
            if not change.base:
                return Commit(change.head, source.paths)
            return replace(source, base=change.base, head=change.head)
        case Commit():
            return replace(source, sha=change.head)
        case Diff() | Staged() | Paths():
            return source
    assert_never(source)
