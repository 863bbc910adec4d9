"""Decision rules over recorded ballots, with the tally that sessions use; None means no decision."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from math import prod

from quorate.core.tally import Denominator, Result, Threshold, Vote, tally

Votes = Mapping[str, str | None]
"""Answers by voter; None where there was no usable one."""
Rule = Callable[[Votes], str | None]
ONE = Fraction(1)


def quorum(numerator: int, denominator: int) -> Rule:
    """The answer given by at least this share of all eligible voters; None if two reach it."""
    return lambda votes: _carried(votes, Threshold(numerator, denominator, Denominator.SEATED))


def majority(votes: Votes) -> str | None:
    """The answer that more than half of all voters give."""
    return _carried(votes, Threshold(len(votes) // 2 + 1, len(votes), Denominator.SEATED)) if votes else None


def unanimous(votes: Votes) -> str | None:
    """The answer that all voters give."""
    return quorum(1, 1)(votes)


def plurality(votes: Votes) -> str | None:
    """The most frequent answer; a tie decides nothing."""
    given = [each for each in votes.values() if each is not None]
    counts = sorted(((given.count(each), each) for each in dict.fromkeys(given)), reverse=True)
    if not counts or (len(counts) > 1 and counts[0][0] == counts[1][0]):
        return None
    return counts[0][1]


def alone(votes: Votes) -> str | None:
    """The answer of the first voter."""
    return next(iter(votes.values()), None)


def weighted(odds: Mapping[str, Fraction]) -> Rule:
    """The answer with the largest product of odds, and so the largest sum of log-odds; a tie decides nothing."""

    def decide(votes: Votes) -> str | None:
        sums = {
            answer: prod((odds.get(voter, ONE) for voter, each in votes.items() if each == answer), start=ONE)
            for answer in dict.fromkeys(each for each in votes.values() if each is not None)
        }
        best = max(sums.values(), default=None)
        leaders = [answer for answer, worth in sums.items() if worth == best]
        return leaders[0] if len(leaders) == 1 else None

    return decide


def curtailed(votes: Votes) -> tuple[str | None, int]:
    """A majority counted ballot by ballot, and how many ballots it takes until the result is certain."""
    needed, counts, read = len(votes) // 2 + 1, dict[str, int](), 0
    for answer in votes.values():
        read += 1
        if answer is not None:
            counts[answer] = counts.get(answer, 0) + 1
        most = max(counts.values(), default=0)
        if most >= needed or most + len(votes) - read < needed:
            break
    return next((answer for answer, count in counts.items() if count >= needed), None), read


def _carried(votes: Votes, threshold: Threshold) -> str | None:
    found = []
    for answer in dict.fromkeys(each for each in votes.values() if each is not None):
        cast = [Vote.AYE if each == answer else Vote.ABSTAIN if each is None else Vote.NO for each in votes.values()]
        if tally(cast, threshold).result is Result.CARRIED:
            found.append(answer)
    return found[0] if len(found) == 1 else None
