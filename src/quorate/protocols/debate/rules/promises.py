"""Invariants of the debate about counts and conclusions, one function each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from quorate.core.decisions import Fact
from quorate.core.protocol import Degradation, Moment
from quorate.core.types import Absent, Seat
from quorate.protocols.debate.rules.model import (
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


def _top(settings: DebateSettings) -> int:
    """Return the size up to which texts are counted: the threshold, or 0 without summaries."""
    return settings.summarization.threshold if settings.summarization.enabled else 0


def agent_of(state: State, seat: Seat) -> Agent:
    return next(agent for agent in state.agents if agent.seat == seat)


def absent_in(moment: M) -> set[Seat]:
    return {ask.seat for ask, reply in moment.replies if isinstance(reply, Absent)}


def unanswered_in(moment: M) -> tuple[str, ...]:
    reply = next((reply for _, reply in moment.replies), None)
    answers = reply.answers if isinstance(reply, Answers) else {}
    return tuple(key for key in moment.state.questions if key not in answers or answers[key].blank)


def history(settings: DebateSettings, moment: M) -> bool:
    """An agent's history grows by what it says and shrinks to its summary (D11)."""
    top, most = _top(settings), settings.summarization.max_length
    for agent in moment.after.agents:
        expected = agent_of(moment.state, agent.seat).history
        for ask, reply in moment.replies:
            if ask.seat == agent.seat:
                if isinstance(reply, Proposal | Refinement):
                    expected = min(top, expected + reply.size)
                elif isinstance(reply, Summary):
                    expected = min(top, reply.size, most)
        if agent.history != expected:
            return False
    return True


def critics(settings: DebateSettings, moment: M) -> bool:
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
    return all(agent.critics == agent_of(before, agent.seat).critics for agent in after.agents)


def sizes(settings: DebateSettings, moment: M) -> bool:
    """What the judge will have to read is counted: all critiques, and the texts that stand (D18)."""
    top, before, after = _top(settings), moment.state, moment.after
    said = sum(reply.size for _, reply in moment.replies if isinstance(reply, Critiques))
    if after.critiques != min(top, before.critiques + said):
        return False
    if moment.phase is not Phase.REFINEMENT and (moment.phase, before.round) != (Phase.PROPOSAL, 1):
        return after.texts == before.texts
    new = sum(reply.size for _, reply in moment.replies if isinstance(reply, Proposal | Refinement))
    final = moment.phase is Phase.REFINEMENT and moment.outcome is not Outcome.RETRY
    standing = sum(a.history for a in after.agents if a.left) if final else 0
    return after.texts == min(top, min(top, (before.texts if before.tries else 0) + new) + standing)


def questions(settings: DebateSettings, moment: M) -> bool:
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
        if moment.outcome is Outcome.ALL_CLEAR:
            return not before.questions + new and (after.questions, after.issued, after.iteration) == ((), 0, 0)
        iteration = before.iteration + (moment.outcome is not Outcome.RETRY)
        pending = bool(before.questions + new) and moment.outcome is not Outcome.RETRY
        return (
            after.questions == before.questions + new
            and after.issued == before.issued + len(new)
            and after.iteration == iteration
            and (moment.outcome is Outcome.QUESTIONS_PENDING) == pending
        )
    if moment.phase is Phase.CLARIFICATION_INPUT:
        waiting = unanswered_in(moment)
        kept = waiting if moment.outcome is Outcome.RETRY else ()
        submitted = not absent_in(moment) and not waiting
        expected = (0, 0) if moment.outcome is Outcome.FALLBACK else (before.issued, before.iteration)
        return (
            after.questions == kept
            and (moment.outcome is Outcome.ANSWERS_SUBMITTED) == submitted
            and (after.issued, after.iteration) == expected
        )
    return (after.questions, after.issued, after.iteration) == (
        before.questions,
        before.issued,
        before.iteration,
    )


def evaluated(settings: DebateSettings, moment: M) -> bool:
    """The judge's confidence against the threshold decides, the round limit, or nothing (D15 to D17, D24)."""
    if moment.phase is not Phase.EVALUATION or moment.outcome is Outcome.RETRY:
        return True
    if settings.termination_condition.type is Termination.FIXED:
        return moment.outcome is Outcome.CONTINUE
    if moment.state.round >= settings.rounds:
        return moment.outcome is Outcome.MAX_ROUNDS_REACHED
    if absent_in(moment):
        return moment.outcome is Outcome.FALLBACK
    convinced = any(
        isinstance(reply, Evaluation) and reply.confidence >= settings.termination_condition.threshold
        for _, reply in moment.replies
    )
    return moment.outcome is (Outcome.CONSENSUS_REACHED if convinced else Outcome.CONTINUE)


def judged(settings: DebateSettings, moment: M) -> bool:
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


def summarised(settings: DebateSettings, moment: M) -> bool:
    """The judge summarises first exactly where there is too much to read, once (D18)."""
    if moment.phase is not Phase.SYNTHESIS:
        return moment.after.summarised == moment.state.summarised
    state, top = moment.state, settings.summarization.threshold
    due = settings.summarization.enabled and not state.summarised and state.texts + state.critiques >= top
    is_summary = moment.asks[0].form is Summary
    ready = is_summary and moment.outcome is not Outcome.RETRY
    return is_summary == due and moment.after.summarised == (state.summarised or ready)


def told(settings: DebateSettings, moment: M) -> bool:
    """The record is told who left, what was issued, refused and left open, and what was capped, and nothing else."""
    return Counter(moment.facts) == Counter(_news(settings, moment))


def _news(settings: DebateSettings, moment: M) -> Iterator[Fact]:
    again = moment.outcome is Outcome.RETRY
    if moment.phase in (Phase.PROPOSAL, Phase.CRITIQUE, Phase.REFINEMENT) and not again:
        yield from (Fact.of("left the table", seat=seat) for seat in absent_in(moment))
    elif moment.phase is Phase.CLARIFICATION_INPUT and not again:
        yield from (Fact.of("question unanswered", id=key) for key in unanswered_in(moment))
    number, most = moment.state.issued, settings.clarifications_max_per_agent
    for ask, reply in moment.replies:
        if isinstance(reply, Questions):
            asked = sum(not question.blank for question in reply.questions)
            for _ in range(min(asked, most)):
                number += 1
                yield Fact.of("question issued", id=f"q{number}", seat=ask.seat)
            if asked > most:
                yield Fact.of("questions refused", seat=ask.seat, count=asked - most)
        elif isinstance(reply, Synthesis) and reply.gaps and reply.confidence > 40:
            yield Fact.of("confidence capped", said=reply.confidence, counts=40)


def degraded(settings: DebateSettings, moment: M) -> bool:
    """A verdict says how much of the table was missing, by the settings (D27)."""
    if moment.verdict is None:
        return moment.degradation is None
    left = sum(not agent.left for agent in moment.after.agents)
    unjudged = moment.verdict is Verdict.UNJUDGED
    if left < settings.required_agents or (unjudged and settings.judge_required):
        return moment.degradation is Degradation.BELOW_SETTINGS
    whole = left == len(moment.after.agents) and not unjudged
    return moment.degradation is (Degradation.NONE if whole else Degradation.WITHIN_SETTINGS)
