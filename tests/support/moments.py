"""A record's moves as invariants see them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from quorate.core.protocol import Moment
from quorate.core.record import Asked, Moved, Record, Said
from quorate.core.types import Replies


def said(record: Record) -> list[Said]:
    return [line for line in record.log if isinstance(line, Said)]


def moments(record: Record) -> Iterator[Moment[Any]]:
    """Go through the moves as an invariant sees them."""
    moves = [line.move for line in record.log if isinstance(line, Moved)]
    asked = [line.ask for line in record.log if isinstance(line, Asked)]
    replies = {line.ask.id: line.reply for line in said(record)}
    for move in moves:
        end = record.session.conclusion if move is moves[-1] else None
        asks = tuple(ask for ask in asked if ask.id.partition(".")[0] == str(move.entry))
        yield Moment(
            move.phase,
            move.before,
            asks,
            Replies(tuple((ask, replies[ask.id]) for ask in asks if ask.id in replies)),  # others were spared
            move.outcome,
            move.to,
            move.after,
            end.verdict if end else None,
            facts=move.facts,
            degradation=end.degradation if end else None,
        )
