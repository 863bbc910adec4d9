"""Opening a store by what the user calls it: `memory:`, `sqlite:PATH`, or a path."""

from __future__ import annotations

import re
from pathlib import Path

from quorate.core.errors import SettingError, nearest
from quorate.store.journal import Journal
from quorate.store.memory import MemoryJournal
from quorate.store.sqlite import SqliteJournal

SCHEMES = ("memory", "sqlite")
EXPECTED = "memory:, sqlite:PATH, or the path of a file"


def open_journal(url: str) -> Journal:
    """Open the store, and make it where there is none yet; a scheme that is not known raises SettingError."""
    scheme, path = _split(url)
    if scheme not in SCHEMES:
        near = nearest(scheme.lower(), SCHEMES)
        raise SettingError(f"is {url!r}", key="store", expected=EXPECTED, nearest=None if near is None else f"{near}:")
    if scheme == "memory":
        if path:
            raise SettingError(f"is {url!r}", key="store", expected="nothing after memory:", nearest="memory:")
        return MemoryJournal()
    if not path.strip():
        raise SettingError(f"is {url!r}", key="store", expected=EXPECTED)
    return SqliteJournal(Path(path).expanduser())


def store_file(url: str) -> Path | None:
    """Return the file that a store lies in, without opening it; None where it lies in none."""
    scheme, path = _split(url)
    return Path(path).expanduser() if scheme == "sqlite" and path.strip() else None


def _split(url: str) -> tuple[str, str]:
    """Split off the scheme; one letter is a drive, and a path of its own is a file of SQLite."""
    found = re.match(r"([A-Za-z][A-Za-z0-9+.-]+):", url)
    return (found[1], url[found.end() :]) if found else ("sqlite", url)
