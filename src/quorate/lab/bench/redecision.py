"""Redeciding: applies our decision rules to recorded ballots, without asking anybody again.

Every rule is applied to the ballots of the first round and to the last ballot of each voter. A rule that asks for a
share counts it of everybody who could vote, with the tally that sessions use; it may leave an item undecided.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod

from quorate.core.errors import DefinitionError, SettingError
from quorate.core.tally import Denominator, TallyResult, Threshold, Vote, tally
from quorate.lab.bench.ballots import RecordedItem
from quorate.lab.bench.figures import holm
from quorate.simulate.agreement import (
    Ceiling,
    Unanimity,
    ceiling,
    effective_votes,
    pooled_correlation,
    shared_accuracy,
    unanimity,
)
from quorate.simulate.flips import Flips
from quorate.simulate.intervals import Interval, clopper_pearson
from quorate.simulate.pairs import Paired, mcnemar

STANDARD = ("2/3", "3/4")
"""Quorums that are tried where none are named."""
Votes = Mapping[str, str | None]
"""Answers by voter; None where there was no usable one."""
Rule = Callable[[Votes], str | None]
ONE = Fraction(1)


@dataclass(frozen=True, slots=True)
class Redecided:
    """One rule over all items."""

    rule: str
    ballots: str
    """`first` or `last`."""
    items: int
    """Those with a known truth."""
    right: int
    wrong: int
    read: int
    """Ballots that had to be read before it was certain."""
    p: Fraction | None
    """Against the first voter alone, exact and paired; None for the first voter."""
    shown: bool
    gain: Fraction

    @property
    def undecided(self) -> int:
        return self.items - self.right - self.wrong

    @property
    def accuracy(self) -> Fraction | None:
        return Fraction(self.right, self.items) if self.items else None

    @property
    def interval(self) -> Interval:
        return clopper_pearson(self.right, self.items)

    @property
    def says(self) -> str:
        if self.p is None:
            return ""
        if self.shown:
            return "better than the first voter" if self.gain > 0 else "worse than the first voter"
        return "no difference to the first voter shown"


@dataclass(frozen=True, slots=True)
class Redecision:
    """The results of a file of ballots."""

    items: int
    labelled: int
    voters: int
    accuracy: Fraction | None
    """Of a single ballot of the first round."""
    phi: Fraction | None
    effective: Fraction | None
    ceiling: Ceiling
    unanimity: Unanimity
    flips: Flips
    """From the first ballot of a voter to its last one, where it has several."""
    recorded: tuple[int, int] | None
    """Right and all, of what whoever recorded it decided; None where that is not known."""
    rules: tuple[Redecided, ...]


def redecide(items: Sequence[RecordedItem], quorums: Sequence[str] = STANDARD) -> Redecision:
    """Decide recorded ballots again under every rule; figures that need a truth use the items that have one."""
    labelled = [item for item in items if item.truth is not None]
    voters = list(dict.fromkeys(voter for item in items for voter in item.voters))
    table = [[_right(item, item.first().get(voter)) for voter in voters] for item in labelled]
    phi = pooled_correlation(table)
    answers = [[item.first().get(voter) for voter in item.voters] for item in labelled]
    said = [item for item in labelled if item.recorded is not None]
    return Redecision(
        items=len(items),
        labelled=len(labelled),
        voters=len(voters),
        accuracy=shared_accuracy(table),
        phi=phi,
        effective=None if phi is None else effective_votes(len(voters), phi),
        ceiling=ceiling(table),
        unanimity=unanimity(answers, [str(item.truth) for item in labelled]),
        flips=_flips(labelled),
        recorded=(sum(item.recorded == item.truth for item in said), len(said)) if said else None,
        rules=tuple(_rules(labelled, quorums)),
    )


def _right(item: RecordedItem, answer: str | None) -> bool | None:
    return None if answer is None else answer == item.truth


def _flips(items: Sequence[RecordedItem]) -> Flips:
    found = []
    for item in items:
        first, last = item.first(), item.last()
        talked = {each.voter for each in item.ballots if each.round > 1} & first.keys()
        found += [(first[voter] == item.truth, last[voter] == item.truth) for voter in sorted(talked)]
    return Flips.of(found)


def _rules(items: Sequence[RecordedItem], quorums: Sequence[str]) -> list[Redecided]:
    """Apply every rule to the first and to the last ballots, each compared with the first voter alone."""
    named: dict[str, Rule] = {"first voter": alone, "plurality": plurality, "majority": majority}
    named |= {f"quorum {text}": _quorum(text) for text in quorums}
    named |= {"unanimity": unanimous, "curtailed majority": lambda votes: curtailed(votes)[0]}
    looks: dict[str, Callable[[RecordedItem], Votes]] = {"first": RecordedItem.first, "last": RecordedItem.last}
    if not any(each.round > 1 for item in items for each in item.ballots):
        del looks["last"]  # nobody voted twice
    base = [alone(item.first()) == item.truth for item in items]
    found: list[tuple[str, str, list[str | None], int]] = []
    for look, seen in looks.items():
        votes = [seen(item) for item in items]
        for name, rule in named.items():
            short = name == "curtailed majority"
            read = sum(curtailed(each)[1] if short else 1 if rule is alone else len(each) for each in votes)
            found.append((name, look, [rule(each) for each in votes], read))
        found.append(("weighted by calibration", look, _calibrated(items, votes), sum(map(len, votes))))
    return _compared(items, base, found)


def _compared(
    items: Sequence[RecordedItem], base: list[bool], found: Sequence[tuple[str, str, list[str | None], int]]
) -> list[Redecided]:
    pairs = []
    for _, _, decided, _ in found:
        right = [each == item.truth for each, item in zip(decided, items, strict=True)]
        pairs.append(Paired.of(zip(base, right, strict=True)))
    tested = [i for i, (name, look, _, _) in enumerate(found) if (name, look) != ("first voter", "first")]
    shown = dict(zip(tested, holm([mcnemar(pairs[i]) for i in tested]), strict=True))
    told = []
    for i, (name, look, decided, read) in enumerate(found):
        correct = sum(each == item.truth for each, item in zip(decided, items, strict=True))
        wrong = sum(each is not None for each in decided) - correct
        p = mcnemar(pairs[i]) if i in shown else None
        told.append(
            Redecided(
                name, look, len(items), correct, wrong, read, p, shown.get(i, False), pairs[i].gain or Fraction(0)
            )
        )
    return told


def _calibrated(items: Sequence[RecordedItem], votes: Sequence[Votes]) -> list[str | None]:
    """Weigh each voter by its odds of being right on the other half of the items, so that no item weighs itself."""
    halves = [
        weighted(_odds([(i, v) for n, (i, v) in enumerate(zip(items, votes, strict=True)) if n % 2 != half]))
        for half in (0, 1)
    ]
    return [halves[number % 2](each) for number, each in enumerate(votes)]


def _odds(seen: Sequence[tuple[RecordedItem, Votes]]) -> dict[str, Fraction]:
    """Return the odds of each voter, with one right and one wrong answer added so that nobody is certain."""
    counts: dict[str, tuple[int, int]] = {}
    for item, votes in seen:
        for voter, answer in votes.items():
            if answer is not None:
                right, wrong = counts.get(voter, (1, 1))
                good = answer == item.truth
                counts[voter] = (right + good, wrong + (not good))
    return {voter: Fraction(right, wrong) for voter, (right, wrong) in counts.items()}


def _quorum(text: str) -> Rule:
    try:
        share = Threshold.parse(text)
    except DefinitionError as error:
        raise SettingError(f"is {text!r}", key="quorum", expected="a share such as 2/3") from error
    return quorum(share.numerator, share.denominator)


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
        if tally(cast, threshold).result is TallyResult.CARRIED:
            found.append(answer)
    return found[0] if len(found) == 1 else None
