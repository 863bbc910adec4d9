"""The coverage receipt: what was reviewed, what was left out and why, and what was cut from whose view (R33)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from quorate.core.record import Asked, Envelope, Record, Ruling, Said, Stopped
from quorate.core.types import Event, Interrupted, Replied, Ruled
from quorate.core.view import Cut
from quorate.protocols.review.model import CHECKS
from quorate.protocols.review.result.reading import Reading
from quorate.protocols.review.views import Views


def coverage(reading: Reading) -> dict[str, Any]:
    """Return the receipt as plain data."""
    told = reading.receipt
    return {
        "title": str(told.get("title", "")),
        "base": str(told.get("base", "")),
        "head": str(told.get("head", "")),
        "files": [dict(file) for file in told["files"]],
        "left_out": [dict(each) for each in told.get("left_out", [])],
        "cut": cuts(reading.record),
        "dismissed": [dict(each) for each in told.get("dismissed", [])],
    }


def cuts(record: Record) -> list[dict[str, Any]]:
    """Return what was cut from views to fit `persona_tokens`, seats from whose views the same was cut together.

    A view is a function of the record as it stood when its seat was asked, so the session is folded once more.
    """
    alike: dict[tuple[int, str, tuple[Cut, ...]], list[str]] = {}
    for asked, cut in _views(record):
        if cut:
            alike.setdefault((asked.round, asked.ask.brief, cut), []).append(str(asked.ask.seat))
    return [
        {
            "round": round_,
            "brief": brief,
            "seats": seats,
            "shown": sum(each.shown for each in cut),
            "of": sum(each.of for each in cut),
            "sections": [{"section": each.title, "shown": each.shown, "of": each.of} for each in cut],
        }
        for (round_, brief, cut), seats in alike.items()
    ]


def _views(record: Record) -> Iterator[tuple[Asked, tuple[Cut, ...]]]:
    """Every ask to a seat that is shown a view, with what was cut from it."""
    view = record.protocol.view
    if not isinstance(view, Views):
        return
    again = Record(record.protocol, record.opening, record.material)
    seen = 0
    for event, envelope in (*_events(record), (None, Envelope())):
        for line in again.log[seen:]:
            if isinstance(line, Asked) and line.ask.seat != CHECKS:
                yield line, view.with_receipt(again, line.ask)[1]
        seen = len(again.log)
        if event is not None:
            again.take(event, envelope)


def _events(record: Record) -> Iterator[tuple[Event, Envelope]]:
    """The events that the record was folded from, in order."""
    for line in record.log:
        match line:
            case Said():
                yield Replied(line.ask.id, line.reply), line.envelope
            case Stopped():
                yield Interrupted(line.reason), line.envelope
            case Ruling():
                yield Ruled(line.verdict.name, line.by, line.reason), line.envelope
            case _:
                continue
