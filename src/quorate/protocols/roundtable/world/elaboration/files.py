"""Opens the files of an elaboration: plain files of bounded size inside one folder, and no others."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from quorate.files.guarded_names import WHAT, is_guarded_file

BOM = "\N{ZERO WIDTH NO-BREAK SPACE}"
ENDINGS = (".md", ".txt")
"""Of documents."""
MOST_BYTES = 256 * 1024
"""Of one document."""
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NOCTTY", 0)


@dataclass(frozen=True, slots=True)
class FileContent:
    """A file as it was read."""

    path: Path
    """Where it really lies, all links followed."""
    data: bytes
    mode: int
    identity: tuple[int, int]
    """Device and number: files that have both in common are one, whatever they are called."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why a file cannot be used, as what follows its name in a sentence."""

    what: str
    missing: bool = False


def read_inside(folder: Path, name: str, most: int) -> FileContent | Trouble:
    """Return a file of the folder, or why it cannot be used. Links out of the folder are not followed."""
    try:
        root = folder.resolve(strict=True)
        path = (root / name).resolve(strict=True)
        if not path.is_relative_to(root):
            return Trouble("is a link that leads out of the folder and is not followed")
        if is_guarded_file(root / name):
            return Trouble(WHAT)
        return _read(path, most)
    except FileNotFoundError:
        if os.path.lexists(folder / name):
            return Trouble("is a broken link")
        return Trouble("does not exist", missing=True)
    except (OSError, RuntimeError, ValueError) as error:  # loops of links, odd names
        return Trouble(f"cannot be read: {getattr(error, 'strerror', None) or error}")


def read_document(folder: Path, name: str, meta: str) -> FileContent | Trouble:
    """Return a document of the folder, or what hinders: a link makes no document of meta.json or of another file."""
    if not name.lower().endswith(ENDINGS):
        return Trouble(f"is not a document; expected a file ending in {' or '.join(ENDINGS)}")
    found = read_inside(folder, name, MOST_BYTES)
    if isinstance(found, Trouble):
        return found
    if _is_same(found, folder / meta):
        return Trouble(f"is the same file as {meta}")
    if not found.path.name.lower().endswith(ENDINGS):
        return Trouble("is a link to a file that is not a document")
    return found


def _is_same(found: FileContent, other: Path) -> bool:
    try:
        about = other.stat()
    except OSError:  # where it cannot be reached it is not written either
        return False
    return found.identity == (about.st_dev, about.st_ino)


def _read(path: Path, most: int) -> FileContent | Trouble:
    # Looked at before it is opened, since opening a device may do something, and once more when it is open.
    if (trouble := _no_file(os.stat(path, follow_symlinks=False))) is not None:
        return trouble
    opened = os.open(path, _FLAGS)
    try:
        about = os.fstat(opened)
        if (trouble := _no_file(about)) is not None:
            return trouble
        with os.fdopen(opened, "rb", closefd=False) as stream:
            data = stream.read(most + 1)
    finally:
        os.close(opened)
    if len(data) > most:
        return Trouble(f"has more than {most:,} bytes")
    return FileContent(path, data, stat.S_IMODE(about.st_mode), (about.st_dev, about.st_ino))


def _no_file(about: os.stat_result) -> Trouble | None:
    if stat.S_ISREG(about.st_mode):
        return None
    return Trouble("is a folder" if stat.S_ISDIR(about.st_mode) else "is not a regular file")


def text_of(data: bytes) -> str | Trouble:
    """Return the exact text of a file, or why it cannot be used."""
    nul = data.find(b"\0")
    if nul >= 0:
        return Trouble(f"is a binary file: there is a zero byte in line {_line(data, nul)}")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        return Trouble(f"is not UTF-8 in line {_line(data, error.start)}")


def _line(data: bytes, at: int) -> int:
    return data.count(b"\n", 0, at) + 1
