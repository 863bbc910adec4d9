"""Blindness: whose words and names the views of a council must not show, as checked by `verify` (C41, C45)."""

from __future__ import annotations

from quorate.core.protocol import Blindness
from quorate.core.types import Ask, Seat
from quorate.kit.channel import Channel
from quorate.protocols.council.rules.model import REVIEWERS

WITH_REMEDIATIONS = ("respond", "remediate")
"""The briefs whose replies propose how to mend something."""


def blindness(channel: Channel) -> Blindness:
    """Return what views must hide (C41, C45)."""
    seats = frozenset(REVIEWERS)
    remediated = ("vote", "patch")

    def hidden(ask: Ask, other: Ask) -> bool:
        if ask.seat == other.seat or ask.seat not in seats or other.seat not in seats:
            return False
        if channel is Channel.EVIDENCE and (other.brief not in WITH_REMEDIATIONS or ask.brief not in remediated):
            return True
        return ask.id.partition(".")[0] == other.id.partition(".")[0]  # the same phase, under way

    def nameless(ask: Ask) -> frozenset[Seat]:
        return seats - {ask.seat} if ask.seat in seats else frozenset()

    return Blindness(hidden, nameless)
