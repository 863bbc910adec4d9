"""The exact distribution of the number of right votes, and the accuracy and error correlation behind it."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import comb
from typing import assert_never

from quorate.simulate.mixtures import Polynomial, expected, family_pattern, pattern, times
from quorate.simulate.voters import ONE, ZERO, CommonMode, Exchangeable, FamilyBlock, Independent, Voters, size

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


def accuracy(voters: Voters) -> tuple[Fraction, ...]:
    """The chance of each voter, alone, to be right."""
    match voters:
        case Independent():
            return voters.p
        case Exchangeable() | FamilyBlock():
            return (voters.p,) * size(voters)
        case CommonMode():
            return ((1 - voters.q) * voters.p,) * voters.n
        case _:
            assert_never(voters)


def correlation(voters: Voters, first: int, second: int) -> Fraction | None:
    """The error correlation phi of two different voters; None where one of them never varies (accuracy 0 or 1)."""
    chances = accuracy(voters)
    if any(chances[i] in (0, 1) for i in (first, second)):
        return None
    match voters:
        case Independent():
            return ZERO
        case Exchangeable():
            return voters.phi
        case CommonMode():
            # Both right: (1-q)p^2. With m = (1-q)p that is (m p - m^2) / (m (1-m)) = pq / (1-m).
            return voters.p * voters.q / (1 - chances[first])
        case FamilyBlock():
            return voters.inside if voters.families[first] == voters.families[second] else voters.across
        case _:
            assert_never(voters)


def mean_correlation(voters: Voters) -> Fraction | None:
    """The mean of `correlation` over all pairs of voters; None for one voter, or where some voter never varies."""
    n = size(voters)
    found = [correlation(voters, i, j) for i in range(n) for j in range(i)]
    pairs = [phi for phi in found if phi is not None]
    return sum(pairs, start=ZERO) / len(pairs) if pairs and len(pairs) == len(found) else None


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
