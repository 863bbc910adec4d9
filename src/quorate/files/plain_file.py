"""Read plain text files of bounded size, or say why not. Devices and guarded names are never opened."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from quorate.files.guarded_names import ALLOWED, WHAT, is_guarded_file

_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NOCTTY", 0)


class Obstacle(Enum):
    """Why a file cannot be read as text."""

    UNREADABLE = "unreadable"
    TOO_LARGE = "too large"
    BINARY = "not text"


@dataclass(frozen=True, slots=True)
class Unread:
    """A file that could not be read, with the reason."""

    obstacle: Obstacle
    what: str
    line: int = 1
    expected: str = "a text file in UTF-8"


def plain_text(path: Path, most: int, real: Path | None = None) -> str | Unread:
    """Return the text of a user-named plain file, following links, or the reason it cannot be read.

    `real` is the path with all links resolved, if the caller knows it.
    """
    try:
        data = _plain_file(path, real or path.resolve(strict=True), most)
    except (OSError, RuntimeError, ValueError) as error:
        return unreadable(error)
    return data if isinstance(data, Unread) else _text(data)


def unreadable(error: Exception) -> Unread:
    """Return the reason for an error of the file system."""
    return Unread(Obstacle.UNREADABLE, f"cannot be read: {getattr(error, 'strerror', None) or error}")


def _plain_file(named: Path, path: Path, most: int) -> bytes | Unread:
    if is_guarded_file(named):
        return Unread(Obstacle.UNREADABLE, WHAT, 1, f"another file, or its name in {ALLOWED}")
    # Looked at before it is opened, since opening a device may do something, and once more when it is open.
    trouble = _no_file(os.stat(path, follow_symlinks=False))
    if trouble is not None:
        return trouble
    opened = os.open(path, _FLAGS)
    try:
        trouble = _no_file(os.fstat(opened))
        if trouble is not None:
            return trouble
        with os.fdopen(opened, "rb", closefd=False) as stream:
            data = stream.read(most + 1)
    finally:
        os.close(opened)
    if len(data) > most:
        return Unread(Obstacle.TOO_LARGE, f"has more than {most} bytes", 1, f"at most {most} bytes")
    return data


def _no_file(about: os.stat_result) -> Unread | None:
    if stat.S_ISREG(about.st_mode):
        return None
    return Unread(Obstacle.UNREADABLE, "is a folder" if stat.S_ISDIR(about.st_mode) else "is not a regular file")


def _text(data: bytes) -> str | Unread:
    nul = data.find(b"\0")
    if nul >= 0:
        return Unread(Obstacle.BINARY, "is a binary file", data.count(b"\n", 0, nul) + 1)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return Unread(Obstacle.BINARY, "is not UTF-8", data.count(b"\n", 0, error.start) + 1)
