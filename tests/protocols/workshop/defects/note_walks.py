"""Small workshops in which seats are unqualified, each with what is said in it (W40, W41)."""

from __future__ import annotations

from collections.abc import Mapping

from quorate.core.forms import Reply
from quorate.core.types import Question
from quorate.protocols.workshop.rules.forms import (
    AgendaReport,
    PauseChoice,
    PauseReply,
    Response,
    Ruling,
    RulingChoice,
    Votes,
)
from quorate.protocols.workshop.rules.samples import filled
from quorate.protocols.workshop.rules.synthesis import Becomes, Method, OpenSynthesis
from quorate.protocols.workshop.rules.taxonomy import ArtifactType
from tests.protocols.workshop.defects.said import (
    ALL_RULINGS,
    contests,
    covers,
    disputes,
    divided,
    item,
    makes,
    moves,
    nothing,
    replaces,
    resolves,
    sure,
    syntheses,
    these,
    topics,
    votes,
)
from tests.protocols.workshop.defects.walks import Small

BOTH = ["software-architect", "technical-lead"]
ONE = topics(item(1, True, 1))
DECIDES = these(filled(Ruling, choice=RulingChoice.DECIDE))


def says(question: Question) -> tuple[Reply, ...]:
    """The note says everything there is to say: contests, confirms, is unsure; the others are sure."""
    return (*contests(80)(question), *sure(40)(question)) if question.seat == BOTH[0] else sure(80)(question)


def workshop(**more: object) -> dict[str, object]:
    return {"participants": BOTH, "strategy": "standard", "min_rounds": 1, "max_rounds_per_conflict": 1, **more}


NOTED: Mapping[str, Small] = {
    "nobody counts": Small(
        workshop(max_rounds=1, unqualified_seats=BOTH),
        {OpenSynthesis: syntheses(makes(cover=True), disputes)},
    ),
    "nobody counts in a debate": Small(
        workshop(strategy="debate", max_rounds=2, unqualified_seats=BOTH),
        {
            AgendaReport: these(ONE),
            OpenSynthesis: syntheses(makes(cover=True), disputes, resolves(Method.CONSENSUS, 9)),
        },
    ),
    "nobody rules": Small(
        workshop(max_rounds=2, interactive=True, unqualified_seats=["person"]),
        {
            AgendaReport: these(topics(item(1, True))),
            OpenSynthesis: syntheses(covers, disputes),
            PauseReply: these(*(filled(PauseReply, choice=choice) for choice in PauseChoice)),
            Ruling: ALL_RULINGS,
        },
    ),
    "one reads": Small(
        workshop(participants=[*BOTH, "qa-lead"], max_rounds=2, document_tokens=1_000, unqualified_seats=BOTH[:1]),
        {AgendaReport: these(divided(4)), OpenSynthesis: syntheses(nothing)},
        alike=False,
    ),
    "one speaks": Small(
        workshop(max_rounds=2, unqualified_seats=BOTH[:1]),
        {
            AgendaReport: these(ONE),
            Response: says,
            OpenSynthesis: syntheses(makes(cover=True), makes(support=1), disputes, resolves(Method.MAJORITY, 1)),
            Ruling: DECIDES,
        },
        alike=False,
    ),
    "one votes": Small(
        workshop(strategy="consensus-driven", max_rounds=4, escalation=False, unqualified_seats=BOTH[1:]),
        {
            AgendaReport: these(ONE),
            Votes: votes("SUPPORT", "BLOCK", "NONE"),
            OpenSynthesis: syntheses(makes(cover=True), moves(Becomes.WITHDRAW, support=1)),
        },
        alike=False,
    ),
    "led by a note": Small(
        workshop(max_rounds=2, unqualified_seats=["facilitator"]),
        {
            AgendaReport: these(ONE),
            Response: contests(80),
            OpenSynthesis: syntheses(
                makes(cover=True),
                makes(kind=ArtifactType.OQ),
                disputes,
                moves(Becomes.ENDORSE),
                moves(Becomes.RESOLVE, matter=True),
                resolves(Method.CONSENSUS, 9),
            ),
            Ruling: DECIDES,
        },
    ),
    "consent led by a note": Small(
        workshop(strategy="consensus-driven", max_rounds=5, unqualified_seats=["facilitator"]),
        {
            AgendaReport: these(ONE),
            OpenSynthesis: syntheses(
                makes(cover=True), replaces(), *map(moves, (Becomes.AMEND, Becomes.REVERT, Becomes.WITHDRAW))
            ),
        },
    ),
    "judged by a note": Small(
        workshop(strategy="six-hats", max_rounds=2, unqualified_seats=["facilitator"]),
        {
            AgendaReport: these(ONE),
            OpenSynthesis: syntheses(makes(cover=True), moves(Becomes.ENDORSE), moves(Becomes.AMEND)),
        },
    ),
}
"""The quick ones first."""
