"""What a protocol states about the vote behind a verdict, from which its tolerance of dishonest votes follows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from quorate.core.record import Moved, Record, Said
from quorate.core.session import Move
from quorate.core.types import Absent


@dataclass(frozen=True, slots=True)
class Margin:
    """The deciding vote: who voted, what had to be reached, and by how many votes it was exceeded."""

    voted: tuple[Said, ...]
    """The replies that were counted, abstentions included."""
    threshold: str
    """What had to be reached, in words."""
    spare: int | None
    """Votes above the threshold; None where the vote carried no positive verdict."""
    alone: str = ""
    """The seat that decides by itself, where no votes are counted."""


@dataclass(frozen=True, slots=True)
class NoVote:
    """No vote carries the verdicts of this protocol; `why` says what does, with its rule."""

    why: str


Stated = Callable[[Record], Margin | NoVote | None]
"""What a protocol states about a concluded session; None where votes decide and nobody voted."""


def last_move(record: Record, fact: str) -> Move | None:
    """Return the last decision that issued a fact of this name."""
    moves = (line.move for line in reversed(record.log) if isinstance(line, Moved))
    return next((move for move in moves if any(each.name == fact for each in move.facts)), None)


def counted_at(record: Record, move: Move, brief: str) -> tuple[Said, ...]:
    """Return the usable replies to one brief that a decision counted."""
    return tuple(
        line
        for line in record.log
        if isinstance(line, Said)
        and line.ask.brief == brief
        and line.ask.id.entry == move.entry
        and not isinstance(line.reply, Absent)
    )
