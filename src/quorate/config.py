"""Settings merged from all sources, later ones overriding earlier ones.

In order: the user's file, the project's file, the environment (`QUORATE_STORE`, `QUORATE__DEBATE__ROUNDS`), `--set
key=value`, and what a request for one session brings. Every error names the source it came from.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from quorate import catalog
from quorate.core.errors import InputError, SettingError
from quorate.files.located_values import Located, located
from quorate.files.yaml import load
from quorate.kit.settings import read_settings
from quorate.runtime.budget import Budget
from quorate.watching.settings import Watch

PLAIN_KEYS = ("store", "panel", "model", "temporal", "cache", "unqualified")
FLAGS = ("curtail", "require_exam", "examine_local")
UNQUALIFIED = ("notes", "count")
"""What follows from the words of a model that has not passed the exam: nothing, or what follows from anybody's."""
PREFIX = "QUORATE_"
NESTED = "QUORATE__"
WATCH = "QUORATE_WATCH_"
"""How the variables begin that stand for settings of `watch`; an unknown one is an error, as it is in a file."""
REQUEST = "request"
"""The source that is a request for one session; its keys are named as the request has them."""
MOST_TEXT = 10_000
"""Characters of one text in the settings of a request."""
MOST_VALUES = 1_000
"""Values in all settings of a request, those in lists included: no protocol has a use for more."""


@dataclass(frozen=True)
class Config:
    """The settings that apply, merged, with every source kept so that an error can name its place."""

    sources: tuple[Located, ...]
    values: Mapping[str, Any]
    budget: Budget
    store: str | None
    panel: Path | None
    model: str | None
    watch: Watch = field(default_factory=Watch)
    temporal: str | None = None
    """The Temporal server whose workers drive sessions, HOST:PORT or HOST:PORT/NAMESPACE; None to drive them here."""
    cache: Path | None = None
    """The folder in which replies of models are kept for runs that ask the same again; None to keep none."""
    curtail: bool = True
    """Ask a phase that may settle early in waves, so that calls are spared that cannot matter."""
    require_exam: bool = False
    """Open no session with a model that has not sat the exam for its protocol."""
    unqualified: str = UNQUALIFIED[0]
    examine_local: bool = True
    """Let an embedded model sit the exam of a protocol when it is first seated under it."""

    def protocol(self, name: str) -> Mapping[str, Any]:
        """Return the settings given for a protocol, as plain values."""
        found: Mapping[str, Any] = self.values.get(name, {})
        return found

    def with_settings(
        self, protocol: str, settings: Mapping[str, Any] | None, budget: Mapping[str, Any] | None = None
    ) -> Config:
        """Return the settings overridden by those of a request; errors name `settings.KEY` or `budget.KEY`."""
        given = {protocol: ("settings", settings), "budget": ("budget", budget)}
        sections = {section: _requested(*each) for section, each in given.items() if each[1] is not None}
        sources = (*self.sources, located(sections, REQUEST))
        values: dict[str, Any] = {}
        for each in (self.values, sections):
            _merge(values, each)
        with _placing(sources, protocol):
            read_settings(catalog.definition(protocol).settings, values.get(protocol, {}))
        with _placing(sources, "budget"):
            limits = read_settings(Budget, values.get("budget", {}))
        return replace(self, sources=sources, values=values, budget=limits)

    @contextmanager
    def placing(self, section: str) -> Iterator[None]:
        """Add file and line of the source that last set the key to a SettingError raised inside."""
        with _placing(self.sources, section):
            yield


def read_config(files: Sequence[Path], environment: Mapping[str, str], sets: Sequence[str], scope: str = "") -> Config:
    """Read and merge all sources, each file overriding those before it.

    `scope` is the protocol that `--set` keys without a section belong to.
    """
    sections = ("budget", "watch", *catalog.definitions())
    allowed = (*PLAIN_KEYS, *FLAGS, *sections)
    with _as_settings():
        sources = [load(path) for path in files if path.is_file()]
    sources += [_environment(environment), _sets(sets, allowed, scope)]
    values: dict[str, Any] = {}
    panel: Path | None = None
    cache: Path | None = None
    for source in sources:
        if source.value is None:
            continue
        with _as_settings():
            entries = source.mapping(allowed, "setting")
            for key, entry in entries.items():
                entry.text() if key in PLAIN_KEYS else entry.flag() if key in FLAGS else entry.mapping()
        if "unqualified" in entries:
            _check_choice(entries["unqualified"], UNQUALIFIED)
        if "panel" in entries:
            panel = _beside(source, entries["panel"].text())
        if "cache" in entries:
            cache = _beside(source, _folder(entries["cache"]))
        _merge(values, source.plain())
    with _placing(tuple(sources), "budget"):
        budget = read_settings(Budget, values.get("budget", {}))
    with _placing(tuple(sources), "watch"):
        watch = read_settings(Watch, values.get("watch", {}))
    plain = (values.get("store"), panel, values.get("model"))
    unqualified = values.get("unqualified", UNQUALIFIED[0])
    flags = (values.get("curtail", True), values.get("require_exam", False))
    last = (unqualified, values.get("examine_local", True))
    return Config(tuple(sources), values, budget, *plain, watch, values.get("temporal"), cache, *flags, *last)


def _check_choice(entry: Located, choices: Sequence[str]) -> None:
    with _as_settings():
        if entry.text() not in choices:
            raise entry.error(f"is {entry.text()!r}", "one of " + ", ".join(choices))


@contextmanager
def _as_settings() -> Iterator[None]:
    """Convert input errors inside the block to setting errors."""
    try:
        yield
    except InputError as error:
        raise SettingError(
            error.what, file=error.file, line=error.line, key=error.key, expected=error.expected, nearest=error.nearest
        ) from error


@contextmanager
def _placing(sources: tuple[Located, ...], section: str) -> Iterator[None]:
    try:
        yield
    except SettingError as error:
        if error.file is not None or error.key is None:
            raise
        raise _placed(sources, error, section) from error


def _placed(sources: tuple[Located, ...], error: SettingError, section: str) -> SettingError:
    path = (section, *(error.key or "").split("."))
    for source in reversed(sources):
        if _reaches(source, path):
            if source.file == REQUEST:
                key = ".".join((section if section == "budget" else "settings", *path[1:]))
                return SettingError(error.what, key=key, expected=error.expected, nearest=error.nearest)
            return SettingError(
                error.what,
                file=source.file,
                line=source.line_of(path),
                key=".".join(path),
                expected=error.expected,
                nearest=error.nearest,
            )
    return error


def _requested(name: str, values: Any) -> dict[str, Any]:
    """Return a section of a request as plain data of bounded size; SettingError with its key otherwise."""
    with _as_settings():
        try:
            _check_size(values)
            section = located(values, REQUEST)
            section.mapping()
            _check_texts(section)
        except InputError as error:
            key = name if error.key is None else f"{name}.{error.key}"
            raise SettingError(error.what, key=key, expected=error.expected) from error
    found: dict[str, Any] = section.plain()
    return found


def _check_size(values: Any) -> None:
    """Raise for too many values, before places are computed for each."""
    waiting: list[tuple[str | None, Any]] = [(None, values)]
    found = 0
    while waiting:
        key, each = waiting.pop()
        if not isinstance(each, Mapping | list | tuple):
            continue
        found += len(each)
        if found > MOST_VALUES:
            what = f"has {len(each):,} entries" if len(each) > 1 else "has too many entries"
            raise SettingError(what, key=key, expected=f"at most {MOST_VALUES:,} values altogether")
        if isinstance(each, Mapping):
            waiting += [(str(name)[:80] if key is None else key, inner) for name, inner in each.items()]
        else:
            waiting += [(key, inner) for inner in each]


def _check_texts(value: Located) -> None:
    if isinstance(value.value, str) and len(value.value) > MOST_TEXT:
        raise value.error(f"has {len(value.value):,} characters", f"at most {MOST_TEXT:,}")
    if isinstance(value.value, Mapping):
        for name, each in value.value.items():
            if len(name) > MOST_TEXT:
                raise value.error(f"has a key of {len(name):,} characters", "a name")
            _check_texts(each)
    elif isinstance(value.value, tuple):
        for each in value.value:
            _check_texts(each)


def _reaches(source: Located, path: tuple[str, ...]) -> bool:
    here = source
    for part in path:
        if not isinstance(here.value, Mapping) or part not in here.value:
            return False
        here = here.value[part]
    return True


def _folder(entry: Located) -> str:
    """Return a folder's name; raise if it is empty, which is more likely an unset variable than the current folder."""
    with _as_settings():
        name = entry.text()
        if not name.strip():
            raise entry.error("is empty", "a folder")
    return name


def _beside(source: Located, name: str) -> Path:
    """Resolve a path relative to the file that names it, or to the current folder if it came from elsewhere."""
    path = Path(name).expanduser()
    return path if path.is_absolute() or source.line is None else Path(source.file).parent / path


def _merge(into: dict[str, Any], values: Mapping[str, Any]) -> None:
    for key, value in values.items():
        if isinstance(value, Mapping) and isinstance(into.get(key), dict):
            _merge(into[key], value)
        else:
            into[key] = _copied(value)


def _copied(value: Any) -> Any:
    """Copy nested mappings, so that merging does not change the sources."""
    return {key: _copied(each) for key, each in value.items()} if isinstance(value, Mapping) else value


def _environment(environment: Mapping[str, str]) -> Located:
    values: dict[str, Any] = {}
    for name, text in sorted(environment.items()):
        if name.startswith(WATCH):
            _put(values, ["watch", name.removeprefix(WATCH).lower()], _scalar(text, name))
        elif name.startswith(NESTED):
            _put(values, name.removeprefix(NESTED).lower().split("__"), _scalar(text, name))
        elif name.removeprefix(PREFIX).lower() in PLAIN_KEYS and name.startswith(PREFIX):
            values[name.removeprefix(PREFIX).lower()] = text
        elif name.removeprefix(PREFIX).lower() in FLAGS and name.startswith(PREFIX):
            values[name.removeprefix(PREFIX).lower()] = _scalar(text, name)
    return located(values, "environment")


def _sets(sets: Sequence[str], allowed: Sequence[str], scope: str) -> Located:
    values: dict[str, Any] = {}
    for each in sets:
        key, equals, text = each.partition("=")
        if not equals or not key.strip():
            raise SettingError(f"--set {each!r} has no value", expected="key=value, such as rounds=2")
        path = key.strip().split(".")
        if path[0] not in allowed:
            if not scope:
                raise SettingError(f"--set {key!r} belongs to no protocol", expected="a key such as debate.rounds")
            path = [scope, *path]
        _put(values, path, _scalar(text, f"--set {key}"))
    return located(values, "--set")


def _put(values: dict[str, Any], path: Sequence[str], value: Any) -> None:
    for part in path[:-1]:
        below = values.get(part)
        if not isinstance(below, dict):
            below = values[part] = {}
        values = below
    values[path[-1]] = value


def _scalar(text: str, name: str) -> Any:
    """Parse a value as YAML: 2 is a number, true a flag, [a, b] a list; anything else is text."""
    with _as_settings():
        return load(text, name).plain() if text.strip() else text
