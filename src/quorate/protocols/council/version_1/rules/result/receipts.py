"""The coverage receipt: what was read, what was left out and why, and what was cut from whose view (C42)."""

from __future__ import annotations

from typing import Any

from quorate.core.forms import Key
from quorate.core.record import Record
from quorate.kit.view_cuts import cuts_told, views_cut
from quorate.protocols.council.version_1.rules.model import Resolution
from quorate.protocols.council.version_1.rules.result.open_findings import Opened, as_brought
from quorate.protocols.council.version_1.rules.result.overview import Reading
from quorate.protocols.council.version_1.rules.taxonomy import ticket_keys
from quorate.protocols.council.version_1.rules.views import READING


def coverage(reading: Reading) -> dict[str, Any]:
    """Return the receipt as plain data; dismissed findings are listed with their votes."""
    told = reading.receipt
    dismissed = [each for each in Opened(reading).every if each.finding.resolution is Resolution.DISMISSED]
    return {
        "title": reading.rfc.title,
        "rfc": told.get("rfc", {}),
        "depth": told.get("depth", {}),
        "files": [{"path": as_brought(reading, str(path))} for path in told.get("read", [])],
        "left_out": [{"path": str(each["path"]), "why": str(each["why"])} for each in told.get("left_out", [])],
        "cut": cuts_told(reading.record),
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


def unseen_tickets(record: Record) -> list[Key]:
    """Return the tickets that no seat was ever shown in full, in the order of their keys."""
    tickets = {f"Ticket {key}": key for key in ticket_keys(record.session.state.tickets)}
    unseen: set[str] | None = None
    for asked, cut in views_cut(record) if tickets else ():
        if asked.ask.brief in READING:
            lacking = {each.title for each in cut} & tickets.keys()
            unseen = lacking if unseen is None else unseen & lacking
            if not unseen:
                break  # one seat after the other has seen them all, and nobody else has to be looked at
    return [key for title, key in tickets.items() if title in (unseen or ())]
