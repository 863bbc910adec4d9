"""Ordering the files of a change: which the committee is shown, in what order, and what is left out and why.

All text files of a change stay in `Change.files`, so that the deterministic checks read them. Of those, generated files
are listed in `Change.left_out` as well: the committee does not see them.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum

from quorate.kit.change import Change, ChangedFile, LeftOut, Why
from quorate.protocols.review.rules.parts import MOST_FILES

MOST_SHOWN = 850_000
"""Characters of all patches that are shown."""


class FileKind(IntEnum):
    """The kind of a file, the most important for review first."""

    SOURCE = 0
    TEST = 1
    CONFIGURATION = 2
    DOCUMENT = 3
    OTHER = 4


_SOURCE_ENDINGS = (
    "py pyi pyx js jsx mjs cjs ts tsx mts cts vue svelte java kt kts scala groovy go rs c h cc cpp cxx hpp hh m mm cs "
    "fs vb rb php pl pm lua swift dart ex exs erl hrl clj cljs hs ml mli r jl sql sh bash zsh fish ps1 bat zig nim "
    "sol proto graphql gql html htm css scss sass less tf hcl jinja j2 ipynb"
)
_CONFIGURATION_FILES = (
    "dockerfile makefile jenkinsfile vagrantfile procfile gemfile rakefile pipfile codeowners go.mod .gitignore "
    ".gitattributes .dockerignore .npmrc .env .quorateignore requirements.txt constraints.txt cmakelists.txt"
)
_CONFIGURATION_ENDINGS = "json json5 yaml yml toml ini cfg conf properties xml gradle lock env editorconfig"
_SOURCE = frozenset(_SOURCE_ENDINGS.split())
_CONFIGURATION = frozenset(_CONFIGURATION_ENDINGS.split())
_CONFIGURATION_NAMES = frozenset(_CONFIGURATION_FILES.split())
_DOCUMENT = frozenset({"md", "mdx", "rst", "adoc", "txt", "tex", "org"})
_DOCUMENT_NAMES = frozenset({"readme", "license", "licence", "changelog", "authors", "notice", "contributing"})
_TEST_FOLDERS = frozenset({"test", "tests", "__tests__", "spec", "specs", "testing", "e2e", "fixtures"})


def kind_of(path: str) -> FileKind:
    """Return the kind of a file, by its name."""
    *folders, name = path.lower().split("/")
    stem, _, ending = name.rpartition(".")
    if ending in _SOURCE and stem:
        parts = stem.replace("-", "_").replace(".", "_").split("_")
        is_test = not _TEST_FOLDERS.isdisjoint(folders) or not {"test", "tests", "spec"}.isdisjoint(parts)
        return FileKind.TEST if is_test else FileKind.SOURCE
    if name in _CONFIGURATION_NAMES or (ending in _CONFIGURATION and name != ending):
        return FileKind.CONFIGURATION
    if ending in _DOCUMENT or name in _DOCUMENT_NAMES:
        return FileKind.DOCUMENT
    return FileKind.OTHER


def ranked(files: Iterable[ChangedFile], left_out: Iterable[LeftOut]) -> tuple[ChangedFile, ...]:
    """Return the files with the most important first: by kind, then small changes before large ones."""
    last = {each.path for each in left_out}
    return tuple(
        sorted(files, key=lambda file: (file.path in last, kind_of(file.path), _size(file), file.path, file.old_path))
    )


def _size(file: ChangedFile) -> int:
    return len(file.added) + len(file.removed)


def reviewed(change: Change) -> tuple[ChangedFile, ...]:
    """Return the human-written files that reviewers may be shown, without a limit on their number."""
    out = {each.path for each in change.left_out}
    return tuple(file for file in change.files if file.path not in out)


def shown(change: Change) -> tuple[ChangedFile, ...]:
    """Return the files that the committee is shown, the most important first, up to a limit; file N has key FN."""
    taken, room = list[ChangedFile](), MOST_SHOWN
    for file in reviewed(change):
        if len(taken) < MOST_FILES and len(file.patch) <= room:
            taken.append(file)
            room -= len(file.patch)
    return tuple(taken)


def left_out(change: Change) -> tuple[LeftOut, ...]:
    """Return everything the committee is not shown, with the reason."""
    kept = {file.path for file in shown(change)}
    detail = f"beyond {MOST_FILES:,} files or {MOST_SHOWN:,} characters of patches; the checks read it"
    rest = tuple(LeftOut(file.path, Why.TOO_MANY, detail) for file in reviewed(change) if file.path not in kept)
    return change.left_out + rest


def unshown(change: Change) -> tuple[str, ...]:
    """Return the files that are not shown only because they are too many or too large."""
    kept = {file.path for file in shown(change)}
    large = [each.path for each in change.left_out if each.why is Why.TOO_LARGE]
    return (*large, *(file.path for file in reviewed(change) if file.path not in kept))


def modules_of(change: Change) -> int:
    """Return the number of folders that contain reviewed files."""
    paths = (path for file in reviewed(change) for path in (file.path, file.old_path) if path)
    return len({path.rpartition("/")[0] for path in paths})
