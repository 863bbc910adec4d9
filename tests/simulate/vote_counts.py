"""The exact distribution of the number of right votes: what simulated sessions and printed tables have to give."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import comb
from typing import assert_never

from quorate.simulate.mixtures import Polynomial, expected, family_pattern, pattern, times
from quorate.simulate.voters import ONE, ZERO, CommonMode, Exchangeable, FamilyBlock, Independent, Voters

Counts = tuple[Fraction, ...]
"""`counts[k]` is the exact probability that k voters are right, k from 0 to n."""


def counts(voters: Voters) -> Counts:
    """The distribution of the number of right votes; exact, and without enumerating judgements."""
    match voters:
        case Independent():
            return convolved(voters.p)
        case Exchangeable():
            n = voters.n
            return tuple(comb(n, k) * pattern(voters.p, voters.phi, k, n - k) for k in range(n + 1))
        case CommonMode():
            alone = binomial(voters.n, voters.p)
            rest = tuple((1 - voters.q) * share for share in alone)
            return (voters.q + rest[0], *rest[1:])
        case FamilyBlock():
            return _family_counts(voters)
        case _:
            assert_never(voters)


def binomial(n: int, p: Fraction) -> Counts:
    """The number of right votes among n independent voters of accuracy p: C(n,k) p^k (1-p)^(n-k)."""
    return tuple(comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1))


def convolved(chances: Sequence[Fraction]) -> Counts:
    """The number of successes of independent trials with different chances (Poisson-binomial), one trial at a time."""
    result = [ONE]
    for p in chances:
        result = [
            (result[k] * (1 - p) if k < len(result) else ZERO) + (result[k - 1] * p if k else ZERO)
            for k in range(len(result) + 1)
        ]
    return tuple(result)


def at_least(distribution: Counts, needed: int) -> Fraction:
    """The chance of `needed` or more."""
    return sum(distribution[max(needed, 0) :], start=ZERO)


def all_wrong(voters: Voters) -> Fraction:
    """beta, the chance that everybody is wrong: a rule that picks a member's answer is right in at most 1 - beta."""
    return counts(voters)[0]


def _family_counts(voters: FamilyBlock) -> Counts:
    """Given theta the families are independent: counts convolve as polynomials in theta, which is then averaged."""
    by_count: list[Polynomial] = [(ONE,)]
    for members in (voters.families.count(family) for family in dict.fromkeys(voters.families)):
        family = [
            times((Fraction(comb(members, k)),), family_pattern(voters.within, k, members - k))
            for k in range(members + 1)
        ]
        by_count = [
            _total([times(by_count[j], family[k - j]) for j in range(len(by_count)) if 0 <= k - j <= members])
            for k in range(len(by_count) + members)
        ]
    return tuple(expected(given, voters.p, voters.across) for given in by_count)


def _total(terms: Sequence[Polynomial]) -> Polynomial:
    """The sum of polynomials of one degree (as many votes, as many factors)."""
    return tuple(sum(same, start=ZERO) for same in zip(*terms, strict=True))
