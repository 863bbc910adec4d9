"""Invariants of fates: nothing that was raised vanishes, and nothing is written that nobody summed up (T33, T34)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from quorate.core.protocol import Moment
from quorate.protocols.roundtable.rules.forms import Synthesis, Turn, Utterance
from quorate.protocols.roundtable.rules.model import Outcome, Phase, State, Step
from quorate.protocols.roundtable.rules.personas import Cast

M = Moment[State]
Check = Callable[[Cast, M], bool]
LISTS = ("insights", "decisions", "open_questions", "action_items")
FATES_OF_DISPUTES = ("disagreements settled", "disagreements left open")
FATES_OF_DOCUMENTS = ("document added", "document missing", "document failed")


def _told(moment: M, *names: str) -> list[dict[str, str]]:
    return [{name: str(each) for name, each in fact.values} for fact in moment.facts if fact.name in names]


def _said(moment: M) -> object:
    return moment.replies.pairs[0][1] if moment.replies.pairs else None


def _disputes(cast: Cast, moment: M) -> bool:
    """A disagreement stands until the person's words settle it or it is left as an open question, once (T20, T21)."""
    before, after, reply = moment.state, moment.after, _said(moment)
    raised, ended = _told(moment, "disagreement"), [f.name for f in moment.facts if f.name in FATES_OF_DISPUTES]
    if moment.interrupted is not None:
        return after.disputed == before.disputed and not raised and not ended
    held = [str(key) for key in reply.challenges if key in before.spoken] if isinstance(reply, Utterance) else []
    if [each["against"] for each in raised] not in ([], held):
        return False
    if after.disputed != ((before.disputed or bool(raised)) and not ended) or len(ended) > before.disputed:
        return False
    words = isinstance(reply, Turn) and reply.words and not reply.blank and not reply.command
    heard = moment.phase is Phase.DISCUSSION_LOOP and before.step in (Step.READ, Step.CLASSIFY, Step.CLARIFY)
    followed = heard and moment.outcome in (Outcome.READ, Outcome.LAST_WORD)
    due = before.disputed and (words or followed)
    over = before.disputed and moment.phase is Phase.SYNTHESIS and before.step is Step.SYNTHESISE
    over = over and moment.outcome is not Outcome.RETRY
    return ended == ["disagreements settled"] * due + ["disagreements left open"] * over


def _raised(cast: Cast, moment: M) -> bool:
    """A challenge of somebody who has spoken is a disagreement, any other is dropped, and none is lost (T20)."""
    reply, told = _said(moment), _told(moment, "disagreement", "challenge dropped")
    if not isinstance(reply, Utterance) or moment.interrupted is not None:
        return not told
    counts = Counter(each["against"] for each in told)
    passed = reply.blank or reply.manner.value == "pass"
    redirected = reply.manner.value == "redirect" and moment.state.queue[0] == cast.lead.seat
    return counts == (Counter() if passed or redirected else Counter(map(str, reply.challenges)))


def _items(cast: Cast, moment: M) -> bool:
    """Every item of a synthesis with words is kept for exactly one place, and nothing else is (T23)."""
    reply, kept = _said(moment), _told(moment, "item kept")
    if not isinstance(reply, Synthesis) or moment.interrupted is not None:
        return not kept
    raised = Counter(name for name in LISTS for item in getattr(reply, name) if not item.blank)
    places = {each["document"] for each in kept}
    known = set(map(str, cast.documents)) or {""}
    return (
        Counter(each["list"] for each in kept) == raised
        and places <= known
        and (set(moment.after.targets) == places - {""})
    )


def _documents(cast: Cast, moment: M) -> bool:
    """Every document that is to be added to was added to, or is missing, or has failed, and no other (T23)."""
    told = Counter(each["key"] for each in _told(moment, *FATES_OF_DOCUMENTS))
    appends = moment.phase is Phase.SYNTHESIS and moment.state.step is Step.APPEND and moment.interrupted is None
    return told == Counter(map(str, moment.state.targets if appends else ()))


def _summed_up(cast: Cast, moment: M) -> bool:
    """A document is to be added to because the lead has synthesised, and because of nothing else (T21, T34)."""
    new = set(moment.after.targets) - set(moment.state.targets)
    lead = cast.asked(cast.lead.seat)
    return not new or any(isinstance(reply, Synthesis) and ask.seat == lead for ask, reply in moment.replies)


FATE_CHECKS: tuple[tuple[str, str, Check], ...] = (
    ("every disagreement has exactly one fate", "T33", _disputes),
    ("every challenge is a disagreement or dropped", "T33", _raised),
    ("every item of a synthesis has exactly one place", "T33", _items),
    ("every document that is to be added to has exactly one fate", "T33", _documents),
    ("no document is written that nobody summed up", "T34", _summed_up),
)
