"""What participants of a workshop say of the rulings that wait: applied, or not (W24)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from quorate_verifier.rules import Heard, given


def confirmed(reply: Mapping[str, Any], voted: bool, waiting: Sequence[str]) -> list[str]:
    """Return the rulings that a participant says are applied: by name, or by a vote for them."""
    if not voted:
        return list(reply["applied"])
    votes = reply["votes"]
    return [key for key in waiting if key in votes and votes[key]["stance"] == "SUPPORT"]


def denials(heard: Sequence[Heard], waiting: Sequence[str]) -> Mapping[str, list[str]]:
    """Return by ruling who says that it is not applied: by a block that names a change."""
    against: dict[str, list[str]] = {}
    for key in waiting:
        for seat, reply in given(heard):
            vote = reply["votes"].get(key)
            if vote is not None and vote["stance"] == "BLOCK" and not vote["groundless"]:
                against.setdefault(key, []).append(seat)
    return against
