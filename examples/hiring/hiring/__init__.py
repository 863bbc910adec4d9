"""A hiring panel: three interviewers assess a candidate blind, and the manager decides where they are split."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Any

import quorate as q

INTERVIEWERS = (q.Seat("technical"), q.Seat("product"), q.Seat("peer"))
MANAGER = q.Seat("manager")
Phase = Enum("Phase", "INTERVIEWS DECISION HIRE DECLINE UNDECIDED")
INTERVIEWS, DECISION, HIRE, DECLINE, UNDECIDED = Phase
Outcome = Enum("Outcome", "AGREED REFUSED SPLIT SILENT")
AGREED, REFUSED, SPLIT, SILENT = Outcome
Vote = Enum("Vote", {"YES": "yes", "NO": "no", "VETO": "veto"})


@dataclass(frozen=True, slots=True)
class Assessment(q.Reply):
    evidence: Annotated[q.Prose, "what the candidate said or did that your vote rests on"]
    vote: Annotated[Vote, "yes, no, or veto for what no strength can outweigh"]


def interview(_: None) -> tuple[q.Question, ...]:
    return tuple(q.Question(seat, "assess", Assessment) for seat in INTERVIEWERS)


def ask_manager(_: None) -> tuple[q.Question, ...]:
    return (q.Question(MANAGER, "decide", Assessment),)


def count(_: None, replies: q.Replies) -> q.Decision[None]:
    votes = [reply.vote for _, reply in replies if isinstance(reply, Assessment)]
    veto = q.compare("H1", REFUSED, ("vetoes", votes.count(Vote.VETO)), ">=", 1)
    agreed = q.compare("H2", AGREED, ("votes for", votes.count(Vote.YES)), ">=", len(INTERVIEWERS))
    return q.choose(None, (veto, agreed, q.otherwise("H3", SPLIT)))


def follow(_: None, replies: q.Replies) -> q.Decision[None]:
    votes = [reply.vote for _, reply in replies if isinstance(reply, Assessment)]
    silent = q.compare("H4", SILENT, ("votes", len(votes)), "==", 0)
    agreed = q.compare("H5", AGREED, ("votes for", votes.count(Vote.YES)), "==", 1)
    return q.choose(None, (silent, agreed, q.otherwise("H6", REFUSED)))


def build(settings: Any, briefs: Mapping[str, str], seed: int) -> q.Protocol[Any]:
    return q.draft(
        "hiring",
        seats=(*INTERVIEWERS, MANAGER),
        forms=(Assessment,),
        briefs=briefs,
        phases={INTERVIEWS: q.Node(interview, count), DECISION: q.Node(ask_manager, follow)},
        table={
            INTERVIEWS: {AGREED: HIRE, REFUSED: DECLINE, SPLIT: DECISION},
            DECISION: {AGREED: HIRE, REFUSED: DECLINE, SILENT: UNDECIDED},
        },
        ends={HIRE: 0, DECLINE: 1, UNDECIDED: 2},
        stopped=UNDECIDED,
        start=None,
    )


TITLE = "Interviewers vote blind; a manager decides where they are split"
NOTES = q.Input("notes", "what was seen of the candidate in the interviews", required=True)
DEFINITION = q.define("hiring", TITLE, build, package="hiring", brings=(NOTES,))
