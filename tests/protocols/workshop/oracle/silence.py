"""A move of a workshop as it counts: what is said on seats whose model failed the exam decides nothing (W40, W41)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from quorate.core.forms import Keyed, Reply
from quorate.core.types import Absent, AbsentReason, Replies
from quorate.protocols.workshop.rules.forms import PauseReply, Response, Ruling, Votes
from tests.protocols.workshop.oracle.sheet import M

NOBODY = Absent(AbsentReason.SILENT)


def _left(reply: Reply | Absent) -> Reply | Absent:
    """What remains of it: whoever answers a question has answered, and who was to rule has not."""
    if isinstance(reply, Response):
        return replace(reply, contested=(), applied=())
    if isinstance(reply, Votes):
        return replace(reply, votes=Keyed({}))
    return NOBODY if isinstance(reply, Ruling | PauseReply) else reply


def counted(moment: M, mute: Collection[str]) -> M:
    """Return the move without the words of these seats."""
    pairs = ((ask, _left(reply) if ask.seat in mute else reply) for ask, reply in moment.replies)
    return replace(moment, replies=Replies(tuple(pairs))) if mute else moment


def unheard(moment: M, mute: Collection[str]) -> list[tuple[str, str]]:
    """What the record is told of them: whom of them it has heard, but for a question that the facilitator asks."""
    spoke = [ask.seat for ask, reply in moment.replies if ask.seat in mute and not isinstance(reply, Absent)]
    return [] if moment.phase.name == "QUESTION" else [("unqualified", seat) for seat in spoke]
