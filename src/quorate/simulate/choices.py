"""The choices of an asked seat: what it may do next, each with its exact probability, and random draws of them."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import lcm

from quorate.core.errors import DefinitionError
from quorate.core.types import Seat
from quorate.kit.judgement import Opinion
from quorate.simulate.agents import Law
from quorate.simulate.voters import ZERO, Source


@dataclass(frozen=True, slots=True)
class Option:
    """One thing an asked seat may do: hold this opinion, and reply or be absent."""

    opinion: Opinion
    absent: bool = False


@dataclass(frozen=True, slots=True)
class Choice:
    """The options of an asked seat with their probabilities, also as cumulative integers."""

    seat: Seat
    options: tuple[Option, ...]
    shares: tuple[Fraction, ...]
    sums: tuple[int, ...]

    @classmethod
    def of(cls, seat: Seat, law: Sequence[tuple[Fraction, Option]]) -> Choice:
        found: dict[Option, Fraction] = {}
        for share, option in law:
            if share:
                found[option] = found.get(option, ZERO) + share
        whole = lcm(*(share.denominator for share in found.values()))
        sums = tuple(accumulate(share.numerator * (whole // share.denominator) for share in found.values()))
        return cls(seat, tuple(found), tuple(found.values()), sums)

    def drawn(self, source: Source) -> int:
        return bisect(self.sums, source.randrange(self.sums[-1])) if len(self.sums) > 1 else 0


def drawn(source: Source, law: Law) -> Opinion:
    """Draw an opinion with exactly these probabilities."""
    if len(law) == 1:
        return law[0][1]
    whole = lcm(*(share.denominator for share, _ in law))
    number = source.randrange(whole)
    for share, opinion in law:
        number -= share.numerator * (whole // share.denominator)
        if number < 0:
            return opinion
    raise DefinitionError("the probabilities of opinions do not add up to one")
