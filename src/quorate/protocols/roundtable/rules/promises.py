"""Invariants of the roundtable about turns, the talk and who is asked; invariants.py lists all of them."""

from __future__ import annotations

from collections.abc import Callable

from quorate.core.forms import Key, Reply
from quorate.core.protocol import Moment
from quorate.core.types import Ask, Seat
from quorate.protocols.roundtable.rules.forms import (
    Appended,
    Clarified,
    Framing,
    Manner,
    Menu,
    Reading,
    Recorded,
    Synthesis,
    Turn,
    Utterance,
)
from quorate.protocols.roundtable.rules.model import (
    CLASSIFIER,
    CLERK,
    PERSON,
    READER,
    USER,
    Outcome,
    Phase,
    State,
    Step,
)
from quorate.protocols.roundtable.rules.recount import Recount

M = Moment[State]
Check = Callable[[Recount, M], bool]
Wanted = tuple[Seat, str, type[Reply], tuple[Key, ...]]
IN_LOOP = frozenset({Step.SPEAK, Step.LISTEN, Step.READ, Step.CLASSIFY, Step.CLARIFY})


# Turns


def within_limit(recount: Recount, moment: M) -> bool:
    """No count above the limit, and at the limit nobody is asked to speak (T9)."""
    if not 0 <= moment.after.turn <= recount.limit:
        return False
    return moment.after.turn < recount.limit or moment.to is not Phase.DISCUSSION_LOOP


def goes_on(recount: Recount, moment: M) -> bool:
    """A talk has its turns one by one, and every move that stays in it costs a turn, a free move or a reading (T17)."""
    before, after = moment.state, moment.after
    if moment.phase is not Phase.DISCUSSION_LOOP or moment.interrupted is not None:
        return True
    if after.turn not in (before.turn, before.turn + 1):
        return False
    read = {Step.LISTEN: (Step.READ,), Step.READ: (Step.CLASSIFY,)}
    if moment.to is not Phase.DISCUSSION_LOOP or after.turn > before.turn or after.free > before.free:
        return True
    return after.step in read.get(before.step, ())


def warns(recount: Recount, moment: M) -> bool:
    """The warning comes with the turn that reaches the limit less two, and with no other move (T16)."""
    warned = sum(fact.name == "turn warning" for fact in moment.facts)
    reached = moment.state.turn < moment.after.turn == recount.limit - 2
    return warned == int(reached)


def free(recount: Recount, moment: M) -> bool:
    """Never more free moves in a row than allowed, and none that is counted is forgotten while it counts (T17)."""
    before, after = moment.state, moment.after
    if not 0 <= after.free <= recount.settings.free_moves:
        return False
    stays = moment.phase is moment.to is Phase.DISCUSSION_LOOP and moment.interrupted is None
    return not stays or after.turn > before.turn or after.free in (before.free, before.free + 1)


def stops(recount: Recount, moment: M) -> bool:
    """LIMIT_REACHED exactly at the limit, INACTIVE only after free moves used up by silence (T9, T17)."""
    if moment.phase is not Phase.DISCUSSION_LOOP or moment.interrupted is not None:
        return moment.outcome not in (Outcome.LIMIT_REACHED, Outcome.INACTIVE)
    if (moment.outcome is Outcome.LIMIT_REACHED) != (moment.after.turn == recount.limit):
        return False
    return moment.outcome is not Outcome.INACTIVE or moment.state.free == recount.settings.free_moves


# The talk


def redirects(recount: Recount, moment: M) -> bool:
    """Only the lead redirects, and only when it says so (T19)."""
    if moment.outcome is not Outcome.REDIRECTED:
        return True
    reply = moment.replies.pairs[0][1]
    redirects = isinstance(reply, Utterance) and reply.manner is Manner.REDIRECT and not reply.blank
    return redirects and moment.state.queue[0] == recount.lead


def disagrees(recount: Recount, moment: M) -> bool:
    """A disagreement has two who have spoken (T20)."""
    against = [dict(fact.values)["against"] for fact in moment.facts if fact.name == "disagreement"]
    return all(key in moment.state.spoken for key in against)


def speaks(recount: Recount, moment: M) -> bool:
    """Who has spoken has filled in a form with words, and nobody who has is forgotten during the talk (T22)."""
    before, after = set(moment.state.spoken), set(moment.after.spoken)
    if moment.phase in (Phase.SYNTHESIS, Phase.STATE_PERSIST):
        return after <= before
    if not before <= after or len(moment.after.spoken) != len(after):
        return False
    for key in after - before:
        reply = moment.replies.pairs[0][1] if moment.replies.pairs else None
        if key == USER:
            read = moment.state.step in (Step.READ, Step.CLASSIFY, Step.CLARIFY)
            if moment.phase is not Phase.DISCUSSION_LOOP or not (read or (isinstance(reply, Turn) and reply.words)):
                return False
            continue
        words = isinstance(reply, Framing) or (isinstance(reply, Utterance) and not reply.blank)
        if not words or key not in (Key(recount.lead), *map(Key, moment.state.queue[:1])):
            return False
    return True


def heard(recount: Recount, moment: M) -> bool:
    """A person whose turn has words has spoken, whatever they are read as and whether or not they are read (T22)."""
    reply = moment.replies.pairs[0][1] if moment.replies.pairs else None
    if not isinstance(reply, Turn) or moment.interrupted is not None:
        return True
    return not reply.words or reply.blank or USER in moment.after.spoken


def has_matter(state: State) -> bool:
    """Whether there is something to sum up: more than the framing, or words of the person (T21)."""
    return state.turn > 1 or USER in state.spoken


def queue(recount: Recount, moment: M) -> bool:
    """Whoever has the word is a persona, at most once in a round; outside of the talk nobody waits for it (T10)."""
    queue = moment.after.queue
    if len(set(queue)) != len(queue) or any(recount.cast.of(seat) is None for seat in queue):
        return False
    if moment.to is not Phase.DISCUSSION_LOOP:
        return not queue or moment.to is Phase.ABORTED
    return bool(queue) == (moment.after.step is Step.SPEAK) and moment.after.step in IN_LOOP


def order(recount: Recount, moment: M) -> bool:
    """Who was addressed answers first; otherwise the lead does, and a group hears everybody (T10 to T14)."""
    after = moment.after
    if moment.outcome is Outcome.FRAMED:
        return len(after.queue) == len(recount.everybody) - 1 and recount.lead not in after.queue
    if moment.outcome not in (Outcome.READ, Outcome.SILENT):
        return True
    if len(after.queue) != len(recount.everybody):
        return False
    return after.queue[0] == recount.lead or (after.addressed and not after.group)


# Asks


def asks(recount: Recount, moment: M) -> bool:
    """One seat at a time is asked, and it is the one whose turn it is, in its own words (T2)."""
    if not moment.asks:
        return moment.phase in (Phase.ENTRY, Phase.SYNTHESIS) or moment.interrupted is not None
    wanted = _wanted(recount, moment.phase, moment.state)
    return len(moment.asks) == 1 and _same(moment.asks[0], wanted)


def _same(ask: Ask, wanted: Wanted | None) -> bool:
    return wanted is not None and (ask.seat, ask.brief, ask.form, ask.keys) == wanted


def _wanted(recount: Recount, phase: object, state: State) -> Wanted | None:
    keys = tuple(Key(each.seat) for each in recount.cast.personas)
    lead = recount.asked(recount.lead)
    match phase, state.step:
        case Phase.MENU, _:
            return PERSON, "menu", Menu, ()
        case Phase.TOPIC_FRAMING, _:
            return lead, "frame", Framing, tuple(key for key in keys if key != Key(recount.lead))
        case Phase.DISCUSSION_LOOP, Step.LISTEN:
            return PERSON, "turn", Turn, ()
        case Phase.DISCUSSION_LOOP, Step.READ:
            return READER, "read", Reading, keys
        case Phase.DISCUSSION_LOOP, Step.CLASSIFY if recount.settings.classifier:
            return CLASSIFIER, "classify", Reading, keys
        case Phase.DISCUSSION_LOOP, Step.CLARIFY:
            return PERSON, "clarify", Clarified, ()
        case Phase.DISCUSSION_LOOP, Step.SPEAK:
            who = state.queue[0]
            brief = "answer" if state.addressed or state.group else "speak"
            return recount.asked(who), brief, Utterance, tuple(key for key in keys if key != Key(who))
        case Phase.SYNTHESIS, Step.SYNTHESISE if has_matter(state) and not state.mechanical:
            documents = tuple(Key(f"D{n}") for n in range(1, recount.settings.documents + 1))
            return lead, "synthesise", Synthesis, (*keys, USER, *documents)
        case Phase.SYNTHESIS, Step.APPEND:
            return CLERK, "append", Appended, state.targets
        case Phase.STATE_PERSIST, _:
            return CLERK, "record", Recorded, ()
        case _:
            return None
