"""The oracle of the debate: its rules implemented a second time, from RULES.md, and compared with every move.

Its checks are added to the debate's own invariants wherever defects are to be found: `with_oracle(protocol)`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from quorate.core.forms import Reply
from quorate.core.protocol import Invariant, Protocol
from quorate.core.types import Seat
from quorate.kit.settings import read_settings
from quorate.protocols.debate.rules.model import (
    JUDGE,
    PERSON,
    Answers,
    Critiques,
    DebateSettings,
    Evaluation,
    Outcome,
    Phase,
    Proposal,
    Questions,
    Refinement,
    State,
    Summary,
    Synthesis,
    Termination,
)
from tests.protocols.debate.oracle.expected import (
    M,
    absent_in,
    agent_of,
    critics,
    degraded,
    evaluated,
    history,
    judge_is_heard,
    judged,
    questions,
    sizes,
    summarised,
    told,
    unanswered_in,
)

Check = Callable[[DebateSettings, M], bool]
AGENT_PHASES = (Phase.PROPOSAL, Phase.CRITIQUE, Phase.REFINEMENT)
FORMS: Mapping[Any, tuple[type[Reply], ...]] = {
    Phase.CLARIFICATION: (Questions,),
    Phase.CLARIFICATION_INPUT: (Answers,),
    Phase.SUMMARIZATION: (Summary,),
    Phase.PROPOSAL: (Proposal,),
    Phase.CRITIQUE: (Critiques,),
    Phase.REFINEMENT: (Refinement,),
    Phase.EVALUATION: (Evaluation,),
    Phase.SYNTHESIS: (Summary, Synthesis),
}
COMPLETE: Mapping[Any, Outcome] = {
    Phase.SUMMARIZATION: Outcome.CONTEXTS_READY,
    Phase.PROPOSAL: Outcome.PROPOSALS_COMPLETE,
    Phase.CRITIQUE: Outcome.CRITIQUES_COMPLETE,
    Phase.REFINEMENT: Outcome.REFINEMENTS_COMPLETE,
}
LEADS: Mapping[Any, Phase] = {
    Outcome.START: Phase.CLARIFICATION,
    Outcome.QUESTIONS_PENDING: Phase.CLARIFICATION_INPUT,
    Outcome.ANSWERS_SUBMITTED: Phase.CLARIFICATION,
    Outcome.ALL_CLEAR: Phase.ROUND_MANAGER,
    Outcome.BEGIN_ROUND: Phase.SUMMARIZATION,
    Outcome.PROPOSALS_COMPLETE: Phase.CRITIQUE,
    Outcome.CRITIQUES_COMPLETE: Phase.REFINEMENT,
    Outcome.REFINEMENTS_COMPLETE: Phase.EVALUATION,
    Outcome.CONTINUE: Phase.ROUND_MANAGER,
    Outcome.CONSENSUS_REACHED: Phase.SYNTHESIS,
    Outcome.MAX_ROUNDS_REACHED: Phase.SYNTHESIS,
    Outcome.COMPLETE: Phase.CONCLUDED,
    Outcome.FAILED: Phase.FAILURE,
}
GOES_ON: Mapping[Any, Phase] = {
    Phase.CLARIFICATION_INPUT: Phase.ROUND_MANAGER,
    Phase.SUMMARIZATION: Phase.PROPOSAL,
    Phase.PROPOSAL: Phase.CRITIQUE,
    Phase.CRITIQUE: Phase.REFINEMENT,
    Phase.REFINEMENT: Phase.EVALUATION,
    Phase.EVALUATION: Phase.ROUND_MANAGER,
    Phase.SYNTHESIS: Phase.CONCLUDED,
}
"""Where FALLBACK leads: on."""


def _asked(moment: M) -> set[Seat]:
    return {ask.seat for ask in moment.asks}


def _wanted(settings: DebateSettings, moment: M) -> set[Seat]:
    """Return the seats that this phase must ask, by the rules."""
    state, summaries = moment.state, settings.summarization
    waiting = {a.seat for a in state.agents if not a.left and not a.done}
    condition = settings.termination_condition
    match moment.phase:
        case Phase.CLARIFICATION:
            more = settings.interactive_clarifications and state.iteration < settings.clarifications_max_iterations
            return waiting if more else set()
        case Phase.CLARIFICATION_INPUT:
            return {PERSON}
        case Phase.SUMMARIZATION:
            long = {a.seat for a in state.agents if a.history >= summaries.threshold}
            return waiting & long if summaries.enabled else set()
        case Phase.PROPOSAL:
            return waiting if state.round == 1 else set()
        case Phase.CRITIQUE | Phase.REFINEMENT:
            return waiting
        case Phase.EVALUATION:
            matters = condition.type is not Termination.FIXED and state.round < settings.rounds
            matters = matters and judge_is_heard(settings)
            return {JUDGE} if matters else set()
        case Phase.SYNTHESIS:
            return {JUDGE}
        case _:
            return set()


def _retried(settings: DebateSettings, moment: M) -> bool:
    """A retry happens exactly where somebody is missing and retries are left, and changes only who is done (D21)."""
    before, after = moment.state, moment.after
    missing = bool(absent_in(moment))
    if moment.phase is Phase.CLARIFICATION_INPUT:
        missing = not absent_in(moment) and bool(unanswered_in(moment))
    if any(isinstance(reply, Synthesis) and reply.blank for _, reply in moment.replies):
        missing = True  # a solution without words is none (D25)
    due = missing and before.tries < settings.retries
    if (moment.outcome is Outcome.RETRY) != due:
        return False
    if moment.outcome is not Outcome.RETRY:
        return after.tries == 0 and not any(agent.done for agent in after.agents)
    here = _asked(moment) - absent_in(moment)
    return after.tries == before.tries + 1 and all(
        agent.done == (agent_of(before, agent.seat).done or agent.seat in here) for agent in after.agents
    )


def _left(settings: DebateSettings, moment: M) -> bool:
    """Exactly the agents that are absent after the last retry leave, and nobody comes back (D22)."""
    final = moment.phase in AGENT_PHASES and moment.outcome is not Outcome.RETRY
    leaving = absent_in(moment) if final else set()
    return all(a.left == (agent_of(moment.state, a.seat).left or a.seat in leaving) for a in moment.after.agents)


def _rounds(settings: DebateSettings, moment: M) -> bool:
    """A round begins exactly where ROUND_MANAGER says so, and never one too many (D10)."""
    begun = moment.after.round - moment.state.round
    if moment.phase is not Phase.ROUND_MANAGER:
        return begun == 0
    due = moment.state.round < settings.rounds
    return (begun == 1) == due == (moment.outcome is Outcome.BEGIN_ROUND) and moment.after.round <= settings.rounds


def _asks(settings: DebateSettings, moment: M) -> bool:
    """Every phase asks exactly the seats the rules name, once each, with its own form (D1, D12, D13, D21)."""
    forms = FORMS.get(moment.phase, ())
    return (
        _asked(moment) == _wanted(settings, moment)
        and len(moment.asks) == len(_asked(moment))
        and all(ask.form in forms for ask in moment.asks)
    )


def _leads(settings: DebateSettings, moment: M) -> bool:
    """Every outcome leads where its name says: again, on, or to where it was decided to go (D2, D10, D18, D21-D25)."""
    if not isinstance(moment.to, Phase):
        return True  # a phase that somebody has put in between
    match moment.outcome:
        case Outcome.RETRY:
            return moment.to is moment.phase
        case Outcome.FALLBACK:
            return moment.to is GOES_ON[moment.phase]
        case Outcome.CONTEXTS_READY:
            return moment.to is (Phase.SYNTHESIS if moment.phase is Phase.SYNTHESIS else Phase.PROPOSAL)
        case _:
            return moment.to is LEADS[moment.outcome]


def _row_meaning(settings: DebateSettings, moment: M) -> bool:
    """Completion is claimed exactly where nobody is missing (D3)."""
    complete = COMPLETE.get(moment.phase)
    return complete is None or (moment.outcome is complete) == (not absent_in(moment))


CHECKS: tuple[tuple[str, str, Check], ...] = (
    ("every phase asks exactly whom the rules name", "D1 D4 D9 D11-D17 D21", _asks),
    ("every outcome leads where it should", "D2 D10 D18 D21-D25", _leads),
    ("completion is claimed exactly where nobody is missing", "D3", _row_meaning),
    ("retries ask only the absent, and at most `retries` times", "D21", _retried),
    ("exactly the agents absent after their retries leave the table", "D22", _left),
    ("a round begins exactly where ROUND_MANAGER says so", "D10", _rounds),
    ("histories grow by what was said and shrink to the summary", "D11", history),
    ("every critique reaches its author", "D13 D14", critics),
    ("what the judge must read is counted", "D18", sizes),
    ("questions are issued once, within limits, and closed", "D5-D9", questions),
    ("the threshold, and only the threshold, is consensus", "D15-D17 D24", evaluated),
    ("the judge summarises first exactly where it is too much", "D18 D25", summarised),
    ("no solution without the judge's synthesis; gaps cap its confidence", "D19 D20 D25", judged),
    ("the record is told who left, what was issued, refused, left open and capped", "D5 D8 D19 D22", told),
)


def oracle(settings: DebateSettings) -> tuple[Invariant[State], ...]:
    """Return the oracle's checks under these settings."""

    def normally(check: Check) -> Callable[[M], bool]:
        """Limit a check to the debate's own phases, not interrupted."""

        def holds(moment: M) -> bool:
            ours = isinstance(moment.phase, Phase) and moment.interrupted is None
            return not ours or check(settings, moment)

        return holds

    return (
        *(Invariant(name, rule, normally(check)) for name, rule, check in CHECKS),
        Invariant("a verdict says how much of the table was missing", "D27", lambda moment: degraded(settings, moment)),
    )


def with_oracle(protocol: Protocol[Any]) -> Protocol[Any]:
    """Return a debate that is held against its oracle too."""
    checks = oracle(read_settings(DebateSettings, protocol.settings))
    return replace(protocol, invariants=(*protocol.invariants, *checks))
