"""Seats of a council whose model has not passed the exam: everything follows as if they had said nothing (C48)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from quorate_verifier.fate_words import NOTED
from quorate_verifier.rules import Heard, given

JUDGING: Mapping[str, Mapping[str, Any]] = {
    "score": {"scores": [], "findings": []},
    "mock-run": {"steps": [], "findings": []},
    "assure": {"claims": [], "findings": []},
    "assess": {"gates": [], "findings": [], "confidence": "HIGH"},
    "respond": {"answers": {}},
    "remediate": {"proposals": {}},
    "vote": {"votes": {}},
}
"""By brief the reply of somebody who says nothing; edits are tried by the gates, whoever offers them."""


class Notes:
    """The words of seats that count for nothing."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self.seats = frozenset(settings.get("unqualified_seats", ()))
        self.found: list[tuple[str, str, str]] = []
        """Seat, severity and description of each of their findings, in the order of the asks."""

    def silenced(self, heard: Sequence[Heard]) -> list[Heard]:
        """Return what was heard as if they had said nothing."""
        return [
            replace(each, reply=JUDGING.get(each.brief, each.reply))
            if each.seat in self.seats and each.reply is not None
            else each
            for each in heard
        ]

    def take(self, heard: Sequence[Heard]) -> list[str]:
        """Keep what they found, and return who of them was heard."""
        told = [(seat, reply) for seat, reply in given(heard) if seat in self.seats]
        found = ((seat, each) for seat, reply in told for each in reply.get("findings", ()))
        self.found += [(seat, each["severity"], each["description"]) for seat, each in found]
        return list(dict.fromkeys(seat for seat, _ in told))

    def fates(self) -> Iterator[Mapping[str, Any]]:
        for number, (seat, severity, words) in enumerate(self.found, start=1):
            what = f"{severity} finding"
            yield {"id": f"N{number}", "what": what, "by": [seat], "became": NOTED, "words": words}
