"""Invariants of the roundtable, which `verify` proves: short statements about one move, each with the rule it keeps."""

from __future__ import annotations

from collections.abc import Callable

from quorate.core.forms import Key
from quorate.core.protocol import Degradation, Invariant, Moment
from quorate.core.types import Reason
from quorate.protocols.roundtable.rules.fate_invariants import FATE_CHECKS
from quorate.protocols.roundtable.rules.forms import Framing, Manner, Synthesis, Turn, Utterance
from quorate.protocols.roundtable.rules.model import (
    CLERK,
    ENSEMBLE,
    PERSON,
    READER,
    USER,
    Outcome,
    Phase,
    State,
    Step,
    Verdict,
)
from quorate.protocols.roundtable.rules.personas import Cast
from quorate.protocols.roundtable.rules.word_invariants import WORD_CHECKS

M = Moment[State]
Check = Callable[[Cast, M], bool]
IN_LOOP = frozenset({Step.SPEAK, Step.LISTEN, Step.READ, Step.CLASSIFY, Step.CLARIFY, Step.CONFIRM, Step.LAST})


def _within_limit(cast: Cast, moment: M) -> bool:
    """No count above the limit, and at the limit nobody is asked but the person, for the last word (T9)."""
    if not 0 <= moment.after.turn <= cast.settings.turns:
        return False
    last = moment.after.turn == cast.settings.turns
    return moment.to is not Phase.DISCUSSION_LOOP or last == (moment.after.step is Step.LAST)


def _goes_on(cast: Cast, moment: M) -> bool:
    """A talk has its turns one by one, and every move in it costs a turn, a free move, a reading or the word (T17)."""
    before, after = moment.state, moment.after
    if moment.phase is not Phase.DISCUSSION_LOOP or moment.interrupted is not None:
        return True
    if after.turn not in (before.turn, before.turn + 1):
        return False
    read = {Step.LISTEN: (Step.READ, Step.CONFIRM), Step.READ: (Step.CLASSIFY, Step.CONFIRM)}
    if moment.to is not Phase.DISCUSSION_LOOP or after.turn > before.turn or after.free > before.free:
        return True
    passes_on = (before.step, after.step) == (Step.SPEAK, Step.LISTEN) and moment.outcome is Outcome.PASSED
    return after.step in read.get(before.step, ()) or (passes_on and before.free == cast.settings.free_moves)


def _warns(cast: Cast, moment: M) -> bool:
    """The warning comes with the turn that reaches the limit less two, and with no other move (T16)."""
    warned = sum(fact.name == "turn warning" for fact in moment.facts)
    reached = moment.state.turn < moment.after.turn == cast.settings.turns - 2
    return warned == int(reached)


def _free(cast: Cast, moment: M) -> bool:
    """Never more free moves in a row than allowed, and none that is counted is forgotten while it counts (T17)."""
    before, after = moment.state, moment.after
    if not 0 <= after.free <= cast.settings.free_moves:
        return False
    stays = moment.phase is moment.to is Phase.DISCUSSION_LOOP and moment.interrupted is None
    return not stays or after.turn > before.turn or after.free in (before.free, before.free + 1)


def _stops(cast: Cast, moment: M) -> bool:
    """The last word exactly at the limit, LIMIT_REACHED after it, INACTIVE only where nothing is free (T9, T17)."""
    if moment.phase is not Phase.DISCUSSION_LOOP or moment.interrupted is not None:
        return moment.outcome not in (Outcome.LAST_WORD, Outcome.LIMIT_REACHED, Outcome.INACTIVE)
    if (moment.outcome is Outcome.LAST_WORD) != (moment.state.turn < moment.after.turn == cast.settings.turns):
        return False
    if moment.state.step is Step.LAST and moment.outcome is Outcome.NO_COMMAND:
        return moment.after.free > moment.state.free
    if (moment.state.step is Step.LAST) != (moment.outcome is Outcome.LIMIT_REACHED):
        return False
    return moment.outcome is not Outcome.INACTIVE or moment.state.free == cast.settings.free_moves


def _redirects(cast: Cast, moment: M) -> bool:
    """Only the lead redirects, and only when it says so (T19)."""
    if moment.outcome is not Outcome.REDIRECTED:
        return True
    reply = moment.replies.pairs[0][1]
    redirects = isinstance(reply, Utterance) and reply.manner is Manner.REDIRECT and not reply.blank
    return redirects and moment.state.queue[0] == cast.lead.seat


def _disagrees(cast: Cast, moment: M) -> bool:
    """A disagreement has two who have spoken (T20)."""
    against = [dict(fact.values)["against"] for fact in moment.facts if fact.name == "disagreement"]
    return all(key in moment.state.spoken for key in against)


def _speaks(cast: Cast, moment: M) -> bool:
    """Who has spoken has filled in a form with words, and nobody who has is forgotten during the talk (T22)."""
    before, after = set(moment.state.spoken), set(moment.after.spoken)
    if moment.phase in (Phase.SYNTHESIS, Phase.STATE_PERSIST):
        return after <= before
    if not before <= after or len(moment.after.spoken) != len(after):
        return False
    reply = moment.replies.pairs[0][1] if moment.replies.pairs else None
    for key in after - before:
        if key == USER:
            read = moment.state.step in (Step.READ, Step.CLASSIFY, Step.CLARIFY)
            if moment.phase is not Phase.DISCUSSION_LOOP or not (read or (isinstance(reply, Turn) and reply.words)):
                return False
            continue
        words = isinstance(reply, Framing) or (isinstance(reply, Utterance) and not reply.blank)
        if not words or key not in (Key(cast.lead.seat), *map(Key, moment.state.queue[:1])):
            return False
    return True


def _heard(cast: Cast, moment: M) -> bool:
    """A person whose turn has words has spoken, whatever they are read as and whether or not they are read (T22)."""
    reply = moment.replies.pairs[0][1] if moment.replies.pairs else None
    if not isinstance(reply, Turn) or moment.interrupted is not None:
        return True
    return not reply.words or reply.blank or reply.command or USER in moment.after.spoken


def _queue(cast: Cast, moment: M) -> bool:
    """Whoever has the word is a persona, at most once in a round; outside of the talk nobody waits for it (T10)."""
    queue = moment.after.queue
    if len(set(queue)) != len(queue) or any(cast.of(seat) is None for seat in queue):
        return False
    if moment.to is not Phase.DISCUSSION_LOOP:
        return not queue or moment.to is Phase.ABORTED
    return moment.after.step in IN_LOOP and (bool(queue) or moment.after.step is not Step.SPEAK)


def _order(cast: Cast, moment: M) -> bool:
    """Who was addressed answers first; otherwise the lead does, after a silence who waited (T10 to T14)."""
    after = moment.after
    if moment.outcome is Outcome.FRAMED:
        return len(after.queue) == len(cast.personas) - 1 and cast.lead.seat not in after.queue
    if moment.outcome not in (Outcome.READ, Outcome.SILENT):
        return True
    if len(after.queue) != len(cast.personas):
        return False
    first = after.queue[0]
    if moment.outcome is Outcome.SILENT:
        return first == next(iter(moment.state.queue), cast.lead.seat)
    return first == cast.lead.seat or (after.addressed and not after.group)


def _asks(cast: Cast, moment: M) -> bool:
    """One seat at a time is asked; where a persona has the word, nobody but it (T2)."""
    speaking = moment.phase is Phase.DISCUSSION_LOOP and moment.state.step is Step.SPEAK
    own = (ENSEMBLE, *moment.state.queue[:1])
    return len(moment.asks) <= 1 and all(ask.seat in own for ask in moment.asks if speaking)


# What comes of it


def _additive(cast: Cast, moment: M) -> bool:
    """Documents are added to after a synthesis of the lead with something for them, never otherwise (T21, T23)."""
    if moment.after.step is not Step.APPEND or moment.state.step is Step.APPEND:
        return moment.outcome is not Outcome.SYNTHESISED
    lead = any(isinstance(reply, Synthesis) for _, reply in moment.replies)
    return lead and bool(moment.after.targets) and (moment.state.turn > 1 or USER in moment.state.spoken)


def _recorded(cast: Cast, moment: M) -> bool:
    """Every elaboration that was framed is recorded before the menu comes again or the session ends (T24)."""
    if moment.to in (Phase.MENU, Phase.LEFT) and moment.state.turn:
        return moment.phase is Phase.STATE_PERSIST
    if moment.phase is Phase.STATE_PERSIST and moment.interrupted is None:
        kept = [fact for fact in moment.facts if fact.name.startswith("record ")]
        return len(kept) == 1 and dict(kept[0].values)["turns"] == moment.state.turn > 0
    return True


def _starts_clean(cast: Cast, moment: M) -> bool:
    """The menu knows nothing of a talk that is over (T6)."""
    after = moment.after
    if moment.to not in (Phase.MENU, Phase.ENTRY, Phase.TOPIC_FRAMING):
        return True
    step = Step.FRAME if moment.to is Phase.TOPIC_FRAMING else Step.SPEAK
    clean = State(after.elaborations, after.texts, False, after.missing, after.unkept, leaving=False, step=step)
    return after == clean and after.texts <= (3 if moment.to is Phase.MENU else 0)


def _elaborations(cast: Cast, moment: M) -> bool:
    """An elaboration is counted when it begins, and there are never more than allowed (T4)."""
    more = moment.after.elaborations - moment.state.elaborations
    return more == int(moment.phase is Phase.ENTRY) and moment.after.elaborations <= cast.settings.max_elaborations


def _losses(cast: Cast, moment: M) -> bool:
    """What was missing or lost once is not forgotten (T25)."""
    before, after = moment.state, moment.after
    return after.missing >= before.missing and after.unkept >= before.unkept and after.leaving >= before.leaving


def _degraded(cast: Cast, moment: M) -> bool:
    """A conclusion, and only a conclusion, says whether anything was missing or lost (T25)."""
    if moment.verdict is None:
        return moment.degradation is None
    return (moment.degradation is not Degradation.NONE) == (moment.after.missing or moment.after.unkept)


def _verdict(cast: Cast, moment: M) -> bool:
    """The verdict is the person's choice; it is SKIP only where there is something to skip (T4, T26, T27)."""
    match moment.to:
        case Phase.ABORTED:
            cut = moment.interrupted is Reason.CANCELLED or moment.outcome is Outcome.GIVEN_UP
            return moment.verdict is Verdict.ABORTED and cut
        case Phase.LEFT:
            skip = moment.outcome is Outcome.SKIP
            if skip and not cast.settings.step:
                return False
            return moment.verdict is (Verdict.SKIP if skip else Verdict.CONTINUE)
        case _:
            return moment.verdict is None


def _interrupts(cast: Cast, moment: M) -> bool:
    """An interruption keeps what was said; all but a cancelled session are wrapped up (T26, T27)."""
    reason, before, after = moment.interrupted, moment.state, moment.after
    if reason is None:
        return after.leaving == before.leaving
    if reason is Reason.CANCELLED:
        return moment.to is Phase.ABORTED and after == before
    kept = (before.turn, before.spoken, before.targets, before.elaborations)
    same = (after.turn, after.spoken, after.targets, after.elaborations) == kept
    return moment.to is Phase.SYNTHESIS and after.leaving and same


def _cut_short(cast: Cast, moment: M) -> bool:
    """A limit in an elaboration leaves a mark, and where nobody has spoken yet nothing is called done (T25, T27)."""
    before, after = moment.state, moment.after
    if moment.interrupted in (None, Reason.WISH, Reason.CANCELLED) or before.mechanical:
        return True
    if moment.phase in (Phase.MENU, Phase.ENTRY) or before.step in (Step.APPEND, Step.RECORD):
        return after.step is not Step.END
    return after.missing and (after.step is Step.END) == (not before.spoken)


def _no_model(cast: Cast, moment: M) -> bool:
    """After a budget, an episode limit or a stall no model is asked any more (T27)."""
    spared = {PERSON, READER, CLERK}
    return not moment.state.mechanical or all(ask.seat in spared for ask in moment.asks)


def _returns(cast: Cast, moment: M) -> bool:
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


CHECKS: tuple[tuple[str, str, Check], ...] = (
    ("never above the turn limit", "T9", _within_limit),
    ("every move of a talk costs a turn, a free move or one reading", "T17", _goes_on),
    ("the warning comes exactly once, two turns before the limit", "T16", _warns),
    ("never more free moves in a row than allowed", "T17", _free),
    ("the limit asks for the last word and stops, silence only when nothing is free any more", "T9", _stops),
    ("only the lead redirects", "T19", _redirects),
    ("a disagreement is with somebody who has spoken", "T20", _disagrees),
    ("who is said to have spoken has", "T22", _speaks),
    ("what the person says counts once it is heard", "T22", _heard),
    ("a limit that cuts an elaboration short degrades it, or aborts what nobody has said", "T27", _cut_short),
    ("the word goes to personas, once in a round", "T10", _queue),
    ("who was addressed answers first, otherwise the lead, or who waited", "T11", _order),
    ("one seat at a time is asked", "T2", _asks),
    ("documents are added to after a synthesis with something for them, never otherwise", "T21", _additive),
    ("every elaboration is recorded", "T24", _recorded),
    ("a talk begins clean", "T6", _starts_clean),
    ("elaborations are counted, and never more than allowed", "T4", _elaborations),
    ("a loss is not forgotten", "T25", _losses),
    ("a conclusion says whether anything was missing or lost", "T25", _degraded),
    ("the verdict is the person's choice", "T26", _verdict),
    ("an interruption loses nothing and wraps up", "T26", _interrupts),
    ("after a limit no model is asked", "T27", _no_model),
    ("the phases follow one another as in the seed", "T2", _returns),
)


def invariants(cast: Cast) -> tuple[Invariant[State], ...]:
    """Return the invariants of a roundtable with this cast."""

    def bound(check: Check) -> Callable[[M], bool]:
        return lambda moment: check(cast, moment)

    return tuple(Invariant(name, rule, bound(check)) for name, rule, check in (*CHECKS, *WORD_CHECKS, *FATE_CHECKS))
