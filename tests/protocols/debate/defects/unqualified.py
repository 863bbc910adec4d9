"""Planted defects of the debate about seats whose model failed the exam: something of their word counts (D36)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from quorate import catalog
from quorate.core.decisions import Decision, Fact
from quorate.core.protocol import Protocol
from quorate.core.types import Question, Replies
from quorate.core.values import replace
from quorate.kit.settings import read_settings
from quorate.protocols import debate
from quorate.protocols.debate.rules.model import (
    JUDGE,
    Evaluation,
    Outcome,
    Phase,
    Refinement,
    State,
    Synthesis,
    Verdict,
)
from tests.protocols.debate.defects.mutants import PROFILES
from tests.verify.planted import Defect, P, asking, deciding

D = Decision[State]


def _synthesis(heard: Replies) -> Synthesis | None:
    return next((reply for _, reply in heard if isinstance(reply, Synthesis) and not reply.blank), None)


def judges(before: State, heard: Replies, made: D) -> D:
    """The judge's synthesis is the solution, as if it had passed."""
    said = _synthesis(heard)
    if said is None:
        return made
    return replace(made, outcome=Outcome.COMPLETE, state=replace(made.state, judged=True), because=())


def keeps_its_gaps(before: State, heard: Replies, made: D) -> D:
    said = _synthesis(heard)
    return made if said is None else replace(made, state=replace(made.state, gaps=said.gaps))


def keeps_its_confidence(before: State, heard: Replies, made: D) -> D:
    said = _synthesis(heard)
    return made if said is None else replace(made, state=replace(made.state, confidence=said.confidence))


def untold(before: State, heard: Replies, made: D) -> D:
    return replace(made, facts=tuple(fact for fact in made.facts if fact.name != "unqualified"))


def missing(before: State, heard: Replies, made: D) -> D:
    """The judge is taken for missing, so the debate counts as degraded."""
    return made if _synthesis(heard) is None else replace(made, state=replace(made.state, unjudged=True))


def asked_to_evaluate(state: State, asks: tuple[Question, ...]) -> tuple[Question, ...]:
    return (*asks, Question(JUDGE, "evaluate-quality", Evaluation)) if state.round < 2 else asks


def ends_the_rounds(before: State, heard: Replies, made: D) -> D:
    return replace(made, outcome=Outcome.CONSENSUS_REACHED, because=()) if made.outcome is Outcome.CONTINUE else made


def asked_again(before: State, heard: Replies, made: D) -> D:
    """Without an evaluation the rounds go on as if the judge were absent."""
    return replace(made, outcome=Outcome.FALLBACK, because=()) if made.outcome is Outcome.CONTINUE else made


def settles(before: State, heard: Replies, made: D) -> D:
    """What an unqualified author says of critiques is told as their fate."""
    said = {ask.seat: reply for ask, reply in heard if isinstance(reply, Refinement)}

    def stance(fact: Fact) -> Fact:
        author = dict(fact.values).get("of")
        given = next((reply for seat, reply in said.items() if seat == author), None)
        named = given is not None and fact.name == "critique left open" and author == "security" and given.responses
        return replace(fact, name="critique accepted") if named else fact

    return replace(made, facts=tuple(map(stance, made.facts)))


def settles_nothing_of_others(before: State, heard: Replies, made: D) -> D:
    """What a qualified author says of critiques settles nothing either."""
    names = ("critique accepted", "critique rejected")
    told = (replace(fact, name="critique left open") if fact.name in names else fact for fact in made.facts)
    return replace(made, facts=tuple(told))


def approves(protocol: P) -> P:
    """A debate that nobody judged is solved."""
    conclude = protocol.verdicts[Phase.CONCLUDED]

    def verdict(state: State) -> Any:
        return Verdict.SOLUTION if not state.unjudged and not state.judged else conclude(state)

    return replace(protocol, verdicts={**protocol.verdicts, Phase.CONCLUDED: verdict})


PLANTED: Mapping[str, Defect] = {
    "the judge judges": deciding(Phase.SYNTHESIS, judges),
    "its gaps are kept": deciding(Phase.SYNTHESIS, keeps_its_gaps),
    "its confidence is kept": deciding(Phase.SYNTHESIS, keeps_its_confidence),
    "nobody is told": deciding(Phase.SYNTHESIS, untold),
    "it is taken for missing": deciding(Phase.SYNTHESIS, missing),
    "it is asked for an evaluation": asking(Phase.EVALUATION, asked_to_evaluate),
    "its silence ends the rounds": deciding(Phase.EVALUATION, ends_the_rounds),
    "its silence is an absence": deciding(Phase.EVALUATION, asked_again),
    "an author settles critiques": deciding(Phase.REFINEMENT, settles),
    "the other author settles none": deciding(Phase.REFINEMENT, settles_nothing_of_others),
    "what nobody judged is solved": approves,
}


def built(plant: Defect) -> Mapping[str, Protocol[Any]]:
    """Build the debate with an unqualified judge and agent, with this defect and without the oracle."""
    settings = read_settings(debate.DEFINITION.settings, PROFILES["unqualified"])
    return {"unqualified": plant(debate.build(settings, catalog.briefs(debate.DEFINITION), 7))}
