"""Plain view: one line per event, for logs, pipes and simple terminals."""

from __future__ import annotations

from dataclasses import dataclass
from time import localtime, strftime
from typing import TYPE_CHECKING

from quorate.cli.output import err
from quorate.cli.progress import ProgressLine
from quorate.cli.text import one_line

if TYPE_CHECKING:
    from quorate.cli.progress import Progress
    from quorate.runtime.happenings import Happening


def worded(line: ProgressLine) -> str:
    """Format a line: time, phase and round, seat, brief, outcome."""
    place = f"{line.phase}/{line.round}" if line.round else line.phase
    parts = [strftime("%H:%M:%S", localtime(line.at)), place, line.seat, line.brief, line.outcome]
    return one_line("  ".join(part for part in parts if part))


@dataclass
class PlainView:
    """Writes every event to stderr as it happens."""

    progress: Progress

    def catch_up(self) -> None:
        """Write what was missed."""
        for line in self.progress.missed():
            err(worded(line))

    def __call__(self, happening: Happening) -> None:
        for line in self.progress.take(happening):
            err(worded(line))

    def open(self) -> None:
        """Begin with what was missed."""
        self.catch_up()

    def tick(self) -> None:
        """Do nothing between events."""

    def close(self) -> None:
        """Do nothing at the end."""
