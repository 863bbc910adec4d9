"""Lock on a folder: one process at a time; the lock of a dead process is released."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep

from quorate.core.errors import StoreError

PATIENCE = 30.0
"""Seconds to wait for the lock, which is held only while a file is written."""
LOOK_EVERY = 0.02


@contextmanager
def locked(folder: Path, patience: float = PATIENCE) -> Iterator[None]:
    """Hold the folder's lock, which the system releases when the process ends; StoreError if it stays taken."""
    handle = _open(folder)
    ends = monotonic() + patience
    try:
        while not taken(handle):
            if monotonic() > ends:
                raise StoreError(f"{folder} is being written by another process; wait for it and try again")
            sleep(LOOK_EVERY)
        yield
    finally:
        os.close(handle)


def _open(folder: Path) -> int:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if sys.platform == "win32":  # folders cannot be opened there
            return os.open(folder / ".lock", os.O_RDWR | os.O_CREAT)
        return os.open(folder, os.O_RDONLY)
    except OSError as error:
        raise StoreError(f"{folder} cannot be written: {error.strerror or error}") from error


def taken(handle: int) -> bool:
    """Lock a file for as long as it is open; False if it is locked already."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True
