"""Reading dependencies from manifests: Python, npm, Go, Rust, PHP and Ruby."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from posixpath import basename
from typing import Any

MOST_TEXT = 400_000
MOST_NAMES = 5_000


@dataclass(frozen=True, slots=True)
class Dependency:
    name: str
    version: str
    """What the manifest says about versions, or where it is taken from."""
    dev: bool = False
    """It is wanted by those who develop the project, not by those who use it."""

    @property
    def is_direct(self) -> bool:
        """Whether it comes from a URL instead of a package index."""
        return bool(_ADDRESS.search(self.version))

    @property
    def tightness(self) -> int:
        """How tightly the version is pinned: 3 exact, 2 upper bound, 1 lower bound only, 0 not at all."""
        version = self.version.strip()
        if re.fullmatch(r"={1,3}\s*v?\d[\w.+-]*|v?\d+\.\d+\.\d+[\w.+-]*", version):
            return 3
        if re.search(r"<|~|\^|==|^v?\d", version):
            return 2
        return 1 if ">" in version else 0


@dataclass(frozen=True, slots=True)
class Manifest:
    dependencies: Mapping[str, Dependency] = field(default_factory=dict)
    scripts: Mapping[str, str] = field(default_factory=dict)
    """What is run on the machine of whoever installs it."""
    indexes: tuple[str, ...] = ()
    """Where packages come from, where the manifest says so."""


_ADDRESS = re.compile(
    r"://|\bgit\+|^git@|^(?:github|gitlab|bitbucket|gist):|^[\w.-]+/[\w.-]+(?:#.*)?$|=>", re.IGNORECASE
)
_REQUIREMENT = re.compile(r"^\s*([A-Za-z0-9][\w.-]*)\s*(?:\[[^\]]*\])?\s*(.*)$")
_INSTALL_SCRIPTS = ("preinstall", "install", "postinstall", "prepare", "prepublish", "preprepare", "postprepare")
_INDEX = re.compile(r"^\s*(?:-i|-f|--index-url|--extra-index-url|--trusted-host|--find-links)\b.*$")


def read_manifest(path: str, text: str) -> Manifest | None:
    """Return the parsed manifest; None if it cannot be parsed."""
    reader = _reader(path)
    if reader is None or len(text) > MOST_TEXT:
        return None
    try:
        return reader(text)
    except (ValueError, RecursionError, AttributeError, TypeError):
        return None


def is_manifest(path: str) -> bool:
    return _reader(path) is not None


def is_other_manifest(path: str) -> bool:
    """Return whether a file is a manifest of a kind that is not parsed here."""
    names = ("setup.py", "setup.cfg", "pom.xml", "build.gradle", "build.gradle.kts", "environment.yml", "Package.swift")
    return basename(path) in names or path.endswith((".csproj", ".gemspec"))


def _reader(path: str) -> Callable[[str], Manifest] | None:
    name = basename(path)
    if re.fullmatch(r"(?:.*[-_])?requirements(?:[-_.].*)?\.(?:txt|in)", name) or "/requirements/" in f"/{path}":
        return _requirements if name.endswith((".txt", ".in")) else None
    return _READERS.get(name)


def _kept(dependencies: Iterator[Dependency]) -> dict[str, Dependency]:
    """Return the dependencies by name; of duplicates, the one that users install wins."""
    kept: dict[str, Dependency] = {}
    for each in dependencies:
        key = re.sub(r"[-_.]+", "-", each.name).lower()
        if len(kept) < MOST_NAMES and (key not in kept or kept[key].dev):
            kept[key] = each
    return kept


def _pep508(text: str, *, dev: bool = False) -> Iterator[Dependency]:
    line = text.partition(" #")[0].partition(";")[0].strip()
    if re.match(r"(?:-e\s+|--editable[ =])?(?:git\+|hg\+|svn\+|https?://)", line):
        name = re.search(r"#egg=([\w.-]+)", text) or re.search(r"/([\w.-]+?)(?:\.git)?(?:@[^/]*)?$", line)
        yield Dependency(name[1] if name else line[:80], line, dev)
    elif (found := _REQUIREMENT.match(line)) and not line.startswith("-"):
        yield Dependency(found[1], found[2].strip(), dev)


def _requirements(text: str) -> Manifest:
    lines = [line for line in text.split("\n") if line.strip() and not line.lstrip().startswith("#")]
    found = _kept(each for line in lines if not _INDEX.match(line) for each in _pep508(line[:2_000]))
    return Manifest(found, indexes=tuple(line.strip()[:500] for line in lines if _INDEX.match(line)))


def _pyproject(text: str) -> Manifest:
    data = tomllib.loads(text)

    def every() -> Iterator[Dependency]:
        project = data.get("project", {})
        for line in project.get("dependencies", []):
            yield from _pep508(line)
        for lines in project.get("optional-dependencies", {}).values():
            for line in lines:
                yield from _pep508(line, dev=True)
        for lines in data.get("dependency-groups", {}).values():
            for line in lines:
                if isinstance(line, str):
                    yield from _pep508(line, dev=True)
        for line in data.get("build-system", {}).get("requires", []):
            yield from _pep508(line, dev=True)
        poetry = data.get("tool", {}).get("poetry", {})
        yield from _table(poetry.get("dependencies", {}), dev=False)
        yield from _table(poetry.get("dev-dependencies", {}), dev=True)
        for group in poetry.get("group", {}).values():
            yield from _table(group.get("dependencies", {}), dev=True)

    found = _kept(each for each in every() if each.name != "python")
    for name, source in data.get("tool", {}).get("uv", {}).get("sources", {}).items():
        if isinstance(source, dict) and (source.get("git") or source.get("url")):
            found[name.lower()] = Dependency(name, _address(source))
    return Manifest(found)


def _table(entries: Any, *, dev: bool) -> Iterator[Dependency]:
    """Read a table such as `name = "1.0"` or `name = {version = "1.0", git = "…"}`."""
    for name, value in entries.items():
        first = value[0] if isinstance(value, list) and value else value
        yield Dependency(name, _address(first) if isinstance(first, dict) else str(first), dev)


def _address(value: Mapping[str, Any]) -> str:
    if value.get("git") or value.get("url"):
        return f"{'git+' if value.get('git') else ''}{value.get('git') or value.get('url')}"
    return str(value.get("version", ""))


def _pipfile(text: str) -> Manifest:
    data = tomllib.loads(text)
    users, developers = data.get("packages", {}), data.get("dev-packages", {})
    return Manifest(
        _kept(each for table, dev in ((users, False), (developers, True)) for each in _table(table, dev=dev))
    )


def _cargo(text: str) -> Manifest:
    data = tomllib.loads(text)

    def every() -> Iterator[Dependency]:
        for part in (data, data.get("workspace", {}), *data.get("target", {}).values()):
            yield from _table(part.get("dependencies", {}), dev=False)
            yield from _table(part.get("build-dependencies", {}), dev=False)
            yield from _table(part.get("dev-dependencies", {}), dev=True)

    return Manifest(_kept(every()))


def _json(text: str) -> Any:
    """Parse JSON, merging duplicate keys, since tools differ in which one they use."""

    def together(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for name, value in pairs:
            both = isinstance(value, dict) and isinstance(made.get(name), dict)
            made[name] = {**made[name], **value} if both else value
        return made

    return json.loads(text, object_pairs_hook=together)


def _package_json(text: str) -> Manifest:
    data = _json(text)

    def every() -> Iterator[Dependency]:
        for part in ("dependencies", "optionalDependencies", "peerDependencies"):
            yield from _table(data.get(part, {}), dev=False)
        yield from _table(data.get("devDependencies", {}), dev=True)

    scripts = {name: str(each) for name, each in data.get("scripts", {}).items() if name in _INSTALL_SCRIPTS}
    return Manifest(_kept(every()), scripts)


def _composer(text: str) -> Manifest:
    data = _json(text)
    users = {name: f" {version}" for name, version in data.get("require", {}).items() if "/" in name}
    developers = {name: f" {version}" for name, version in data.get("require-dev", {}).items() if "/" in name}
    return Manifest(
        _kept(each for table, dev in ((users, False), (developers, True)) for each in _table(table, dev=dev))
    )


def _go_mod(text: str) -> Manifest:
    rows = re.findall(r"^(?:require)?[ \t]++([\w./~-]++)[ \t]++(v[\w.+-]++)", text, re.MULTILINE)
    replaced = re.findall(
        r"^(?:replace)?[ \t]*+([\w./~-]++)(?:[ \t]++v\S++)?[ \t]++(=>[ \t]*+[^\s.]\S*+)", text, re.MULTILINE
    )
    return Manifest(_kept(Dependency(name, version) for name, version in [*replaced, *rows]))


def _gemfile(text: str) -> Manifest:
    rows = re.findall(r"^[ \t]*+gem[ \t]++['\"]([\w.-]++)['\"](?:[ \t]*+,[ \t]*+([^\n#]*+))?", text, re.MULTILINE)
    return Manifest(_kept(Dependency(name, version.strip("'\" ")) for name, version in rows))


_READERS: Mapping[str, Callable[[str], Manifest]] = {
    "pyproject.toml": _pyproject,
    "Pipfile": _pipfile,
    "package.json": _package_json,
    "Cargo.toml": _cargo,
    "composer.json": _composer,
    "go.mod": _go_mod,
    "Gemfile": _gemfile,
}
