"""Stopping rules: the exact expected calls and error rates of rules that look at the votes so far.

Votes come one by one from `Exchangeable` voters (phi 0: independent ones). Whether a rule has stopped depends on the
numbers of right and wrong votes alone, so the paths that reach a pair of numbers unstopped are counted as whole numbers
and weighed once, with the exact chance of one such path.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import comb, factorial

from quorate.core.errors import SettingError
from quorate.simulate.mixtures import pattern
from quorate.simulate.voters import ONE, ZERO, chance

MOST_CALLS = 1_000
Rule = Callable[[int, int], bool]
"""Given the votes for one answer and for the other: stop now? It must not care which answer is which."""


@dataclass(frozen=True, slots=True)
class Stopped:
    """What a stopping rule comes to; `right + wrong + undecided == 1`."""

    calls: Fraction
    """The expected number of votes asked for."""
    right: Fraction
    """The rule stopped with the right answer ahead."""
    wrong: Fraction
    """The rule stopped with the wrong answer ahead."""
    undecided: Fraction
    """The cap came before the rule stopped, or it stopped with both answers level."""
    wrong_at_cap: Fraction
    """The part of `undecided` in which the wrong answer led at the cap: taking the leader there errs this much more."""


def sequential(rule: Rule, p: Fraction, cap: int, phi: Fraction = ZERO) -> Stopped:
    """Ask until `rule` says stop, but at most `cap` times; exact."""
    chance(p, "p")
    chance(phi, "phi")
    if not 1 <= cap <= MOST_CALLS:
        raise SettingError(f"is {cap}", key="cap", expected=f"a whole number from 1 to {MOST_CALLS}")
    calls = right = wrong = undecided = behind = ZERO
    paths = {0: 1}
    for asked in range(1, cap + 1):
        later: dict[int, int] = {}
        for ayes, ways in paths.items():
            later[ayes] = later.get(ayes, 0) + ways
            later[ayes + 1] = later.get(ayes + 1, 0) + ways
        paths = {}
        for ayes, ways in later.items():
            noes = asked - ayes
            stops = rule(ayes, noes)
            if not stops and asked < cap:
                paths[ayes] = ways
                continue
            weight = ways * _path(p, phi, ayes, noes)
            calls += asked * weight
            right += weight if stops and ayes > noes else ZERO
            wrong += weight if stops and noes > ayes else ZERO
            undecided += weight if not stops or ayes == noes else ZERO
            behind += weight if not stops and noes > ayes else ZERO
    return Stopped(calls, right, wrong, undecided, behind)


def curtailed(n: int, p: Fraction, phi: Fraction = ZERO, needed: int | None = None) -> Stopped:
    """A vote of n that stops when the rest cannot change its result; the same verdict as asking all n.

    `needed` votes carry an answer, by default more than half. For a majority of odd n the calls are, with m = (n+1)/2,
    the sum over k from m to n of k C(k-1, m-1) (p^m q^(k-m) + q^m p^(k-m)).
    """
    enough = n // 2 + 1 if needed is None else needed
    if 2 * enough <= n:
        raise SettingError(f"is {enough} of {n}, so both answers could win", key="needed", expected="more than half")

    def settled(ayes: int, noes: int) -> bool:
        rest = n - ayes - noes
        return max(ayes, noes) >= enough or max(ayes, noes) + rest < enough

    calls = sequential(settled, p, n, phi).calls
    # Who carries it is asked of the vote without the early end in a hopeless case, where the leader has not carried it.
    return replace(sequential(lambda ayes, noes: max(ayes, noes) >= enough, p, n, phi), calls=calls)


def leads(ayes: int, noes: int) -> Fraction:
    """The chance that the answer ahead is the likelier one, from a flat prior: P(Beta(ahead+1, behind+1) > 1/2).

    For whole numbers that is a binomial sum: the chance of more than `behind` heads in ayes + noes + 1 fair tosses.
    """
    behind, tosses = min(ayes, noes), ayes + noes + 1
    return 1 - Fraction(sum(comb(tosses, k) for k in range(behind + 1)), 2**tosses)


def adaptive_consistency(level: Fraction) -> Rule:
    """Stop when `leads` is at least `level`. No guarantee under repeated looking: a fair coin stops it often."""
    return lambda ayes, noes: leads(ayes, noes) >= level


def evidence(ayes: int, noes: int) -> Fraction:
    """The e-value against a fair coin, 2^n B(ayes+1, noes+1): a fair game's stake, grown by betting on a lead."""
    n = ayes + noes
    return Fraction(2**n * factorial(ayes) * factorial(noes), factorial(n + 1))


def e_process(alpha: Fraction) -> Rule:
    """Stop when `evidence` is at least 1/alpha: whenever one looks, a fair coin stops it with chance at most alpha."""
    return lambda ayes, noes: evidence(ayes, noes) * alpha >= 1


def unanimous_calls(rule: Rule, cap: int = MOST_CALLS) -> int | None:
    """After how many votes, all alike, the rule stops; None where it does not within `cap`."""
    return next((k for k in range(1, cap + 1) if rule(k, 0)), None)


@dataclass(frozen=True, slots=True)
class Sprt:
    """Wald's test of accuracy p0 against p1 > p0, with error chances of about `alpha` (p1 chosen though p0) and `beta`.

    The likelihood ratio is compared as a fraction, so no bound is missed by rounding.
    """

    p0: Fraction
    p1: Fraction
    alpha: Fraction
    beta: Fraction

    def __post_init__(self) -> None:
        if not 0 < self.p0 < self.p1 < 1:
            raise SettingError(f"is {self.p1}, and p0 is {self.p0}", key="p1", expected="0 < p0 < p1 < 1")
        if min(self.alpha, self.beta) <= 0 or self.alpha + self.beta >= 1:
            raise SettingError(
                f"is {self.alpha}, and beta is {self.beta}", key="alpha", expected="alpha + beta < 1, both above 0"
            )

    def says(self, ayes: int, noes: int) -> Fraction | None:
        """The accuracy that the votes so far speak for, p1 or p0, or None where they do not say yet."""
        ratio = (self.p1 / self.p0) ** ayes * ((1 - self.p1) / (1 - self.p0)) ** noes
        if ratio >= (1 - self.beta) / self.alpha:
            return self.p1
        return self.p0 if ratio <= self.beta / (1 - self.alpha) else None


@dataclass(frozen=True, slots=True)
class SprtRun:
    """What Wald's test comes to when votes are right with a given chance; the three chances sum to one."""

    calls: Fraction
    says_p0: Fraction
    says_p1: Fraction
    undecided: Fraction


def sprt(test: Sprt, p: Fraction, cap: int) -> SprtRun:
    """The test run on independent votes of accuracy `p` for at most `cap` calls; exact."""
    chance(p, "p")
    if not 1 <= cap <= MOST_CALLS:
        raise SettingError(f"is {cap}", key="cap", expected=f"a whole number from 1 to {MOST_CALLS}")
    calls = low = high = ZERO
    law = {0: ONE}
    for asked in range(1, cap + 1):
        later: dict[int, Fraction] = {}
        for ayes, weight in law.items():
            calls += weight
            for more, share in ((1, p), (0, 1 - p)):
                match test.says(ayes + more, asked - ayes - more):
                    case None:
                        later[ayes + more] = later.get(ayes + more, ZERO) + weight * share
                    case test.p1:
                        high += weight * share
                    case _:
                        low += weight * share
        law = later
    return SprtRun(calls, low, high, 1 - low - high)


@dataclass(frozen=True, slots=True)
class Rounds:
    """How long a debate lasts that may agree in every round."""

    expected: Fraction
    undecided: Fraction


def rounds_to_consensus(agreeing: Fraction, cap: int) -> Rounds:
    """With chance c of consensus in each round and at most R rounds: (1 - (1-c)^R) / c rounds, undecided (1-c)^R."""
    c = chance(agreeing, "agreeing")
    if not 1 <= cap <= MOST_CALLS:
        raise SettingError(f"is {cap}", key="cap", expected=f"a whole number from 1 to {MOST_CALLS}")
    undecided = (1 - c) ** cap
    return Rounds((1 - undecided) / c if c else Fraction(cap), undecided)


def _path(p: Fraction, phi: Fraction, ayes: int, noes: int) -> Fraction:
    return p**ayes * (1 - p) ** noes if phi == 0 else pattern(p, phi, ayes, noes)
