"""Small workshops to be walked in a second: each varies one part of the protocol and is quiet about the others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from quorate.core.forms import Reply
from quorate.core.protocol import Domain
from quorate.protocols.workshop.rules.forms import (
    AgendaReport,
    Bound,
    Focus,
    PauseChoice,
    PauseReply,
    Reading,
    Response,
    Ruling,
    RulingChoice,
    Votes,
)
from quorate.protocols.workshop.rules.items import AgreementSeen
from quorate.protocols.workshop.rules.samples import filled
from quorate.protocols.workshop.rules.synthesis import (
    Becomes,
    Method,
    OpenSynthesis,
)
from quorate.protocols.workshop.rules.taxonomy import ArtifactType
from tests.protocols.workshop.defects.said import (
    ALL_RULINGS,
    BOUND,
    MIXED,
    NFR,
    OTHER,
    STRANGE,
    TWO,
    Values,
    asks,
    confirms,
    contests,
    covers,
    disputes,
    divided,
    item,
    made_disputed,
    makes,
    many,
    moves,
    nameless,
    nothing,
    owns,
    replaces,
    resolves,
    sure,
    syntheses,
    these,
    topics,
    unadvised,
    votes,
)

QUIET: Mapping[type[Reply], Values] = {
    AgendaReport: these(TWO),
    Focus: lambda question: tuple(filled(Focus, focus=key) for key in question.keys),
    Response: sure(80),
    Votes: votes("SUPPORT"),
    OpenSynthesis: syntheses(nothing),
    Reading: these(Reading(())),
    Ruling: these(filled(Ruling, choice=RulingChoice.GO_ON, undecided=True)),
    PauseReply: these(filled(PauseReply, choice=PauseChoice.GO_ON)),
}


@dataclass(frozen=True)
class Small:
    """Settings, and what is varied form by form; everything else is quiet."""

    settings: Mapping[str, Any] = field(default_factory=dict)
    varied: Mapping[type[Reply], Values] = field(default_factory=dict)
    alike: bool = True
    """Whether seats are interchangeable: not where what is said names some by their place."""

    def domains(self) -> dict[type[Reply], Domain]:
        return {form: Domain(values, "a small walk", False) for form, values in {**QUIET, **self.varied}.items()}


_TWO = {"participants": ["software-architect", "technical-lead"], "strategy": "standard", "min_rounds": 1}
SOME_RULINGS = these(*(filled(Ruling, choice=each) for each in (RulingChoice.ACCEPT, RulingChoice.GO_ON)))
"""Where all of them would make a walk of more than 100,000 states."""
SMALL: Mapping[str, Small] = {
    "rounds": Small(
        {**_TWO, "min_rounds": 2, "max_rounds": 3},
        {
            AgendaReport: these(TWO, topics(item(1, True)), topics()),
            OpenSynthesis: syntheses(nothing, covers, makes(cover=True)),
        },
    ),
    "conflicts": Small(
        {**_TWO, "max_rounds": 3, "max_rounds_per_conflict": 1},
        {
            AgendaReport: these(topics(item(1, True, 1))),
            Response: contests(80),
            OpenSynthesis: syntheses(
                makes(),
                covers,
                resolves(Method.MAJORITY, 9),
                resolves(Method.MAJORITY, 1),
                resolves(Method.CONSENSUS, 1),
                resolves(Method.FACILITATOR_DECISION, 0),
            ),
            Ruling: SOME_RULINGS,
        },
    ),
    "aged": Small(
        {**_TWO, "min_rounds": 2, "max_rounds": 3, "max_rounds_per_conflict": 2},
        {
            AgendaReport: these(topics(item(1, True))),
            OpenSynthesis: syntheses(
                covers,
                disputes,
                unadvised,
                moves(Becomes.RESOLVE, matter=True),
                moves(Becomes.RESOLVE, mute=True, matter=True),
            ),
            Ruling: SOME_RULINGS,
        },
    ),
    "weights": Small(
        {**_TWO, "max_rounds": 2, "escalation": False},
        {
            Response: sure(0, 40, 60),
            OpenSynthesis: syntheses(
                nothing,
                makes(support=0),
                makes(support=1),
                makes(against=1),
                makes(support=1, against=9),
                moves(Becomes.ENDORSE, support=1),
            ),
        },
        alike=False,
    ),
    "unsure": Small(
        {**_TWO, "max_rounds": 2},
        {
            AgendaReport: these(OTHER, TWO),
            Response: sure(49, 50, 0),
            Reading: lambda q: (Reading(()), Reading(q.keys[:1])),
            OpenSynthesis: syntheses(nothing, makes(cover=True)),
            Ruling: ALL_RULINGS,
        },
    ),
    "any unsure": Small(
        {**_TWO, "max_rounds": 2, "escalate_on": "any"},
        {
            AgendaReport: these(topics(item(1), item(2, True, 0, 2))),
            Response: sure(49, 50),
            OpenSynthesis: syntheses(nothing, covers),
        },
    ),
    "moves": Small(
        {**_TWO, "max_rounds": 3},
        {
            Response: these(filled(Response, confidence=80)),
            OpenSynthesis: syntheses(
                makes(),
                makes(cover=True),
                replaces(),
                replaces(kind=ArtifactType.OQ),
                replaces(kind=NFR, support=0),
                replaces(twice=True),
                moves(Becomes.AMEND),
                moves(Becomes.AMEND, support=0),
                moves(Becomes.AMEND, edit=STRANGE),
                moves(Becomes.REVERT),
                moves(Becomes.WITHDRAW),
                moves(Becomes.WITHDRAW, support=0),
                moves(Becomes.WITHDRAW, mute=True),
                moves(Becomes.ENDORSE),
                moves(Becomes.RESOLVE),
            ),
        },
    ),
    "disputed": Small(
        {**_TWO, "max_rounds": 3, "escalation": False},
        {
            AgendaReport: these(topics(item(1, True, 9))),
            Response: contests(80),
            OpenSynthesis: syntheses(makes(), moves(Becomes.ENDORSE)),
        },
    ),
    "matters": Small(
        {**_TWO, "max_rounds": 2, "max_rounds_per_conflict": 2},
        {
            AgendaReport: these(topics(item(1), item(2))),
            OpenSynthesis: syntheses(
                covers,
                makes(kind=ArtifactType.OQ, blocking=True),
                makes(kind=ArtifactType.OQ, blocking=False),
                makes(kind=ArtifactType.CONF),
                moves(Becomes.WITHDRAW, matter=True),
                moves(Becomes.ENDORSE, matter=True),
                resolves(Method.MAJORITY, 0),
                resolves(Method.MAJORITY, 1),
                resolves(Method.FACILITATOR_DECISION, 0),
            ),
        },
        alike=False,
    ),
    "ranks": Small(
        {**_TWO, "max_rounds": 2},
        {
            AgendaReport: these(topics(item(1, True, 0, 2), item(2, True), item(3))),
            Focus: asks,
            OpenSynthesis: syntheses(covers),
        },
    ),
    "many": Small(
        {**_TWO, "max_rounds": 1},
        {AgendaReport: these(topics(item(1), item(2))), OpenSynthesis: syntheses(many)},
    ),
    "lasting": Small(
        {**_TWO, "max_rounds": 4, "escalation": False},
        {
            AgendaReport: these(topics(item(1, True), item(2))),
            OpenSynthesis: syntheses(covers, makes(kind=ArtifactType.CONF), makes(kind=ArtifactType.OQ, blocking=True)),
        },
    ),
    "criteria": Small(
        {**_TWO, "max_rounds": 3, "conclude_on": "required"},
        {
            AgendaReport: these(topics(item(1, True, 2, 2), item(2))),
            OpenSynthesis: syntheses(
                covers, makes(cover=True, number=2), makes(kind=NFR, cover=True), makes(kind=ArtifactType.CONF)
            ),
        },
    ),
    "consent": Small(
        {**_TWO, "strategy": "consensus-driven", "max_rounds": 4},
        {
            AgendaReport: these(topics(item(1, True, 1))),
            Response: contests(80),
            Votes: votes("SUPPORT", "BLOCK", "BARE", "STAND_ASIDE", "NONE"),
            OpenSynthesis: syntheses(
                makes(cover=True), moves(Becomes.ENDORSE), moves(Becomes.WITHDRAW), moves(Becomes.WITHDRAW, support=1)
            ),
        },
    ),
    "blocks": Small(
        {**_TWO, "strategy": "consensus-driven", "max_rounds": 6},
        {
            AgendaReport: these(topics(item(1, True, 1))),
            Votes: votes("SUPPORT", "BLOCK", "NONE"),
            OpenSynthesis: syntheses(makes(cover=True), replaces(), resolves(Method.MAJORITY, 9)),
            Ruling: these(filled(Ruling, choice=RulingChoice.GO_ON)),
        },
    ),
    "blocks and a ruling": Small(
        {**_TWO, "strategy": "consensus-driven", "max_rounds": 4},
        {
            AgendaReport: these(topics(item(1, True, 1))),
            Votes: votes("SUPPORT", "BLOCK", "NONE"),
            OpenSynthesis: syntheses(makes(cover=True), replaces()),
            Ruling: these(*(filled(Ruling, choice=each) for each in (RulingChoice.DECIDE, RulingChoice.GO_ON))),
        },
    ),
    "judged": Small(
        {**_TWO, "strategy": "six-hats", "max_rounds": 2},
        {
            AgendaReport: these(topics(item(1, True, 9))),
            OpenSynthesis: syntheses(makes(seen=AgreementSeen.DRAFT), moves(Becomes.ENDORSE), moves(Becomes.AMEND)),
        },
    ),
    "debate": Small(
        {**_TWO, "strategy": "debate", "max_rounds": 4},
        {OpenSynthesis: syntheses(nothing, makes(cover=True), makes(seen=AgreementSeen.DRAFT, cover=True))},
    ),
    "passes": Small(
        {**_TWO, "strategy": "debate", "min_rounds": 5, "max_rounds": 5},
        {
            AgendaReport: these(topics(item(1, True))),
            OpenSynthesis: syntheses(
                makes(kind=ArtifactType.OQ, blocking=True, cover=True), resolves(Method.MAJORITY, 0)
            ),
        },
    ),
    "hats": Small({**_TWO, "strategy": "six-hats", "max_rounds": 8}, {OpenSynthesis: syntheses(makes(cover=True))}),
    "disney": Small(
        {**_TWO, "strategy": "disney", "max_rounds": 5},
        {OpenSynthesis: syntheses(nothing, makes(cover=True))},
    ),
    "bound": Small(
        {**_TWO, "strategy": "disney", "max_rounds": 4},
        {AgendaReport: these(BOUND), OpenSynthesis: syntheses(nothing, makes(cover=True))},
    ),
    "mixed": Small(
        {**_TWO, "strategy": "disney", "max_rounds": 3},
        {AgendaReport: these(MIXED, topics(item(1, stage=Bound.DREAMER))), OpenSynthesis: syntheses(nothing, covers)},
    ),
    "interactive": Small(
        {**_TWO, "max_rounds": 2, "interactive": True},
        {
            AgendaReport: these(topics(item(1, True))),
            OpenSynthesis: syntheses(nothing, covers, makes(kind=ArtifactType.CONF)),
            PauseReply: these(*(filled(PauseReply, choice=choice) for choice in PauseChoice)),
            Ruling: ALL_RULINGS,
        },
    ),
    "ruled": Small(
        {**_TWO, "max_rounds": 2, "max_rounds_per_conflict": 1},
        {
            AgendaReport: these(topics(item(1, True))),
            Response: confirms(80),
            OpenSynthesis: syntheses(covers, makes(), disputes),
            Ruling: these(*(filled(Ruling, choice=each) for each in (RulingChoice.DECIDE, RulingChoice.APPLIED))),
        },
    ),
    "anew": Small(
        {**_TWO, "max_rounds": 2, "max_rounds_per_conflict": 1},
        {
            AgendaReport: these(topics(item(1, True, 9))),
            Response: confirms(80),
            OpenSynthesis: syntheses(
                owns(),
                made_disputed(),
                made_disputed(topic=True),
                replaces(),
                *map(moves, (Becomes.AMEND, Becomes.REVERT, Becomes.WITHDRAW, Becomes.ENDORSE)),
            ),
            Ruling: these(filled(Ruling, choice=RulingChoice.DECIDE)),
        },
    ),
    "repeats": Small(
        {**_TWO, "min_rounds": 2, "max_rounds": 2, "escalation": False},
        {
            AgendaReport: these(topics(item(1, True, 1), item(2))),
            OpenSynthesis: syntheses(makes(cover=True), makes(kind=NFR, repeats=True), disputes, nameless),
        },
    ),
    "own": Small(
        {**_TWO, "max_rounds": 2, "escalation": False},
        {
            AgendaReport: these(topics(item(1, True, 1))),
            OpenSynthesis: syntheses(
                makes(cover=True), owns(), owns(repeats=True), owns(change=True), owns(replaced=True), disputes
            ),
        },
    ),
    "read": Small(
        {**_TWO, "max_rounds": 2, "document_tokens": 1_000},
        {
            AgendaReport: these(divided(4), divided(1, True), divided(1)),
            Response: sure(80, 0),
            OpenSynthesis: syntheses(nothing, covers),
        },
        alike=False,
    ),
    "as the seed": Small(
        {**_TWO, "max_rounds": 2, "max_rounds_per_conflict": 1, "reading": "seed"},
        {
            AgendaReport: these(topics(item(1, True))),
            Response: sure(49, 80),
            OpenSynthesis: syntheses(nothing, covers, disputes),
            Ruling: ALL_RULINGS,
        },
    ),
    "limits": Small(
        {**_TWO, "max_rounds": 2, "max_episodes": 7, "stall_after": 4},
        {OpenSynthesis: syntheses(nothing, makes(cover=True))},
    ),
}
"""Small settings that together keep every rule live; the quick ones first."""
