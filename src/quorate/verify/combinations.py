"""Combinations: every way to answer the asks of a phase, up to interchangeable seats."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations as pick
from itertools import product
from math import comb
from typing import TypeVar

from quorate.core.forms import Reply
from quorate.core.session import Session
from quorate.core.types import Absent, AskId

S = TypeVar("S")
MOST_COMBINATIONS = 50_000
"""Combinations tried at one state; where there are more, at most two seats differ from the rest."""

Combination = tuple[int, ...]
"""For each ask, the place of its reply among its options."""


def count(sizes: Sequence[int], twins: Sequence[Sequence[int]]) -> int:
    """Return how many combinations `every` yields."""
    total = 1
    for group in twins:
        total *= comb(sizes[group[0]] + len(group) - 1, len(group))
    return total


def every(sizes: Sequence[int], twins: Sequence[Sequence[int]]) -> Iterator[Combination]:
    """Yield all combinations; among twins (asks whose seats are interchangeable) replies are in sorted order."""
    before: dict[int, int] = {}
    for group in twins:
        before |= dict(zip(group[1:], group, strict=False))
    row = [0] * len(sizes)

    def fill(place: int) -> Iterator[Combination]:
        if place == len(sizes):
            yield tuple(row)
            return
        low = row[before[place]] if place in before else 0
        for value in range(low, sizes[place]):
            row[place] = value
            yield from fill(place + 1)

    return fill(0)


def few(sizes: Sequence[int]) -> Iterator[Combination]:
    """Yield the combinations in which all seats but at most two reply alike."""
    seen: set[Combination] = set()
    for base in range(max(sizes)):
        same = [min(base, size - 1) for size in sizes]
        for one, other in pick(range(len(sizes)), 2):
            for first, second in product(range(sizes[one]), range(sizes[other])):
                row = list(same)
                row[one], row[other] = first, second
                if (found := tuple(row)) not in seen:
                    seen.add(found)
                    yield found


def answered(session: Session[S], replies: dict[AskId, Reply | Absent]) -> Session[S]:
    """Return the session with these replies; written out for speed, since it is called for every combination."""
    return Session(
        session.phase,
        session.state,
        session.entry,
        session.asks,
        replies,
        session.pending,
        session.interrupted,
        session.episodes,
        session.idle,
    )
