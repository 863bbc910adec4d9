"""The rules, as RULES.md has them: phases, forms, decisions, and what `quorate verify dependencies` proves of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Any

from quorate import authoring as q

SCREEN, OWNER = q.Seat("screen"), q.Seat("owner")
REVIEWERS = (q.Seat("security"), q.Seat("maintainer"))
MOST = 100


class Phase(Enum):
    SCREENING = "screening"
    ASSESSING = "assessing"
    DECIDING = "deciding"
    APPROVED = "approved"
    REFUSED = "refused"
    UNDECIDED = "undecided"


class Outcome(Enum):
    NOTHING_NEW = "nothing new"
    CLEAN = "clean"
    PROVEN = "proven"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    SPLIT = "split"
    SILENT = "silent"


class Fault(Enum):
    UNPINNED = "unpinned"
    ELSEWHERE = "not from the index"
    DENIED = "denied"
    LOOKALIKE = "lookalike"


class Opinion(Enum):
    ACCEPTED = "accepted"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class Settings:
    denied: Annotated[tuple[str, ...], "names of packages that must not be used"] = ()


# What is filled in


@dataclass(frozen=True, slots=True)
class Found:
    requirement: Annotated[q.Prose, "the line"]
    fault: Annotated[Fault, "what is wrong with it"]


@dataclass(frozen=True, slots=True)
class Screening(q.Reply):
    findings: Annotated[tuple[Found, ...], q.AtMost(MOST), "what is proven against new requirements"]
    new: Annotated[int, q.Between(0, MOST), "how many are new"]


@dataclass(frozen=True, slots=True)
class Assessment(q.Reply):
    reason: Annotated[q.Prose, "what speaks for and against these dependencies"]
    opinion: Annotated[Opinion, "accepted, or rejected where one of them should not be taken"]


# Whom each phase asks, and how it decides


def ask_screen(_: None) -> tuple[q.Question, ...]:
    return (q.Question(SCREEN, "screen", Screening),)


def screened(_: None, replies: q.Replies) -> q.Decision[None]:
    report = replies.of(SCREEN)
    found, new = (len(report.findings), report.new) if isinstance(report, Screening) else (0, 0)
    silent = q.compare("P1", Outcome.SILENT, ("reports of the screen", len(replies.present())), "==", 0)
    proven = q.compare("P2", Outcome.PROVEN, ("proven faults", found), ">=", 1)
    nothing = q.compare("P3", Outcome.NOTHING_NEW, ("new requirements", new), "==", 0)
    return q.choose(None, (silent, proven, nothing, q.otherwise("P4", Outcome.CLEAN)))


def ask_reviewers(_: None) -> tuple[q.Question, ...]:
    return tuple(q.Question(seat, "assess", Assessment) for seat in REVIEWERS)


def assessed(_: None, replies: q.Replies) -> q.Decision[None]:
    accepted = q.compare("P5", Outcome.ACCEPTED, ("accepted by", accepting(replies)), "==", len(REVIEWERS))
    return q.choose(None, (accepted, q.otherwise("P6", Outcome.SPLIT)))


def ask_owner(_: None) -> tuple[q.Question, ...]:
    return (q.Question(OWNER, "decide", Assessment),)


def decided(_: None, replies: q.Replies) -> q.Decision[None]:
    silent = q.compare("P7", Outcome.SILENT, ("answers of the owner", len(replies.present())), "==", 0)
    accepted = q.compare("P8", Outcome.ACCEPTED, ("accepted by", accepting(replies)), "==", 1)
    return q.choose(None, (silent, accepted, q.otherwise("P9", Outcome.REJECTED)))


def accepting(replies: q.Replies) -> int:
    return sum(isinstance(each, Assessment) and each.opinion is Opinion.ACCEPTED for _, each in replies)


# What became of what was said (P11)

BECAME = {Outcome.ACCEPTED: ("counted", "P5"), Outcome.SPLIT: ("put to the owner", "P6")}


def fates(record: q.Record) -> tuple[q.Fate, ...]:
    return tuple(_fates(record))


def _fates(record: q.Record) -> Iterator[q.Fate]:
    moves = [line.move for line in record.log if isinstance(line, q.Moved)]
    known = (BECAME[each.outcome] for each in moves if each.phase is Phase.ASSESSING and each.outcome in BECAME)
    assessed_as = next(known, ("under way", "P4"))
    for line in (each for each in record.log if isinstance(each, q.Said)):
        reply, by = line.reply, (str(line.ask.seat),)
        for number, each in enumerate(reply.findings if isinstance(reply, Screening) else (), start=1):
            yield q.Fate(f"F{number}", "finding", by, each.requirement.text, f"refuses: {each.fault.value}", "P2")
        if isinstance(reply, Assessment):
            became, rule = ("decides", "P8 P9") if line.ask.seat == OWNER else assessed_as
            yield q.Fate(f"A-{line.ask.seat}", "assessment", by, reply.reason.text, became, rule)


# What is promised


def never_voted_away(moment: q.Moment[None]) -> bool:
    report = moment.replies.of(SCREEN)
    return not (isinstance(report, Screening) and report.findings) or moment.to in (Phase.REFUSED, Phase.UNDECIDED)


def approved_by_somebody(moment: q.Moment[None]) -> bool:
    report = moment.replies.of(SCREEN)
    needless = isinstance(report, Screening) and report.new == 0
    needed = len(REVIEWERS) if moment.phase is Phase.ASSESSING else 1
    return moment.to is not Phase.APPROVED or needless or accepting(moment.replies) >= needed


def build(settings: Settings, briefs: Mapping[str, str], seed: int) -> q.Protocol[Any]:
    return q.draft(
        "dependencies",
        seats=(SCREEN, *REVIEWERS, OWNER),
        forms=(Screening, Assessment),
        briefs=briefs,
        phases={
            Phase.SCREENING: q.Node(ask_screen, screened),
            Phase.ASSESSING: q.Node(ask_reviewers, assessed),
            Phase.DECIDING: q.Node(ask_owner, decided),
        },
        table={
            Phase.SCREENING: {
                Outcome.SILENT: Phase.UNDECIDED,
                Outcome.PROVEN: Phase.REFUSED,
                Outcome.NOTHING_NEW: Phase.APPROVED,
                Outcome.CLEAN: Phase.ASSESSING,
            },
            Phase.ASSESSING: {Outcome.ACCEPTED: Phase.APPROVED, Outcome.SPLIT: Phase.DECIDING},
            Phase.DECIDING: {
                Outcome.SILENT: Phase.UNDECIDED,
                Outcome.ACCEPTED: Phase.APPROVED,
                Outcome.REJECTED: Phase.REFUSED,
            },
        },
        ends={Phase.APPROVED: 0, Phase.REFUSED: 1, Phase.UNDECIDED: 2},
        stopped=Phase.UNDECIDED,
        start=None,
        settings=settings,
        checks={SCREEN},
        people={OWNER},
        invariants=(
            q.Invariant("what is proven is never voted away", "P2", never_voted_away),
            q.Invariant("nothing new is approved that nobody accepted", "P5", approved_by_somebody),
        ),
    )


DEFINITION = q.define(
    "dependencies",
    "Code screens new dependencies, reviewers vote blind, an owner decides where they differ",
    build,
    package="dependencies",
    settings=Settings,
    brings=(
        q.Input("after", "the requirements file or pyproject.toml as it is to be", q.Kind.FILE, required=True),
        q.Input("before", "the same file as it was; without it everything is new", q.Kind.FILE),
        q.Input("why", "what the new dependencies are for", q.Kind.TEXT),
        q.Input("docs", "the folder of DEPENDENCIES.md; the one of the file where none is named", q.Kind.FOLDER),
    ),
    profiles={"default": {}, "with a list of denied names": {"denied": ["left-pad"]}},
    world="dependencies.world:WORLD",
    lab="dependencies.lab:LAB",
    tool="Have new third-party dependencies screened by code, assessed by reviewers and approved or refused.",
    fates=fates,
)
