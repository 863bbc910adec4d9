"""Plain-text tables with aligned columns, cut to the width of a terminal."""

from __future__ import annotations

import shutil
import sys
import unicodedata
from collections.abc import Sequence

from quorate.cli.output import is_terminal
from quorate.cli.text import one_line

GAP = "  "


def table(headings: Sequence[str], rows: Sequence[Sequence[str]], flexible: int = -1) -> str:
    """Return the rows below their headings. On a terminal the `flexible` column is cut to fit."""
    cells = [[one_line(cell) for cell in row] for row in [headings, *rows]]
    widths = [max(map(width, column)) for column in zip(*cells, strict=True)]
    if is_terminal(sys.stdout):
        room = shutil.get_terminal_size().columns - sum(widths) - len(GAP) * (len(widths) - 1) + widths[flexible]
        widths[flexible] = max(10, min(widths[flexible], room))
    return "\n".join(
        GAP.join(_padded(cell, columns) for cell, columns in zip(row, widths, strict=True)).rstrip() for row in cells
    )


def width(text: str) -> int:
    """Return the display width of a text: East Asian wide characters take two columns, combining ones none."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def _padded(text: str, columns: int) -> str:
    if width(text) > columns:
        while text and width(text) > columns - 1:
            text = text[:-1]
        text += "…"
    return text + " " * (columns - width(text))
