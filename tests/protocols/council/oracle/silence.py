"""A move of a council as it is decided: nothing that was said on a seat whose model failed the exam was said (C48)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from quorate.core.decisions import Fact
from quorate.core.forms import Keyed, Prose, Reply
from quorate.core.protocol import Invariant
from quorate.core.types import Replies
from quorate.protocols.council.rules.forms import (
    Answers,
    Assessment,
    AssuranceTree,
    Ballots,
    LastProposals,
    Level,
    MockRun,
    ScoringTable,
)
from quorate.protocols.council.rules.model import State
from tests.protocols.council.oracle.sheet import M

MUTE = (ScoringTable, MockRun, AssuranceTree, Assessment, Answers, LastProposals, Ballots)


def _nothing(reply: Reply) -> Reply:
    if isinstance(reply, Answers | LastProposals | Ballots):
        return type(reply)(Keyed())
    if isinstance(reply, Assessment):
        return Assessment((), (), Level.MEDIUM, True)
    return type(reply)((), ()) if isinstance(reply, AssuranceTree) else type(reply)((), Prose(""), ())  # type: ignore[call-arg]


def about_silence(invariant: Invariant[State], mute: Collection[str]) -> Invariant[State]:
    """Return the same check, of the move without their words; it tells of whom it has not counted the word."""

    def holds(moment: M) -> bool:
        spoke = [ask.seat for ask, reply in moment.replies if ask.seat in mute and isinstance(reply, Reply)]
        why = "its model has not passed the exam"
        own = tuple(Fact.of("unqualified", seat=seat, why=why) for seat in spoke)
        if moment.interrupted is None and moment.facts[len(moment.facts) - len(own) :] != own:
            return False
        replies = tuple(
            (ask, _nothing(reply) if ask.seat in mute and isinstance(reply, MUTE) else reply)
            for ask, reply in moment.replies
        )
        facts = moment.facts[: len(moment.facts) - len(own)] if moment.interrupted is None else moment.facts
        return invariant.holds(replace(moment, replies=Replies(replies), facts=facts))

    return replace(invariant, holds=holds)
