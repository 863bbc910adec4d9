"""Scores: what the answers of a sitting come to, with intervals.

A pair is right where the good text gets a higher measured answer than its bad twin; whoever guesses is right in half of
them, however they prefer one answer or the other. A tie is decided by lot, as a guess would be, so that a tie is worth
neither more nor less. The interval of that share is exact (Clopper-Pearson, 95 %). It is looked at after 6, 12, 24, …
pairs and at the end; somebody who guesses is found to be better than chance in about one sitting of twenty.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from math import ceil, floor, sqrt
from random import Random
from statistics import fmean, stdev

from quorate.participants.token_odds import WHOLE
from quorate.simulate.calibration import Forecast, brier, expected_calibration_error, reliability_table
from quorate.simulate.intervals import Interval, clopper_pearson, wilson

FIRST_LOOK = 6
"""Pairs; with fewer no result could leave chance."""
HALF = WHOLE // 2
Z95 = 1.959964


class Competence(Enum):
    """What a model's share of right pairs says about it."""

    QUALIFIED = "qualified"
    UNDECIDED = "not told apart from chance"
    WORSE = "worse than chance"


@dataclass(frozen=True, slots=True)
class PairAnswer:
    """What a model made of one pair: its measured answer for each twin, of 1,000 in favour of the text."""

    item: str
    good: int
    bad: int
    seen: int = WHOLE
    """Of 1,000: how much of the model's probability fell on answers that can be read."""
    askings: int = 1
    """How many askings were added up for each twin."""

    def is_right(self, seed: int) -> bool:
        if self.good != self.bad:
            return self.good > self.bad
        return Random(f"{seed} {self.item}").random() < 0.5  # noqa: S311  (a lot, drawn the same every time)


@dataclass(frozen=True, slots=True)
class PerMille:
    """A share of 1,000 with its interval."""

    value: int
    low: int
    high: int

    @classmethod
    def of(cls, value: float, interval: tuple[float, float]) -> PerMille:
        low, high = (min(1.0, max(0.0, bound)) for bound in interval)
        return cls(round(value * WHOLE), round(low * WHOLE), round(high * WHOLE))


@dataclass(frozen=True, slots=True)
class PaperScore:
    """What a model's answers to one protocol's paper come to. Shares are of 1,000."""

    protocol: str
    pairs: int
    right: int
    ties: int
    """Pairs decided by lot."""
    accuracy: PerMille
    discrimination: PerMille
    """The chance that a good text taken at random gets a higher answer than any bad one (AUC): 500 is chance."""
    yes: PerMille
    """How often it speaks for a text; half of them are good."""
    brier: PerMille
    """Mean squared error of its answers as probabilities: 0 is perfect, 250 is always answering one half."""
    calibration_error: int
    seen: int
    askings: int
    """Askings for each text, on average."""
    competence: Competence


def competence(right: int, pairs: int) -> Competence:
    """Return what a count of right pairs says: whether its interval leaves one half."""
    low, high = clopper_pearson(right, pairs)
    if low > 0.5:
        return Competence.QUALIFIED
    return Competence.WORSE if high < 0.5 else Competence.UNDECIDED


def is_look(pairs: int) -> bool:
    """Whether the interval is looked at after this many pairs: 6, 12, 24 and so on."""
    turns, rest = divmod(pairs, FIRST_LOOK)
    return rest == 0 and turns > 0 and turns & (turns - 1) == 0


def count_right(answers: Sequence[PairAnswer], seed: int) -> int:
    return sum(answer.is_right(seed) for answer in answers)


def score(protocol: str, answers: Sequence[PairAnswer], seed: int) -> PaperScore:
    """Return the score of at least one answer."""
    pairs, right = len(answers), count_right(answers, seed)
    singles = [*((answer.good, True) for answer in answers), *((answer.bad, False) for answer in answers)]
    forecasts: list[Forecast] = [(Fraction(value, WHOLE), good) for value, good in singles]
    yes = sum(value > HALF for value, _ in singles)
    error = expected_calibration_error(reliability_table(forecasts))
    return PaperScore(
        protocol=protocol,
        pairs=pairs,
        right=right,
        ties=sum(answer.good == answer.bad for answer in answers),
        accuracy=PerMille.of(right / pairs, clopper_pearson(right, pairs)),
        discrimination=discrimination([answer.good for answer in answers], [answer.bad for answer in answers]),
        yes=PerMille.of(yes / len(singles), clopper_pearson(yes, len(singles))),
        brier=_brier(answers, forecasts),
        calibration_error=round((error or Fraction(0)) * WHOLE),
        seen=round(fmean(answer.seen for answer in answers)),
        askings=round(fmean(answer.askings for answer in answers)),
        competence=competence(right, pairs),
    )


def discrimination(good: Sequence[int], bad: Sequence[int]) -> PerMille:
    """Return the area under the ROC curve of single texts.

    Its variance is at most that of a share of as many cases as there are texts of the rarer kind, so Wilson's interval
    of such a share is wide enough.
    """
    wins = sum((g > b) + 0.5 * (g == b) for g in good for b in bad)
    area, cases = wins / (len(good) * len(bad)), min(len(good), len(bad))
    return PerMille.of(area, (wilson(floor(area * cases), cases).low, wilson(ceil(area * cases), cases).high))


def _brier(answers: Sequence[PairAnswer], forecasts: Sequence[Forecast]) -> PerMille:
    """Return the Brier score; its interval is that of a mean over pairs, whose twins are not independent."""
    found = brier(forecasts)
    value = float(found.score) if found is not None else 0.0
    each = [((WHOLE - answer.good) ** 2 + answer.bad**2) / (2 * WHOLE * WHOLE) for answer in answers]
    if len(each) < 2:
        return PerMille.of(value, Interval(0.0, 1.0))
    reach = Z95 * stdev(each) / sqrt(len(each))
    return PerMille.of(value, (value - reach, value + reach))


@dataclass(frozen=True, slots=True)
class FormRate:
    """How many of one kind of form task were done as asked."""

    name: str
    passed: int
    tasks: int

    @property
    def figure(self) -> PerMille:
        return PerMille.of(self.passed / self.tasks if self.tasks else 0.0, clopper_pearson(self.passed, self.tasks))
