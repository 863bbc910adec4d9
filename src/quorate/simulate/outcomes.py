"""Results of a simulation: the chance of each verdict and the cost of a session, exact or with a standard error."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from math import sqrt

from quorate.core.types import Seat

ZERO = Fraction(0)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A probability or an expected number."""

    value: Fraction
    error: float | None = None
    """The standard error of a sample; None where the value is exact."""

    def __sub__(self, other: Estimate) -> Estimate:
        """The difference of two results; sampled ones are taken as independent."""
        errors = [each.error for each in (self, other) if each.error is not None]
        error = sqrt(sum(each * each for each in errors)) if errors else None
        return Estimate(self.value - other.value, error)


def share(count: int, samples: int) -> Estimate:
    """Return the share of samples; its error is computed slightly inside 0 to 1, so it is never zero."""
    inside = Fraction(count + 1, samples + 2)
    return Estimate(Fraction(count, samples), sqrt(inside * (1 - inside) / samples))


def measured(total: int, squares: int, samples: int) -> Estimate:
    """The mean of a sample and its standard error, from the sums of its values and of their squares."""
    mean = Fraction(total, samples)
    variance = max(Fraction(squares, samples) - mean * mean, ZERO)
    return Estimate(mean, sqrt(variance / max(samples - 1, 1)))


@dataclass(frozen=True, slots=True)
class Outcomes:
    """One simulation of a protocol."""

    truth: str
    verdicts: Mapping[Enum, Estimate]
    """Every verdict of the protocol, in its order; those that never came too."""
    right: Estimate | None
    wrong: Estimate | None
    """None where the protocol concludes without being right or wrong."""
    undecided: Estimate
    rounds: Estimate
    asks: Estimate
    """Asks to models; those to people and to checks cost no tokens."""
    people: Estimate
    tokens: Estimate
    voters: tuple[Seat, ...]
    malicious: tuple[Seat, ...]
    obstructing: tuple[Seat, ...]
    effective: Fraction | None
    """Effective votes of the honest voters (Kish); None where there are none."""
    alone: Fraction
    """The chance that one honest seat alone concludes rightly."""
    paths: int
    """Moves of sessions that were computed."""
    samples: int | None = None
    """None where the result is exact."""
    seed: int | None = None

    @property
    def exact(self) -> bool:
        return self.samples is None
