"""Descriptions of the choices for a person in a workshop (W24, W25)."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from quorate.core.forms import Reply
from quorate.core.record import Record
from quorate.kit.offers import Offer
from quorate.protocols.workshop.rules.forms import PauseReply, Ruling
from quorate.protocols.workshop.rules.history import state_of


def _without_applied(record: Record) -> Collection[str]:
    """The choices of this moment: nothing is said to be applied where no ruling waits for it."""
    every = {"accept", "decide", "applied", "go_on", "conclude", "escalate"}
    return every if state_of(record).rulings else every - {"applied"}


OFFERS: Mapping[type[Reply], Offer] = {
    Ruling: Offer(
        does={
            "accept": "what the facilitator recommends holds",
            "decide": "what you write as the decision holds",
            "applied": "what you ruled before is what the texts say now",
            "go_on": "nothing is resolved; the discussion goes on",
        },
        optional=("reason", "decision"),
        needs={"decide": "decision"},
        unanswered="go_on",
        shows=("Why you are asked", "The facilitator recommends", "What", "Rulings of a person"),
        there=_without_applied,
    ),
    PauseReply: Offer(
        does={
            "go_on": "the next round begins",
            "applied": "what you ruled before is what the texts say now, and the next round begins",
            "conclude": "the workshop ends now, and documents are written of what there is",
            "escalate": "the open conflicts are put to you, then it goes on",
        },
        optional=("remark",),
        unanswered="go_on",
        shows=("Round ", "Made in this round", "Rulings of a person", "What", "Agenda"),
        there=_without_applied,
    ),
}
