"""Entries: an event and its envelope as one flat JSON object, and the opening as entry 0.

The event's keys (`ask` with `reply` or `absent`; `interrupted`; `opening`) stand beside the envelope's, of which those
with their default value are left out. What cannot be read raises StoreError and names the entry.
"""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any, assert_never

from quorate.core.errors import RulesChanged, StoreError
from quorate.core.record import Envelope, Opening
from quorate.core.types import Absent, AbsentReason, Ask, AskId, Event, Interrupted, Reason, Replied
from quorate.store.canonical import canonical, dump
from quorate.store.replies import reply_from_data, reply_to_data

_ENVELOPE: dict[str, Any] = {each.name: each.default for each in fields(Envelope)}
_OPENING = tuple(each.name for each in fields(Opening))
_REASONS = {reason.value: reason for reason in Reason}
_ABSENCES = {reason.value: Absent(reason) for reason in AbsentReason}


def encode_entry(event: Event, envelope: Envelope) -> str:
    """Return the body of an entry: canonical JSON."""
    data = _envelope_to_data(envelope)
    match event:
        case Replied(ask, reply):
            data["ask"] = str(ask)
            if isinstance(reply, Absent):
                data["absent"] = reply.reason.value
            else:
                data["reply"] = reply_to_data(reply)
        case Interrupted(reason):
            data["interrupted"] = reason.value
        case _:
            assert_never(event)
    return dump(data)


def decode_entry(body: str, asks: tuple[Ask, ...]) -> tuple[Event, Envelope]:
    """Return the event and its envelope; `asks` are the session's, for the form of the reply.

    A reply to an ask that is not among them raises RulesChanged: under these rules nobody asked.
    """
    data = _load(body)
    place = _place(data)
    event: Event
    match data:
        case {"reply": given, "ask": str(ask_id)}:
            ask = _find(asks, ask_id, place)
            try:
                event = Replied(ask.id, reply_from_data(ask.form, given))
            except StoreError as error:
                raise StoreError(f"{place}: {error}") from error
            del data["reply"], data["ask"]
        case {"absent": str(reason), "ask": str(ask_id)} if reason in _ABSENCES:
            event = Replied(_find(asks, ask_id, place).id, _ABSENCES[reason])
            del data["absent"], data["ask"]
        case {"interrupted": str(reason)} if reason in _REASONS:
            event = Interrupted(_REASONS[reason])
            del data["interrupted"]
        case _:
            raise StoreError(f"{place} is no event that this version knows; it has the keys {sorted(data)}")
    return event, _envelope_from_data(data, place)


def encode_opening(opening: Opening, envelope: Envelope) -> str:
    """Return the body of entry 0: canonical JSON."""
    told = {name: getattr(opening, name) for name in _OPENING}
    return canonical(_envelope_to_data(envelope) | {"opening": told})


def decode_opening(body: str) -> tuple[Opening, Envelope]:
    """Return the opening and its envelope."""
    data = _load(body)
    place = _place(data)
    told = data.pop("opening", None)
    if not isinstance(told, dict):
        raise StoreError(f"{place} is no opening; it has the keys {sorted(data)}")
    if odd := set(told) ^ set(_OPENING):
        raise StoreError(f"{place}: the opening's keys {sorted(odd)} are unknown or missing")
    texts = [told["protocol"], told["version"], told["digest"], told["title"]]
    names = [told["panel"], told["material"]]
    fits = (
        all(isinstance(text, str) for text in texts)
        and type(told["seed"]) is int
        and isinstance(told["settings"], dict)
        and all(isinstance(each, dict) and all(isinstance(v, str) for v in each.values()) for each in names)
    )
    if not fits:
        raise StoreError(f"{place}: the opening holds values of the wrong kind")
    return Opening(**told), _envelope_from_data(data, place)


def _load(body: str) -> dict[str, Any]:
    try:
        data = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise StoreError(f"an entry is not valid JSON: {error}") from error
    if not isinstance(data, dict):
        raise StoreError(f"an entry is no JSON object: {body[:60]!r}")
    return data


def _place(data: dict[str, Any]) -> str:
    return f"entry {data.get('seq', 0)}"


def _find(asks: tuple[Ask, ...], ask_id: str, place: str) -> Ask:
    for ask in asks:
        if ask.id == ask_id:
            return ask
    raise RulesChanged(f"{place} answers ask {AskId(ask_id)}, which these rules do not ask at this point")


def _envelope_to_data(envelope: Envelope) -> dict[str, Any]:
    told = {name: getattr(envelope, name) for name in _ENVELOPE}
    return {name: value for name, value in told.items() if value != _ENVELOPE[name]}


def _envelope_from_data(data: dict[str, Any], place: str) -> Envelope:
    for name, value in data.items():
        if name not in _ENVELOPE:
            raise StoreError(f"{place} has the unknown key {name!r}")
        if type(value) is not type(_ENVELOPE[name]) and not (name == "cost" and value is None):
            raise StoreError(f"{place}: {name} is {value!r}, of the wrong kind")
    return Envelope(**data)
