"""Calibration: how often verdicts, seats and confidences were right in labelled sessions.

A case is one labelled session with the positions that its seats took on the matter. What is measured of a seat is its
first position, taken before it was shown anybody else's: only those tell how seats err alike. Shares are exact, bounds
are Clopper-Pearson at 95 %.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from quorate.core.types import Seat
from quorate.kit.positions import courses
from quorate.simulate.agreement import (
    Ceiling,
    Pair,
    Unanimity,
    ceiling,
    measured_votes,
    pairs,
    pooled_correlation,
    unanimity,
)
from quorate.simulate.calibration import Bin, Brier, Forecast, brier, expected_calibration_error, reliability_table
from quorate.simulate.flips import Flips
from quorate.worth.cases import CONFIDENCE, Case, OnFinding, Share
from quorate.worth.families import family


@dataclass(frozen=True, slots=True)
class OfVerdict:
    """How often one verdict of one protocol was right."""

    protocol: str
    verdict: str
    share: Share
    left_open: int
    """Sessions in which it left the matter open, so that it was neither."""


@dataclass(frozen=True, slots=True)
class OfSeat:
    """How often a seat's first position was right, and how often its positions on findings were."""

    protocol: str
    seat: Seat
    models: tuple[str, ...]
    matter: Share
    findings: Share


@dataclass(frozen=True, slots=True)
class OfConfidence:
    """Calibration of stated confidences, over all positions on the matter that take a side."""

    protocol: str
    items: int
    brier: Brier
    bins: tuple[Bin, ...]
    error: Fraction


@dataclass(frozen=True, slots=True)
class Agreeing:
    """How often two seats took the same side independently, and how their errors correlate."""

    first: str
    second: str
    same: int
    items: int
    """Sessions in which both took a side."""
    pair: Pair

    @property
    def share(self) -> Fraction | None:
        return Fraction(self.same, self.items) if self.items else None


@dataclass(frozen=True, slots=True)
class OfPanel:
    """The joint figures of one panel of a protocol, by the sides its voters took independently."""

    protocol: str
    voters: tuple[Seat, ...]
    items: int
    """Labelled sessions."""
    whole: int
    """Those in which every voter took a side."""
    contested: int
    """Those of the whole in which somebody was wrong."""
    correlation: Fraction | None
    """The pooled error correlation; None where nobody or everybody was wrong."""
    effective: Fraction | None
    """What their votes are worth by it, at most as many as they are."""
    adds: Mapping[Seat, Fraction | None]
    """How many effective votes each voter adds to the others."""
    agreeing: tuple[Agreeing, ...]
    unanimity: Unanimity
    ceiling: Ceiling


@dataclass(frozen=True, slots=True)
class Calibration:
    """All calibration figures of labelled sessions."""

    cases: int
    verdicts: tuple[OfVerdict, ...]
    seats: tuple[OfSeat, ...]
    confidences: tuple[OfConfidence, ...]
    panels: tuple[OfPanel, ...]
    """The one with the most sessions first."""
    families: tuple[Agreeing, ...]
    """Pairs of seats of two families, or of one, taken together."""
    flips: Mapping[str, Flips]
    """First against last positions of seats that took more than one, by protocol."""


def calibrate(cases: Sequence[Case], found: Iterable[OnFinding] = ()) -> Calibration:
    """Compute the calibration of labelled sessions; what cannot be measured is None or left out, never guessed."""
    return Calibration(
        len(cases),
        tuple(_verdicts(cases)),
        tuple(_seats(cases, tuple(found))),
        tuple(_confidences(cases)),
        tuple(sorted(_panels(cases), key=lambda each: -each.items)),
        tuple(_families(cases)),
        {name: flips for name, own in _by_protocol(cases).items() if (flips := _flips(own)) is not None},
    )


def _by_protocol(cases: Iterable[Case]) -> dict[str, list[Case]]:
    found: dict[str, list[Case]] = {}
    for case in cases:
        found.setdefault(case.protocol, []).append(case)
    return dict(sorted(found.items()))


def _verdicts(cases: Sequence[Case]) -> list[OfVerdict]:
    groups: dict[tuple[str, str], list[bool | None]] = {}
    for case in cases:
        groups.setdefault((case.protocol, case.verdict), []).append(case.right)
    return [
        OfVerdict(*key, Share(own.count(True), len(own) - own.count(None)), own.count(None))
        for key, own in sorted(groups.items())
    ]


def _seats(cases: Sequence[Case], found: tuple[OnFinding, ...]) -> list[OfSeat]:
    voters = ((case.protocol, seat) for case in cases for seat in case.voters)
    told = []
    for protocol, seat in dict.fromkeys((*voters, *((each.protocol, each.seat) for each in found))):
        held = [case for case in cases if case.protocol == protocol and seat in case.voters]
        sides = [side for case in held if (side := case.was_right(case.first(seat))) is not None]
        own = [each.right for each in found if (each.protocol, each.seat) == (protocol, seat)]
        models = tuple(dict.fromkeys(case.models[seat] for case in held if seat in case.models))
        told.append(OfSeat(protocol, seat, models, Share(sum(sides), len(sides)), Share(sum(own), len(own))))
    return [each for each in told if each.matter.items or each.findings.items]


def _confidences(cases: Sequence[Case]) -> Iterable[OfConfidence]:
    for protocol, own in _by_protocol(cases).items():
        forecasts: list[Forecast] = []
        for case in own:
            for each in case.positions:
                right = case.was_right(each.holds)
                if right is not None and each.confidence is not None:
                    forecasts.append((Fraction(each.confidence, 100), right))
        score, bins = brier(forecasts), reliability_table(forecasts)
        error = expected_calibration_error(bins)
        if score is not None and error is not None:
            yield OfConfidence(protocol, len(forecasts), score, bins, error)


def _flips(cases: Iterable[Case]) -> Flips | None:
    """Compare first and last positions of every seat that took a side before and after seeing others'."""
    moved: list[tuple[bool, bool]] = []
    for case in cases:
        for course in courses(case.positions).values():
            before, after = case.was_right(course[0].holds), case.was_right(course[-1].holds)
            if before is not None and after is not None and not course[0].shown and course[-1].shown:
                moved.append((before, after))
    return Flips.of(moved) if moved else None


def _panels(cases: Sequence[Case]) -> Iterable[OfPanel]:
    groups: dict[tuple[str, tuple[Seat, ...]], list[Case]] = {}
    for case in cases:
        if len(case.voters) > 1 and case.sound is not None and any(each.seat in case.voters for each in case.positions):
            groups.setdefault((case.protocol, case.voters), []).append(case)
    for (protocol, voters), own in groups.items():
        yield _panel(protocol, voters, own)


def _panel(protocol: str, voters: tuple[Seat, ...], cases: list[Case]) -> OfPanel:
    sides = [[case.first(seat) for seat in voters] for case in cases]
    table = [[case.was_right(side) for side in row] for case, row in zip(cases, sides, strict=True)]
    whole = [row for row in table if None not in row]
    correlation = pooled_correlation(table)
    effective = None if correlation is None else measured_votes(len(voters), correlation)
    adds = {seat: _added(table, index, effective) for index, seat in enumerate(voters)}
    agreeing = tuple(
        _agreeing(
            str(voters[pair.first]), str(voters[pair.second]), [(r[pair.first], r[pair.second]) for r in sides], pair
        )
        for pair in pairs(table)
    )
    contested = sum(False in row for row in whole)
    truths = [case.sound for case in cases]
    agreed = unanimity(sides, truths, CONFIDENCE)
    return OfPanel(
        protocol,
        voters,
        len(cases),
        len(whole),
        contested,
        correlation,
        effective,
        adds,
        agreeing,
        agreed,
        ceiling(table, CONFIDENCE),
    )


def _added(table: list[list[bool | None]], index: int, effective: Fraction | None) -> Fraction | None:
    """Return what a voter adds: the effective votes with it minus those without it, on the same sessions."""
    rest = [[*row[:index], *row[index + 1 :]] for row in table if None not in row]
    if effective is None or not rest:
        return None
    if len(rest[0]) == 1:
        return effective - 1
    correlation = pooled_correlation(rest)
    without = None if correlation is None else measured_votes(len(rest[0]), correlation)
    return None if without is None else effective - without


def _agreeing(first: str, second: str, sides: Iterable[tuple[bool | None, bool | None]], pair: Pair) -> Agreeing:
    both = [(one, two) for one, two in sides if one is not None and two is not None]
    return Agreeing(first, second, sum(one is two for one, two in both), len(both), pair)


def _families(cases: Sequence[Case]) -> list[Agreeing]:
    """Pairs of seats by their families, whatever the order in which the seats sit."""
    rows: dict[tuple[str, str], list[tuple[bool, bool]]] = {}
    sides: Counter[tuple[str, str]] = Counter()
    for case in cases:
        seats = [seat for seat in case.voters if seat in case.models and case.first(seat) is not None]
        for place, one in enumerate(seats):
            for two in seats[place + 1 :]:
                a, b = sorted((one, two), key=lambda seat: family(case.models[seat]))
                right = case.was_right(case.first(a)), case.was_right(case.first(b))
                if right[0] is None or right[1] is None:
                    continue
                key = (family(case.models[a]), family(case.models[b]))
                rows.setdefault(key, []).append((right[0], right[1]))
                sides[key] += right[0] is right[1]
    return [
        Agreeing(*key, sides[key], len(own), _pair(own, alike=key[0] == key[1])) for key, own in sorted(rows.items())
    ]


def _pair(rows: Sequence[tuple[bool, bool]], *, alike: bool) -> Pair:
    """Pairs of seats taken for one pair; of two that are `alike` neither is the first, so each counts as both."""
    if not alike:
        return pairs(rows)[0]
    (both,) = pairs([*rows, *((two, one) for one, two in rows)])
    return replace(both, items=len(rows), both_wrong=both.both_wrong // 2)
