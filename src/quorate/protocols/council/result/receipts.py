"""The coverage receipt: what was read, what was left out and why, and what was cut from whose view (C42)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from quorate.core.forms import Key
from quorate.core.record import Asked, Envelope, Record, Ruling, Said, Stopped
from quorate.core.types import Event, Interrupted, Replied, Ruled
from quorate.core.view import Cut
from quorate.protocols.council.model import HELD_BY_CODE, Resolution
from quorate.protocols.council.result.open_findings import Opened, as_brought
from quorate.protocols.council.result.reading import Reading
from quorate.protocols.council.taxonomy import ticket_keys
from quorate.protocols.council.views import READING, Views


def coverage(reading: Reading) -> dict[str, Any]:
    """Return the receipt as plain data; what a quorum dismissed is listed with its votes."""
    told = reading.receipt
    dismissed = [each for each in Opened(reading).every if each.finding.resolution is Resolution.DISMISSED]
    return {
        "title": reading.rfc.title,
        "rfc": told.get("rfc", {}),
        "depth": told.get("depth", {}),
        "files": [{"path": as_brought(reading, str(path))} for path in told.get("read", [])],
        "left_out": [{"path": str(each["path"]), "why": str(each["why"])} for each in told.get("left_out", [])],
        "cut": cuts(reading.record),
        "dismissed": [
            {
                "key": each.core.key,
                "rule": each.core.rule,
                "path": each.core.path,
                "reason": _why(reading.votes(each.finding.key)),
            }
            for each in dismissed
        ],
    }


def _why(votes: dict[str, str]) -> str:
    if not votes:
        return "the seat that raised it took it back"
    return "dismissed by the council: " + ", ".join(f"{seat} {vote}" for seat, vote in votes.items())


def cuts(record: Record) -> list[dict[str, Any]]:
    """Return what was cut from views to fit `seat_tokens`, seats from whose views the same was cut together.

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


def unseen_tickets(record: Record) -> list[Key]:
    """The tickets that no seat was ever shown whole, though it read the RFC; in the order of their keys."""
    tickets = ticket_keys(record.session.state.tickets)
    unseen: set[str] | None = None
    for asked, cut in _views(record):
        if asked.ask.brief in READING:
            lacking = {each.title for each in cut}
            unseen = lacking if unseen is None else unseen & lacking
    return [key for key in tickets if f"Ticket {key}" in (unseen or ())]


def _views(record: Record) -> Iterator[tuple[Asked, tuple[Cut, ...]]]:
    """Every ask to a seat that is shown a view, with what was cut from it."""
    view = record.protocol.view
    if not isinstance(view, Views):
        return
    again = Record(record.protocol, record.opening, record.material)
    seen = 0
    for event, envelope in (*_events(record), (None, Envelope())):
        for line in again.log[seen:]:
            if isinstance(line, Asked) and line.ask.seat not in HELD_BY_CODE:
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
