"""Text of a user-named file: must be a plain file of bounded size."""

from __future__ import annotations

from pathlib import Path

from quorate.core.errors import InputError
from quorate.files.guarded_names import refuse_guarded
from quorate.files.plain_file import Obstacle, Unread, plain_text


def text_of(path: Path, most: int, expected: str) -> str:
    """Return the text; InputError if it is not a plain file, not UTF-8, or larger than `most` bytes.

    Files whose names suggest secrets are refused too: what is read here may be shown to any participant.
    """
    refuse_guarded(path)
    found = plain_text(path, most)
    if isinstance(found, Unread):
        line = found.line if found.obstacle is Obstacle.BINARY else None
        expected = found.expected if found.obstacle is Obstacle.TOO_LARGE else expected
        raise InputError(found.what, file=str(path), line=line, expected=expected)
    return found
