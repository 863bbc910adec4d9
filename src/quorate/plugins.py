"""Entry points of installed packages, read straight from their metadata.

`importlib.metadata` takes longer to import than the whole of `quorate --help`, so each distribution's
`entry_points.txt`, whose format is standardised, is read here. If not even our own is found, because the package is
imported from an archive, `importlib.metadata` is used.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

_OWN = "quorate.protocols"


def references(group: str) -> dict[str, str]:
    """Return the entry points of a group by name, sorted: "package.module:NAME" each."""
    return dict(sorted(_installed().get(group, {}).items()))


def load(reference: str, what: str) -> Any:
    """Load "package.module:NAME"; errors call it `what`."""
    module, _, name = reference.partition(":")
    try:
        return getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        from quorate.core.errors import DefinitionError

        raise DefinitionError(f"{what} is not at {reference!r}: {error}") from error


def folder(reference: str) -> Path | None:
    """Return the folder of the module that a reference names, without importing it; None if there is none."""
    from importlib.util import find_spec

    try:
        spec = find_spec(reference.partition(":")[0])
    except (ImportError, AttributeError, ValueError):
        return None
    return Path(spec.origin).parent if spec is not None and spec.has_location and spec.origin else None


def _installed() -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    seen: set[str] = set()
    for folder in sys.path:
        for name in _metadata(folder or "."):
            distribution = name.partition("-")[0].lower()
            if distribution in seen:  # the first on the path is the one that is imported
                continue
            seen.add(distribution)
            for group, offered in _read(os.path.join(folder or ".", name, "entry_points.txt")).items():
                found.setdefault(group, {}).update(offered)
    return found if _OWN in found else _asked()


def _metadata(folder: str) -> list[str]:
    try:
        return sorted(name for name in os.listdir(folder) if name.endswith((".dist-info", ".egg-info")))
    except OSError:
        return []


def _read(path: str) -> dict[str, dict[str, str]]:
    """Parse an entry_points.txt: sections of `name = reference`; a missing file has none."""
    found: dict[str, dict[str, str]] = {}
    section: dict[str, str] = {}
    try:
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
    except (OSError, UnicodeDecodeError):
        return found
    for line in lines:
        text = line.strip()
        if text.startswith("[") and text.endswith("]"):
            section = found.setdefault(text[1:-1].strip(), {})
        elif "=" in text and not text.startswith(("#", ";")):
            name, _, reference = text.partition("=")
            section[name.strip()] = reference.partition("[")[0].strip()
    return found


def _asked() -> dict[str, dict[str, str]]:
    from importlib.metadata import distributions

    found: dict[str, dict[str, str]] = {}
    for point in (point for distribution in distributions() for point in distribution.entry_points):
        found.setdefault(point.group, {}).setdefault(point.name, point.value)
    return found
