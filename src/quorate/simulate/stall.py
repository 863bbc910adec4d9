"""Stall detection: the false alarms of counting empty episodes, and estimates of how much is still unseen.

A run-length rule ("three episodes with nothing new") stops productive searches, too; how often is exact here. The
estimates read how often each finding was seen, and are exact fractions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterable
from dataclasses import dataclass
from fractions import Fraction

from quorate.core.errors import SettingError
from quorate.simulate.voters import ONE, ZERO, chance

MOST_EPISODES = 1_000


def episodes_to_false_stall(empty: Fraction, run: int = 3) -> Fraction | None:
    """Expected episodes until `run` empty ones in a row, each empty with chance q: (1 - q^run) / ((1-q) q^run).

    None where no episode is ever empty; where every one is, it is `run`.
    """
    q = chance(empty, "empty")
    _check_run(run)
    if q == 0:
        return None
    # The closed form is the sum of q^-i for i from 1 to run; written so, it also holds for q = 1.
    return sum((1 / q**i for i in range(1, run + 1)), start=ZERO)


def false_stall(empty: Fraction, episodes: int, run: int = 3) -> Fraction:
    """The chance that among so many episodes, each empty with chance `empty`, some `run` in a row are empty."""
    q = chance(empty, "empty")
    _check_run(run)
    if not 0 <= episodes <= MOST_EPISODES:
        raise SettingError(f"is {episodes}", key="episodes", expected=f"a whole number from 0 to {MOST_EPISODES}")
    streaks = [ONE] + [ZERO] * (run - 1)
    for _ in range(episodes):
        streaks = [(1 - q) * sum(streaks, start=ZERO), *(q * before for before in streaks[:-1])]
    return 1 - sum(streaks, start=ZERO)


@dataclass(frozen=True, slots=True)
class Sightings:
    """How often distinct findings were seen, over all reviewers or episodes."""

    distinct: int
    once: int
    twice: int
    total: int

    @classmethod
    def of(cls, found: Iterable[Collection[Hashable]]) -> Sightings:
        """Count from what each reviewer, or each episode, found; a finding counts once in each."""
        seen = Counter(finding for findings in found for finding in set(findings))
        often = Counter(seen.values())
        return cls(len(seen), often[1], often[2], sum(seen.values()))


def unseen_mass(sightings: Sightings) -> Fraction | None:
    """Good-Turing: the chance that the next sighting is of something new, f1/n; None before the first sighting."""
    return Fraction(sightings.once, sightings.total) if sightings.total else None


def chao1(sightings: Sightings) -> Fraction:
    """Chao's estimate of how many findings there are, seen or not: S + f1 (f1 - 1) / (2 (f2 + 1))."""
    return sightings.distinct + Fraction(sightings.once * (sightings.once - 1), 2 * (sightings.twice + 1))


def lincoln_petersen(first: int, second: int, both: int) -> Fraction | None:
    """How many findings there are, from two reviewers: n1 n2 / m, where m were found by both; None where none was.

    It takes them for independent: where both find the easy ones, it is too low.
    """
    if not 0 <= both <= min(first, second):
        raise SettingError(f"is {both}", key="both", expected=f"a whole number from 0 to {min(first, second)}")
    return Fraction(first * second, both) if both else None


def new_per_thousand_tokens(sightings: Sightings, tokens: int) -> Fraction | None:
    """New findings that the next thousand tokens will buy at the rate so far: unseen mass times sightings per 1,000."""
    mass = unseen_mass(sightings)
    return None if mass is None or tokens <= 0 else mass * Fraction(1000 * sightings.total, tokens)


def _check_run(run: int) -> None:
    if run < 1:
        raise SettingError(f"is {run}", key="run", expected="a whole number from 1")
