"""Gauges: progress of a session towards counted thresholds, for display. A gauge decides nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from quorate.core.record import Moved, Record
from quorate.core.session import Move
from quorate.core.types import Absent


@dataclass(frozen=True, slots=True)
class Gauge:
    """A count with its parts and, where there is one, the threshold it has to reach."""

    name: str
    words: str
    """The same in one sentence."""
    of: int
    """The whole that the parts are parts of."""
    parts: tuple[tuple[str, int], ...]
    """Segments in order; their sum is at most `of`."""
    needed: int | None = None
    """Where the threshold stands, counted in the first part."""
    missing: int | None = None
    """Votes that are still needed, 0 where the threshold is reached; None where nothing is voted upon, or where what
    was cast is not known yet, or where no number of votes would do."""


def counter(name: str, noun: str, used: int, of: int) -> Gauge:
    """Return a gauge for a used limit: `turn 4 of 10`."""
    return Gauge(name, f"{noun} {used} of {of}", of, (("used", used),))


def number(count: int, noun: str) -> str:
    """`1 vote`, `2 votes`."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


@dataclass(frozen=True, slots=True)
class Arrived:
    """How many of the seats asked now have replied, and nothing of what they said."""

    present: int
    absent: int
    open: int

    @property
    def parts(self) -> tuple[tuple[str, int], ...]:
        return (("in", self.present), ("absent", self.absent), ("open", self.open))


def arrived(record: Record, brief: str) -> Arrived | None:
    """Count the replies to a brief in the current phase; None if the phase does not ask it."""
    session = record.session
    asks = [ask for ask in session.asks if ask.brief == brief]
    if session.conclusion is not None or not asks:
        return None
    replies = [session.replies[ask.id] for ask in asks if ask.id in session.replies]
    gone = sum(isinstance(reply, Absent) for reply in replies)
    return Arrived(len(replies) - gone, gone, len(asks) - len(replies))


def latest_moves(record: Record) -> Iterator[Move]:
    """Yield the moves of a session, newest first, so that a gauge looks back no further than it must."""
    return (line.move for line in reversed(record.log) if isinstance(line, Moved))
