"""The forms of plain methods, an answer alone or with reasons before it, and the answer that a filled-in form gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from quorate.core.forms import AtMost, Between, Key, Prose, Refers, Reply
from quorate.lab.bench.task import Answer, Asked, Choice, Fault, FaultKind, Judged, Judgement, Number

FAR = 10**9
MOST_LINE = 100_000
MOST_FAULTS = 20
MOST_REASONS = 4_000
REASONS = "think step by step, and write down each step before you answer"
_KNOWN = "whether the answer can be known from what you are shown"
_VALUE = "the number; 0 where it cannot be known"
_FAULTS = "everything that is wrong; an empty list if nothing is"
_JUDGED = "what you judge it to be"
_OPTION = "the name of the option"


@dataclass(frozen=True, slots=True)
class Item:
    """One claimed defect."""

    path: Annotated[Key, Refers(), "the file"]
    kind: Annotated[FaultKind, "what kind of defect it is"]
    line: Annotated[int, Between(0, MOST_LINE), "the number of the line, 0 for the file as a whole"]


@dataclass(frozen=True, slots=True)
class NumberReply(Reply):
    value: Annotated[int, Between(-FAR, FAR), _VALUE]
    known: Annotated[bool, _KNOWN]


@dataclass(frozen=True, slots=True)
class NumberReasoned(Reply):
    reasons: Annotated[Prose, AtMost(MOST_REASONS), REASONS]
    value: Annotated[int, Between(-FAR, FAR), _VALUE]
    known: Annotated[bool, _KNOWN]


@dataclass(frozen=True, slots=True)
class ChoiceReply(Reply):
    option: Annotated[Key, _OPTION]


@dataclass(frozen=True, slots=True)
class ChoiceReasoned(Reply):
    reasons: Annotated[Prose, AtMost(MOST_REASONS), REASONS]
    option: Annotated[Key, _OPTION]


@dataclass(frozen=True, slots=True)
class FaultsReply(Reply):
    faults: Annotated[tuple[Item, ...], AtMost(MOST_FAULTS), _FAULTS]
    judgement: Annotated[Judgement, _JUDGED]


@dataclass(frozen=True, slots=True)
class FaultsReasoned(Reply):
    reasons: Annotated[Prose, AtMost(MOST_REASONS), REASONS]
    faults: Annotated[tuple[Item, ...], AtMost(MOST_FAULTS), _FAULTS]
    judgement: Annotated[Judgement, _JUDGED]


SHORT: dict[Asked, type[Reply]] = {
    Asked.NUMBER: NumberReply,
    Asked.CHOICE: ChoiceReply,
    Asked.FAULTS: FaultsReply,
}
REASONED: dict[Asked, type[Reply]] = {
    Asked.NUMBER: NumberReasoned,
    Asked.CHOICE: ChoiceReasoned,
    Asked.FAULTS: FaultsReasoned,
}


def answer_of(reply: object) -> Answer | None:
    """Return what a filled-in form answers; None for an absence."""
    match reply:
        case NumberReply() | NumberReasoned():
            return Number(reply.value if reply.known else None)
        case ChoiceReply() | ChoiceReasoned():
            return Choice(str(reply.option))
        case FaultsReply() | FaultsReasoned():
            faults = dict.fromkeys(Fault(str(each.path), each.line, each.kind) for each in reply.faults)
            return Judged(reply.judgement, tuple(faults))
        case _:
            return None


def voted(answers: Sequence[Answer | None]) -> Answer | None:
    """Return what most of the usable answers say, the one given first among equals; None without any.

    Judgements are voted on, and the defects are all those that somebody found who judges as most do: a vote on single
    findings would throw away what one alone has seen.
    """
    given = [each for each in answers if each is not None]
    if not given:
        return None
    ballots = [each.judgement if isinstance(each, Judged) else each for each in given]
    winner = max(dict.fromkeys(ballots), key=ballots.count)
    if not isinstance(winner, Judgement):
        return winner
    agreeing = [each for each in given if isinstance(each, Judged) and each.judgement is winner]
    return Judged(winner, tuple(dict.fromkeys(fault for each in agreeing for fault in each.faults)))
