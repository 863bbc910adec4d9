"""The program as a user runs it, in this process: its commands, and the independent verifier."""

from __future__ import annotations

import io
import os
import runpy
import shlex
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import chdir, contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
VERIFIER = "python -m quorate_verifier"


@dataclass(frozen=True)
class Ran:
    """What a command left: its exit code, and what it wrote where."""

    code: int
    out: str
    err: str


@cache
def _entry() -> Callable[[], Any]:
    """Find the program where pyproject.toml says that it begins."""
    module, _, name = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]["quorate"].partition(
        ":"
    )
    found: Callable[[], Any] = getattr(import_module(module), name)
    return found


def run(line: str, folder: Path, variables: Mapping[str, str]) -> Ran:
    """Run a command line in a folder: one of `quorate`, or of the verifier."""
    words = shlex.split(line)
    if line.startswith(VERIFIER):
        return _called(lambda: runpy.run_module("quorate_verifier", run_name="__main__"), words[2:], folder, variables)
    assert words[0] == "quorate", line
    return _called(_entry(), words, folder, variables)


def _called(program: Callable[[], Any], words: list[str], folder: Path, variables: Mapping[str, str]) -> Ran:
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    code: Any = 0
    with chdir(folder), _surroundings(words, variables, out, err):
        try:
            program()
        except SystemExit as left:
            code = left.code
    texts = [stream.buffer.getvalue().decode() for stream in (out, err)]
    return Ran(code if isinstance(code, int) else int(code is not None), *texts)


@contextmanager
def _surroundings(words: list[str], variables: Mapping[str, str], out: Any, err: Any) -> Iterator[None]:
    """Put arguments, streams and variables in place, and afterwards what was there."""
    before = sys.argv, sys.stdin, sys.stdout, sys.stderr, dict(os.environ)
    # The program leaves at once where Temporal's library is loaded, and other tests of this process may have loaded it.
    temporal = sys.modules.pop("temporalio", None)
    sys.argv, sys.stdin, sys.stdout, sys.stderr = words, io.StringIO(), out, err
    os.environ.clear()
    os.environ.update(variables)
    try:
        yield
    finally:
        with suppress(ValueError):
            out.flush(), err.flush()
        sys.argv, sys.stdin, sys.stdout, sys.stderr = before[:4]
        if temporal is not None:
            sys.modules["temporalio"] = temporal
        os.environ.clear()
        os.environ.update(before[4])
