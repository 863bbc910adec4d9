"""Output: results to stdout, everything else to stderr. A closed pipe is not an error."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any, TextIO

from quorate.cli.text import dump, safe


def out(text: str = "") -> None:
    """Write a result to stdout, made safe for a terminal."""
    _write(sys.stdout, safe(text).rstrip("\n") + "\n")


def out_document(text: str) -> None:
    """Write a document to stdout: unchanged into a file or pipe, made safe on a terminal."""
    exact = text if text.endswith("\n") else text + "\n"
    _write(sys.stdout, safe(exact) if is_terminal(sys.stdout) else exact)


def out_json(value: Any) -> None:
    """Write one JSON value to stdout."""
    unicode = "utf" in (getattr(sys.stdout, "encoding", None) or "").lower()
    _write(sys.stdout, dump(value, ascii_only=not unicode) + "\n")


def err(text: str = "") -> None:
    """Write progress, a hint or an error to stderr, made safe for a terminal."""
    _write(sys.stderr, safe(text).rstrip("\n") + "\n")


def write_file(path: Path, text: str) -> None:
    """Write a file atomically. Raises SettingError if it cannot be written."""
    from quorate.core.errors import SettingError

    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        draft.write_text(text, encoding="utf-8", newline="")
        draft.replace(path)
    except OSError as error:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
        raise SettingError(f"cannot be written: {error.strerror or error}", file=str(path)) from error


def is_terminal(stream: TextIO | None) -> bool:
    """Return whether this stream is a terminal."""
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # a closed stream
        return False


def _write(stream: TextIO | None, text: str) -> None:
    if stream is None:  # the shell closed it: `>&-`
        return
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError:
        hush(stream)


def hush(stream: TextIO) -> None:
    """Discard everything written to this stream from now on, including the flush at exit."""
    with suppress(OSError, ValueError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)
