"""Descriptions of the menu's choices for a person at a roundtable, and which are available (T4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from quorate.core.forms import Reply
from quorate.core.record import Record
from quorate.kit.offers import Offer
from quorate.protocols.roundtable.rules.forms import Menu
from quorate.protocols.roundtable.rules.matter import cast_of
from quorate.protocols.roundtable.rules.model import State
from quorate.protocols.roundtable.rules.protocol import may_elaborate


def _there(record: Record) -> Iterator[str]:
    settings, state = cast_of(record).settings, record.session.state
    assert isinstance(state, State)
    if may_elaborate(settings, state):
        yield "elaborate"
    yield "continue"
    if not settings.at_phase_boundary:
        yield "skip"
    yield "text"


OFFERS: Mapping[type[Reply], Offer] = {
    Menu: Offer(
        does={
            "elaborate": "talk it over",
            "continue": "go on with the work",
            "skip": "skip the rest of the phase",
            "text": "leave a note as feedback",
        },
        optional=("text",),
        needs={"text": "text"},
        there=lambda record: tuple(_there(record)),
    ),
}
