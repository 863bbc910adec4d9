"""Append a part to a user's document exactly once: existing bytes are kept, and repeating it changes nothing."""

from __future__ import annotations

from pathlib import Path

from quorate.api.session_end import Written
from quorate.api.user_folders import FileConflict, is_there, may_write, prepare, whole_text, write
from quorate.core.errors import InputError
from quorate.files.lock import locked

MOST_TRIES = 3
"""Attempts, when another process writes the file in between."""


def add_once(path: Path, mark: str, text: str, *, begins: str = "") -> Written:
    """Append a text to a document unless a text with this mark is there already.

    The mark is one line that no other part has, such as the name of a session; it is written before the text as a
    comment. A missing document starts with `begins`. Raises InputError when the file cannot be written.
    """
    line = f"<!-- {mark} -->"
    if "\n" in mark or "--" in mark:
        raise ValueError(f"a mark is one line without `--`, not {mark!r}")
    prepare(path.parent)
    for _ in range(MOST_TRIES):
        try:
            with locked(path.parent):
                return _added(path, line, text, begins)
        except FileConflict:
            continue
    raise InputError(
        "keeps being changed by another program, so nothing was added",
        file=str(path),
        expected="a file that no other program is writing; try again",
    )


def _added(path: Path, line: str, text: str, begins: str) -> Written:
    before = whole_text(path, "a text file") if is_there(path) else None
    there = begins if before is None else before
    if line in there.splitlines():
        return Written(path, "already there")
    if before is not None and not may_write(path):
        raise InputError("is read-only", file=str(path), expected="a file that can be written to")
    gap = "" if not there else "\n" if there.endswith("\n") else "\n\n"
    write(path, f"{there}{gap}{line}\n{text.rstrip()}\n", before)
    return Written(path, "written" if before is None else "merged")
