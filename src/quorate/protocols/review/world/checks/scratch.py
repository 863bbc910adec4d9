"""A scratch folder for running analysers: no shell, a time limit, limited output, and a clean environment.

Its content comes from an untrusted change, so paths that leave the folder are refused, and a program that does not end
is killed together with its children.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from types import TracebackType
from typing import Self, TypeVar

T = TypeVar("T")

MOST_OUTPUT = 20_000_000
MOST_TEXT = 1_000_000
"""Characters of a file that an analyser is given; a longer one is named as not looked at."""
MOST_PART = 200
MOST_PATH = 1_000
PYTHON = (sys.executable, "-I")
"""An interpreter that takes no code from the working folder, the environment or the user's site."""


@dataclass(frozen=True, slots=True)
class Ran:
    """The exit of a program."""

    code: int | None
    """None where it was ended for its time or its output."""
    out: str
    late: bool = False
    cut: bool = False


class Scratch:
    """A folder that is removed after the `with` block, with one time limit for everything run in it."""

    def __init__(self, seconds: float) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="quorate-checks-", ignore_cleanup_errors=True)
        self.folder = Path(self._folder.name).resolve()
        self._end = time.monotonic() + seconds

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, t: TracebackType | None) -> None:
        self._folder.cleanup()

    @property
    def left(self) -> float:
        """The seconds left."""
        return max(0.0, self._end - time.monotonic())

    def write(self, path: str, text: str) -> bool:
        """Write a text to a path below the folder; return False if the path is not allowed."""
        if not is_plain(path):
            return False
        place = self.folder.joinpath(*path.split("/"))
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(text.encode("utf-8", "replace"))
        except OSError:
            return False
        return True

    def run(self, arguments: Sequence[str], seconds: float, cwd: str = "", *, errors: bool = False) -> Ran:
        """Run a program in the folder and return its output, including stderr if `errors`.

        Raises OSError if the program cannot be started, which is no fault of the change.
        """
        process = subprocess.Popen(  # noqa: S603 - an argument list of ours, or of the base's rules
            list(arguments),
            cwd=self.folder / cwd,
            env=self._environment(arguments),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if errors else subprocess.DEVNULL,
            start_new_session=True,
        )
        taken = bytearray()
        reader = Thread(target=_take, args=(process, taken), daemon=True)
        reader.start()
        reader.join(min(seconds, self.left))
        late, cut = reader.is_alive(), len(taken) >= MOST_OUTPUT
        _end(process)
        reader.join(5)
        code = process.wait()
        out = bytes(taken[:MOST_OUTPUT]).decode("utf-8", "replace")
        return Ran(None if late or cut else code, out, late, cut)

    def _environment(self, arguments: Sequence[str]) -> dict[str, str]:
        # Without a script there is none whose folder Python would look into: it would look into the change.
        safe = {"PYTHONSAFEPATH": "1"} if {"-m", "-c"} & set(arguments) else {}
        return {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(self.folder),
            "TMPDIR": str(self.folder),
            "LANG": "C.UTF-8",
            **safe,
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONHASHSEED": "0",
        }


def is_plain(path: str) -> bool:
    """Return whether a path of a change can be written below a folder without leaving it."""
    parts = path.split("/")
    return (
        len(path) <= MOST_PATH
        and all(part not in ("", ".", "..") and len(part.encode("utf-8", "replace")) <= MOST_PART for part in parts)
        and not any(character in path for character in "\0\\")
    )


def _take(process: subprocess.Popen[bytes], taken: bytearray) -> None:
    assert process.stdout is not None
    with process.stdout as stream:
        while len(taken) < MOST_OUTPUT and (chunk := stream.read1(65_536)):  # type: ignore[attr-defined]
            taken += chunk
    try:
        process.wait(timeout=5 if len(taken) < MOST_OUTPUT else 0)
    except subprocess.TimeoutExpired:
        _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill a program that still runs, and its children."""
    if process.poll() is None:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except OSError:
            process.kill()


def in_halves(items: Sequence[str], run: Callable[[Sequence[str]], T | None]) -> tuple[list[T], list[str]]:
    """Run an analyser over all items at once; if it fails, bisect, so that one bad file affects only itself.

    Returns the results and the items it failed on.
    """
    results: list[T] = []
    failed: list[str] = []
    waiting = [items] if items else []
    while waiting:
        part = waiting.pop()
        result = run(part)
        if result is not None:
            results.append(result)
        elif len(part) == 1:
            failed += part
        else:
            waiting += [part[len(part) // 2 :], part[: len(part) // 2]]
    return results, failed
