"""Entries: an event and its envelope as one flat JSON object, and the opening as entry 0.

The event's keys (`ask` with `reply` or `absent`; `interrupted`; `opening`) stand beside the envelope's, of which those
with their default value are left out. What cannot be read raises StoreError and names the entry.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, assert_never

from quorate.core.errors import RulesChanged, StoreError
from quorate.core.record import Envelope, Opening
from quorate.core.types import Absent, AbsentReason, Ask, Event, Interrupted, Reason, Replied
from quorate.store.canonical import canonical, dump
from quorate.store.replies import reply_from_data, reply_to_data

_DEFAULTS: dict[str, Any] = {each.name: each.default for each in fields(Envelope)}
_REASONS: dict[str, Reason] = {reason.value: reason for reason in Reason}
_ABSENT: dict[str, Absent] = {reason.value: Absent(reason) for reason in AbsentReason}
_OPENING = {each.name: {"seed": int}.get(each.name, dict if "Mapping" in str(each.type) else str) for each in fields(Opening)}


def encode_entry(event: Event, envelope: Envelope) -> str:
    """Return the body of an entry, in canonical JSON."""
    data = _envelope_to_data(envelope)
    match event:
        case Replied(ask, Absent(reason)):
            data |= {"ask": str(ask), "absent": reason.value}
        case Replied(ask, reply):
            data |= {"ask": str(ask), "reply": reply_to_data(reply)}
        case Interrupted(reason):
            data["interrupted"] = reason.value
        case _:
            assert_never(event)
    return dump(data)
