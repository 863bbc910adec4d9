"""Cases: labelled sessions as calibration reads them, and shares with exact bounds."""

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
        """Return the side that a seat took before seeing others'; None if it took none until then."""
        own = next((each for each in self.positions if each.seat == seat), None)
        return None if own is None or own.shown else own.holds

    def was_right(self, holds: bool | None) -> bool | None:
        return None if holds is None or self.sound is None else holds is self.sound


@dataclass(frozen=True, slots=True)
class OnFinding:
    """The last position of one seat on a finding whose truth is known."""

    protocol: str
    seat: Seat
    right: bool


@dataclass(frozen=True, slots=True)
class Share:
    """How many of a total were right."""

    right: int
    items: int

    @property
    def share(self) -> Fraction | None:
        return Fraction(self.right, self.items) if self.items else None

    @property
    def interval(self) -> Interval:
        """The exact two-sided confidence interval."""
        return clopper_pearson(self.right, self.items, CONFIDENCE)
