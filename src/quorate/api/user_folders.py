"""Files in folders that a user named: a folder is made ready, a file read whole, and replaced only as it was read."""

from __future__ import annotations

import os
from codecs import BOM_UTF8
from pathlib import Path

from quorate.core.errors import InputError, SettingError
from quorate.files.named_file import text_of
from quorate.files.replacement import Changed, replace

MOST_BYTES = 10_000_000
"""Of a file that is added to."""


class ChangedFile(Exception):
    """Somebody else has written a file since it was read; nothing of theirs was overwritten."""

    def __init__(self, path: Path) -> None:
        self.path = path


def prepare(folder: Path) -> None:
    """Make a folder where there is none; what cannot be written to raises SettingError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SettingError(f"cannot be made: {error.strerror or error}", file=str(folder)) from error
    if not os.access(folder, os.W_OK | os.X_OK):
        raise SettingError("cannot be written to", file=str(folder))


def is_there(path: Path) -> bool:
    """Whether anything lies there, also a link that leads nowhere."""
    return path.exists() or path.is_symlink()


def may_write(path: Path) -> bool:
    """Whether a file is meant to be written: somebody may, and we may."""
    return bool(path.stat().st_mode & 0o222) and os.access(path, os.W_OK)


def whole_text(path: Path, expected: str) -> str:
    """Return the whole text, a mark at its beginning included: what was there must be there afterwards."""
    if path.is_symlink():
        raise InputError("is a link", file=str(path), expected="a plain file; nothing is written through links")
    text = text_of(path, MOST_BYTES, expected)
    with path.open("rb") as stream:
        marked = stream.read(len(BOM_UTF8)) == BOM_UTF8
    return f"\ufeff{text}" if marked else text


def write(path: Path, text: str, before: str | None) -> None:
    """Put a text in the place of the one that was read (None: no file), with its rights; ChangedFile if it is another.

    Whoever calls holds the lock of the folder.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace(path, text.encode("utf-8"), None if before is None else before.encode("utf-8"))
    except Changed as error:
        raise ChangedFile(path) from error
    except OSError as error:
        raise SettingError(f"cannot be written: {error.strerror or error}", file=str(path)) from error
