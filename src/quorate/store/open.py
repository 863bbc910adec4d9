"""Open a store by URL: `memory:`, `sqlite:PATH`, a path, or `postgresql://HOST/DATABASE`."""

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
    """Open the store, and create it if there is none; SettingError for an unknown scheme.

    A server is connected to on first use.
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
    """Return the file of a store, without opening it; None if it is not in a file."""
    scheme, path = _split(url)
    return Path(path).expanduser() if scheme == "sqlite" and path.strip() else None


def store_server(url: str) -> address.Address | None:
    """Return the address of a store on a server; None if it is not on one."""
    return address.read_address(url) if _split(url)[0] in address.SCHEMES else None


def shown_store(url: str) -> str:
    """Return a store's URL without its password, for display, logs and command lines."""
    return address.without_password(url) if re.match(r"[A-Za-z][A-Za-z0-9+.-]+://", url) else url


def _split(url: str) -> tuple[str, str]:
    """Split off the scheme; one letter is a drive, and a bare path is a SQLite file."""
    found = re.match(r"([A-Za-z][A-Za-z0-9+.-]+):", url)
    return (found[1], url[found.end() :]) if found else ("sqlite", url)
