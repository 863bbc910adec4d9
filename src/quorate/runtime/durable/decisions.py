"""Typed decisions: journal entries without prose, the only form in which a workflow's history holds them.

Decisions cannot read prose, so a session folded from these equals the session folded from the journal.
"""

from __future__ import annotations

from typing import Any, assert_never

from quorate.codec import decode_entry, encode_entry, reply_from_data, reply_to_data
from quorate.core.record import Envelope
from quorate.core.shapes import Group, Many, PerKey, Shape, Text, shape_of
from quorate.core.types import Absent, Ask, Event, Interrupted, Replied, Ruled

NOT_SAID = "-"
"""What stands for the name and the words of a ruling: the rules want some."""


def decision(event: Event, envelope: Envelope) -> str:
    """Return an entry as a decision: canonical JSON with typed fields, marks, order, time and what the reply cost."""
    kept = Envelope(
        seq=envelope.seq,
        at=envelope.at,
        tokens_in=envelope.tokens_in,
        tokens_out=envelope.tokens_out,
        cost=envelope.cost,
        elapsed=envelope.elapsed,
        tokens_cached=envelope.tokens_cached,
    )
    return encode_entry(_without_prose(event), kept)


def event_of(text: str, asks: tuple[Ask, ...]) -> tuple[Event, Envelope]:
    """Return the event that `step` takes, and its envelope; `asks` are the session's."""
    return decode_entry(text, asks)


def _without_prose(event: Event) -> Event:
    match event:
        case Replied(ask, reply):
            if isinstance(reply, Absent):
                return event
            form = type(reply)
            return Replied(ask, reply_from_data(form, _blank(shape_of(form), reply_to_data(reply))))
        case Interrupted():
            return event
        case Ruled(verdict):
            return Ruled(verdict, NOT_SAID, NOT_SAID)
    assert_never(event)


def _blank(shape: Shape, data: Any) -> Any:
    match shape:
        case Text():
            return ""
        case Many(item=item):
            return [_blank(item, each) for each in data]
        case PerKey(item=item):
            return {key: _blank(item, each) for key, each in data.items()}
        case Group(fields=fields):
            return {each.name: _blank(each.shape, data[each.name]) for each in fields}
        case _:
            return data
