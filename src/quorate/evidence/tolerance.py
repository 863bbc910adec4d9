"""What a verdict tolerates: how many of the votes that carried it may have been dishonest, and what no number covers.

A verdict tolerates f dishonest votes where it would stand had any f of the votes for it been cast against it. That
counts votes alone: an honest veto, or a proven finding, stops a verdict whatever the votes. Faults that the voters
share, as seats with one model do, are outside of any f.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from quorate.core.record import Moved, Record, Said
from quorate.core.session import Move
from quorate.core.tally import Threshold
from quorate.core.types import Absent, Seat
from quorate.evidence.families import NO_MODEL, family

_POSITIVE = frozenset({"APPROVED", "APPROVED_WITH_REMEDIATION", "SOLUTION", "PARTIAL_SOLUTION"})
"""Verdicts that votes carry; all others are what is left where these fail."""
_NO_VOTE = {
    "workshop": "a workshop concludes by its agenda, its rounds or a person (W22)",
    "roundtable": "a roundtable ends where its person goes on (T26)",
}
"""Protocols whose verdicts no vote carries, and what does."""


@dataclass(frozen=True, slots=True)
class Tolerance:
    """What the vote behind a verdict withstands."""

    voters: tuple[str, ...]
    """The seats that voted, abstentions included."""
    threshold: str
    """What had to be reached, in words."""
    tolerates: int | None
    """The largest f; None where the vote carried no positive verdict."""
    families: Mapping[str, int]
    """How many of the voters are of each model family, or scripts or people, the largest first."""
    unstated: str = ""
    """The protocol, where it does not state that votes carry its verdicts, and which."""

    @property
    def sentences(self) -> tuple[str, ...]:
        """What people read: what it tolerates, and what is outside of that; or that this is not stated."""
        return (self._not_stated(),) if self.unstated else (self._number(), self._shared())

    def _not_stated(self) -> str:
        if self.unstated in _NO_VOTE:
            return f"No vote carried the verdict, so no number of dishonest votes applies: {_NO_VOTE[self.unstated]}."
        return f"How many dishonest votes the verdict tolerates is not stated by this protocol ({self.unstated})."

    def _number(self) -> str:
        if self.voters == ("judge",):
            return "One judge decided: the verdict tolerates no dishonest vote."
        seats = (
            f"{_count(len(self.voters), 'seat')} voted ({', '.join(self.voters)}); {self.threshold} had to be reached."
        )
        if self.tolerates is None:
            return f"{seats} The vote carried no approval."
        number = _count(self.tolerates, "dishonest vote") if self.tolerates else "no dishonest vote"
        changed = f"would stand had any {self.tolerates}" if self.tolerates else "would not stand had one"
        return f"{seats} The verdict tolerates {number}: it {changed} of the votes for it been against it."

    def _shared(self) -> str:
        return f"Faults that voters share are outside of any such number; {self._held_by()}."

    def _held_by(self) -> str:
        """Say who voted: models by family; a script and a person are of none."""
        models = {name: count for name, count in self.families.items() if name not in NO_MODEL}
        others = [_count(count, name, NO_MODEL[name]) for name, count in self.families.items() if name in NO_MODEL]
        if len(self.voters) == 1:
            who = "the judge" if self.voters == ("judge",) else "the voter"
            (name,) = self.families
            return f"{who} is a {name}" if name in NO_MODEL else f"{who} is of one model family ({name})"
        if not models:
            (first, *rest) = self.families
            return f"the voters are {' and '.join(others)}" if rest else f"all voters are {NO_MODEL[first]}"
        if len(models) == 1 and not others:
            return f"all voters are of one model family ({''.join(models)})"
        number = "one model family" if len(models) == 1 else f"{len(models)} model families"
        named = ", ".join(f"{name} {count}" for name, count in models.items())
        return f"the voters are of {number} ({named}){''.join(f', and {each}' for each in others)}"


def tolerance(record: Record) -> Tolerance | None:
    """Return what the verdict of a session tolerates; None before its end, and where votes decide and nobody voted."""
    conclusion = record.session.conclusion
    if conclusion is None:
        return None
    positive = conclusion.verdict.name in _POSITIVE
    match record.opening.protocol:
        case "review":
            return _of_review(record, positive)
        case "council":
            return _of_council(record, positive)
        case "debate":
            return _of_debate(record, positive)
        case other:
            return Tolerance((), "", None, {}, unstated=other)


def as_data(record: Record) -> dict[str, Any] | None:
    """Return the same as plain data for programs; where its number is null, `says` tells why."""
    found = tolerance(record)
    if found is None:
        return None
    data = {**asdict(found), "voters": list(found.voters), "says": list(found.sentences)}
    data.pop("unstated")
    return data


def _of_review(record: Record, positive: bool) -> Tolerance | None:
    """The last ballot that was counted decided (R10)."""
    move = _last(record, "tally")
    if move is None:
        return None
    (counted,) = _facts(move, "tally")
    ayes, voting = counted["synthesis"], counted["synthesis"] + counted["opposing"]
    share = Threshold.parse(str(record.protocol.settings["quorum"]))
    needed = max(share.least, -(-share.numerator * voting // share.denominator))
    carried = positive and ayes >= needed
    words = f"{share.numerator}/{share.denominator} of those not abstaining ({needed} of {voting}, R10)"
    return _made(record, move, "ballot", words, ayes - needed if carried else None)


def _of_council(record: Record, positive: bool) -> Tolerance | None:
    """Every item that votes decided had its own count; the closest of them is what the verdict tolerates (C22).

    A finding may have been dismissed by the quotation of a single vote (C23); such a count tolerates none.
    """
    move = _last(record, "vote")
    if move is None:
        return None
    quorum = int(record.protocol.settings["quorum"])
    side = {"supported": "support", "opposed": "oppose"}
    voted = [each for each in _facts(move, "vote") if each["stands"] in side]
    decided = [0 if each["refuted"] else each[side[each["stands"]]] - quorum for each in voted]
    words = f"{quorum} equal votes on each item (C22)"
    return _made(record, move, "vote", words, min(decided) if positive and decided else None)


def _of_debate(record: Record, positive: bool) -> Tolerance | None:
    said = record.latest(Seat("judge"), "synthesize") if positive else None
    if said is None:
        return None
    return Tolerance(("judge",), "one judge", 0, {family(_model(record, said)): 1})


def _made(record: Record, move: Move, brief: str, threshold: str, tolerates: int | None) -> Tolerance | None:
    voted = [
        line
        for line in record.log
        if isinstance(line, Said)
        and line.ask.brief == brief
        and line.ask.id.partition(".")[0] == str(move.entry)
        and not isinstance(line.reply, Absent)
    ]
    if not voted:
        return None
    families = dict(Counter(sorted(family(_model(record, line)) for line in voted)).most_common())
    return Tolerance(tuple(str(line.ask.seat) for line in voted), threshold, tolerates, families)


def _model(record: Record, said: Said) -> str:
    """Who answered, as the reply says; else who sits there."""
    return said.envelope.model or record.opening.panel.get(str(said.ask.seat), "")


def _last(record: Record, fact: str) -> Move | None:
    """The last decision that issued such a fact."""
    moves = (line.move for line in reversed(record.log) if isinstance(line, Moved))
    return next((move for move in moves if any(each.name == fact for each in move.facts)), None)


def _facts(move: Move, name: str) -> list[dict[str, Any]]:
    return [dict(fact.values) for fact in move.facts if fact.name == name]


def _count(number: int, noun: str, many: str = "") -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {many or f'{noun}s'}"
