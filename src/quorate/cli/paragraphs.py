"""Fit text to the terminal: wrap sentences, keep tables as they are, and change nothing in pipes."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable

from quorate.cli.line_wrap import LEAST, wrapped
from quorate.cli.output import is_terminal

UNBOUNDED = 10_000
"""Columns of what is no terminal."""
COMMAND = "  quorate "
"""How a command begins that somebody may copy."""


def room() -> int:
    """Return the columns of the terminal, or `UNBOUNDED` if stdout is not one."""
    return max(LEAST, shutil.get_terminal_size().columns) if is_terminal(sys.stdout) else UNBOUNDED


def fitted(blocks: Iterable[str]) -> str:
    """Join blocks by newlines. At a terminal sentences are wrapped; tables and commands to copy are not."""
    columns = room()
    lines: list[str] = []
    for block in blocks:
        kept = len(block) <= columns or "\n" in block or block.startswith(COMMAND)
        lines += [block] if kept else wrapped(block, 0)
    return "\n".join(lines)
