"""Errors of SQLite, translated into messages that say what to do."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from quorate.core.errors import StoreError


class Damaged(StoreError):
    """A part of the file cannot be read."""


def in_words(error: sqlite3.Error, path: Path) -> StoreError:
    """Translate an error of SQLite."""
    known = _WORDS.get(_code(error))
    if known is None:
        return StoreError(f"{path}: {error}")
    kind, words = known
    return kind(f"{path} {words} ({error})")


def garbled(path: Path) -> Damaged:
    """Return the error for a damaged schema; SQLite's own message quotes it and may not be valid text."""
    return Damaged(f"{path} {_WORDS[sqlite3.SQLITE_CORRUPT][1]} (its schema cannot be read)")


def is_locked(error: sqlite3.Error) -> bool:
    """Whether another process has the file locked, so that retrying makes sense."""
    return _code(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def _code(error: sqlite3.Error) -> int:
    """Return SQLite's primary result code; extended ones carry it in their lowest byte."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


_WORDS: dict[int, tuple[type[StoreError], str]] = {
    sqlite3.SQLITE_NOTADB: (StoreError, "is not a database; name another file with --store, or move this one away"),
    sqlite3.SQLITE_CORRUPT: (
        Damaged,
        "is damaged; keep a copy, and save what can be read with: sqlite3 FILE .recover | sqlite3 NEW_FILE",
    ),
    sqlite3.SQLITE_CANTOPEN: (StoreError, "cannot be opened; check that its folder exists and is writable"),
    sqlite3.SQLITE_PERM: (
        StoreError,
        "cannot be opened: permission denied; change its permissions, or name another file with --store",
    ),
    sqlite3.SQLITE_READONLY: (
        StoreError,
        "or its folder is read-only; change the permissions, or name another file with --store",
    ),
    sqlite3.SQLITE_FULL: (
        StoreError,
        "cannot grow: the disk is full; what was kept is safe, so make room and resume the session",
    ),
    sqlite3.SQLITE_IOERR: (
        StoreError,
        "could not be read or written; what was kept is safe, so check the disk and resume the session",
    ),
    sqlite3.SQLITE_BUSY: (StoreError, "is locked by another program; close that one and try again"),
    sqlite3.SQLITE_LOCKED: (StoreError, "is locked by another program; close that one and try again"),
}
