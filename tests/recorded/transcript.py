"""Commands and what they said, as text that can be read and compared; what is long stands there as a digest."""

from __future__ import annotations

import hashlib
from pathlib import Path

from tests.recorded.pinned import comparable
from tests.recorded.program import Ran

LONG = 2_500
"""Characters of one text that are kept as they are; of a longer one the digest is kept."""


def told(line: str, ran: Ran, most: int = LONG) -> str:
    """Return a command with what it wrote (`!` marks stderr) and its exit code."""
    err = "".join(f"! {each}\n" for each in comparable(ran.err).splitlines())
    return f"$ {line}\n{_text(comparable(ran.out), most)}{err}= {ran.code}\n"


def left(folder: Path, names: list[str], most: int = LONG) -> str:
    """Return the files that commands have left in a folder, by name."""
    texts = ((name, (folder / name).read_text(encoding="utf-8")) for name in names)
    return "".join(f"# {name}\n{_text(comparable(text), most)}" for name, text in texts)


def _text(text: str, most: int) -> str:
    if len(text) <= most:
        return text if not text or text.endswith("\n") else f"{text}\n(no line feed)\n"
    return f"sha256 {hashlib.sha256(text.encode()).hexdigest()} of {len(text)} characters\n"
