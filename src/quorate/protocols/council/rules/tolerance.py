"""Tolerance: how close the votes of a council were to a different decision."""

from __future__ import annotations

from quorate.core.record import Record
from quorate.kit.tolerance import Margin, counted_at, last_move
from quorate.protocols.council.rules.model import APPROVALS

_SIDES = {"supported": "support", "opposed": "oppose"}


def tolerance(record: Record) -> Margin | None:
    """Return the margin of the closest item decided by vote, or None (C22).

    A finding may have been dismissed by the quotation of a single vote (C23); such a count has none to spare.
    """
    move, conclusion = last_move(record, "vote"), record.session.conclusion
    if move is None or conclusion is None:
        return None
    quorum = int(record.protocol.settings["quorum"])
    votes = [dict(fact.values) for fact in move.facts if fact.name == "vote"]
    spare = [
        0 if each["refuted"] else int(each[_SIDES[str(each["stands"])]]) - quorum
        for each in votes
        if each["stands"] in _SIDES
    ]
    carried = conclusion.verdict in APPROVALS
    words = f"{quorum} equal votes on each item (C22)"
    return Margin(counted_at(record, move, "vote"), words, min(spare) if carried and spare else None)
