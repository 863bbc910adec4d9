"""Blindness: whose words and names the views of a review must not show, as checked by `verify` (R31, R37)."""

from __future__ import annotations

from quorate.core.protocol import Blindness
from quorate.core.types import Ask, Seat
from quorate.kit.channel import Channel
from quorate.protocols.review.rules.model import CHAIR


def blindness(members: tuple[str, ...], channel: Channel) -> Blindness:
    """Return what views must hide (R31, R37)."""
    seats = frozenset(Seat(name) for name in members)
    of_members = ("ballot", "judge")

    def hidden(ask: Ask, other: Ask) -> bool:
        if channel is Channel.EVIDENCE and ask.seat in seats and ask.seat != other.seat:
            return other.brief in (*of_members, "table", "mediate")
        same_phase = ask.id.partition(".")[0] == other.id.partition(".")[0]
        return ask.seat != other.seat and same_phase and ask.brief in of_members and other.brief in of_members

    def nameless(ask: Ask) -> frozenset[Seat]:
        return seats - {ask.seat} if ask.seat in seats or ask.seat == CHAIR else frozenset()

    return Blindness(hidden, nameless)
