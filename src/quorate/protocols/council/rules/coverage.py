"""Coverage: divides an RFC that is too large for one view among the seats, and records who was shown what (C42)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate

from quorate.core.forms import Key, Reply
from quorate.core.record import Record, Said
from quorate.core.types import Absent, Ask, Seat
from quorate.core.values import replace
from quorate.core.view import Section
from quorate.kit.view_cuts import views_cut
from quorate.protocols.council.rules.material import brought
from quorate.protocols.council.rules.model import CouncilSettings

BY_TURNS = ("score", "mock-run", "assure", "assess")
"""The briefs in which the seats read the RFC; where it is too large, each sees another part of it (C42)."""
READING = (*BY_TURNS, "patch")
"""The briefs that need the RFC itself; the others get half the room, and more where findings need it."""
ON_FINDINGS = ("respond", "remediate", "vote")
"""The briefs that decide about findings, whose texts are shown before anything else that may be cut (C14)."""
FIRST_TURN = 5
"""What is read by turns is cut before everything else; this is the `cut` of what a turn begins with."""


def by_turns(units: Sequence[Section], turn: int, turns: int) -> Iterator[Section]:
    """Yield texts so that whoever has another turn loses others for want of room: together they see the most (C42).

    Each turn begins a share further on, by size; what comes last after that beginning is cut first.
    """
    total = sum(len(each.text) for each in units)
    before = list(accumulate((len(each.text) for each in units), initial=0))
    start = max(place for place, size in enumerate(before) if size * turns <= total * turn)
    for place, each in enumerate(units):
        yield replace(each, cut=FIRST_TURN + (place - start) % len(units))


def turn_of(ask: Ask, seats: Sequence[Seat], settings: CouncilSettings) -> tuple[int, int]:
    """Return which of the turns an ask is: each seat reads twice, in CYCLE_1 and in CYCLE_2.

    A seat of which every word is a note reads as if all did, and takes no turn from the others (C48).
    """
    if ask.seat not in settings.unqualified_seats:
        seats = [seat for seat in seats if seat not in settings.unqualified_seats]
    return 2 * seats.index(ask.seat) + (ask.brief == "assess"), 2 * len(seats)


def shown(record: Record) -> dict[Key, tuple[Seat, ...]]:
    """Return who was shown each ticket and file of the RFC whole, and gave a usable reply (C42)."""
    rfc = brought(record)
    units = {f"Ticket {each['key']}": Key(each["key"]) for each in rfc.tickets}
    units |= {f"File {each['key']} {each['name']}": Key(each["key"]) for each in rfc.documents}
    usable = {line.ask.id for line in record.log if isinstance(line, Said) and _saw_its_view(line.reply)}
    found: dict[Key, list[Seat]] = {key: [] for key in units.values()}
    for asked, cut in views_cut(record):
        if asked.ask.brief in BY_TURNS and asked.ask.id in usable:
            lacking = {each.title for each in cut}
            for title, key in units.items():
                if title not in lacking and asked.ask.seat not in found[key]:
                    found[key].append(asked.ask.seat)
    return {key: tuple(seats) for key, seats in found.items()}


def _saw_its_view(reply: Reply | Absent) -> bool:
    """Return whether a reply is usable, and its participant's own window cut nothing of the RFC (C42)."""
    return not isinstance(reply, Absent) and getattr(reply, "whole", True) is not False
