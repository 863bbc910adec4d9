"""Invariants of the debate, which `verify` proves: short statements about one move, each with the rule it keeps."""

from __future__ import annotations

from collections.abc import Callable

from quorate.core.protocol import Degradation, Invariant, Moment
from quorate.core.types import Absent, Reason, Seat
from quorate.protocols.debate.rules.fate_invariants import FATE_CHECKS, is_judged
from quorate.protocols.debate.rules.model import (
    JUDGE,
    PERSON,
    DebateSettings,
    Evaluation,
    Outcome,
    Phase,
    State,
    Summary,
    Synthesis,
    Verdict,
)
from quorate.protocols.debate.rules.responses import is_none

M = Moment[State]
Check = Callable[[DebateSettings, M], bool]
COMPLETE = (
    Outcome.CONTEXTS_READY,
    Outcome.PROPOSALS_COMPLETE,
    Outcome.CRITIQUES_COMPLETE,
    Outcome.REFINEMENTS_COMPLETE,
)
SOLVED = (Verdict.SOLUTION, Verdict.PARTIAL_SOLUTION)


def _absent(moment: M) -> set[Seat]:
    return {ask.seat for ask, reply in moment.replies if isinstance(reply, Absent) or is_none(reply)}


def _asks(settings: DebateSettings, moment: M) -> bool:
    """Nobody is asked twice, and no agent that has left or has replied to this phase is asked (D21, D22)."""
    asked = [ask.seat for ask in moment.asks]
    waiting = {agent.seat for agent in moment.state.agents if not agent.left and not agent.done}
    return len(asked) == len(set(asked)) and set(asked) <= waiting | {JUDGE, PERSON}


def _keys(settings: DebateSettings, moment: M) -> bool:
    """Critics are asked about every other agent, authors about every critique, the person about every question."""
    critics = {agent.seat: len(agent.critics) for agent in moment.state.agents}
    others = len(moment.state.active) - 1
    for ask in moment.asks:
        if moment.phase is Phase.CRITIQUE and len(set(ask.keys)) != others:
            return False
        if moment.phase is Phase.REFINEMENT and len(set(ask.keys)) != critics[ask.seat]:
            return False
        if moment.phase is Phase.CLARIFICATION_INPUT and ask.keys != moment.state.questions:
            return False
    return True


def _complete(settings: DebateSettings, moment: M) -> bool:
    """Completion is claimed only where nobody is missing; a judge's summary can be skipped (D3, D25)."""
    return moment.outcome not in COMPLETE or moment.phase is Phase.SYNTHESIS or not _absent(moment)


def _retries(settings: DebateSettings, moment: M) -> bool:
    """A phase is entered again at most `retries` times, and the next one begins without tries (D21)."""
    if moment.outcome is Outcome.RETRY:
        return moment.to is moment.phase and 0 < moment.after.tries <= settings.retries
    return moment.after.tries == 0 and not any(agent.done for agent in moment.after.agents)


def _leaves(settings: DebateSettings, moment: M) -> bool:
    """Only an agent that was absent leaves the table, and nobody comes back (D22)."""
    before = {agent.seat for agent in moment.state.agents if agent.left}
    after = {agent.seat for agent in moment.after.agents if agent.left}
    return before <= after <= before | _absent(moment)


def _failure(settings: DebateSettings, moment: M) -> bool:
    """With fewer than two agents, and only then, the debate has failed (D23)."""
    return (len(moment.after.active) < 2) == (moment.to is Phase.FAILURE)


def _rounds(settings: DebateSettings, moment: M) -> bool:
    """Rounds begin one by one, in ROUND_MANAGER alone, and never more than `rounds` (D10)."""
    begun = moment.after.round - moment.state.round
    return begun == int(moment.outcome is Outcome.BEGIN_ROUND) and moment.after.round <= settings.rounds


def _critics(settings: DebateSettings, moment: M) -> bool:
    """Nobody criticises its own text, or another's twice in a round (D13)."""
    return all(
        agent.seat not in agent.critics and len(set(agent.critics)) == len(agent.critics)
        for agent in moment.after.agents
    )


def _clarified(settings: DebateSettings, moment: M) -> bool:
    """Agents ask questions only where they may, and none is open once the rounds begin (D4, D7 to D9)."""
    state = moment.after
    allowed = settings.interactive_clarifications or not state.issued
    within = state.iteration <= settings.clarifications_max_iterations
    return allowed and within and not (moment.to is Phase.ROUND_MANAGER and state.questions)


def _consensus(settings: DebateSettings, moment: M) -> bool:
    """Without an evaluation of the judge that reaches the threshold there is no consensus (D17, D24)."""
    return moment.outcome is not Outcome.CONSENSUS_REACHED or any(
        isinstance(reply, Evaluation) and reply.confidence >= settings.termination_condition.threshold
        for _, reply in moment.replies
    )


def _summarised(settings: DebateSettings, moment: M) -> bool:
    """The judge summarises at most once, before its synthesis (D18)."""
    again = moment.state.summarised and any(ask.seat == JUDGE and ask.form is Summary for ask in moment.asks)
    return not again and moment.after.summarised >= moment.state.summarised


def _judged(settings: DebateSettings, moment: M) -> bool:
    """No solution without a synthesis that counts, none without reserve where there are gaps (D19, D20, D25, D36)."""
    after, counts = moment.after, _counts(settings)
    synthesised = counts and any(isinstance(reply, Synthesis) and not reply.blank for _, reply in moment.replies)
    if after.judged != synthesised or (after.judged and after.unjudged):
        return False
    if moment.verdict in SOLVED:
        return after.judged and (moment.verdict is Verdict.PARTIAL_SOLUTION) == after.gaps
    return moment.verdict is not Verdict.UNJUDGED or after.unjudged or not counts


def _capped(settings: DebateSettings, moment: M) -> bool:
    """The confidence that counts is at most the judge's own, and at most 40 where there are gaps (D19)."""
    said = [reply.confidence for _, reply in moment.replies if isinstance(reply, Synthesis)]
    return moment.after.confidence <= max(said, default=0) and not (moment.after.gaps and moment.after.confidence > 40)


def _degraded(settings: DebateSettings, moment: M) -> bool:
    """A verdict, and only a verdict, says whether anybody was missing (D27); a judge that does not count was not."""
    if moment.verdict is None:
        return moment.degradation is None
    missing = moment.after.unjudged or any(agent.left for agent in moment.after.agents)
    return (moment.degradation is not Degradation.NONE) == missing


def _interrupted(moment: M) -> bool:
    """An interruption goes where it should and forgets no agent; a wish withdraws no ask (D26)."""
    if moment.interrupted is None:
        return True
    target = Phase.SYNTHESIS if moment.interrupted is Reason.WISH else Phase.ABORTED
    kept = [(a.seat, a.left, a.history) for a in moment.after.agents]
    before = [(a.seat, a.left, a.history) for a in moment.state.agents]
    waited = moment.interrupted is not Reason.WISH or not moment.asks
    return moment.to is target and kept == before and waited


CHECKS: tuple[tuple[str, str, Check], ...] = (
    ("nobody is asked twice, and nobody who left", "D21 D22", _asks),
    ("critics, authors and the person are asked about every item", "D8 D13 D14", _keys),
    ("completion is claimed only where nobody is missing", "D3", _complete),
    ("a phase is entered again at most `retries` times", "D21", _retries),
    ("only the absent leave the table, and nobody comes back", "D22", _leaves),
    ("fewer than two agents, and only that, is a failure", "D23", _failure),
    ("never more rounds than `rounds`", "D10", _rounds),
    ("nobody criticises itself, or another twice", "D13", _critics),
    ("questions are asked within limits, and closed before the rounds", "D4 D7 D8 D9", _clarified),
    ("no consensus below the threshold", "D17 D24", _consensus),
    ("the judge summarises at most once", "D18", _summarised),
    ("no solution without the judge's synthesis", "D19 D20 D25", _judged),
    ("gaps cap the judge's confidence", "D19", _capped),
)


def _counts(settings: DebateSettings) -> bool:
    return JUDGE not in settings.unqualified_seats


def _decides_nothing(settings: DebateSettings, moment: M) -> bool:
    """An unqualified judge ends no rounds, approves nothing, and is asked only what people will read."""
    after = moment.after
    idle = moment.phase is not Phase.EVALUATION or not moment.asks
    ended = moment.outcome is Outcome.CONSENSUS_REACHED
    return _counts(settings) or (idle and not ended and not (after.judged or after.gaps or after.confidence))


def _told(settings: DebateSettings, moment: M) -> bool:
    """Where the judge's synthesis is a note, and only there, the record says so; it counts as present."""
    told = [fact for fact in moment.facts if fact.name == "unqualified"]
    noted = any(isinstance(reply, Synthesis) and not reply.blank for _, reply in moment.replies)
    if _counts(settings) or not noted:
        return not told
    return len(told) == 1 and moment.outcome is Outcome.FALLBACK and not moment.after.unjudged


def _settles_nothing(settings: DebateSettings, moment: M) -> bool:
    """No critique of an unqualified author's text is accepted or rejected."""
    settled = [fact for fact in moment.facts if fact.name in ("critique accepted", "critique rejected")]
    return not any(dict(fact.values)["of"] in settings.unqualified_seats for fact in settled)


QUALIFICATION = (
    ("an unqualified judge decides nothing", "D36", _decides_nothing),
    ("what an unqualified judge concludes is told as a note", "D36", _told),
    ("an unqualified author settles no critique", "D36", _settles_nothing),
)
"""They hold wherever a seat is unqualified."""


def invariants(settings: DebateSettings) -> tuple[Invariant[State], ...]:
    """Return the debate's invariants under these settings; an interruption (D26) has its own."""

    def normally(check: Check) -> Callable[[M], bool]:
        """Limit a check to the debate's own phases; phases added by others have their own invariants."""

        def holds(moment: M) -> bool:
            ours = isinstance(moment.phase, Phase) and moment.interrupted is None
            return not ours or check(settings, moment)

        return holds

    notes = QUALIFICATION if settings.unqualified_seats else ()
    return (
        *(Invariant(name, rule, normally(check)) for name, rule, check in (*CHECKS, *FATE_CHECKS, *notes)),
        Invariant("no approval that nobody judged", "D34", is_judged),
        Invariant("a verdict says whether anybody was missing", "D27", lambda moment: _degraded(settings, moment)),
        Invariant("an interruption goes where it should and forgets no agent", "D26", _interrupted),
    )
