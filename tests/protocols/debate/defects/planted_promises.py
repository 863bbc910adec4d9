"""Planted defects of the promises of D33 and D34: one fate for everything, and no approval that nobody judged."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from enum import Enum
from typing import Any

from quorate.core.decisions import Decision, Fact
from quorate.core.forms import Reply
from quorate.core.types import Absent, AbsentReason, Question, Reason, Replies, Seat
from quorate.protocols.debate.rules.model import (
    PERSON,
    Evaluation,
    Outcome,
    Phase,
    Proposal,
    Refinement,
    Stance,
    State,
    Summary,
    Synthesis,
    Verdict,
)
from quorate.protocols.debate.rules.protocol import INTERRUPTS
from tests.verify.planted import Defect, P, asking, deciding, interrupting, with_node

D = Decision[State]
PHASES = (Phase.CLARIFICATION, Phase.CLARIFICATION_INPUT, Phase.REFINEMENT)
TEXTS = (Phase.PROPOSAL, Phase.REFINEMENT, Phase.SUMMARIZATION)


def facts(change: Callable[[tuple[Fact, ...]], tuple[Fact, ...]]) -> Defect:
    """A defect in what is told of questions and critiques."""

    def plant(protocol: P) -> P:
        for phase in PHASES:
            defect = deciding(phase, lambda state, heard, made: replace(made, facts=change(made.facts)))
            protocol = defect(protocol)
        return protocol

    return plant


def untold(name: str) -> Defect:
    return facts(lambda told: tuple(fact for fact in told if fact.name != name))


def told_twice(name: str) -> Defect:
    return facts(lambda told: (*told, *(fact for fact in told if fact.name == name)))


def renamed(old: str, new: str) -> Defect:
    return facts(lambda told: tuple(replace(fact, name=new) if fact.name == old else fact for fact in told))


def of_another(name: str, value: str, other: str) -> Defect:
    """What is told names somebody or something else."""

    def changed(fact: Fact) -> Fact:
        return Fact.of(fact.name, **{**dict(fact.values), value: other}) if fact.name == name else fact

    return facts(lambda told: tuple(map(changed, told)))


def state(made: D, **changes: Any) -> D:
    return replace(made, state=replace(made.state, **changes))


def keeps_critics(before: State, heard: Replies, made: D) -> D:
    """Critiques go into the next round without a fate."""
    agents = tuple(
        replace(agent, critics=was.critics) for agent, was in zip(made.state.agents, before.agents, strict=True)
    )
    return state(made, agents=agents) if made.outcome is not Outcome.RETRY else made


def keeps_questions(before: State, heard: Replies, made: D) -> D:
    return state(made, questions=before.questions) if made.outcome is Outcome.FALLBACK else made


def drops_a_question(before: State, heard: Replies, made: D) -> D:
    return state(made, questions=made.state.questions[1:])


def forgets_what_was_asked(before: State, heard: Replies, made: D) -> D:
    return state(made, asked=before.asked)


def answered_anyway(before: State, heard: Replies, made: D) -> D:
    """A question that was not answered is not asked again."""
    return state(made, questions=made.state.questions[1:]) if made.outcome is Outcome.RETRY else made


def follows_all(before: State, heard: Replies, made: D) -> D:
    """Every critique is told to be accepted, whatever its author says."""
    rejected = any(
        isinstance(reply, Refinement) and any(each.stance is Stance.REJECTED for each in reply.responses.values())
        for _, reply in heard
    )
    told = (replace(f, name="critique accepted") if f.name == "critique rejected" else f for f in made.facts)
    return replace(made, facts=tuple(told)) if rejected else made


def words_or_none(phase: Phase) -> Defect:
    """A text without words is taken for one (D21)."""

    def taken(reply: Reply | Absent) -> Reply | Absent:
        return replace(reply, blank=False) if isinstance(reply, Proposal | Refinement | Summary) else reply

    def counted(heard: Replies) -> Replies:
        return Replies(tuple((ask, taken(reply)) for ask, reply in heard))

    def plant(protocol: P) -> P:
        decide = protocol.nodes[phase].decide
        return with_node(protocol, phase, decide=lambda state, heard: decide(state, counted(heard)))

    return plant


NAMES = (
    "question issued",
    "question joined",
    "question refused",
    "question unanswered",
    "critique accepted",
    "critique rejected",
    "critique left open",
    "critique lost with its author",
)
FATES: Mapping[str, Defect] = {
    **{f"{name}: never told": untold(name) for name in NAMES},
    **{f"{name}: told twice": told_twice(name) for name in NAMES},
    "an equal question is told to be refused": renamed("question joined", "question refused"),
    "a refused question is told to be joined": renamed("question refused", "question joined"),
    "an issued question is told to be refused": renamed("question issued", "question refused"),
    "a question is joined to one that there is not": of_another("question joined", "to", "q9"),
    "all questions have one id": of_another("question issued", "id", "q1"),
    "a question is told to be another's": of_another("question issued", "seat", "judge"),
    "a critique is told to be another's": of_another("critique accepted", "by", "judge"),
    "a critique is told to be of another's text": of_another("critique rejected", "of", "judge"),
    "who left is told to have accepted": renamed("critique lost with its author", "critique accepted"),
    "every critique is told to be accepted": deciding(Phase.REFINEMENT, follows_all),
    "critiques go into the next round": deciding(Phase.REFINEMENT, keeps_critics),
    "questions go into the rounds": deciding(Phase.CLARIFICATION_INPUT, keeps_questions),
    "a question is dropped before it is asked": deciding(Phase.CLARIFICATION, drops_a_question),
    "what questions were asked is forgotten": deciding(Phase.CLARIFICATION, forgets_what_was_asked),
    "a question that was not answered is dropped": deciding(Phase.CLARIFICATION_INPUT, answered_anyway),
    **{f"{phase.name}: a text without words is one": words_or_none(phase) for phase in TEXTS},
}


# Nobody judged


def concluding(phase: Phase, verdict: Verdict) -> Defect:
    """An end has a verdict that nobody has judged."""
    return lambda protocol: replace(protocol, verdicts={**protocol.verdicts, phase: lambda _: verdict})


def judged(phase: Phase, when: Callable[[State, Replies, D], bool]) -> Defect:
    """The state says that the judge has judged, where it has not."""

    def change(before: State, heard: Replies, made: D) -> D:
        return state(made, judged=True, unjudged=False) if when(before, heard, made) else made

    return deciding(phase, change)


def _has(form: type[Any]) -> Callable[[State, Replies, D], bool]:
    return lambda before, heard, made: any(isinstance(reply, form) for _, reply in heard)


def _absent(reason: AbsentReason) -> Callable[[State, Replies, D], bool]:
    return lambda before, heard, made: (
        made.outcome is Outcome.FALLBACK
        and any(isinstance(reply, Absent) and reply.reason is reason for _, reply in heard)
    )


def _blank(before: State, heard: Replies, made: D) -> bool:
    return any(isinstance(reply, Synthesis) and reply.blank for _, reply in heard)


def another_judge(seat: Callable[[State], Seat]) -> Defect:
    """Somebody else is asked for the synthesis."""

    def change(before: State, asked: tuple[Question, ...]) -> tuple[Question, ...]:
        return tuple(replace(each, seat=seat(before)) if each.form is Synthesis else each for each in asked)

    return asking(Phase.SYNTHESIS, change)


def two_judges(before: State, asked: tuple[Question, ...]) -> tuple[Question, ...]:
    """An agent judges beside the judge."""
    return (*asked, *(replace(each, seat=before.agents[0].seat) for each in asked if each.form is Synthesis))


def folded(reason: Reason) -> Defect:
    """An interruption is taken for a judgement."""

    def fold(before: State, heard: Replies) -> State:
        return replace(INTERRUPTS[reason].fold(before, heard), judged=True)

    return interrupting(reason, fold=fold, to=Phase.CONCLUDED)


def straight(phase: Phase, outcome: Enum) -> Defect:
    """The rounds lead to the end without the judge, and the end is a solution."""

    def plant(protocol: P) -> P:
        rows = {**protocol.table[phase], outcome: Phase.CONCLUDED}
        changed = replace(protocol, table={**protocol.table, phase: rows})
        return concluding(Phase.CONCLUDED, Verdict.SOLUTION)(changed)

    return plant


JUDGED: Mapping[str, Defect] = {
    "every conclusion is a solution": concluding(Phase.CONCLUDED, Verdict.SOLUTION),
    "every conclusion is a partial solution": concluding(Phase.CONCLUDED, Verdict.PARTIAL_SOLUTION),
    "an aborted debate is a solution": concluding(Phase.ABORTED, Verdict.SOLUTION),
    "an aborted debate is a partial solution": concluding(Phase.ABORTED, Verdict.PARTIAL_SOLUTION),
    "a failed debate is a solution": concluding(Phase.FAILURE, Verdict.SOLUTION),
    "a failed debate is a partial solution": concluding(Phase.FAILURE, Verdict.PARTIAL_SOLUTION),
    **{f"a judge that is absent ({r.value}) has judged": judged(Phase.SYNTHESIS, _absent(r)) for r in AbsentReason},
    "a solution without words is one": judged(Phase.SYNTHESIS, _blank),
    "a second solution without words is one": judged(
        Phase.SYNTHESIS, lambda before, heard, made: before.tries > 0 and _blank(before, heard, made)
    ),
    "a summary of the judge is a judgement": judged(Phase.SYNTHESIS, _has(Summary)),
    "an evaluation is a judgement": judged(Phase.EVALUATION, _has(Evaluation)),
    "consensus is a judgement": judged(
        Phase.EVALUATION, lambda before, heard, made: made.outcome is Outcome.CONSENSUS_REACHED
    ),
    "the round limit is a judgement": judged(
        Phase.ROUND_MANAGER, lambda before, heard, made: made.outcome is Outcome.MAX_ROUNDS_REACHED
    ),
    "refinements are a judgement": judged(Phase.REFINEMENT, _has(Refinement)),
    "an agent judges": another_judge(lambda before: before.agents[0].seat),
    "the last agent judges": another_judge(lambda before: before.agents[-1].seat),
    "the person judges": another_judge(lambda before: PERSON),
    "two judge": asking(Phase.SYNTHESIS, two_judges),
    "a wish is a judgement": folded(Reason.WISH),
    "a budget is a judgement": folded(Reason.BUDGET),
    "a cancelled debate is judged": folded(Reason.CANCELLED),
    "the round limit ends in a solution": straight(Phase.ROUND_MANAGER, Outcome.MAX_ROUNDS_REACHED),
    "consensus ends in a solution": straight(Phase.EVALUATION, Outcome.CONSENSUS_REACHED),
}
ALL: Mapping[str, Mapping[str, Defect]] = {"fates": FATES, "judged": JUDGED}
