"""Cases: labelled sessions, as far as calibration looks at them, and shares with their exact bounds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from quorate.core.types import Seat
from quorate.kit.positions import Position
from quorate.simulate.intervals import Interval, clopper_pearson

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Case:
    """One labelled session."""

    session: str
    protocol: str
    verdict: str
    right: bool | None
    """Whether the verdict was right; None where it left the matter open."""
    sound: bool | None
    """Whether the matter was sound; None where that is not known."""
    voters: tuple[Seat, ...]
    """The seats whose judgement was counted."""
    positions: tuple[Position, ...]
    """On the matter, in order."""
    models: Mapping[Seat, str]
    """Who answered on each seat."""

    def first(self, seat: Seat) -> bool | None:
        """The side that a seat took by itself; None where it took none, or only after it was shown others."""
        own = next((each for each in self.positions if each.seat == seat), None)
        return None if own is None or own.shown else own.holds

    def was_right(self, holds: bool | None) -> bool | None:
        return None if holds is None or self.sound is None else holds is self.sound


@dataclass(frozen=True, slots=True)
class OnFinding:
    """What one seat last held of a finding whose truth is known."""

    protocol: str
    seat: Seat
    right: bool


@dataclass(frozen=True, slots=True)
class Share:
    """How many of so many were right."""

    right: int
    items: int

    @property
    def share(self) -> Fraction | None:
        return Fraction(self.right, self.items) if self.items else None

    @property
    def interval(self) -> Interval:
        """Exact, two-sided."""
        return clopper_pearson(self.right, self.items, CONFIDENCE)
