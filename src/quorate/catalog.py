"""Finds installed protocols through entry points, and builds them with their briefs."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, MutableMapping
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from quorate import plugins
from quorate.core.errors import DefinitionError, InputError, SettingError, nearest
from quorate.core.forms import Reply
from quorate.core.protocol import Protocol
from quorate.core.record import Opening
from quorate.kit.definition import Definition
from quorate.kit.inputs import Kind
from quorate.kit.offers import Offer
from quorate.kit.roles import roles_in
from quorate.kit.settings import read_settings

GROUP = "quorate.protocols"
BASELINES = "quorate.baselines"
"""Entry-point group of protocols that are not offered, but can be read in existing sessions."""
MOST_BRIEF_BYTES = 64_000
SEATS = "seats.txt"
"""A file beside a protocol's definition: every seat that a panel may name for it, one in a line."""


class _Installed(MutableMapping[str, Definition]):
    """Definitions of an entry-point group, each loaded on first use."""

    def __init__(self, group: str) -> None:
        self._group = group
        self._found: dict[str, str | Definition] = dict(plugins.references(group))

    def __getitem__(self, name: str) -> Definition:
        found = self._found[name]
        if isinstance(found, Definition):
            return found
        self._found[name] = loaded = _load(found, f"entry point {name} of {self._group}")
        return loaded

    def __setitem__(self, name: str, definition: Definition) -> None:
        self._found[name] = definition

    def __delitem__(self, name: str) -> None:
        del self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)


def _load(reference: str, who: str) -> Definition:
    loaded = plugins.load(reference, who)
    if not isinstance(loaded, Definition):
        raise DefinitionError(f"{who} is not a Definition: {reference}")
    return loaded


@cache
def definitions() -> Mapping[str, Definition]:
    """Return all installed protocols by name; each is loaded on first use."""
    return _Installed(GROUP)


@cache
def _baselines() -> Mapping[str, Definition]:
    return _Installed(BASELINES)


def definition(name: str) -> Definition:
    """Return a protocol's definition by name."""
    known = definitions()
    if name not in known and name in _baselines():
        return _baselines()[name]
    if name not in known:
        raise SettingError(
            f"there is no protocol {name!r}", expected="one of " + ", ".join(known), nearest=nearest(name, known)
        )
    return known[name]


def definition_of(opening: Opening) -> Definition:
    """Return the definition that a session is read with: that of the version it began under, where that is kept."""
    return definition_in(opening.protocol, opening.version)


def definition_in(name: str, version: str | None) -> Definition:
    """Return the definition of a version of a protocol: an earlier one where it is kept, otherwise the current one."""
    found = definition(name)
    if version is None or version not in found.earlier:
        return found
    return _load(found.earlier[version], f"version {version} of protocol {name}")


def is_current(opening: Opening) -> bool:
    """Whether a session began under the current version of its protocol, or under one that is unknown here."""
    return opening.version not in definition(opening.protocol).earlier


def usual() -> Definition:
    """Return the default protocol: the first that needs a text and nothing else."""
    found = definitions().values()
    needs = {each.name: [brought.kind for brought in each.brings if brought.required] for each in found}
    return next((each for each in found if needs[each.name] == [Kind.TEXT]), next(iter(found)))


def offer_of(opening: Opening, form: type[Reply]) -> Offer | None:
    """Return the choices that a form of a session offers people; None for a form without choices."""
    return definition_of(opening).offers.get(form)


def build(
    name: str,
    settings: Mapping[str, Any] | None = None,
    *,
    seed: int = 0,
    own: Mapping[str, str] | None = None,
    kept: Mapping[str, str] | None = None,
    version: str | None = None,
) -> Protocol[Any]:
    """Build a protocol from plain settings, its own briefs and the user's (`own`, which replace or add).

    `kept` are the briefs that a session began with; they replace all files. `version` is the one it began under.
    """
    found = definition_in(name, version)
    texts = dict(kept) if kept else {**briefs(found), **(own or {})}
    return found.build(read_settings(found.settings, settings or {}), texts, seed)


def rebuild(opening: Opening, kept: Mapping[str, str]) -> Protocol[Any]:
    """Build the protocol as a session began with it; `kept` are its briefs."""
    return build(opening.protocol, opening.settings, seed=opening.seed, kept=kept, version=opening.version)


def profiles(what: str | Definition, chosen: Collection[str] | None = None) -> dict[str, Protocol[Any]]:
    """Build a protocol, installed or not, under every profile that `verify` proves, or under those chosen."""
    found = definition(what) if isinstance(what, str) else what
    texts = briefs(found)
    return {
        profile: found.build(read_settings(found.settings, values), texts, 0)
        for profile, values in found.profiles.items()
        if chosen is None or profile in chosen
    }


def briefs(found: Definition) -> dict[str, str]:
    """Read the briefs of a protocol: `briefs/propose.md` is `propose`, `briefs/roles/x.md` is `roles/x`."""
    try:
        folder = resources.files(found.package) / "briefs"
    except (ModuleNotFoundError, TypeError) as error:
        raise DefinitionError(
            f"protocol {found.name}: there is no package {found.package!r} to find its files in"
        ) from error
    return _markdown(folder, "") if folder.is_dir() else {}


def _markdown(folder: Any, prefix: str) -> dict[str, str]:
    texts: dict[str, str] = {}
    for item in sorted(folder.iterdir(), key=lambda item: item.name):
        if item.is_dir():
            texts |= _markdown(item, f"{prefix}{item.name}/")
        elif item.name.endswith(".md"):
            texts[prefix + item.name.removesuffix(".md")] = item.read_text(encoding="utf-8").strip()
    return texts


def seats_of(name: str) -> tuple[str, ...]:
    """Return every seat that a panel for a protocol may name: those of its default settings, and its roles."""
    return tuple(dict.fromkeys((*build(name).seats, *roles_in(briefs(definition(name))))))


def listed_seats(name: str) -> tuple[str, ...] | None:
    """Return the same from the protocol's own list, without loading the protocol; None if it brings no list."""
    folder = plugins.folder(plugins.references(GROUP).get(name, ""))
    try:
        return None if folder is None else tuple((folder / SEATS).read_text(encoding="utf-8").split())
    except (OSError, UnicodeDecodeError):
        return None


def own_briefs(folder: Path) -> dict[str, str]:
    """Read a user's briefs from a folder laid out like a protocol's `briefs`; none without the folder."""
    if not folder.is_dir():
        return {}
    for path in sorted(folder.rglob("*.md")):
        if path.stat().st_size > MOST_BRIEF_BYTES:
            raise InputError("is too long for a prompt", file=str(path), expected=f"at most {MOST_BRIEF_BYTES} bytes")
    try:
        return _markdown(folder, "")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot be read: {error}", file=str(folder), expected="Markdown files in UTF-8") from error


def package_text(found: Definition, name: str) -> str | None:
    """Return a text file of a protocol's package, such as RULES.md, or None if it has none."""
    file = resources.files(found.package) / name
    return file.read_text(encoding="utf-8") if file.is_file() else None
