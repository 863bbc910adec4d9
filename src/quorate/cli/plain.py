"""Plain view: one line per event, for logs, pipes and simple terminals."""

from __future__ import annotations

from dataclasses import dataclass
from time import localtime, strftime
from typing import TYPE_CHECKING

from quorate.cli.output import err
from quorate.cli.progress import Line
from quorate.cli.text import one_line

if TYPE_CHECKING:
    from quorate.cli.progress import Progress
    from quorate.runtime.happenings import Happening


def worded(line: Line) -> str:
    """Format a line: time, phase and round, seat, brief, outcome."""
    place = f"{line.phase}/{line.round}" if line.round else line.phase
    parts = [strftime("%H:%M:%S", localtime(line.at)), place, line.seat, line.brief, line.outcome]
    return one_line("  ".join(part for part in parts if part))


@dataclass
class PlainView:
    """Writes every event to stderr as it happens."""

    progress: Progress

    def __call__(self, happening: Happening) -> None:
        for line in self.progress.take(happening):
            err(worded(line))

    def open(self) -> None:
        """Do nothing."""

    def tick(self) -> None:
        """Do nothing between events."""

    def close(self) -> None:
        """Do nothing at the end."""
