"""What a move of the debate must have counted, decided and told, one function each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from quorate.core.decisions import Fact
from quorate.core.forms import Key
from quorate.core.protocol import Degradation, Moment
from quorate.core.types import Absent, Seat
from quorate.protocols.debate.rules.model import (
    JUDGE,
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


def judge_is_heard(settings: DebateSettings) -> bool:
    """The word of a judge that has not passed the exam is a note (D36)."""
    return JUDGE not in settings.unqualified_seats


def agent_of(state: State, seat: Seat) -> Agent:
    return next(agent for agent in state.agents if agent.seat == seat)


def absent_in(moment: M) -> set[Seat]:
    return {ask.seat for ask, reply in moment.replies if isinstance(reply, Absent) or wordless(reply)}


def wordless(reply: object) -> bool:
    """A text without words is none (D21)."""
    return isinstance(reply, Proposal | Refinement | Summary) and reply.blank


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
            if ask.seat == agent.seat and not wordless(reply):
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
    texts = (reply for _, reply in moment.replies if isinstance(reply, Proposal | Refinement))
    new = sum(reply.size for reply in texts if not wordless(reply))
    final = moment.phase is Phase.REFINEMENT and moment.outcome is not Outcome.RETRY
    standing = sum(a.history for a in after.agents if a.left) if final else 0
    return after.texts == min(top, min(top, (before.texts if before.tries else 0) + new) + standing)


def questions(settings: DebateSettings, moment: M) -> bool:
    """Questions are issued once, in order, within the limit, and are closed or handed on (D5 to D9)."""
    before, after = moment.state, moment.after
    if moment.phase is Phase.CLARIFICATION:
        told = list(_raised(settings, moment))
        new = tuple(str(dict(fact.values)["id"]) for fact in told if fact.name == "question issued")
        if moment.outcome is Outcome.ALL_CLEAR:
            return not before.questions + new and (
                after.questions,
                after.issued,
                after.iteration,
                after.asked,
            ) == ((), 0, 0, ())
        iteration = before.iteration + (moment.outcome is not Outcome.RETRY)
        pending = bool(before.questions + new) and moment.outcome is not Outcome.RETRY
        return (
            after.questions == before.questions + new
            and after.issued == before.issued + len(told)
            and tuple(key for _, key in after.asked) == (*(key for _, key in before.asked), *new)
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
    if not judge_is_heard(settings):
        return moment.outcome is Outcome.CONTINUE
    if absent_in(moment):
        return moment.outcome is Outcome.FALLBACK
    convinced = any(
        isinstance(reply, Evaluation) and reply.confidence >= settings.termination_condition.threshold
        for _, reply in moment.replies
    )
    return moment.outcome is (Outcome.CONSENSUS_REACHED if convinced else Outcome.CONTINUE)


def judged(settings: DebateSettings, moment: M) -> bool:
    """A solution stands only on a synthesis that counts, with its gaps and capped confidence (D19, D20, D25, D36)."""
    said = next((reply for _, reply in moment.replies if isinstance(reply, Synthesis) and not reply.blank), None)
    after = moment.after
    if not judge_is_heard(settings) and said is not None:
        shown = (moment.outcome, moment.verdict) == (Outcome.FALLBACK, Verdict.UNJUDGED)
        return shown and (after.judged, after.unjudged, after.gaps, after.confidence) == (False, False, False, 0)
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
    return Counter(_unlabelled(moment, moment.facts)) == Counter(_news(settings, moment))


def _news(settings: DebateSettings, moment: M) -> Iterator[Fact]:
    again = moment.outcome is Outcome.RETRY
    if moment.phase in (Phase.PROPOSAL, Phase.CRITIQUE, Phase.REFINEMENT) and not again:
        yield from (Fact.of("left the table", seat=seat) for seat in absent_in(moment))
    elif moment.phase is Phase.CLARIFICATION_INPUT and not again:
        yield from (Fact.of("question unanswered", id=key) for key in unanswered_in(moment))
    yield from _raised(settings, moment)
    if moment.phase is Phase.REFINEMENT:
        yield from _responses(settings, moment, again=again)
    for ask, reply in moment.replies:
        if isinstance(reply, Synthesis) and not judge_is_heard(settings) and not reply.blank:
            yield Fact.of("unqualified", seat=ask.seat, why="its model has not passed the exam")
        elif isinstance(reply, Synthesis) and reply.gaps and reply.confidence > 40 and not reply.blank:
            yield Fact.of("confidence capped", said=reply.confidence, counts=40)


def _raised(settings: DebateSettings, moment: M) -> Iterator[Fact]:
    """Each question that is not blank: new and within the limit, over it, or asked before (D5, D6, D32)."""
    number, first = moment.state.issued, dict(moment.state.asked)
    for ask, reply in moment.replies:
        if not isinstance(reply, Questions):
            continue
        left = settings.clarifications_max_per_agent
        for question in [each for each in reply.questions if not each.blank]:
            number += 1
            key = Key(f"q{number}")
            if question.same in first:
                yield Fact.of("question joined", id=key, seat=ask.seat, to=first[question.same])
            elif left == 0:
                yield Fact.of("question refused", id=key, seat=ask.seat)
            else:
                left, first[question.same] = left - 1, key
                yield Fact.of("question issued", id=key, seat=ask.seat)


def _responses(settings: DebateSettings, moment: M, *, again: bool) -> Iterator[Fact]:
    """Each critique: as an author that counts responds to it, left open, or lost with its author (D14, D36)."""
    for ask, reply in moment.replies:
        if isinstance(reply, Refinement) and not wordless(reply):
            for place, key in enumerate(ask.keys):
                counts = key in reply.responses and ask.seat not in settings.unqualified_seats
                stance = reply.responses[key].stance.value if counts else "left open"
                yield Fact.of(f"critique {stance}", by=Seat(f"#{place}"), of=ask.seat)
    for agent in moment.after.agents if not again else ():
        for critic in agent_of(moment.state, agent.seat).critics if agent.left else ():
            yield Fact.of("critique lost with its author", by=critic, of=agent.seat)


def _unlabelled(moment: M, facts: Iterable[Fact]) -> Iterator[Fact]:
    """Yield the facts with the place of a label instead of the critic, whom only the seed tells."""
    places = Counter[tuple[str, str]]()
    for fact in facts:
        values = dict(fact.values)
        if fact.name in ("critique accepted", "critique rejected", "critique left open"):
            critic = agent_of(moment.state, Seat(str(values["of"]))).critics
            if str(values["by"]) in map(str, critic):
                place = places[("of", str(values["of"]))]
                places[("of", str(values["of"]))] += 1
                fact = Fact.of(fact.name, by=Seat(f"#{place}"), of=Seat(str(values["of"])))
        yield fact


def degraded(settings: DebateSettings, moment: M) -> bool:
    """A verdict says how much of the table was missing, by the settings (D27)."""
    if moment.verdict is None:
        return moment.degradation is None
    left = sum(not agent.left for agent in moment.after.agents)
    given = any(isinstance(reply, Synthesis) and not reply.blank for _, reply in moment.replies)
    unjudged = moment.verdict is Verdict.UNJUDGED and not given
    if left < settings.required_agents or (unjudged and settings.judge_required):
        return moment.degradation is Degradation.BELOW_SETTINGS
    whole = left == len(moment.after.agents) and not unjudged
    return moment.degradation is (Degradation.NONE if whole else Degradation.WITHIN_SETTINGS)
