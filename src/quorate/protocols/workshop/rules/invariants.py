"""Invariants of the workshop, which `verify` proves; those about artifacts and topics are in artifact_invariants.py."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from quorate.core.forms import Key
from quorate.core.protocol import Degradation, Invariant
from quorate.core.types import Reason, Seat
from quorate.protocols.workshop.rules import artifact_invariants as a
from quorate.protocols.workshop.rules import ruling_invariants as r
from quorate.protocols.workshop.rules.artifact_invariants import MATTERS, STEPS, Check, M, agreed
from quorate.protocols.workshop.rules.lives import RoundStage, TopicStatus, Trigger
from quorate.protocols.workshop.rules.model import (
    CLERK,
    FACILITATOR,
    LEAST_JUDGED,
    PERSON,
    Phase,
    State,
    Topic,
    Verdict,
)
from quorate.protocols.workshop.rules.next_action import ConcludeOn
from quorate.protocols.workshop.rules.plan import Plan
from quorate.protocols.workshop.rules.qualification_invariants import NOTES, quietly
from quorate.protocols.workshop.rules.strategies import Stage

SEATS: Mapping[Any, tuple[Seat, ...]] = {
    Phase.OPENING: (CLERK,),
    Phase.QUESTION: (FACILITATOR,),
    Phase.SYNTHESIS: (FACILITATOR, CLERK),
    Phase.PAUSE: (PERSON,),
    Phase.ESCALATION: (PERSON,),
}
"""Whom a phase asks, but for the participants (W1)."""


# Rounds


def own_seats(plan: Plan, moment: M) -> bool:
    """Each phase asks its own seats, once each; responses are asked of everybody, a synthesis only after some (W10)."""
    wanted = SEATS.get(moment.phase, ())
    if moment.phase is Phase.RESPONSES:
        wanted = tuple(member.seat for member in moment.state.members)
    if moment.phase is Phase.SYNTHESIS and not moment.state.answered:
        wanted = ()
    return tuple(ask.seat for ask in moment.asks) == wanted


def not_too_early(plan: Plan, moment: M) -> bool:
    """Nothing is concluded under min_rounds but by a person or an error, or because max_rounds is reached (W22)."""
    if moment.to not in (Phase.CLOSED, Phase.ABORTED) or moment.after.complete >= plan.settings.min_rounds:
        return True
    by = moment.after.closed_by
    return by in (Trigger.PERSON, Trigger.ERROR) or moment.after.round >= plan.settings.max_rounds


def not_too_late(plan: Plan, moment: M) -> bool:
    """Never more rounds than max_rounds; the last one is the last, and none is skipped (W22, W34)."""
    before, after, most = moment.state.round, moment.after.round, plan.settings.max_rounds
    last = moment.phase is Phase.PROCESSING and before >= most
    ended = moment.to in (Phase.CLOSED, Phase.ABORTED)
    return after <= most and after - before in (0, 1) and (not last or ended)


def lost_rounds(plan: Plan, moment: M) -> bool:
    """Two rounds in a row without a synthesis end the session as an error, one does not; none counts as complete."""
    if moment.phase is not Phase.PROCESSING:
        return moment.after.complete == moment.state.complete and moment.after.lost == moment.state.lost
    led = moment.state.led
    failed = not led and moment.state.lost >= 1
    ends = moment.to is Phase.ABORTED and moment.after.closed_by is Trigger.ERROR
    return ends == failed and moment.after.complete - moment.state.complete == int(led)


def round_life(plan: Plan, moment: M) -> bool:
    """A round goes through its five stages in order, and nothing else moves it on (W4)."""
    before, after = moment.state.stage, moment.after.stage
    new = moment.after.round > moment.state.round
    if moment.phase in STEPS:
        if before is not STEPS[moment.phase][0]:
            return False
        return after is (RoundStage.QUESTION if new else STEPS[moment.phase][1])
    return after is (RoundStage.QUESTION if new else before)


# Focus and stages


def criteria(plan: Plan, moment: M) -> bool:
    """Criteria stay met, and a synthesis meets only those of the topic in focus (W20)."""
    if moment.phase is Phase.OPENING:
        return not any(each.met for each in moment.after.topics)
    for before, after in zip(moment.state.topics, moment.after.topics, strict=True):
        if before.met == after.met:
            continue
        more = set(before.met) < set(after.met) and moment.phase is Phase.SYNTHESIS and after.key == _here(moment.state)
        if not more or not all(1 <= number <= after.criteria for number in after.met):
            return False
    return True


def _here(state: State) -> Key | None:
    """The topic in focus, or that of the matter in focus."""
    return next((each.topic for each in state.artifacts if each.id == state.focus), state.focus)


def one_focus(plan: Plan, moment: M) -> bool:
    """The question alone chooses the focus, among the topics and matters that it was asked about (W5)."""
    focus = moment.after.focus
    if moment.phase is not Phase.QUESTION:
        return focus in (moment.state.focus, None)
    known = {each.key for each in moment.state.topics} | {
        each.id for each in moment.state.artifacts if each.type in MATTERS
    }
    return focus in known and all(focus in ask.keys for ask in moment.asks)


def same_focus(plan: Plan, moment: M) -> bool:
    """A pass keeps its focus; what ends the pass, or a bound agenda, frees it (W7)."""
    before, after = moment.state, moment.after
    if before.focus is None or after.focus == before.focus:
        return True
    begun = after.round == before.round + 1
    return begun and after.focus is None and (_bound(plan, before) or after.scene == 0)


def _bound(plan: Plan, state: State) -> bool:
    return any(topic.stage in plan.strategy.stages for topic in state.topics)


def in_order(plan: Plan, moment: M) -> bool:
    """Stages come in their order; a new pass begins with the first; a stage is repeated at most once (W27, W28)."""
    before, after = moment.state, moment.after
    if after.round == before.round:
        return (after.scene, after.attempt) == (before.scene, before.attempt)
    if before.round == 0 or _bound(plan, after):
        return True  # a bound agenda passes over stages that are done (W6)
    was, now = plan.strategy.scenes[before.scene], plan.strategy.scenes[after.scene]
    again = now is was and was.attempts > 1 and after.attempt == before.attempt + 1 == 1
    back = was.stage is Stage.CONVERGENCE and now.stage is Stage.REFINEMENT
    ended = after.scene == 0 and after.focus is None
    return again or back or ended or after.scene == before.scene + 1


# How it ends


def asked_for(plan: Plan, moment: M) -> bool:
    """Code puts a round to a person only where the settings say so, and something is unsure or in conflict (W23)."""
    if moment.phase is not Phase.PROCESSING or moment.to not in (Phase.PAUSE, Phase.ESCALATION):
        return True
    if moment.to is Phase.PAUSE:
        return plan.settings.interactive
    return plan.settings.escalation and (
        moment.state.unsure or bool(moment.state.conflicts) or bool(moment.state.rulings)
    )


def finished(plan: Plan, state: State) -> bool:
    """The topics that have to be are closed, and no conflict is open (W26)."""
    every = plan.settings.conclude_on is ConcludeOn.ALL
    wanted = [each for each in state.topics if every or each.required]
    waiting = any(each.open_conflict or each.unapplied for each in state.artifacts)
    return bool(state.topics) and all(_done(state, each) for each in wanted) and not waiting and _judged(state)


def _judged(state: State) -> bool:
    """Enough participants have judged something, and the documents were shown to somebody who answered (W37, W38)."""
    enough = 100 * sum(each.judged for each in state.members) >= LEAST_JUDGED * len(state.members)
    return enough and not state.unlisted and set(state.read) == set(range(1, state.parts + 1))


def _done(state: State, topic: Topic) -> bool:
    return topic.status is TopicStatus.CLOSED and agreed(state, topic) >= topic.minimum


def verdict(plan: Plan, moment: M) -> bool:
    """COMPLETE exactly where the topics are closed and no conflict is open; else what ended it says which (W26)."""
    if moment.verdict is None:
        return moment.after.closed_by is None
    by, at_the_end = moment.after.closed_by, moment.after.round >= plan.settings.max_rounds
    if moment.to is Phase.ABORTED:
        return moment.verdict is Verdict.ABORTED and by is Trigger.ERROR
    if finished(plan, moment.after):
        return moment.verdict is Verdict.COMPLETE and by is not Trigger.ERROR
    if by is Trigger.MAX_ROUNDS:
        return moment.verdict is Verdict.INCOMPLETE and at_the_end
    return moment.verdict is Verdict.CLOSED and by is Trigger.PERSON


def degraded(plan: Plan, moment: M) -> bool:
    """A verdict says how much of the table was missing (W35)."""
    if moment.degradation is None:
        return moment.verdict is None
    state = moment.after
    if state.lost > 0 or any(not each.heard for each in state.members):
        return moment.degradation is Degradation.BELOW_SETTINGS
    return moment.degradation is (Degradation.WITHIN_SETTINGS if state.missed else Degradation.NONE)


# A person


def interrupted(plan: Plan, moment: M) -> bool:
    """An interruption decides nothing: it closes the session and says by whom, or puts it to a person (W25, W34)."""
    reason, before, after = moment.interrupted, moment.state, moment.after
    if reason is None:
        return True
    if reason is Reason.ESCALATION:
        return moment.to is Phase.ESCALATION and after == before and not moment.asks
    by = Trigger.PERSON if reason is Reason.WISH else Trigger.ERROR
    at_once = reason in (Reason.WISH, Reason.CANCELLED, Reason.BUDGET)
    waits = reason is Reason.STALL
    in_time = not (at_once and not moment.asks) and not (waits and moment.asks)  # what waits withdraws no ask
    same = all(
        getattr(before, name) == getattr(after, name) for name in State.__slots__ if name not in ("status", "closed_by")
    )
    to = Phase.CLOSED if reason is Reason.WISH else Phase.ABORTED
    return same and after.closed_by is by and moment.to is to and in_time and verdict(plan, moment)


PROMISES: tuple[tuple[str, str, Check], ...] = (
    ("every phase asks its own seats, once each", "W1 W9 W10 W24", own_seats),
    ("nothing is concluded before min_rounds but by a person or an error", "W22 W26", not_too_early),
    ("never more rounds than max_rounds, and the last one is the last", "W22 W34", not_too_late),
    ("two lost rounds in a row end the session, and none is complete", "W13", lost_rounds),
    ("a round goes through its stages in order", "W4", round_life),
    ("no artifact is ever removed or becomes another", "W15", a.never_less),
    ("ids are counted per type, and none is issued twice", "W15", a.ids),
    ("no artifact without a round that made it", "W13 W15", a.made_by_a_round),
    ("no synthesis makes more than sixty artifacts", "W15", a.not_too_many),
    ("terminal artifacts stay terminal", "W14", a.terminal),
    ("artifacts move along the rows of their lives alone", "W14 W16", a.along_rows),
    ("what is superseded has a replacement of the same synthesis", "W17", a.replaced),
    ("consensus comes by a synthesis, a vote or a person", "W12 W18 W29 W30", a.consensus),
    ("what is contested has a conflict at once", "W11", a.contested),
    ("in conflict exactly while a conflict about it is open", "W11 W18", a.in_conflict),
    ("a block stops a draft, and the second one is a conflict", "W30 W31", a.blocked),
    ("a conflict of code's outlasts its round, two blocks and the facilitator", "W19", r.not_by_facilitator),
    ("topics move on and never back", "W20 W21", a.topics),
    ("a topic closes only with everything that it needs", "W21", a.closing),
    ("a closed topic keeps what it was closed with", "W17", a.kept),
    ("no conflict of a synthesis is lost", "W19", r.disputed_as_said),
    ("criteria stay met, and those of the topic in focus alone are", "W20", criteria),
    ("the question alone chooses the focus, among what it was asked about", "W5", one_focus),
    ("a pass keeps its focus", "W7", same_focus),
    ("stages come in order and none is left out", "W27 W28", in_order),
    ("code asks a person only where the settings say so", "W22 W23 W25", asked_for),
    ("a person's decision resolves what was put and nothing else", "W24", r.ruling),
    ("a person's decision is a ruling, one for each conflict that it resolves", "W24", r.issued),
    ("every conflict and every ruling names what it is about", "W19 W24", r.named),
    ("what a ruling names is held until it is applied", "W18 W24", r.held),
    ("a ruling is applied where a participant or a person says so, and nowhere else", "W24", r.confirmed),
    ("an applied ruling waits anew where what it names has changed", "W24", r.anew),
    ("everything that was said has exactly one fate", "W14 W39", r.told),
    ("what says the same as something in force makes nothing", "W15", a.repeated),
    ("who lets the discussion go on is followed", "W22 W24", r.goes_on),
    ("a conflict becomes younger only where a person lets it go on", "W24", r.more_rounds),
    ("a detour changes conflicts and nothing else", "W25", r.detour),
)


def invariants(plan: Plan) -> tuple[Invariant[State], ...]:
    """Return the invariants for this plan; an interruption (W25, W34) has its own."""

    def always(check: Check) -> Callable[[M], bool]:
        counted = quietly(check)
        return lambda moment: counted(plan, moment)

    def normally(check: Check) -> Callable[[M], bool]:
        """Limit a check to the workshop's own phases; phases added by others have their own invariants."""
        counted = always(check)
        return lambda moment: moment.interrupted is not None or not isinstance(moment.phase, Phase) or counted(moment)

    notes = NOTES if plan.settings.unqualified_seats else ()
    return (
        *(Invariant(name, rule, normally(check)) for name, rule, check in PROMISES),
        *(Invariant(name, rule, always(check)) for name, rule, check in notes),
        Invariant("COMPLETE only where the topics are closed and nothing stands against it", "W26", always(verdict)),
        Invariant("no COMPLETE with an unapplied ruling or an open conflict", "W24 W26", always(r.applied)),
        Invariant("no COMPLETE that too few have judged", "W37", always(r.judged)),
        Invariant("nothing COMPLETE while something was shown to nobody", "W38", always(r.shown)),
        Invariant("a verdict says how much of the table was missing", "W35", always(degraded)),
        Invariant("an interruption decides nothing and keeps what there is", "W25 W34", always(interrupted)),
    )
