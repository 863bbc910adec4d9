"""Redeciding: applies our decision rules to recorded ballots, without asking anybody again.

Every rule is applied to the ballots of the first round and to the last ballot of each voter. A rule that asks for a
share counts it of everybody who could vote, with the tally that sessions use; it may leave an item undecided.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from quorate.core.errors import DefinitionError, SettingError
from quorate.core.tally import Threshold
from quorate.lab.bench.ballots import Item
from quorate.lab.bench.figures import holm
from quorate.lab.bench.rules import Rule, Votes, alone, curtailed, majority, plurality, quorum, unanimous, weighted
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


def redecide(items: Sequence[Item], quorums: Sequence[str] = STANDARD) -> Redecision:
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


def _right(item: Item, answer: str | None) -> bool | None:
    return None if answer is None else answer == item.truth


def _flips(items: Sequence[Item]) -> Flips:
    found = []
    for item in items:
        first, last = item.first(), item.last()
        talked = {each.voter for each in item.ballots if each.round > 1} & first.keys()
        found += [(first[voter] == item.truth, last[voter] == item.truth) for voter in sorted(talked)]
    return Flips.of(found)


def _rules(items: Sequence[Item], quorums: Sequence[str]) -> list[Redecided]:
    """Apply every rule to the first and to the last ballots, each compared with the first voter alone."""
    named: dict[str, Rule] = {"first voter": alone, "plurality": plurality, "majority": majority}
    named |= {f"quorum {text}": _quorum(text) for text in quorums}
    named |= {"unanimity": unanimous, "curtailed majority": lambda votes: curtailed(votes)[0]}
    looks: dict[str, Callable[[Item], Votes]] = {"first": Item.first, "last": Item.last}
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
    items: Sequence[Item], base: list[bool], found: Sequence[tuple[str, str, list[str | None], int]]
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


def _calibrated(items: Sequence[Item], votes: Sequence[Votes]) -> list[str | None]:
    """Weigh each voter by its odds of being right on the other half of the items, so that no item weighs itself."""
    halves = [
        weighted(_odds([(i, v) for n, (i, v) in enumerate(zip(items, votes, strict=True)) if n % 2 != half]))
        for half in (0, 1)
    ]
    return [halves[number % 2](each) for number, each in enumerate(votes)]


def _odds(seen: Sequence[tuple[Item, Votes]]) -> dict[str, Fraction]:
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
