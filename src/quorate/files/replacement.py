"""Replace a file atomically, only if it still has the content that was read, keeping its permissions."""

from __future__ import annotations

import os
import shutil
import stat
from contextlib import suppress
from pathlib import Path

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)


class Changed(Exception):
    """The file was changed by another process since it was read."""


def replace(path: Path, new: bytes, old: bytes | None) -> None:
    """Replace `old` (None: no file) with `new`. On Changed or OSError nothing is changed.

    The caller holds the lock of the folder, so an existing draft beside the file was left by a process that died.
    """
    draft = path.with_name(f".{path.name}.quorate-draft")
    draft.unlink(missing_ok=True)
    if old is not None:
        _refuse_read_only(path)
    try:
        opened = os.open(draft, _NEW, 0o666 if old is None else 0o600)
        with os.fdopen(opened, "wb") as stream:
            stream.write(new)
            stream.flush()
            os.fsync(stream.fileno())
        if old is not None:
            _like(path, draft)
        if _held(path) != old:
            raise Changed
        os.replace(draft, path)
    except BaseException:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
        raise
    flush_folder(path.parent)


def _refuse_read_only(path: Path) -> None:
    """Raise for a read-only file, although the folder's permissions would allow replacing it."""
    if not stat.S_IMODE(path.stat().st_mode) & 0o222 or not os.access(path, os.W_OK):
        raise PermissionError(13, "it is read-only")


def _like(path: Path, draft: Path) -> None:
    """Copy owner, permissions and attributes of the file to the draft, but not its time."""
    about = path.stat()
    if hasattr(os, "chown"):
        with suppress(OSError):  # only the system's administrator may give files away
            os.chown(draft, about.st_uid, about.st_gid)
    written = draft.stat()
    shutil.copystat(path, draft)
    os.utime(draft, ns=(written.st_atime_ns, written.st_mtime_ns))


def _held(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def flush_folder(folder: Path) -> None:
    """Flush a folder's entries to disk, if the system supports it."""
    with suppress(OSError):
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)
