"""Vote counting in integers, with an explicit denominator and four results: pending, carried, lost, no electorate."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from quorate.core.errors import DefinitionError
from quorate.core.types import Absent, AbsentReason


class Vote(Enum):
    """A vote. Abstaining is a vote; `OPEN` means not voted yet."""

    AYE = "aye"
    NO = "no"
    ABSTAIN = "abstain"
    OPEN = "open"


class Denominator(Enum):
    """What the threshold is a share of."""

    VOTING = "those who voted aye or no"
    PRESENT = "those who replied, abstentions included"
    SEATED = "everybody seated, absent or not"


class TallyResult(Enum):
    """The result of a count; pending while open votes could still change it."""

    PENDING = "pending"
    CARRIED = "carried"
    LOST = "lost"
    NO_ELECTORATE = "no electorate"


@dataclass(frozen=True, slots=True)
class Threshold:
    """`share` of the denominator, as two integers, and at least `least` ayes whatever the denominator."""

    numerator: int
    denominator: int
    of: Denominator = Denominator.VOTING
    least: int = 1

    def __post_init__(self) -> None:
        if not 0 < self.numerator <= self.denominator:
            raise DefinitionError(f"a threshold must be above 0 and at most 1, not {self.numerator}/{self.denominator}")
        if self.least < 1:
            raise DefinitionError("a threshold needs at least one aye: an empty vote is never a quorum")

    @classmethod
    def parse(cls, text: str, of: Denominator = Denominator.VOTING, least: int = 1) -> Threshold:
        """Parse a threshold such as `2/3`."""
        top, _, bottom = text.partition("/")
        if not (top.strip().isdecimal() and bottom.strip().isdecimal()):
            raise DefinitionError(f"a threshold is written as two whole numbers, such as 2/3, not {text!r}")
        return cls(int(top), int(bottom), of, least)

    def fewest(self, count: int) -> int:
        """Return the smallest part of a count that meets this share of it, and at least `least`."""
        return max(self.least, -(-self.numerator * count // self.denominator))

    def met(self, part: int, count: int) -> bool:
        """Return whether this part of a count meets the share; of nothing, no part does."""
        return count > 0 and part >= self.fewest(count)


@dataclass(frozen=True, slots=True)
class Tally:
    """The count, spelled out."""

    result: TallyResult
    threshold: Threshold
    ayes: int
    noes: int
    abstained: int
    open: int
    absent: tuple[tuple[AbsentReason, int], ...]
    electorate: int
    needed: int | None
    """Further ayes that would carry it as things stand; 0 where the votes in would, None where no number does."""

    def arithmetic(self) -> str:
        """The comparison spelled out in integers."""
        t = self.threshold
        return (
            f"{t.denominator} x {self.ayes} ayes = {t.denominator * self.ayes} against "
            f"{t.numerator} x {self.electorate} = {t.numerator * self.electorate} "
            f"({t.numerator}/{t.denominator} of {t.of.value}): {self.result.value}"
        )


def tally(votes: Iterable[Vote | Absent], threshold: Threshold) -> Tally:
    """Count votes. With votes still open the result is pending unless they cannot change it."""
    cast = tuple(votes)
    ayes, noes = cast.count(Vote.AYE), cast.count(Vote.NO)
    abstained, waiting = cast.count(Vote.ABSTAIN), cast.count(Vote.OPEN)
    reasons = [vote.reason for vote in cast if isinstance(vote, Absent)]
    electorate = _electorate(threshold.of, ayes, noes, abstained, len(cast))
    result = _result(threshold, ayes, electorate)
    if waiting:
        result = _certain(threshold, ayes, noes, abstained, waiting, len(cast))
    counted = tuple((reason, reasons.count(reason)) for reason in AbsentReason if reason in reasons)
    needed = _needed(threshold, ayes, electorate)
    return Tally(result, threshold, ayes, noes, abstained, waiting, counted, electorate, needed)


def _electorate(of: Denominator, ayes: int, noes: int, abstained: int, seated: int) -> int:
    match of:
        case Denominator.VOTING:
            return ayes + noes
        case Denominator.PRESENT:
            return ayes + noes + abstained
        case Denominator.SEATED:
            return seated


def _needed(threshold: Threshold, ayes: int, electorate: int) -> int | None:
    """Return the least number of ayes that carries; unless all seats count, an aye also raises the denominator."""
    top, bottom, others = threshold.numerator, threshold.denominator, electorate - ayes
    if threshold.of is Denominator.SEATED:
        wanted = threshold.fewest(electorate)
        return max(0, wanted - ayes) if wanted <= electorate else None
    if others and top == bottom:
        return None
    share = -(-top * others // (bottom - top)) if others else 0
    return max(0, max(threshold.least, share) - ayes)


def _result(threshold: Threshold, ayes: int, electorate: int) -> TallyResult:
    if electorate == 0:
        return TallyResult.NO_ELECTORATE
    return TallyResult.CARRIED if threshold.met(ayes, electorate) else TallyResult.LOST


def _certain(threshold: Threshold, ayes: int, noes: int, abstained: int, waiting: int, seated: int) -> TallyResult:
    """Return the result that every completion of the open votes gives, or pending.

    An open vote may still become an aye, a no, an abstention or an absence. More ayes never hurt, and more noes
    never help, so the two extremes and the empty completion decide for all others.
    """
    best = _result(threshold, ayes + waiting, _electorate(threshold.of, ayes + waiting, noes, abstained, seated))
    worst = _result(threshold, ayes, _electorate(threshold.of, ayes, noes + waiting, abstained, seated))
    empty = _result(threshold, ayes, _electorate(threshold.of, ayes, noes, abstained, seated))
    return best if best is worst is empty else TallyResult.PENDING
