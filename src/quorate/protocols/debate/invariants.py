"""What the debate promises, said a second time and without the protocol's own functions; `verify` proves it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from quorate.core.forms import Reply
from quorate.core.types import Absent, Invariant, Moment, Reason, Seat
from quorate.protocols.debate.model import (
    JUDGE,
    PERSON,
    Agent,
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
    Verdict,
)

M = Moment[State]
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


def _agent(state: State, seat: Seat) -> Agent:
    return next(agent for agent in state.agents if agent.seat == seat)


def _asked(moment: M) -> set[Seat]:
    return {ask.seat for ask in moment.asks}


def _absent(moment: M) -> set[Seat]:
    return {ask.seat for ask, reply in moment.replies if isinstance(reply, Absent)}


def _wanted(settings: DebateSettings, moment: M) -> set[Seat]:
    """Whom this phase has to ask, by the rules."""
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
            return {JUDGE} if matters else set()
        case Phase.SYNTHESIS:
            return {JUDGE}
        case _:
            return set()


def _retried(settings: DebateSettings, moment: M) -> bool:
    """A retry happens exactly where somebody is missing and retries are left, and changes only who is done (D21)."""
    before, after = moment.state, moment.after
    missing = bool(_absent(moment))
    if moment.phase is Phase.CLARIFICATION_INPUT:
        missing = not _absent(moment) and bool(_unanswered(moment))
    due = missing and before.tries < settings.retries
    if (moment.outcome is Outcome.RETRY) != due:
        return False
    if moment.outcome is not Outcome.RETRY:
        return after.tries == 0 and not any(agent.done for agent in after.agents)
    here = _asked(moment) - _absent(moment)
    return after.tries == before.tries + 1 and all(
        agent.done == (_agent(before, agent.seat).done or agent.seat in here) for agent in after.agents
    )


def _unanswered(moment: M) -> tuple[str, ...]:
    reply = next((reply for _, reply in moment.replies), None)
    answers = reply.answers if isinstance(reply, Answers) else {}
    return tuple(key for key in moment.state.questions if key not in answers or answers[key].blank)


def _left(settings: DebateSettings, moment: M) -> bool:
    """Exactly the agents that are absent after the last retry leave, and nobody comes back (D22)."""
    final = moment.phase in AGENT_PHASES and moment.outcome is not Outcome.RETRY
    leaving = _absent(moment) if final else set()
    return all(a.left == (_agent(moment.state, a.seat).left or a.seat in leaving) for a in moment.after.agents)


def _enough(settings: DebateSettings, moment: M) -> bool:
    """FAILED exactly where fewer than two agents are left (D23)."""
    left = sum(not agent.left for agent in moment.after.agents)
    return (left < 2) == (moment.to is Phase.FAILURE)


def _rounds(settings: DebateSettings, moment: M) -> bool:
    """A round begins exactly where ROUND_MANAGER says so, and never one too many (D10)."""
    begun = moment.after.round - moment.state.round
    if moment.phase is not Phase.ROUND_MANAGER:
        return begun == 0
    due = moment.state.round < settings.rounds
    return (begun == 1) == due == (moment.outcome is Outcome.BEGIN_ROUND) and moment.after.round <= settings.rounds


def _history(settings: DebateSettings, moment: M) -> bool:
    """An agent's history grows by what it says and shrinks to its summary (D11)."""
    top, most = settings.summarization.threshold, settings.summarization.max_length
    for agent in moment.after.agents:
        expected = _agent(moment.state, agent.seat).history
        for ask, reply in moment.replies:
            if ask.seat == agent.seat:
                if isinstance(reply, Proposal | Refinement):
                    expected = min(top, expected + reply.size)
                elif isinstance(reply, Summary):
                    expected = min(top, reply.size, most)
        if agent.history != expected:
            return False
    return True


def _critics(settings: DebateSettings, moment: M) -> bool:
    """Every critique reaches its target and no other, and is gone after the refinement (D13, D14)."""
    before, after = moment.state, moment.after
    if moment.phase is Phase.CRITIQUE:
        given = sum(len(reply.critiques) for _, reply in moment.replies if isinstance(reply, Critiques))
        count = sum(len(agent.critics) for agent in after.agents) - sum(len(agent.critics) for agent in before.agents)
        return given == count and all(
            a.seat not in a.critics and len(set(a.critics)) == len(a.critics) for a in after.agents
        )
    if moment.phase is Phase.REFINEMENT and moment.outcome is not Outcome.RETRY:
        return not any(agent.critics for agent in after.agents)
    return all(agent.critics == _agent(before, agent.seat).critics for agent in after.agents)


def _keys(settings: DebateSettings, moment: M) -> bool:
    """Critics are asked about every other agent, authors about every critique, the person about every question."""
    state = moment.state
    active = sum(not agent.left for agent in state.agents)
    for ask in moment.asks:
        if moment.phase is Phase.CRITIQUE and len(set(ask.keys)) != active - 1:
            return False
        if moment.phase is Phase.REFINEMENT and len(set(ask.keys)) != len(_agent(state, ask.seat).critics):
            return False
        if moment.phase is Phase.CLARIFICATION_INPUT and ask.keys != state.questions:
            return False
    return True


def _sizes(settings: DebateSettings, moment: M) -> bool:
    """What the judge will have to read is counted: all critiques, and the texts that stand (D18)."""
    top, before, after = settings.summarization.threshold, moment.state, moment.after
    said = sum(reply.size for _, reply in moment.replies if isinstance(reply, Critiques))
    if after.critiques != min(top, before.critiques + said):
        return False
    if moment.phase is not Phase.REFINEMENT and (moment.phase, before.round) != (Phase.PROPOSAL, 1):
        return after.texts == before.texts
    new = sum(reply.size for _, reply in moment.replies if isinstance(reply, Proposal | Refinement))
    final = moment.phase is Phase.REFINEMENT and moment.outcome is not Outcome.RETRY
    standing = sum(a.history for a in after.agents if a.left) if final else 0
    return after.texts == min(top, min(top, (before.texts if before.tries else 0) + new) + standing)


def _questions(settings: DebateSettings, moment: M) -> bool:
    """Questions are issued once, in order, within the limit, and are closed or handed on (D5 to D9)."""
    before, after = moment.state, moment.after
    if moment.phase is Phase.CLARIFICATION:
        most = settings.clarifications_max_per_agent
        counts = [
            min(most, sum(not q.blank for q in reply.questions))
            for _, reply in moment.replies
            if isinstance(reply, Questions)
        ]
        new = tuple(f"q{n}" for n in range(before.issued + 1, before.issued + sum(counts) + 1))
        iteration = before.iteration + (moment.outcome is not Outcome.RETRY)
        pending = bool(before.questions + new) and moment.outcome is not Outcome.RETRY
        return (
            after.questions == before.questions + new
            and after.issued == before.issued + len(new)
            and after.iteration == iteration
            and (moment.outcome is Outcome.QUESTIONS_PENDING) == pending
        )
    if moment.phase is Phase.CLARIFICATION_INPUT:
        waiting = _unanswered(moment)
        kept = waiting if moment.outcome is Outcome.RETRY else ()
        submitted = not _absent(moment) and not waiting
        return after.questions == kept and (moment.outcome is Outcome.ANSWERS_SUBMITTED) == submitted
    return (after.questions, after.issued, after.iteration) == (
        before.questions,
        before.issued,
        before.iteration,
    )


def _evaluated(settings: DebateSettings, moment: M) -> bool:
    """The judge's confidence against the threshold decides, the round limit, or nothing (D15 to D17, D24)."""
    if moment.phase is not Phase.EVALUATION or moment.outcome is Outcome.RETRY:
        return True
    if settings.termination_condition.type is Termination.FIXED:
        return moment.outcome is Outcome.CONTINUE
    if moment.state.round >= settings.rounds:
        return moment.outcome is Outcome.MAX_ROUNDS_REACHED
    if _absent(moment):
        return moment.outcome is Outcome.FALLBACK
    convinced = any(
        isinstance(reply, Evaluation) and reply.confidence >= settings.termination_condition.threshold
        for _, reply in moment.replies
    )
    return moment.outcome is (Outcome.CONSENSUS_REACHED if convinced else Outcome.CONTINUE)


def _judged(settings: DebateSettings, moment: M) -> bool:
    """A solution stands only on the judge's synthesis, with its gaps and its capped confidence (D19, D20, D25)."""
    said = next((reply for _, reply in moment.replies if isinstance(reply, Synthesis)), None)
    after = moment.after
    if moment.verdict in (Verdict.SOLUTION, Verdict.PARTIAL_SOLUTION):
        if said is None or not after.judged:
            return False
        most = 40 if said.gaps else 100
        expected = Verdict.PARTIAL_SOLUTION if said.gaps else Verdict.SOLUTION
        return (after.gaps, after.confidence, moment.verdict) == (
            said.gaps,
            min(said.confidence, most),
            expected,
        )
    missing = moment.phase is Phase.SYNTHESIS and moment.outcome is Outcome.FALLBACK
    return not after.judged and said is None and after.unjudged == missing


def _summarised(settings: DebateSettings, moment: M) -> bool:
    """The judge summarises first exactly where there is too much to read, once (D18)."""
    if moment.phase is not Phase.SYNTHESIS:
        return moment.after.summarised == moment.state.summarised
    state, top = moment.state, settings.summarization.threshold
    due = settings.summarization.enabled and not state.summarised and state.texts + state.critiques >= top
    is_summary = moment.asks[0].form is Summary
    ready = is_summary and moment.outcome is not Outcome.RETRY
    return is_summary == due and moment.after.summarised == (state.summarised or ready)


def _asks(settings: DebateSettings, moment: M) -> bool:
    """Every phase asks exactly the seats the rules name, once each, with its own form (D1, D12, D13, D21)."""
    forms = FORMS.get(moment.phase, ())
    return (
        _asked(moment) == _wanted(settings, moment)
        and len(moment.asks) == len(_asked(moment))
        and all(ask.form in forms for ask in moment.asks)
    )


def _row_meaning(settings: DebateSettings, moment: M) -> bool:
    """Completion is claimed exactly where nobody is missing (D3)."""
    complete = COMPLETE.get(moment.phase)
    return complete is None or (moment.outcome is complete) == (not _absent(moment))


CHECKS: tuple[tuple[str, str, Check], ...] = (
    ("every phase asks exactly whom the rules name", "D1 D4 D9 D11-D17 D21", _asks),
    ("critics, authors and the person are asked about every item", "D8 D13 D14", _keys),
    ("completion is claimed exactly where nobody is missing", "D3", _row_meaning),
    ("retries ask only the absent, and at most `retries` times", "D21", _retried),
    ("exactly the agents absent after their retries leave the table", "D22", _left),
    ("fewer than two agents, and only that, is a failure", "D23", _enough),
    ("never more rounds than `rounds`", "D10", _rounds),
    ("histories grow by what was said and shrink to the summary", "D11", _history),
    ("every critique reaches its author", "D13 D14", _critics),
    ("what the judge must read is counted", "D18", _sizes),
    ("questions are issued once, within limits, and closed", "D5-D9", _questions),
    ("the threshold, and only the threshold, is consensus", "D15-D17 D24", _evaluated),
    ("the judge summarises first exactly where it is too much", "D18 D25", _summarised),
    ("no solution without the judge's synthesis; gaps cap its confidence", "D19 D20 D25", _judged),
)


def invariants(settings: DebateSettings) -> tuple[Invariant[State], ...]:
    """The debate's promises under these settings; an interruption (D26) has its own."""

    def normally(check: Check) -> Callable[[M], bool]:
        """Hold a check to the debate's own phases; a phase that somebody adds has promises of its own."""

        def holds(moment: M) -> bool:
            ours = isinstance(moment.phase, Phase) and moment.interrupted is None
            return not ours or check(settings, moment)

        return holds

    def interrupted(moment: M) -> bool:
        if moment.interrupted is None:
            return True
        target = Phase.SYNTHESIS if moment.interrupted is Reason.WISH else Phase.ABORTED
        kept = [(a.seat, a.left, a.history) for a in moment.after.agents]
        return moment.to is target and kept == [(a.seat, a.left, a.history) for a in moment.state.agents]

    return (
        *(Invariant(name, rule, normally(check)) for name, rule, check in CHECKS),
        Invariant("an interruption goes where it should and forgets no agent", "D26", interrupted),
    )
