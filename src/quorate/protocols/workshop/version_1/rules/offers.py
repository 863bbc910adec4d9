"""Descriptions of the choices for a person in a workshop (W24, W25)."""

from __future__ import annotations

from collections.abc import Mapping

from quorate.core.forms import Reply
from quorate.kit.offers import Offer
from quorate.protocols.workshop.version_1.rules.forms import PauseReply, Ruling

OFFERS: Mapping[type[Reply], Offer] = {
    Ruling: Offer(
        does={
            "accept": "what the facilitator recommends holds",
            "decide": "what you write as the decision holds",
            "go_on": "nothing is resolved; the discussion goes on",
        },
        optional=("reason", "decision"),
        needs={"decide": "decision"},
        unanswered="go_on",
        shows=("Why you are asked", "The facilitator recommends", "What it is about"),
    ),
    PauseReply: Offer(
        does={
            "go_on": "the next round begins",
            "conclude": "the workshop ends now, and documents are written of what there is",
            "escalate": "the open conflicts are put to you, then it goes on",
        },
        optional=("remark",),
        unanswered="go_on",
        shows=("Round ", "Made in this round", "Agenda"),
    ),
}
