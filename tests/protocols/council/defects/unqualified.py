"""Planted defects of the council about seats whose model failed the exam: something of their word counts (C48)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from quorate import catalog
from quorate.core.decisions import Decision
from quorate.core.protocol import Node, Protocol
from quorate.core.types import Replies
from quorate.protocols.council.rules import qualification
from quorate.protocols.council.rules.forms import (
    Answers,
    Assessment,
    AssuranceTree,
    Ballots,
    LastProposals,
    MockRun,
    ScoringTable,
)
from quorate.protocols.council.rules.model import Outcome, State, Verdict
from tests.protocols.council.oracle import with_oracle

PROFILES = ("one of three unqualified, fail fast", "one seat, unqualified")
Built = Mapping[str, Protocol[Any]]
Deciding = Callable[[Node[State], State, Replies], Decision[State]]


def heard(*forms: type[Any]) -> Callable[[Protocol[Any]], Protocol[Any]]:
    """Let replies of these forms count, whoever gives them."""

    def decide(node: Node[State], state: State, replies: Replies) -> Decision[State]:
        real = qualification.SILENCE
        qualification.SILENCE = {form: nothing for form, nothing in real.items() if form not in forms}
        try:
            return node.decide(state, replies)
        finally:
            qualification.SILENCE = real

    return _deciding(decide)


def _deciding(decide: Deciding) -> Callable[[Protocol[Any]], Protocol[Any]]:
    def plant(protocol: Protocol[Any]) -> Protocol[Any]:
        def node(each: Node[State]) -> Node[State]:
            return replace(each, decide=lambda state, replies: decide(each, state, replies))

        return replace(protocol, nodes={phase: node(each) for phase, each in protocol.nodes.items()})

    return plant


def untold(node: Node[State], state: State, replies: Replies) -> Decision[State]:
    made = node.decide(state, replies)
    return replace(made, facts=tuple(fact for fact in made.facts if fact.name != "unqualified"))


def judging(node: Node[State], state: State, replies: Replies) -> Decision[State]:
    """Everybody has judged who has assessed, whose word counts or not."""
    made = node.decide(state, replies)
    if made.outcome is not Outcome.ASSESSED:
        return made
    seats = tuple(replace(each, judged=not each.lost) for each in made.state.seats)
    return replace(made, state=replace(made.state, seats=seats))


def approves(protocol: Protocol[Any]) -> Protocol[Any]:
    """A seat alone approves, whether it counts or not."""
    end = next(phase for phase in protocol.verdicts if phase.name == "CONVERGED")
    conclude = protocol.verdicts[end]

    def verdict(state: State) -> Any:
        made = conclude(state)
        return Verdict.APPROVED if made is Verdict.NEEDS_ADJUDICATION and not state.findings else made

    return replace(protocol, verdicts={**protocol.verdicts, end: verdict})


PLANTED: Mapping[str, Callable[[Protocol[Any]], Protocol[Any]]] = {
    "everything counts": heard(*qualification.SILENCE),
    "an artifact counts": heard(ScoringTable, MockRun, AssuranceTree),
    "an assessment counts": heard(Assessment),
    "answers count": heard(Answers),
    "last proposals count": heard(LastProposals),
    "votes count": heard(Ballots),
    "nobody is told": _deciding(untold),
    "it has judged": _deciding(judging),
    "it approves alone": approves,
}


def councils(planted: str) -> Built:
    """Build the small councils with one of these defects, and with the oracle."""
    built = catalog.profiles("council", PROFILES)
    return {name: with_oracle(PLANTED[planted](protocol)) for name, protocol in built.items()}
