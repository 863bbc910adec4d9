"""Opening a store by what the user calls it: `memory:`, `sqlite:PATH`, a path, or `postgresql://HOST/DATABASE`."""

from __future__ import annotations

import re
from pathlib import Path

from quorate.core.errors import SettingError, nearest
from quorate.store import address
from quorate.store.journal import Journal
from quorate.store.memory import MemoryJournal
from quorate.store.sqlite import SqliteJournal

SCHEMES = ("memory", "sqlite", *address.SCHEMES)
EXPECTED = "memory:, sqlite:PATH, the path of a file, or postgresql://USER@HOST/DATABASE"


def open_journal(url: str) -> Journal:
    """Open the store, and make it where there is none yet; a scheme that is not known raises SettingError.

    A server is connected to when it is first asked for something.
    """
    scheme, path = _split(url)
    if scheme not in SCHEMES:
        near = nearest(scheme.lower(), SCHEMES)
        hint = None if near is None else f"{near}://" if near in address.SCHEMES else f"{near}:"
        raise SettingError(f"is {shown_store(url)!r}", key="store", expected=EXPECTED, nearest=hint)
    if scheme in address.SCHEMES:
        return _open_server(url)
    if scheme == "memory":
        if path:
            raise SettingError(f"is {url!r}", key="store", expected="nothing after memory:", nearest="memory:")
        return MemoryJournal()
    if not path.strip():
        raise SettingError(f"is {url!r}", key="store", expected=EXPECTED)
    return SqliteJournal(Path(path).expanduser())


def _open_server(url: str) -> Journal:
    from quorate.store.postgres import PostgresJournal  # its modules are of use to nobody else

    if "://" not in url:
        raise SettingError(f"is {url.partition(':')[0] + ':'!r}", key="store", expected=address.EXPECTED)
    return PostgresJournal(url)


def store_file(url: str) -> Path | None:
    """Return the file that a store lies in, without opening it; None where it lies in none."""
    scheme, path = _split(url)
    return Path(path).expanduser() if scheme == "sqlite" and path.strip() else None


def store_server(url: str) -> address.Address | None:
    """Return the address of a store that lies on a server; None where it lies on none."""
    return address.read_address(url) if _split(url)[0] in address.SCHEMES else None


def shown_store(url: str) -> str:
    """Return what a store is called for people, logs and command lines: the same, without a password."""
    return address.without_password(url) if re.match(r"[A-Za-z][A-Za-z0-9+.-]+://", url) else url


def _split(url: str) -> tuple[str, str]:
    """Split off the scheme; one letter is a drive, and a path of its own is a file of SQLite."""
    found = re.match(r"([A-Za-z][A-Za-z0-9+.-]+):", url)
    return (found[1], url[found.end() :]) if found else ("sqlite", url)
