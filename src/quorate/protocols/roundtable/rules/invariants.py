"""Invariants of the roundtable, which `verify` proves; recount.py implements the rules a second time."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from quorate.core.protocol import Degradation, Invariant
from quorate.core.types import Reason
from quorate.protocols.roundtable.rules.forms import Synthesis
from quorate.protocols.roundtable.rules.model import (
    CLERK,
    PERSON,
    READER,
    Outcome,
    Phase,
    State,
    Step,
    Verdict,
)
from quorate.protocols.roundtable.rules.personas import Cast
from quorate.protocols.roundtable.rules.promises import (
    Check,
    M,
    asks,
    disagrees,
    free,
    goes_on,
    has_matter,
    heard,
    order,
    queue,
    redirects,
    speaks,
    stops,
    warns,
    within_limit,
)
from quorate.protocols.roundtable.rules.recount import Recount


def _as_counted(*parts: str) -> Check:
    """Return a check that these parts of the state match the independent recount."""
    wanted = frozenset(parts)
    return lambda recount, moment: recount.differs(moment).isdisjoint(wanted)


# What comes of it


def _additive(recount: Recount, moment: M) -> bool:
    """Documents are added to after a synthesis of the lead with something for them, never otherwise (T21, T23)."""
    if moment.after.step is not Step.APPEND or moment.state.step is Step.APPEND:
        return moment.outcome is not Outcome.SYNTHESISED
    lead = any(isinstance(reply, Synthesis) for _, reply in moment.replies)
    return lead and bool(moment.after.targets) and has_matter(moment.state)


def _recorded(recount: Recount, moment: M) -> bool:
    """Every elaboration that was framed is recorded before the menu comes again or the session ends (T24)."""
    if moment.to in (Phase.MENU, Phase.LEFT) and moment.state.turn:
        return moment.phase is Phase.STATE_PERSIST
    if moment.phase is Phase.STATE_PERSIST and moment.interrupted is None:
        kept = [fact for fact in moment.facts if fact.name.startswith("record ")]
        return len(kept) == 1 and dict(kept[0].values)["turns"] == moment.state.turn > 0
    return True


def _starts_clean(recount: Recount, moment: M) -> bool:
    """The menu knows nothing of a talk that is over (T6)."""
    after = moment.after
    if moment.to not in (Phase.MENU, Phase.ENTRY, Phase.TOPIC_FRAMING):
        return True
    step = Step.FRAME if moment.to is Phase.TOPIC_FRAMING else Step.SPEAK
    clean = State(after.elaborations, after.texts, False, after.missing, after.unkept, leaving=False, step=step)
    return after == clean and after.texts <= (3 if moment.to is Phase.MENU else 0)


def _elaborations(recount: Recount, moment: M) -> bool:
    """An elaboration is counted when it begins, and there are never more than allowed (T4)."""
    more = moment.after.elaborations - moment.state.elaborations
    return more == int(moment.phase is Phase.ENTRY) and moment.after.elaborations <= recount.settings.max_elaborations


def _losses(recount: Recount, moment: M) -> bool:
    """What was missing or lost once is not forgotten (T25)."""
    before, after = moment.state, moment.after
    return after.missing >= before.missing and after.unkept >= before.unkept and after.leaving >= before.leaving


def _degraded(recount: Recount, moment: M) -> bool:
    """A conclusion says what was missing, and whether something could not be written (T25)."""
    if moment.verdict is None:
        return moment.degradation is None
    levels = (Degradation.NONE, Degradation.WITHIN_SETTINGS)
    own = Degradation.BELOW_SETTINGS if moment.after.unkept else levels[moment.after.missing]
    return moment.degradation is own


def _verdict(recount: Recount, moment: M) -> bool:
    """The verdict is the person's choice; it is SKIP only where there is something to skip (T4, T26, T27)."""
    match moment.to:
        case Phase.ABORTED:
            cut = moment.interrupted is Reason.CANCELLED or moment.outcome is Outcome.GIVEN_UP
            return moment.verdict is Verdict.ABORTED and cut
        case Phase.LEFT:
            skip = moment.outcome is Outcome.SKIP
            if skip and not recount.settings.step:
                return False
            return moment.verdict is (Verdict.SKIP if skip else Verdict.CONTINUE)
        case _:
            return moment.verdict is None


def _interrupts(recount: Recount, moment: M) -> bool:
    """An interruption keeps what was said; all but a cancelled session are wrapped up (T26, T27)."""
    reason, before, after = moment.interrupted, moment.state, moment.after
    if reason is None:
        return after.leaving == before.leaving
    if reason is Reason.CANCELLED:
        return moment.to is Phase.ABORTED and after == before
    kept = (before.turn, before.spoken, before.targets, before.elaborations)
    return (
        moment.to is Phase.SYNTHESIS
        and after.leaving
        and (after.turn, after.spoken, after.targets, after.elaborations) == kept
    )


def _cut_short(recount: Recount, moment: M) -> bool:
    """A limit in an elaboration leaves a mark, and where nobody has spoken yet nothing is called done (T25, T27)."""
    before, after = moment.state, moment.after
    if moment.interrupted in (None, Reason.WISH, Reason.CANCELLED) or before.mechanical:
        return True
    if moment.phase in (Phase.MENU, Phase.ENTRY) or before.step in (Step.APPEND, Step.RECORD):
        return after.step is not Step.END
    return after.missing and (after.step is Step.END) == (not before.spoken)


def _no_model(recount: Recount, moment: M) -> bool:
    """After a budget, an episode limit or a stall no model is asked any more (T27)."""
    spared = {PERSON, READER, CLERK}
    return not moment.state.mechanical or all(ask.seat in spared for ask in moment.asks)


def _returns(recount: Recount, moment: M) -> bool:
    """The course is the seed's: menu, entry, framing, talk, synthesis, record, and the menu again or the end (T2)."""
    ways = {
        Phase.MENU: (Phase.MENU, Phase.ENTRY, Phase.LEFT),
        Phase.ENTRY: (Phase.TOPIC_FRAMING,),
        Phase.TOPIC_FRAMING: (Phase.DISCUSSION_LOOP,),
        Phase.DISCUSSION_LOOP: (Phase.DISCUSSION_LOOP, Phase.SYNTHESIS),
        Phase.SYNTHESIS: (Phase.SYNTHESIS, Phase.STATE_PERSIST, Phase.LEFT, Phase.ABORTED),
        Phase.STATE_PERSIST: (Phase.MENU, Phase.LEFT),
    }
    if moment.interrupted is not None:
        return moment.to in (Phase.SYNTHESIS, Phase.ABORTED)
    return moment.to in ways[Phase(moment.phase.value)]


def _leads(recount: Recount, moment: M) -> bool:
    """Every outcome leads where the rules say, and nowhere else (T2)."""
    if moment.interrupted is not None or moment.outcome not in LEADS:
        return moment.interrupted is not None
    return LEADS[Outcome(moment.outcome.value)] is moment.to


LEADS: Mapping[Outcome, Phase] = {
    **dict.fromkeys((Outcome.FEEDBACK, Outcome.RECORDED), Phase.MENU),
    Outcome.ELABORATE: Phase.ENTRY,
    Outcome.INTRODUCED: Phase.TOPIC_FRAMING,
    **dict.fromkeys(
        (
            Outcome.FRAMED,
            Outcome.SPOKE,
            Outcome.PASSED,
            Outcome.REDIRECTED,
            Outcome.HEARD,
            Outcome.SILENT,
            Outcome.READ,
            Outcome.UNCLEAR,
            Outcome.ASKED_BACK,
        ),
        Phase.DISCUSSION_LOOP,
    ),
    **dict.fromkeys(
        (Outcome.EXIT_REQUESTED, Outcome.LIMIT_REACHED, Outcome.INACTIVE, Outcome.RETRY, Outcome.SYNTHESISED),
        Phase.SYNTHESIS,
    ),
    **dict.fromkeys((Outcome.APPENDED, Outcome.NOTHING_TO_ADD, Outcome.SUMMARISED), Phase.STATE_PERSIST),
    Outcome.GIVEN_UP: Phase.ABORTED,
    **dict.fromkeys((Outcome.CONTINUE, Outcome.SKIP, Outcome.NOTHING_SAID, Outcome.CONCLUDED), Phase.LEFT),
}


def _decides(recount: Recount, moment: M) -> bool:
    return moment.outcome is recount.of(moment).outcome


def _told(recount: Recount, moment: M) -> bool:
    return moment.facts == recount.of(moment).facts


PROMISES: tuple[tuple[str, str, Check], ...] = (
    ("never above the turn limit", "T9", within_limit),
    ("every move of a talk costs a turn, a free move or one reading", "T17", goes_on),
    ("the warning comes exactly once, two turns before the limit", "T16", warns),
    ("never more free moves in a row than allowed", "T17", free),
    ("the limit stops at the limit, silence only when nothing is free any more", "T9", stops),
    ("only the lead redirects", "T19", redirects),
    ("a disagreement is with somebody who has spoken", "T20", disagrees),
    ("who is said to have spoken has", "T22", speaks),
    ("what the person says counts once it is heard", "T22", heard),
    ("a limit that cuts an elaboration short degrades it, or aborts what nobody has said", "T27", _cut_short),
    ("the word goes to personas, once in a round", "T10", queue),
    ("who was addressed answers first, otherwise the lead", "T11", order),
    ("one seat at a time is asked, the one whose turn it is", "T2", asks),
    ("documents are added to after a synthesis with something for them, never otherwise", "T21", _additive),
    ("every elaboration is recorded", "T24", _recorded),
    ("a talk begins clean", "T6", _starts_clean),
    ("elaborations are counted, and never more than allowed", "T4", _elaborations),
    ("a loss is not forgotten", "T25", _losses),
    ("a conclusion says what was missing or lost", "T25", _degraded),
    ("the verdict is the person's choice", "T26", _verdict),
    ("an interruption loses nothing and wraps up", "T26", _interrupts),
    ("after a limit no model is asked", "T27", _no_model),
    ("the phases follow one another as in the seed", "T2", _returns),
    ("every outcome leads where the rules say", "T2", _leads),
    ("turns and free moves are as counted", "T9", _as_counted("turn", "free")),
    ("who has the word is as counted", "T10", _as_counted("queue", "addressed", "group", "step")),
    ("who has spoken is as counted", "T22", _as_counted("spoken")),
    ("the synthesis goes where its items say", "T23", _as_counted("targets", "tries", "mechanical")),
    ("the menu is as counted", "T4", _as_counted("elaborations", "texts", "skipped", "leaving")),
    ("what is missing or lost is as counted", "T25", _as_counted("missing", "unkept")),
    ("every move has the outcome that the rules name", "T2", _decides),
    ("the record is told what happened, and nothing else", "T2", _told),
)


def invariants(cast: Cast) -> tuple[Invariant[State], ...]:
    """Return the invariants of a roundtable with this cast."""
    recount = Recount(cast)

    def bound(check: Check) -> Callable[[M], bool]:
        return lambda moment: check(recount, moment)

    return tuple(Invariant(name, rule, bound(check)) for name, rule, check in PROMISES)
