"""The baseline: a single seat as a protocol of its own, run and recorded by the same engine.

Four ways: `single` (one answer), `cot` (one answer after written reasons), `sc` (several such answers, and what most of
them say) and `reask` (an answer, and a second look at it, with nobody else's words). A fifth, `read`, writes down in a
form what a text has concluded: what a protocol says in prose is graded by what its reader fills in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Annotated, Any

from quorate import catalog
from quorate.core.decisions import Decision, Fact, choose, compare, otherwise
from quorate.core.forms import AtMost, Between, Key, Prose, Refers, Reply
from quorate.core.protocol import Node, Protocol
from quorate.core.record import Record, Said
from quorate.core.types import Question, Replies, Seat
from quorate.kit.definition import Definition
from quorate.kit.drafts import Kept, came_to, define, draft
from quorate.kit.form_domains import every
from quorate.lab.bench.task import Answer, Asked, Choice, Fault, FaultKind, Judged, Judgement, Number, plain

NAME = "baseline"
ANSWERER = Seat("answerer")
MOST_SAMPLES = 256
FAR = 10**9
MOST_LINE = 100_000
MOST_FAULTS = 20
MOST_REASONS = 4_000
MOST_CLAIMS = 10
MOST_EVIDENCE = 400
"""As many, and as long, as those that a reviewer on a committee may make."""
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


@dataclass(frozen=True, slots=True)
class PlainClaim:
    """One claimed defect in words: what a plain reviewer is asked for."""

    path: Annotated[Key, Refers(), "the file"]
    line: Annotated[int, Between(0, MOST_LINE), "the number of the line, 0 for the file as a whole"]
    evidence: Annotated[Prose, AtMost(MOST_EVIDENCE), "the lines it is about, quoted"]
    consequence: Annotated[Prose, AtMost(MOST_EVIDENCE), "what will go wrong for whom, concretely"]
    blocking: Annotated[bool, "whether the change must not be merged with it"]


@dataclass(frozen=True, slots=True)
class ClaimsReply(Reply):
    findings: Annotated[tuple[PlainClaim, ...], AtMost(MOST_CLAIMS), _FAULTS]
    judgement: Annotated[Judgement, _JUDGED]


SHORT: dict[Asked, type[Reply]] = {
    Asked.NUMBER: NumberReply,
    Asked.CHOICE: ChoiceReply,
    Asked.FAULTS: FaultsReply,
    Asked.FINDINGS: ClaimsReply,
}
REASONED: dict[Asked, type[Reply]] = {
    Asked.NUMBER: NumberReasoned,
    Asked.CHOICE: ChoiceReasoned,
    Asked.FAULTS: FaultsReasoned,
    Asked.FINDINGS: ClaimsReply,  # its evidence and consequences are its reasons
}


class Way(Enum):
    SINGLE = "single"
    COT = "cot"
    SC = "sc"
    REASK = "reask"
    READ = "read"


class Phase(Enum):
    ANSWER = "answer"
    AGAIN = "again"
    ANSWERED = "answered"
    NO_ANSWER = "no_answer"


class Outcome(Enum):
    SAID = "said"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class BaselineSettings:
    way: Annotated[Way, "how the seat is asked"] = Way.SINGLE
    samples: Annotated[int, Between(1, MOST_SAMPLES), "answers that are taken, with `sc`"] = 1
    asked: Annotated[Asked, "the form of an answer"] = Asked.CHOICE
    keys: Annotated[tuple[str, ...], AtMost(100), "the options, or the paths, that an answer may name"] = ()


BRIEFS = {Way.SINGLE: "answer", Way.COT: "think", Way.SC: "think", Way.REASK: "think", Way.READ: "read"}


def build(settings: BaselineSettings, briefs: Mapping[str, str], _: int) -> Protocol[Kept[None]]:
    """Build the protocol of one way to ask."""
    way = settings.way
    form = (SHORT if way in (Way.SINGLE, Way.READ) else REASONED)[settings.asked]
    keys = tuple(map(Key, settings.keys))
    count = settings.samples if way is Way.SC else 1

    def ask(_: None) -> tuple[Question, ...]:
        return (Question(ANSWERER, BRIEFS[way], form, keys),) * count

    def ask_again(_: None) -> tuple[Question, ...]:
        return (Question(ANSWERER, "again", form, keys),)

    phases: dict[Phase, Node[None]] = {Phase.ANSWER: Node(ask, _decide)}
    table: dict[Phase, dict[Outcome, Enum]] = {
        Phase.ANSWER: {Outcome.SAID: Phase.ANSWERED, Outcome.NOTHING: Phase.NO_ANSWER}
    }
    if way is Way.REASK:
        phases[Phase.AGAIN] = Node(ask_again, _decide)
        # Whoever could not answer the first time is asked once more like everybody else.
        table[Phase.ANSWER] = dict.fromkeys(Outcome, Phase.AGAIN)
        table[Phase.AGAIN] = {Outcome.SAID: Phase.ANSWERED, Outcome.NOTHING: Phase.NO_ANSWER}
    used = (BRIEFS[way], "again") if way is Way.REASK else (BRIEFS[way],)
    return draft(
        NAME,
        seats=(ANSWERER,),
        forms=(form,),
        briefs={name: briefs[name] for name in used},
        phases=phases,
        table=table,
        ends={Phase.ANSWERED: 0, Phase.NO_ANSWER: 2},
        stopped=Phase.NO_ANSWER,
        start=None,
        settings=settings,
    )


def every_way(built: Protocol[Any]) -> Protocol[Any]:
    """Return the protocol with the briefs and forms of all ways: a panel's script is written for all of them."""
    forms = (*SHORT.values(), *REASONED.values())
    return replace(built, briefs=catalog.briefs(DEFINITION), domains={form: every(form) for form in forms})


def _decide(_: None, replies: Replies) -> Decision[None]:
    answers = [answer_of(reply) for _, reply in replies]
    given = sum(each is not None for each in answers)
    tests = (compare("B1", Outcome.SAID, ("usable answers", given), ">=", 1), otherwise("B2", Outcome.NOTHING))
    return choose(None, tests, (Fact.of("tallied", answers=len(answers), usable=given),))


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
        case ClaimsReply():
            places = dict.fromkeys(Fault(str(each.path), each.line, FaultKind.OTHER) for each in reply.findings)
            return Judged(reply.judgement, tuple(places))
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


def answers_in(record: Record) -> tuple[tuple[Answer | None, ...], ...]:
    """Return the answers of a session by phase, in the order of their asks; None for an absence."""
    found: dict[Enum, list[tuple[str, Answer | None]]] = {}
    for line in record.log:
        if isinstance(line, Said):
            found.setdefault(line.phase, []).append((line.ask.id, answer_of(line.reply)))
    return tuple(tuple(answer for _, answer in sorted(said, key=_order)) for said in found.values())


def _order(said: tuple[str, Answer | None]) -> int:
    return int(said[0].partition(".")[2])


def concluded(record: Record) -> Answer | None:
    """Return the answer of a session: the vote of the last phase with a usable answer."""
    votes = [voted(answers) for answers in answers_in(record)]
    return next((each for each in reversed(votes) if each is not None), None)


def result(record: Record) -> dict[str, Any]:
    """Return the verdict, the replies, the answers and their vote, as plain data."""
    return {
        **came_to(record),
        "answer": plain(concluded(record)),
        "answers": [[plain(each) for each in phase] for phase in answers_in(record)],
    }


TITLE = "One seat is asked plainly: once, with reasons, several times, or twice"
DEFINITION: Definition = replace(
    define(NAME, TITLE, build, package="quorate.lab.bench", settings=BaselineSettings), result=result
)
