"""Planted defects that are made by hand, on the debate as a value: what no change of one line in its source gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from enum import Enum

from quorate.core.decisions import Decision
from quorate.core.forms import Key
from quorate.core.protocol import Node, When
from quorate.core.record import Record
from quorate.core.types import Absent, AbsentReason, Ask, Question, Reason, Replies, Seat
from quorate.core.view import View
from quorate.protocols.debate.rules.model import (
    Agent,
    Critiques,
    Evaluation,
    Outcome,
    Phase,
    Proposal,
    State,
    Synthesis,
    Verdict,
)
from tests.verify.planted import Defect, P, asking, briefs, deciding, interrupting, more, showing, with_node

NOTHING = Key("proposal-9")


class Extra(Enum):
    LIMBO = "limbo"


# Decisions


def reads_prose(state: State, heard: Replies, made: Decision[State]) -> Decision[State]:
    for _, reply in heard:
        if isinstance(reply, Evaluation) and "agreed" in reply.reason.text:
            return replace(made, outcome=Outcome.CONSENSUS_REACHED, because=())
    return made


def compares_prose(state: State, heard: Replies, made: Decision[State]) -> Decision[State]:
    texts = [reply.text for _, reply in heard if isinstance(reply, Proposal)]
    return replace(made, outcome=Outcome.RETRY, because=()) if len(texts) > 1 and texts[0] == texts[1] else made


def forgets_to_count(state: State, heard: Replies, made: Decision[State]) -> Decision[State]:
    return replace(made, state=replace(made.state, tries=0)) if made.outcome is Outcome.RETRY else made


def favours_a_seat(state: State, heard: Replies, made: Decision[State]) -> Decision[State]:
    """The first seat at the table is never asked again."""
    first = isinstance(heard.of(state.agents[0].seat), Absent)
    return replace(made, state=replace(made.state, tries=2)) if made.outcome is Outcome.RETRY and first else made


def excuses_refusal(state: State, heard: Replies, made: Decision[State]) -> Decision[State]:
    reasons = {reply.reason for _, reply in heard if isinstance(reply, Absent)}
    if reasons == {AbsentReason.REFUSED}:
        return Decision(Outcome.CRITIQUES_COMPLETE, replace(made.state, tries=0))
    return made


def stumbles_over_two_reasons(state: State, heard: Replies, made: Decision[State]) -> Decision[State]:
    reasons = [reply.reason for _, reply in heard if isinstance(reply, Absent)]
    if reasons == [AbsentReason.TIMED_OUT, AbsentReason.MALFORMED]:
        raise ValueError("late and wrong")
    return made


def keeps_a_list(state: State, heard: Replies, made: Decision[State]) -> Decision[State]:
    return replace(made, state=replace(made.state, questions=list(made.state.questions)))  # type: ignore[arg-type]


def keeps_prose(state: State, heard: Replies, made: Decision[State]) -> Decision[State]:
    words = tuple(reply.solution for _, reply in heard if isinstance(reply, Synthesis))
    return replace(made, state=replace(made.state, questions=words)) if words else made  # type: ignore[arg-type]


def says_otherwise(state: State, heard: Replies, made: Decision[State]) -> Decision[State]:
    """The reasons given are those of another decision."""
    return replace(made, because=made.because[::-1]) if made.outcome is Outcome.RETRY else made


def brings_back(state: State, heard: Replies, made: Decision[State]) -> Decision[State]:
    agents = tuple(replace(agent, left=False) for agent in made.state.agents)
    return replace(made, state=replace(made.state, agents=agents))


def settles_with_the_first(protocol: P) -> P:
    """One proposal is in, and the phase decides as if all were."""
    decide = protocol.nodes[Phase.PROPOSAL].decide
    return with_node(protocol, Phase.PROPOSAL, settle=decide)


def settles_while_it_counts(protocol: P) -> P:
    """Critiques are all there as soon as nobody was absent so far, but what the others say is lost."""
    decide = protocol.nodes[Phase.CRITIQUE].decide

    def settle(state: State, heard: Replies) -> Decision[State] | None:
        made: Decision[State] = decide(state, heard)
        return made if made.outcome is Outcome.CRITIQUES_COMPLETE else None

    return with_node(protocol, Phase.CRITIQUE, settle=settle)


# Asks


def to_a_stranger(state: State, asks: tuple[Question, ...]) -> tuple[Question, ...]:
    return (*asks, Question(Seat("lobbyist"), "refine", asks[0].form)) if asks else asks


def other_form(state: State, asks: tuple[Question, ...]) -> tuple[Question, ...]:
    return tuple(replace(each, form=Proposal) for each in asks)


def those_who_left(state: State, asks: tuple[Question, ...]) -> tuple[Question, ...]:
    left = [Question(agent.seat, "refine", asks[0].form) for agent in state.agents if agent.left] if asks else []
    return (*asks, *left)


# Views


def leaks_proposals(record: Record, ask: Ask, seen: View) -> View:
    words = [reply.text.text for said in record.in_round("propose", 1) if isinstance(reply := said.reply, Proposal)]
    return more(seen, " ".join(words))


def leaks_critiques(record: Record, ask: Ask, seen: View) -> View:
    given = [reply for said in record.in_round("criticise", 1) if isinstance(reply := said.reply, Critiques)]
    return more(seen, " ".join(each.weaknesses.text for reply in given for each in reply.critiques.values()))


def names_the_critics(record: Record, ask: Ask, seen: View) -> View:
    state: State = record.session.state
    return more(seen, ", ".join(critic for agent in state.agents for critic in agent.critics))


def drops_an_item(record: Record, ask: Ask, seen: View) -> View:
    return replace(seen, sections=seen.sections[:-1])


def raises_later(record: Record, ask: Ask, seen: View) -> View:
    state: State = record.session.state
    return replace(seen, sections=(seen.sections[state.round + 5],)) if state.round > 1 else seen


# The value


def unreachable_phase(protocol: P) -> P:
    node: Node[State] = Node(lambda _: (), lambda state, _: Decision(Outcome.START, state))
    table = {**protocol.table, Extra.LIMBO: {Outcome.START: Phase.SYNTHESIS}}
    return replace(protocol, nodes={**protocol.nodes, Extra.LIMBO: node}, table=table)


def dead_row(protocol: P) -> P:
    rows = {**protocol.table[Phase.PROPOSAL], Outcome.CONSENSUS_REACHED: Phase.SYNTHESIS}
    return replace(protocol, table={**protocol.table, Phase.PROPOSAL: rows})


def silent_loop(protocol: P) -> P:
    rows = {**protocol.table[Phase.ROUND_MANAGER], Outcome.MAX_ROUNDS_REACHED: Phase.ROUND_MANAGER}
    return replace(protocol, table={**protocol.table, Phase.ROUND_MANAGER: rows}, invariants=())


def approves_without_judge(protocol: P) -> P:
    return replace(protocol, verdicts={**protocol.verdicts, Phase.CONCLUDED: lambda _: Verdict.SOLUTION})


def unsure_verdict(protocol: P) -> P:
    names = {(True, True): Verdict.PARTIAL_SOLUTION, (True, False): Verdict.SOLUTION}
    return replace(
        protocol, verdicts={**protocol.verdicts, Phase.CONCLUDED: lambda state: names[(state.judged, state.gaps)]}
    )


def forgetful_fold(state: State, _: Replies) -> State:
    return State(tuple(Agent(agent.seat) for agent in state.agents))


def counting_fold(state: State, heard: Replies) -> State:
    """Looks at who has replied, and stumbles over an absence."""
    for _, reply in heard:
        assert not isinstance(reply, Proposal)
    return state


def without_exit_code(protocol: P) -> P:
    codes = {verdict: code for verdict, code in protocol.exit_codes.items() if verdict is not Verdict.UNJUDGED}
    return replace(protocol, exit_codes=codes)


DEFECTS: Mapping[str, Defect] = {
    "a decision reads prose": deciding(Phase.EVALUATION, reads_prose),
    "a decision compares prose": deciding(Phase.PROPOSAL, compares_prose),
    "a counter is not advanced": deciding(Phase.CRITIQUE, forgets_to_count),
    "a seat is treated differently": deciding(Phase.PROPOSAL, favours_a_seat),
    "a reason of absence is treated differently": deciding(Phase.CRITIQUE, excuses_refusal),
    "two reasons of absence together raise": deciding(Phase.REFINEMENT, stumbles_over_two_reasons),
    "a state cannot be hashed": deciding(Phase.CLARIFICATION, keeps_a_list),
    "a state holds prose": deciding(Phase.SYNTHESIS, keeps_prose),
    "the reasons contradict the outcome": deciding(Phase.SUMMARIZATION, says_otherwise),
    "agents that left come back": deciding(Phase.EVALUATION, brings_back),
    "a settlement is too early": settles_with_the_first,
    "a settlement loses what others say": settles_while_it_counts,
    "an ask to an unknown seat": asking(Phase.REFINEMENT, to_a_stranger),
    "keys that are not unique": asking(
        Phase.CRITIQUE, lambda _, asks: tuple(replace(q, keys=q.keys * 2) for q in asks)
    ),
    "a key of nothing": asking(
        Phase.CRITIQUE, lambda _, asks: tuple(replace(q, keys=(*q.keys, NOTHING)) for q in asks)
    ),
    "everybody is asked twice": asking(Phase.PROPOSAL, lambda _, asks: asks + asks),
    "an ask with the wrong form": asking(Phase.REFINEMENT, other_form),
    "those who left are asked": asking(Phase.REFINEMENT, those_who_left),
    "a proposal's view leaks another's proposal": showing("propose", leaks_proposals),
    "a critic's view leaks another's critique": showing("criticise", leaks_critiques),
    "a view names anonymous critics": showing("refine", names_the_critics),
    "a view lacks an item it asks about": showing("criticise", drops_an_item),
    "a view raises in a later round": showing("refine", raises_later),
    "a phase is unreachable": unreachable_phase,
    "a row is never taken": dead_row,
    "phases are passed for ever": silent_loop,
    "a verdict without the judge": approves_without_judge,
    "a verdict that is not always defined": unsure_verdict,
    "an interruption forgets": interrupting(Reason.WISH, fold=forgetful_fold),
    "an interruption stumbles over a reply": interrupting(Reason.BUDGET, fold=counting_fold),
    "an interruption leads elsewhere": interrupting(Reason.CANCELLED, to=Phase.FAILURE),
    "an interruption acts at once instead of later": interrupting(Reason.WISH, when=When.NOW),
    "a verdict without an exit code": without_exit_code,
    "a brief is missing": briefs({"evaluate-quality": None}),
    "a brief is blank": briefs({"synthesize": "  \n"}),
    "a brief is not used": briefs({"vote": "Vote."}),
    "a role is missing": briefs({"roles/testing": None}),
}
