"""Encode journal entries: an event and its envelope as one flat JSON object, and the opening as entry 0.

The event's keys (`ask` with `reply` or `absent`; `interrupted`; `ruled`; `opening`) stand beside the envelope's, of
which those with their default value are left out. Invalid data raises StoreError, which names the entry.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import fields
from typing import Any, NoReturn, assert_never

from quorate.codec.canonical import canonical, clean, dump
from quorate.codec.replies import reply_from_data, reply_to_data
from quorate.core.errors import RulesChanged, StoreError
from quorate.core.form_values import Measured, Unfit
from quorate.core.record import Envelope, Opening
from quorate.core.types import Absent, AbsentReason, Ask, Event, Interrupted, Reason, Replied, Ruled

_ENVELOPE: dict[str, Any] = {each.name: each.default for each in fields(Envelope)}
_KINDS: dict[str, type[Any]] = {name: type(default) for name, default in _ENVELOPE.items()}
_UNFIT = tuple(each.name for each in fields(Unfit))
_MEASURED = tuple(each.name for each in fields(Measured))
_EVENT = ("ask", "reply", "absent", "interrupted", "ruled")
_OPENING = {
    "protocol": str,
    "version": str,
    "digest": str,
    "title": str,
    "seed": int,
    "settings": dict,
    "panel": dict,
    "material": dict,
    "session": str,
    "briefs": dict,
    "run": dict,
}
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
        case Ruled(verdict, by, reason):
            data["ruled"] = {"verdict": verdict, "by": clean(by), "reason": clean(reason)}
        case _:
            assert_never(event)
    return dump(data)


def decode_entry(body: str, asks: tuple[Ask, ...]) -> tuple[Event, Envelope]:
    """Return the event and its envelope; `asks` are the session's, for the form of the reply.

    A reply to an ask that is not among them raises RulesChanged: these rules never asked it.
    """
    data = _load(body)
    try:
        return _decode(data, asks)
    except (StoreError, RulesChanged) as error:
        raise type(error)(f"entry {data.get('seq', 0)} {error}") from error


def decode_numbered(body: str, asks: tuple[Ask, ...]) -> tuple[Event, Envelope]:
    """As `decode_entry`, for a caller whose own message names the entry: errors do not say its number."""
    return _decode(_load(body), asks)


def _decode(data: dict[str, Any], asks: tuple[Ask, ...]) -> tuple[Event, Envelope]:
    return _take_event(data, asks), _envelope_from_data(data)


def _take_event(data: dict[str, Any], asks: tuple[Ask, ...]) -> Event:
    """Remove the event's keys from the data, leaving the envelope's, and return the event."""
    if "reply" in data and "absent" not in data and type(data.get("ask")) is str:  # nearly every entry
        ask = _find(asks, data.pop("ask"))
        return Replied(ask.id, reply_from_data(ask.form, data.pop("reply")))
    told = {name: data.pop(name) for name in _EVENT if name in data}
    match told:
        case {"ask": str(ask_id), "absent": str(reason)} if len(told) == 2 and reason in _ABSENCES:
            return Replied(_find(asks, ask_id).id, _ABSENCES[reason])
        case {"interrupted": str(reason)} if len(told) == 1 and reason in _REASONS:
            return Interrupted(_REASONS[reason])
        case {"ruled": {"verdict": str(verdict), "by": str(by), "reason": str(why), **rest}} if (
            len(told) == 1 and not rest
        ):
            return Ruled(verdict, by, why)
        case _:
            raise StoreError(f"is not an event that this version knows; it has the keys {', '.join((*told, *data))}")


def encode_opening(opening: Opening, envelope: Envelope) -> str:
    """Return the body of entry 0: canonical JSON."""
    told = {name: getattr(opening, name) for name in _OPENING}
    return canonical(_envelope_to_data(envelope) | {"opening": told})


def decode_opening(body: str) -> tuple[Opening, Envelope]:
    """Return the opening and its envelope."""
    data = _load(body)
    told = data.pop("opening", None)
    if not isinstance(told, dict):
        raise StoreError(f"entry 0 is not an opening; it has the keys {', '.join(sorted(data))}")
    if odd := set(told) ^ set(_OPENING):
        raise StoreError(f"entry 0 is not an opening: unknown or missing keys: {', '.join(sorted(odd))}")
    for name, kind in _OPENING.items():
        fits = type(told[name]) is kind
        if name in ("panel", "material", "briefs"):
            fits = fits and all(type(value) is str for value in told[name].values())
        if not fits:
            raise StoreError(f"entry 0: {name} has the wrong type: {told[name]!r}")
    try:
        return Opening(**told), _envelope_from_data(data)
    except StoreError as error:
        raise StoreError(f"entry 0 {error}") from error


_HALF = re.compile(r"(?<!\\)(?:\\\\)*\\u[dD][89a-fA-F]")
"""An escape for half of a surrogate pair. Nothing that was written has one, since texts are written as they are."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Raise for a duplicate key: another JSON reader might use the other value."""
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("a key appears twice in one object")
    return made


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number")


_STRICT = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_no_constant)


def _load(body: str) -> dict[str, Any]:
    try:
        if "\\u" in body and _HALF.search(body):
            raise ValueError("a text contains half of a surrogate pair")
        data, end = _STRICT.raw_decode(body)
        if end != len(body):
            data = _STRICT.decode(body)  # nothing but white space may follow
    except (ValueError, RecursionError) as error:
        raise StoreError(f"an entry is not valid JSON: {error}") from error
    if not isinstance(data, dict):
        raise StoreError(f"an entry is not a JSON object: {body[:60]!r}")
    return data


def _find(asks: tuple[Ask, ...], ask_id: str) -> Ask:
    for ask in asks:
        if ask.id == ask_id:
            return ask
    raise RulesChanged(f"answers ask {ask_id}, which these rules do not ask at this point")


def _short(number: int) -> str:
    return str(number) if abs(number) < 10**30 else "a number of more than 30 digits"


def _envelope_to_data(envelope: Envelope) -> dict[str, Any]:
    data = {name: told for name, usual in _ENVELOPE.items() if (told := getattr(envelope, name)) != usual}
    if envelope.unfit:
        data["unfit"] = [{name: getattr(each, name) for name in _UNFIT} for each in envelope.unfit]
    if envelope.measured:
        data["measured"] = measured_to_data(envelope.measured)
    return data


def measured_to_data(measured: Iterable[Measured]) -> list[dict[str, Any]]:
    """Return measured fields as plain data, their shares in the order of the answers."""
    return [
        {name: getattr(each, name) for name in _MEASURED}
        | {"shares": [{"answer": answer, "share": share} for answer, share in each.shares]}
        for each in measured
    ]


MOST = 10**15
"""Upper bound of every count and amount in a session; the lower is 0."""


def _envelope_from_data(data: dict[str, Any]) -> Envelope:
    if "unfit" in data:
        data["unfit"] = _unfit_from_data(data["unfit"])
    if "measured" in data:
        data["measured"] = measured_from_data(data["measured"])
    for name, value in data.items():
        if type(value) is _KINDS.get(name) and (type(value) is not int or 0 <= value <= MOST):
            continue
        if name == "cost" and value is None:
            continue
        if name not in _KINDS:
            raise StoreError(f"has the unknown key {name!r}")
        if type(value) is int and _KINDS[name] is int:
            raise StoreError(f"has {_short(value)} as its {name}, which is not a number from 0 to {MOST}")
        raise StoreError(f"has {value!r} as its {name}, which is of the wrong kind")
    return Envelope(**data)


def _unfit_from_data(told: Any) -> tuple[Unfit, ...]:
    made = []
    for each in told if isinstance(told, list) else [told]:
        if not isinstance(each, dict) or each.keys() != set(_UNFIT) or {type(text) for text in each.values()} != {str}:
            raise StoreError(f"has {each!r} in `unfit`, which is not an object with the texts {', '.join(_UNFIT)}")
        made.append(Unfit(**each))
    return tuple(made)


def measured_from_data(told: Any) -> tuple[Measured, ...]:
    """Return the measured fields of plain data. Raises StoreError for any other data."""
    try:
        return tuple(_measured(each) for each in told)
    except (TypeError, KeyError, ValueError):
        raise StoreError(f"has {told!r} in `measured`, which is not what was measured of a reply") from None


def _measured(told: Any) -> Measured:
    """Return one measured field; raises ValueError, TypeError or KeyError where it is none."""
    shares = tuple((each["answer"], each["share"]) for each in told["shares"])
    found = Measured(**{**told, "shares": shares})
    numbers = [found.seen, *(share for _, share in shares), *_given(found.confidence), *_given(found.stated)]
    texts = [found.at, found.value, found.said, *(answer for answer, _ in shares)]
    odd = any(len(each) != 2 for each in told["shares"]) or {type(each) for each in texts} != {str}
    if odd or told.keys() != set(_MEASURED) or any(type(each) is not int or not 0 <= each <= MOST for each in numbers):
        raise ValueError
    return found


def _given(number: int | None) -> tuple[int, ...]:
    return () if number is None else (number,)
