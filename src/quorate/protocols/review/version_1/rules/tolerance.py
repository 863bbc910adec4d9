"""Tolerance: how close the last ballot of a review was to a different decision."""

from __future__ import annotations

from quorate.core.record import Record
from quorate.kit.tolerance import Margin, counted_at, last_move
from quorate.protocols.review.version_1.rules.ballot_count import threshold
from quorate.protocols.review.version_1.rules.model import Verdict


def tolerance(record: Record) -> Margin | None:
    """Return the margin of the last counted ballot, or None (R10)."""
    move, conclusion = last_move(record, "tally"), record.session.conclusion
    if move is None or conclusion is None:
        return None
    counted = next(dict(fact.values) for fact in move.facts if fact.name == "tally")
    ayes = int(counted["synthesis"])
    voting = ayes + int(counted["opposing"])
    share = threshold(str(record.protocol.settings["quorum"]))
    needed, approved = share.fewest(voting), conclusion.verdict is Verdict.APPROVED
    words = f"{share.numerator}/{share.denominator} of those not abstaining ({needed} of {voting}, R10)"
    return Margin(counted_at(record, move, "ballot"), words, ayes - needed if approved else None)
