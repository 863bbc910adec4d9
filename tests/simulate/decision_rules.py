"""Decision rules: the exact chances that one is right, wrong, or decides nothing.

Everything is a `Fraction`, also the log-odds weighted vote: comparing two sums of logarithms of odds is comparing two
products of odds. Only the limit of infinitely many correlated voters is irrational.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod

from quorate.core.errors import SettingError
from quorate.core.tally import TallyResult, Threshold, Vote, tally
from quorate.simulate.intervals import incomplete_beta
from quorate.simulate.voters import ZERO, Voters, chance, headcount, joint, size
from tests.simulate.vote_counts import Counts, at_least, binomial, counts

HALF = Fraction(1, 2)
MOST_ROUNDS = 10_000


@dataclass(frozen=True, slots=True)
class Split:
    """The chances of a rule's three results; they sum to one."""

    right: Fraction
    wrong: Fraction
    undecided: Fraction


@dataclass(frozen=True, slots=True)
class QuorumSplit:
    """The chances of a quorum's results. `right + wrong + deadlock + empty == 1`; `lone` is a part of the first two."""

    right: Fraction
    wrong: Fraction
    deadlock: Fraction
    """Somebody voted, and no side alone reached the threshold."""
    empty: Fraction
    """Nobody voted: 0 of 0, which is never a quorum."""
    lone: Fraction
    """A side reached the threshold with the only vote cast."""


Ballots = Mapping[tuple[int, int], Fraction]
"""The chance of each pair (right votes, wrong votes); whoever is in neither abstained."""


def majority(voters: Voters) -> Split:
    """More than half of all voters decide; an equal split decides nothing."""
    n, law = size(voters), counts(voters)
    right, wrong = at_least(law, n // 2 + 1), sum(law[: (n + 1) // 2], start=ZERO)
    return Split(right, wrong, 1 - right - wrong)


def majority_limit(p: Fraction, phi: Fraction) -> float:
    """The accuracy that a majority of `Exchangeable(n, p, phi)` approaches as n grows: P(Beta(a, b) > 1/2); a float."""
    chance(p, "p")
    chance(phi, "phi")
    if phi == 0:
        return 0.5 if p == HALF else float(p > HALF)
    if phi == 1 or p in (0, 1):
        return float(p)
    mass = (1 - phi) / phi
    return incomplete_beta(0.5, float((1 - p) * mass), float(p * mass))


def reached(voters: Voters, needed: int) -> Fraction:
    """The chance that at least `needed` voters say yes, where `True` of a voter means yes.

    With finders and `needed` 1 it is the recall of the union of their findings, with 2 that of seconded findings; with
    reviewers that fall for an injected instruction it is the attacker's success.
    """
    return at_least(counts(voters), needed)


def veto(raisers: Voters, needed: int = 1, rounds: int = 1) -> Fraction:
    """The chance that in some round at least `needed` of the voters raise a veto: 1 - (1 - reached)^rounds.

    With the rate of false alarms it is the chance of a false block, with the rate of detection that of a just one.
    """
    if not 1 <= rounds <= MOST_ROUNDS:
        raise SettingError(f"{rounds} rounds", key="rounds", expected=f"a whole number from 1 to {MOST_ROUNDS}")
    return 1 - (1 - reached(raisers, needed)) ** rounds


def byzantine(honest: Voters, traitors: int) -> Split:
    """A majority of honest voters and of `traitors` that are always wrong, and know it."""
    n, law = headcount(size(honest) + traitors), counts(honest)
    right = at_least(law, n // 2 + 1)
    undecided = law[n // 2] if n % 2 == 0 and n // 2 < len(law) else ZERO
    return Split(right, 1 - right - undecided, undecided)


def ballots(voters: Voters, abstain: Fraction = ZERO) -> Ballots:
    """The law of (right votes, wrong votes) where each voter abstains, or fails to vote, with chance `abstain`.

    Abstaining is independent of being right, so k right voters cast Binomial(k, 1 - abstain) right votes.
    """
    voting, n = 1 - chance(abstain, "abstain"), size(voters)
    cast: list[Counts] = [binomial(k, voting) for k in range(n + 1)]
    law: dict[tuple[int, int], Fraction] = {}
    for k, weight in enumerate(counts(voters)):
        for right, kept in enumerate(cast[k]):
            for wrong, held in enumerate(cast[n - k]):
                if share := weight * kept * held:
                    law[right, wrong] = law.get((right, wrong), ZERO) + share
    return law


def miscounted(law: Ballots, n: int) -> Ballots:
    """For comparison: the result of a count that silently scores every missing ballot as wrong."""
    scored: dict[tuple[int, int], Fraction] = {}
    for (right, _), weight in law.items():
        scored[right, n - right] = scored.get((right, n - right), ZERO) + weight
    return scored


def quorum(law: Ballots, n: int, threshold: Threshold) -> QuorumSplit:
    """The right or the wrong side reaches the threshold among `n` seated voters, counted by the engine's own `tally`.

    `threshold.of` says whether those who abstain stay in the denominator (SEATED, PRESENT) or leave it (VOTING).
    """
    right = wrong = deadlock = empty = lone = ZERO
    for (ayes, noes), weight in law.items():
        if ayes + noes == 0:
            empty += weight
            continue
        for_right, for_wrong = _carries(ayes, noes, n, threshold), _carries(noes, ayes, n, threshold)
        if for_right == for_wrong:
            deadlock += weight
            continue
        right, wrong = right + for_right * weight, wrong + for_wrong * weight
        lone += (ayes + noes == 1) * weight
    return QuorumSplit(right, wrong, deadlock, empty, lone)


def weighted(voters: Voters, weights: Sequence[Fraction]) -> Split:
    """The side with the larger sum of weights decides; equal sums decide nothing. Enumerates judgements."""
    return by_rule(voters, lambda judgement: _heavier(judgement, weights, sum))


def log_odds(voters: Voters, believed: Sequence[Fraction]) -> Split:
    """The vote weighted by log(p/(1-p)) of each voter's `believed` accuracy, the best rule where the belief is true.

    A voter believed to be worse than chance counts for the other side. A belief of 0 or 1 has no odds: SettingError.
    """
    if any(not 0 < p < 1 for p in believed):
        raise SettingError(
            "certainty has no odds", key="believed", expected="accuracies between 0 and 1, both excluded"
        )
    return by_rule(voters, lambda judgement: _heavier(judgement, [p / (1 - p) for p in believed], prod))


def by_rule(voters: Voters, rule: Callable[[tuple[bool, ...]], bool | None]) -> Split:
    """Apply any rule: it gets who is right and returns whether the outcome is right, wrong or (None) undecided."""
    right = wrong = ZERO
    for judgement, weight in joint(voters):
        outcome = rule(judgement)
        right += weight if outcome is True else ZERO
        wrong += weight if outcome is False else ZERO
    return Split(right, wrong, 1 - right - wrong)


def _heavier(
    judgement: tuple[bool, ...], weights: Sequence[Fraction], join: Callable[[list[Fraction]], Fraction | int]
) -> bool | None:
    pairs = list(zip(judgement, weights, strict=True))
    right, wrong = join([w for good, w in pairs if good]), join([w for good, w in pairs if not good])
    return None if right == wrong else right > wrong


def _carries(ayes: int, noes: int, n: int, threshold: Threshold) -> bool:
    cast = [Vote.AYE] * ayes + [Vote.NO] * noes + [Vote.ABSTAIN] * (n - ayes - noes)
    return tally(cast, threshold).result is TallyResult.CARRIED
