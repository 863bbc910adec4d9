"""Positions: what each seat held about each subject over time, to tell who changed after whom and who was right.

A position is read from typed replies, never from words. What a reply means as a position only its protocol can say: it
gives them, in the order in which they were taken, by the function `positions` of its definition.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from quorate.core.types import Seat

MATTER = ""
"""What a position is about that is about the matter as a whole: the change, the RFC, the problem."""


@dataclass(frozen=True, slots=True)
class Position:
    """The position of one seat on one subject, from one reply on."""

    seat: Seat
    round: int
    about: str
    """MATTER, or the id of one thing, as the board has it: a finding, a remediation, a critique."""
    stance: str
    """In the protocol's own word."""
    holds: bool | None
    """Whether it holds the thing good or true: the matter sound, the finding real; None where it takes no side."""
    seq: int
    """The entry of the journal that it was taken with."""
    shown: tuple[Seat, ...] = ()
    """Whose positions on it the seat had been shown before; empty for one that it took by itself."""
    confidence: int | None = None
    """How sure it said it was, of 100; None where its form does not ask."""


@dataclass(frozen=True, slots=True)
class PositionChange:
    """A seat's change of position on one subject."""

    before: Position
    after: Position


def courses(positions: Iterable[Position]) -> dict[tuple[Seat, str], tuple[Position, ...]]:
    """Return the positions in order, by seat and subject."""
    found: dict[tuple[Seat, str], list[Position]] = {}
    for each in positions:
        found.setdefault((each.seat, each.about), []).append(each)
    return {key: tuple(course) for key, course in found.items()}


def changes(positions: Iterable[Position]) -> Iterator[PositionChange]:
    """Yield every change of side, in order; giving up a side and returning to it is no change."""
    found: list[PositionChange] = []
    for course in courses(positions).values():
        sided = [each for each in course if each.holds is not None]
        found += [PositionChange(before, after) for before, after in pairwise(sided) if before.holds is not after.holds]
    yield from sorted(found, key=lambda change: change.after.seq)
