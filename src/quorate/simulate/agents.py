"""The agents of a simulation: the parameters of each seat, and the exact distribution of its opinion.

One set of numbers describes every honest seat. Opinions come about in this order: a seat judges rightly or not,
together with the others (`voters`); a bias may speak in its place; it may abstain; it may find a defect itself, and
then it holds to that. Malicious seats are always wrong, obstructing ones object to everything; both are never absent,
and follow nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from fractions import Fraction

from quorate.core.errors import SettingError
from quorate.kit.judgement import Opinion
from quorate.simulate.voters import ONE, ZERO, CommonMode, Exchangeable, FamilyBlock, Independent, Voters, chance

MOST_FAMILIES = 20
WHOLE = ("families", "malice", "obstruct")
"""The numbers that count something; all others are chances, or correlations."""
Law = tuple[tuple[Fraction, Opinion], ...]
"""What a seat may hold, each with its probability."""


@dataclass(frozen=True, slots=True)
class Agents:
    """The parameters of the simulated seats."""

    accuracy: Fraction = Fraction(7, 10)
    """The chance that a seat judges rightly."""
    correlation: Fraction = ZERO
    """The error correlation phi of two seats; with several families, of two seats of one family."""
    across: Fraction = ZERO
    """The error correlation of two seats of different families."""
    families: int = 1
    """Model families, dealt to the seats in turn."""
    common_mode: Fraction = ZERO
    """The chance that something misleads every honest seat at once."""
    conform: Fraction = ZERO
    """The chance that a seat adopts the majority it is shown."""
    contrary: Fraction = ZERO
    """The chance that a seat takes the side against the majority it is shown."""
    stubborn: Fraction = ONE
    """The chance that a seat which does neither, holds what it held; otherwise it judges anew, alone."""
    abstain: Fraction = ZERO
    """The chance that a seat abstains."""
    fail: Fraction = ZERO
    """The chance that a seat gives no usable reply, each time it is asked."""
    recall: Fraction | None = None
    """The chance that a seat finds a defect that is there; None lets its judgement decide."""
    false_alarm: Fraction | None = None
    """The chance that a seat finds a defect that is not there; None lets its judgement decide."""
    bias: Fraction = ZERO
    """The chance that a seat says "sound" whatever it sees; below zero, that it says "defective"."""
    malice: int = 0
    """Seats that are always wrong: the last ones."""
    obstruct: int = 0
    """Seats that object to everything, with a veto where they hold one: the last before those."""

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if each.name not in (*WHOLE, "bias") and value is not None:
                chance(value, each.name)
        chance(abs(self.bias), "bias")
        if not 1 <= self.families <= MOST_FAMILIES:
            raise SettingError(f"is {self.families}", key="families", expected=f"a number from 1 to {MOST_FAMILIES}")
        for key, seats in (("malice", self.malice), ("obstruct", self.obstruct)):
            if seats < 0:
                raise SettingError(f"is {seats}", key=key, expected="a number of seats, 0 or more")
        if self.conform + self.contrary > 1:
            raise SettingError(
                f"is {self.contrary}, and with the chance of {self.conform} to conform it exceeds 1",
                key="contrary",
                expected="at most what is left of 1",
            )
        if self.common_mode and (self.correlation or self.families > 1):
            raise SettingError(
                "cannot be combined with a correlation or with families",
                key="common_mode",
                expected="one model of how errors are correlated",
            )
        if self.families > 1 and self.across > self.correlation:
            raise SettingError(
                f"is {self.across}, above the correlation inside a family ({self.correlation})",
                key="across",
                expected="at most the correlation",
            )
        if self.families == 1 and self.across:
            raise SettingError("needs a second family", key="across", expected="families of 2 or more")

    def voters(self, count: int) -> Voters:
        """Return the joint error model of this many honest seats."""
        if self.families > 1:
            dealt = tuple(number % self.families for number in range(count))
            return FamilyBlock(dealt, self.accuracy, self.correlation, self.across)
        if self.common_mode:
            return CommonMode(count, self.common_mode, self.accuracy)
        if self.correlation:
            return Exchangeable(count, self.accuracy, self.correlation)
        return Independent((self.accuracy,) * count)

    def opinions(self, right: bool, favourable: bool, *, finds: bool = True) -> Law:
        """Return the distribution of a seat's opinion, given whether it judges rightly and whether there is a defect.

        A seat that only judges the findings of others finds nothing itself.
        """
        biased = favourable if self.bias > 0 else not favourable
        stances = [(abs(self.bias), biased), (1 - abs(self.bias), right)]
        held = [(self.abstain, Opinion(None))]
        held += [((1 - self.abstain) * share, Opinion(stance)) for share, stance in stances]
        rate = self.false_alarm if favourable else self.recall
        if rate is None or not finds:
            return merged(held)
        # Whoever has found something holds that there is a defect: rightly where there is one.
        seen = (rate, Opinion(not favourable, True))
        return merged([seen, *(((1 - rate) * share, Opinion(each.right, False)) for share, each in held)])

    def afresh(self, favourable: bool, *, finds: bool = True) -> Law:
        """Return the distribution of the opinion of a seat that judges anew, alone."""
        return merged(
            (share * given, opinion)
            for share, right in ((self.accuracy, True), (1 - self.accuracy, False))
            for given, opinion in self.opinions(right, favourable, finds=finds)
        )

    def alone(self, favourable: bool, concludes: Callable[[Opinion], bool | None]) -> Fraction:
        """Return the chance that one honest seat alone is right; failures and abstentions count as not right."""
        given = (1 - self.common_mode) * self.accuracy
        return (1 - self.fail) * sum(
            (
                share * each
                for share, right in ((given, True), (1 - given, False))
                for each, opinion in self.opinions(right, favourable)
                if concludes(opinion)
            ),
            start=ZERO,
        )


def merged(law: Iterable[tuple[Fraction, Opinion]]) -> Law:
    """Add up the probabilities of equal values, and drop impossible ones."""
    found: dict[Opinion, Fraction] = {}
    for share, opinion in law:
        if share:
            found[opinion] = found.get(opinion, ZERO) + share
    return tuple((share, opinion) for opinion, share in found.items())


def adopted(opinion: Opinion, majority: bool, favourable: bool) -> Opinion:
    """Return the opinion of a seat that adopts the majority; it gives up its own finding."""
    return Opinion(majority, None if opinion.found is None else majority is not favourable)
