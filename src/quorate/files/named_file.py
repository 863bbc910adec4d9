"""The text of a file that the user named: a plain file of bounded size, whatever else may lie under its name."""

from __future__ import annotations

from pathlib import Path

from quorate.core.errors import InputError
from quorate.files.guarded_names import refuse_guarded
from quorate.files.plain_file import Obstacle, Unread, plain_text


def text_of(path: Path, most: int, expected: str) -> str:
    """Return the text; what is no plain file, no text in UTF-8 or has more than `most` bytes raises InputError.

    So does a file that holds secrets by its name: what is read here may be shown to anybody at the table.
    """
    refuse_guarded(path)
    found = plain_text(path, most)
    if isinstance(found, Unread):
        line = found.line if found.obstacle is Obstacle.BINARY else None
        expected = found.expected if found.obstacle is Obstacle.TOO_LARGE else expected
        raise InputError(found.what, file=str(path), line=line, expected=expected)
    return found
