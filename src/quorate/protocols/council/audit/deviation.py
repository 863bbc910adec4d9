"""Deviations of a bundle from the rules: the rule, the place, the value found and the value expected."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from itertools import islice

from quorate.kit.untrusted_value import Path, Spot, place_of

MOST_LISTED = 200
MOST_OF_A_CHECK = 40
"""What one check lists at most, so that one mistake made a thousand times hides nothing else."""


class Kind(Enum):
    BROKEN = "broken"
    """It contradicts a rule."""
    MISSING = "not recorded"
    """The rule cannot be checked, for the bundle does not say; a bundle by another tool may well lack it."""


@dataclass(frozen=True, slots=True)
class Deviation:
    """One deviation from the rules of the council."""

    kind: Kind
    rule: str
    """The number of the rule in RULES.md, such as `C31`."""
    path: Path
    says: str
    """What the bundle says there, and why that is wrong."""
    right: str
    """What would be right."""
    line: int | None = None
    """Where the file has it; None where that is not known."""

    @property
    def place(self) -> str:
        """The place within the bundle, such as `findings[3].subcategory`."""
        return place_of(self.path) or "bundle"

    def __str__(self) -> str:
        at = "" if self.line is None else f" (line {self.line})"
        right = f"; right would be {self.right}" if self.right else ""
        return f"{self.rule} {self.place}{at}: {self.says}{right}"


@dataclass(frozen=True, slots=True)
class Audit:
    """The result of an audit: the listed deviations, rule violations first, and the total count."""

    deviations: tuple[Deviation, ...] = ()
    broken: int = 0
    missing: int = 0

    @property
    def left_out(self) -> int:
        """The number of deviations counted but not listed."""
        return self.broken + self.missing - len(self.deviations)


def broken(at: Spot, rule: str, says: str, right: str) -> Deviation:
    return Deviation(Kind.BROKEN, rule, at.path, says, right)


def missing(at: Spot, rule: str, says: str, right: str = "") -> Deviation:
    return Deviation(Kind.MISSING, rule, at.path, says, right)


def counted(checks: Iterable[Iterator[Deviation]]) -> Audit:
    """Run the checks in order; list up to a limit of what each finds, and count the rest."""
    listed: dict[Kind, list[Deviation]] = {kind: [] for kind in Kind}
    numbers = dict.fromkeys(Kind, 0)
    for check in checks:
        for deviation in islice(check, MOST_OF_A_CHECK):
            listed[deviation.kind].append(deviation)
            numbers[deviation.kind] += 1
        for deviation in check:
            numbers[deviation.kind] += 1
    every = (*listed[Kind.BROKEN], *listed[Kind.MISSING])
    return Audit(every[:MOST_LISTED], numbers[Kind.BROKEN], numbers[Kind.MISSING])
