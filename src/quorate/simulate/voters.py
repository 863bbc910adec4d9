"""Joint distributions of voters who are right or wrong about one question, exact.

A voter is right (`True`) or wrong (`False`). Four models say how the errors of several voters hang together:

- `Independent`: each errs alone, each with an accuracy of its own (Condorcet).
- `Exchangeable`: all have accuracy p, and every pair has error correlation phi; the number of right votes is
  beta-binomial with a = p(1-phi)/phi and b = (1-p)(1-phi)/phi.
- `CommonMode`: with chance q something misleads everybody at once; otherwise each is right with chance p.
- `FamilyBlock`: all have accuracy p; two voters of one model family have error correlation `inside`, two voters of
  different families `across`.

Everything here is exact in `Fraction`; `draw` consumes whole numbers of its source, so it has the exact law, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod
from typing import Protocol, assert_never

from quorate.core.errors import SettingError
from quorate.simulate.mixtures import Polynomial, expected, family_pattern, pattern, times

ZERO, ONE = Fraction(0), Fraction(1)
MOST_VOTERS = 100
MOST_ENUMERATED = 20
"""Enumeration visits 2^n judgements; twenty voters are a million, and more are drawn rather than enumerated."""


class Source(Protocol):
    """A source of randomness, such as `random.Random(seed)`."""

    def randrange(self, stop: int, /) -> int: ...


def chance(value: Fraction, key: str) -> Fraction:
    """Return the probability unchanged; a value outside 0 to 1, or one that is not exact, is a SettingError."""
    if isinstance(value, float) or not 0 <= value <= 1:
        raise SettingError(f"{value} is not an exact probability", key=key, expected="a fraction from 0 to 1")
    return Fraction(value)


def headcount(n: int, key: str = "n") -> int:
    """Return the number of voters unchanged; fewer than one or more than MOST_VOTERS is a SettingError."""
    if not 1 <= n <= MOST_VOTERS:
        raise SettingError(f"is {n}", key=key, expected=f"a whole number from 1 to {MOST_VOTERS}")
    return n


@dataclass(frozen=True, slots=True)
class Independent:
    """Voters that err independently; `p[i]` is the accuracy of voter i."""

    p: tuple[Fraction, ...]

    def __post_init__(self) -> None:
        headcount(len(self.p), "p")
        for value in self.p:
            chance(value, "p")


@dataclass(frozen=True, slots=True)
class Exchangeable:
    """`n` voters of accuracy `p`, every pair with error correlation `phi` (0 independent, 1 always alike)."""

    n: int
    p: Fraction
    phi: Fraction

    def __post_init__(self) -> None:
        headcount(self.n)
        chance(self.p, "p")
        chance(self.phi, "phi")


@dataclass(frozen=True, slots=True)
class CommonMode:
    """`n` voters who are all wrong with chance `q`, and otherwise independently right with chance `p`."""

    n: int
    q: Fraction
    p: Fraction

    def __post_init__(self) -> None:
        headcount(self.n)
        chance(self.q, "q")
        chance(self.p, "p")


@dataclass(frozen=True, slots=True)
class FamilyBlock:
    """Voters of accuracy `p`; `families[i]` is the family of voter i: (0, 0, 1) is two of one family and one other.

    The law: a hidden difficulty theta ~ Beta with mean p and correlation `across`; each family has its own level,
    Beta with mean theta and correlation r = (inside - across)/(1 - across); a voter is right with its family's level.
    With families of one, or with `inside == across`, that is `Exchangeable(n, p, across)`.
    """

    families: tuple[int, ...]
    p: Fraction
    inside: Fraction
    across: Fraction

    def __post_init__(self) -> None:
        headcount(len(self.families), "families")
        chance(self.p, "p")
        chance(self.inside, "inside")
        chance(self.across, "across")
        if self.inside < self.across:
            raise SettingError(
                f"correlation {self.inside} inside a family is below {self.across} across families",
                key="inside",
                expected="at least the correlation across families",
            )

    @property
    def within(self) -> Fraction:
        """The correlation r that a family adds to what all families share."""
        return ZERO if self.across == 1 else (self.inside - self.across) / (1 - self.across)


Voters = Independent | Exchangeable | CommonMode | FamilyBlock


def size(voters: Voters) -> int:
    """The number of voters."""
    match voters:
        case Independent():
            return len(voters.p)
        case Exchangeable() | CommonMode():
            return voters.n
        case FamilyBlock():
            return len(voters.families)
        case _:
            assert_never(voters)


def joint(voters: Voters) -> Iterator[tuple[tuple[bool, ...], Fraction]]:
    """Every judgement (who is right, who is wrong) of positive chance, with its exact probability; they sum to one.

    More than MOST_ENUMERATED voters are a SettingError: draw them instead.
    """
    n = size(voters)
    if n > MOST_ENUMERATED:
        raise SettingError(f"{n} voters have 2^{n} judgements", key="n", expected=f"at most {MOST_ENUMERATED}")
    every = product((True, False), repeat=n)
    return ((judgement, weight) for judgement in every if (weight := likelihood(voters, judgement)))


def likelihood(voters: Voters, judgement: tuple[bool, ...]) -> Fraction:
    """The exact probability that exactly these voters are right."""
    n, right = len(judgement), sum(judgement)
    match voters:
        case Independent():
            return prod((p if good else 1 - p for p, good in zip(voters.p, judgement, strict=True)), start=ONE)
        case Exchangeable():
            return pattern(voters.p, voters.phi, right, n - right)
        case CommonMode():
            alone = (1 - voters.q) * voters.p**right * (1 - voters.p) ** (n - right)
            return alone + (voters.q if right == 0 else ZERO)
        case FamilyBlock():
            families = dict.fromkeys(voters.families, (0, 0))
            for good, family in zip(judgement, voters.families, strict=True):
                rights, wrongs = families[family]
                families[family] = (rights + good, wrongs + (not good))
            given: Polynomial = (ONE,)
            for rights, wrongs in families.values():
                given = times(given, family_pattern(voters.within, rights, wrongs))
            return expected(given, voters.p, voters.across)
        case _:
            assert_never(voters)


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


def draw(source: Source, voters: Voters) -> tuple[bool, ...]:
    """One judgement with the law of `joint`, exactly; the same seed gives the same judgement."""
    match voters:
        case Independent():
            return tuple(happens(source, p) for p in voters.p)
        case Exchangeable():
            votes: list[bool] = []
            return tuple(_echo(source, votes, voters.phi, lambda: happens(source, voters.p)) for _ in range(voters.n))
        case CommonMode():
            if happens(source, voters.q):
                return (False,) * voters.n
            return tuple(happens(source, voters.p) for _ in range(voters.n))
        case FamilyBlock():
            return _draw_families(source, voters)
        case _:
            assert_never(voters)


def happens(source: Source, probability: Fraction) -> bool:
    """True with exactly this probability."""
    return source.randrange(probability.denominator) < probability.numerator


def _draw_families(source: Source, voters: FamilyBlock) -> tuple[bool, ...]:
    shared: list[bool] = []
    inside: dict[int, list[bool]] = {family: [] for family in voters.families}
    within = voters.within

    def of_all() -> bool:
        return _echo(source, shared, voters.across, lambda: happens(source, voters.p))

    return tuple(_echo(source, inside[family], within, of_all) for family in voters.families)


def _echo(source: Source, earlier: list[bool], phi: Fraction, fresh: Callable[[], bool]) -> bool:
    """Repeat one of the i earlier votes with chance i phi / (1 - phi + i phi), else vote afresh; remember the vote.

    This is the urn form of a beta-binomial: the votes have pairwise correlation phi, whatever their order.
    """
    i = len(earlier)
    a, b = phi.numerator, phi.denominator
    repeats = i > 0 and source.randrange(b - a + i * a) < i * a
    vote = earlier[source.randrange(i)] if repeats else fresh()
    earlier.append(vote)
    return vote
