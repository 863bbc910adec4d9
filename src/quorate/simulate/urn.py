"""Debate without new information, as a Polya urn: beliefs stay the same on average while voters become correlated.

Every agent holds a Dirichlet belief over two answers with mass A and mean p, answers by it, sees the answers of others
and adds them to its counts. Nobody learns anything that was not in the room. All results are exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb, lcm

from quorate.core.errors import SettingError
from quorate.simulate.voters import ZERO, chance, headcount

Seen = tuple[tuple[int, ...], ...]
"""`seen[i]` are the agents whose answers agent i sees."""
MOST_TALK = 300
"""Answers in all that a debate may have; its exact numbers grow with every one of them."""


@dataclass(frozen=True, slots=True)
class Talk:
    """How a debate stands after `rounds` rounds."""

    rounds: int
    belief: Fraction
    """The mean chance of an agent to answer right; it never moves."""
    vote: Fraction
    """The chance that a majority of the agents, asked now, is right; it falls."""


def debate(n: int, mass: Fraction, p: Fraction, rounds: int) -> tuple[Talk, ...]:
    """Everybody sees all n answers of every round; the state after 0 to `rounds` rounds, by a dynamic programme.

    After t rounds all agents share one belief, (A p + right answers so far) / (A + t n), so one number is the state.
    """
    headcount(n)
    chance(p, "p")
    if mass <= 0:
        raise SettingError(f"is {mass}", key="mass", expected="a positive number")
    if not 0 <= rounds <= MOST_TALK // n:
        raise SettingError(f"{rounds} rounds of {n}", key="rounds", expected=f"at most {MOST_TALK} answers in all")
    told: list[Talk] = []
    law, whole = {0: 1}, 1  # the chance of so many right answers so far, in whole numbers over a common denominator
    for t in range(rounds + 1):
        belief = {right: (mass * p + right) / (mass + t * n) for right in law}
        parts = lcm(*(level.denominator for level in belief.values()))
        later: dict[int, int] = {}
        average = majority = 0
        for right, weight in law.items():
            level = int(belief[right] * parts)
            average += weight * level
            for k in range(n + 1):
                share = weight * comb(n, k) * level**k * (parts - level) ** (n - k)
                later[right + k] = later.get(right + k, 0) + share
                majority += share if 2 * k > n else 0
        told.append(Talk(t, Fraction(average, whole * parts), Fraction(majority, whole * parts**n)))
        law, whole = later, whole * parts**n
    return tuple(told)


def drift(beliefs: Sequence[Fraction], mass: Fraction, seen: Seen, rounds: int = 1) -> tuple[Fraction, ...]:
    """Each agent's expected belief after `rounds` rounds in which agent i adds the answers of `seen[i]` to its counts.

    One round takes agent i from x_i to (mass_i x_i + sum of the seen x_j) / (mass_i + number seen), and its mass grows
    by that number. The mean over agents is conserved where all see, and are seen by, equally many; on a star it is not.
    """
    now, masses = tuple(beliefs), [mass] * len(beliefs)
    for _ in range(rounds):
        now = tuple(
            (masses[i] * now[i] + sum((now[j] for j in seen[i]), start=ZERO)) / (masses[i] + len(seen[i]))
            for i in range(len(now))
        )
        masses = [before + len(seen[i]) for i, before in enumerate(masses)]
    return now


def star(n: int) -> Seen:
    """Agent 0 in the middle sees everybody, and everybody else sees agent 0 alone."""
    return (tuple(range(1, n)), *(((0,),) * (n - 1)))


def complete(n: int) -> Seen:
    """Everybody sees everybody else."""
    return tuple(tuple(j for j in range(n) if j != i) for i in range(n))


def ring(n: int) -> Seen:
    """Everybody sees the one before and the one after."""
    return tuple(tuple(sorted({(i - 1) % n, (i + 1) % n} - {i})) for i in range(n))
