"""Seats of a workshop whose model has not passed the exam: what does not count of what they say (W40, W41)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from quorate_verifier.rules import Heard

NOTHING: Mapping[str, Mapping[str, Any]] = {
    "respond": {"contested": [], "applied": []},
    "vote": {"votes": {}},
    "escalate": {"choice": "go_on"},
    "pause": {"choice": "go_on"},
}
"""By brief what an unqualified seat has said as far as something follows from it; its confidence it keeps."""


def counted(heard: Sequence[Heard], notes: Collection[str]) -> Sequence[Heard]:
    """Return what was heard without the words that do not count."""
    return [
        replace(each, reply={**each.reply, **NOTHING.get(each.brief, {})})
        if each.seat in notes and each.reply is not None
        else each
        for each in heard
    ]
