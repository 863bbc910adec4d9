"""Effective votes: voters whose errors correlate count as fewer than they are.

Which correlation to take for models nobody has measured together is an assumption, and is stated as one, as a range. A
correlation that was measured for these seats takes its place beside it where there is one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from quorate.simulate.agreement import measured_votes
from quorate.worth.families import NO_MODEL, family

WITHIN = (Fraction(13, 25), Fraction(33, 50))
"""Error correlation of samples of one model: 0.52 to 0.66 in 5,547 recorded debates on MATH problems (DyLAN, MIT)."""
ACROSS = Fraction(7, 16)
"""What makes nine judges of seven families worth two votes, 9 / (1 + 8 phi) = 2 (arXiv 2605.29800)."""
ASSUMED = (
    "That is assumed, not measured here: that errors correlate by 0.52 to 0.66 within a model family (recorded debates "
    "of one model on MATH problems, DyLAN) and by about 0.44 across families (nine judges of seven families were worth "
    "two votes, arXiv 2605.29800)."
)


@dataclass(frozen=True, slots=True)
class MeasuredCorrelation:
    """An error correlation that was measured on past decisions of the same seats."""

    phi: Fraction
    """As it is kept: in ten-thousandths."""
    items: int
    """Decisions of known truth that it rests on."""
    says: str
    """Where it is from, in words."""


@dataclass(frozen=True, slots=True)
class Votes:
    """The number of seats, and their effective votes if their errors correlate."""

    seats: tuple[str, ...]
    families: Mapping[str, int]
    """How many of them each model family holds, the largest first."""
    others: Mapping[str, int]
    """How many are held by scripts and by people, of whom it is not assumed how far they err together."""
    measured: MeasuredCorrelation | None = None

    @property
    def nominal(self) -> int:
        return len(self.seats)

    @property
    def assumed(self) -> tuple[Fraction, Fraction] | None:
        """The least and the most effective votes of the models, by family; None with fewer than two models."""
        if sum(self.families.values()) < 2:
            return None
        least, most = (_effective(self.families.values(), within) for within in reversed(WITHIN))
        return least, most

    @property
    def by_measure(self) -> Fraction | None:
        """The effective votes of all seats by the measured correlation; None if none was measured."""
        return None if self.measured is None else measured_votes(self.nominal, self.measured.phi)

    @property
    def worth(self) -> str:
        """The assumed effective votes as text: `about 1.3 to 1.5`, or `about 1.6` if both ends round alike."""
        assert self.assumed is not None
        least, most = (f"{float(each):.1f}" for each in self.assumed)
        return f"about {least}" if least == most else f"about {least} to {most}"

    def says(self, how: str = "") -> str:
        """Return the end of a sentence about the votes: their worth, and for whom it is not known."""
        told = ""
        if self.assumed is not None:
            told = f", {'the models ' if self.others else ''}{how}worth {self.worth} independent ones"
        if self.others and self.nominal > 1 and self.by_measure is None:
            told += f"; what votes of {' and '.join(NO_MODEL[name] for name in self.others)} are worth is not known"
        return told

    @property
    def held_by(self) -> str:
        """Who holds them: `anthropic 2, openai 1, person 1`."""
        return ", ".join(f"{name} {count}" for name, count in {**self.families, **self.others}.items())


def votes_of(models: Mapping[str, str], measured: MeasuredCorrelation | None = None) -> Votes | None:
    """Return the effective votes of these seats, from who held each; None without seats."""
    if not models:
        return None
    counted = Counter(sorted(family(model) for model in models.values())).most_common()
    families = {name: count for name, count in counted if name not in NO_MODEL}
    others = {name: count for name, count in counted if name in NO_MODEL}
    return Votes(tuple(models), families, others, measured)


def _effective(sizes: Iterable[int], within: Fraction) -> Fraction:
    """Kish for blocks: n^2 / the sum of all pairwise correlations, those of each voter with itself included."""
    held = list(sizes)
    n = sum(held)
    inside = sum(size * (size - 1) for size in held)
    return n * n / (n + inside * within + (n * (n - 1) - inside) * ACROSS)


def decimals(number: Fraction, places: int = 2) -> str:
    """Format a fraction as decimal text, halves rounded up, since bundles hold no floats."""
    scaled = int(abs(number) * 10**places + Fraction(1, 2))
    whole, rest = divmod(scaled, 10**places)
    return f"{'-' if number < 0 and scaled else ''}{whole}.{rest:0{places}d}"


def votes_data(votes: Votes | None) -> dict[str, Any] | None:
    """Return the votes as plain data, without floats."""
    if votes is None:
        return None
    measured = votes.measured
    return {
        "seats": list(votes.seats),
        "nominal": votes.nominal,
        "families": dict(votes.families),
        "others": dict(votes.others),
        "assumed": None
        if votes.assumed is None
        else {
            "least": decimals(votes.assumed[0]),
            "most": decimals(votes.assumed[1]),
            "within_a_family": [decimals(each) for each in WITHIN],
            "across_families": decimals(ACROSS),
        },
        "measured": None
        if measured is None
        else {
            "effective": None if votes.by_measure is None else decimals(votes.by_measure),
            "phi": decimals(measured.phi, 4),
            "items": measured.items,
            "says": measured.says,
        },
    }
