"""Detecting generated files: by name, by .gitattributes, or by their first lines."""

from __future__ import annotations

import re
from collections.abc import Iterator

from quorate.kit.change import ChangedFile, Tree
from quorate.protocols.review.world.change.globs import MOST_PATTERNS, Pattern, pattern

_LOCKS = (
    "bun.lock cargo.lock composer.lock flake.lock gemfile.lock go.sum go.work.sum gradle.lockfile mix.lock "
    "npm-shrinkwrap.json package-lock.json packages.lock.json package.resolved pdm.lock pipfile.lock pixi.lock "
    "pnpm-lock.yaml podfile.lock poetry.lock pubspec.lock uv.lock yarn.lock"
)
_ENDINGS = (".min.js", ".min.mjs", ".min.css", ".js.map", ".css.map", ".mjs.map", "_pb2.py", "_pb2.pyi", "_pb2_grpc.py")
_MORE_ENDINGS = (".pb.go", ".pb.cc", ".pb.h", ".g.dart", ".freezed.dart", ".designer.cs", ".generated.cs", ".g.cs")
_BUILT = frozenset({"dist", "__generated__", ".next"})
_VENDORED = frozenset({"vendor", "vendored", "node_modules", "bower_components", "third_party", "third-party"})
_HEAD_LINES, _HEAD_SIZE = 5, 2_000
_SAYS_GENERATED = re.compile(r"generated", re.IGNORECASE)
_SAYS_HANDS_OFF = re.compile(r"do not (?:edit|modify|change)|@generated\b", re.IGNORECASE)
_ATTRIBUTES = ("linguist-generated", "linguist-vendored")
_FILE = ".gitattributes"


class Generated:
    """What a project declares as generated, read from before the change, so that a change cannot declare it."""

    def __init__(self, rules: Tree | None) -> None:
        self._tree = rules
        self._places = frozenset(path for path in rules.paths() if path.endswith(_FILE)) if rules is not None else ()
        self._read: dict[str, tuple[tuple[Pattern, dict[str, bool]], ...]] = {}

    def why(self, file: ChangedFile) -> str | None:
        """Return why a file counts as generated, or None; a file moved to such a path does not."""
        if file.old_path and self._by_path(file.old_path) is None and _by_header(file) is None:
            return None
        said = self._by_path(file.path)
        return _by_header(file) if said is None else said or None

    def _by_path(self, path: str) -> str | None:
        """Return why a path counts as generated, or None; empty if the project declares that it is not."""
        marked = self._attributes(path)
        for name in _ATTRIBUTES:
            if marked.get(name):
                return f"{name} in .gitattributes"
        return "" if False in marked.values() else _by_name(path)

    def _attributes(self, path: str) -> dict[str, bool]:
        """Return which attributes are set or unset; the nearest file and the last line win."""
        found = dict[str, bool]()
        folders = path.split("/")[:-1]
        for depth in range(len(folders) + 1):
            place = "/".join((*folders[:depth], _FILE))
            if place in self._places:
                for rule, values in self._rules(place):
                    if rule.matches(path.split("/")[depth:], False):
                        found |= values
        return found

    def _rules(self, place: str) -> tuple[tuple[Pattern, dict[str, bool]], ...]:
        if place not in self._read:
            assert self._tree is not None
            self._read[place] = tuple(_lines(self._tree.read(place) or ""))
        return self._read[place]


def _lines(text: str) -> Iterator[tuple[Pattern, dict[str, bool]]]:
    for line in text.splitlines()[:MOST_PATTERNS]:
        first, *words = line.split() or [""]
        rule = None if first.startswith(("#", "!")) else pattern(first)
        values = dict(said for word in words if (said := _said(word))[0] in _ATTRIBUTES)
        if rule is not None and values:
            yield rule, values


def _said(word: str) -> tuple[str, bool]:
    name, _, value = word.lstrip("-!").partition("=")
    return name, not word.startswith(("-", "!")) and value.lower() in ("", "true", "1", "set")


def _by_name(path: str) -> str | None:
    *folders, name = path.lower().split("/")
    if ".quorate" in folders and "briefs" not in folders:
        return "kept by quorate itself"
    if name in _LOCKS.split():
        return "a lock file"
    if name.endswith(_ENDINGS + _MORE_ENDINGS):
        return "generated, by its name"
    for folder in folders:
        if folder in _BUILT:
            return f"built, since it is in {folder}/"
        if folder in _VENDORED:
            return f"vendored, since it is in {folder}/"
    return None


def _by_header(file: ChangedFile) -> str | None:
    """Return why the old file's header marks it as generated; a header the change adds could be there to hide it."""
    head = (file.before or "")[:_HEAD_SIZE].split("\n")[:_HEAD_LINES]
    text = "\n".join(head)[:_HEAD_SIZE]
    if _SAYS_GENERATED.search(text) and _SAYS_HANDS_OFF.search(text):
        return "generated, as its own first lines say"
    return None
