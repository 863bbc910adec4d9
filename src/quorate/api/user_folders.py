"""Files in user-named folders: create a folder, read a file whole, and replace it only if it is unchanged."""

from __future__ import annotations

import os
from codecs import BOM_UTF8
from pathlib import Path

from quorate.core.errors import InputError, SettingError
from quorate.files.named_file import text_of
from quorate.files.replacement import Changed, replace

MOST_BYTES = 10_000_000
"""Of a file that is added to."""


class FileConflict(Exception):
    """A file was changed by somebody else since it was read; it was not overwritten."""

    def __init__(self, path: Path) -> None:
        self.path = path


def prepare(folder: Path) -> None:
    """Create a folder if it is missing; SettingError if it cannot be written to."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SettingError(f"cannot be made: {error.strerror or error}", file=str(folder)) from error
    if not os.access(folder, os.W_OK | os.X_OK):
        raise SettingError("cannot be written to", file=str(folder))


def is_there(path: Path) -> bool:
    """Whether anything exists at a path, including a broken link."""
    return path.exists() or path.is_symlink()


def may_write(path: Path) -> bool:
    """Whether a file is writable by its permissions and by this process."""
    return bool(path.stat().st_mode & 0o222) and os.access(path, os.W_OK)


def whole_text(path: Path, expected: str) -> str:
    """Return the whole text, including a byte order mark, so that nothing is lost on writing it back."""
    if path.is_symlink():
        raise InputError("is a link", file=str(path), expected="a plain file; nothing is written through links")
    text = text_of(path, MOST_BYTES, expected)
    with path.open("rb") as stream:
        marked = stream.read(len(BOM_UTF8)) == BOM_UTF8
    return f"\ufeff{text}" if marked else text


def write(path: Path, text: str, before: str | None) -> None:
    """Replace the text that was read (None: no file), keeping permissions; FileConflict if it differs by now.

    The caller holds the lock of the folder.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace(path, text.encode("utf-8"), None if before is None else before.encode("utf-8"))
    except Changed as error:
        raise FileConflict(path) from error
    except OSError as error:
        raise SettingError(f"cannot be written: {error.strerror or error}", file=str(path)) from error
