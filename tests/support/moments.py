"""A record's moves as invariants see them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from quorate.core.protocol import Moment
from quorate.core.record import Moved, Record, Said
from quorate.core.types import Replies


def said(record: Record) -> list[Said]:
    return [line for line in record.log if isinstance(line, Said)]


def moments(record: Record) -> Iterator[Moment[Any]]:
    """Go through the moves as an invariant sees them."""
    moves = [line.move for line in record.log if isinstance(line, Moved)]
    for move in moves:
        end = record.session.conclusion if move is moves[-1] else None
        asked = [line for line in said(record) if line.ask.id.partition(".")[0] == str(move.entry)]
        asked.sort(key=lambda line: int(line.ask.id.partition(".")[2]))  # in the order of asking, not of answering
        yield Moment(
            move.phase,
            move.before,
            tuple(line.ask for line in asked),
            Replies(tuple((line.ask, line.reply) for line in asked)),
            move.outcome,
            move.to,
            move.after,
            end.verdict if end else None,
            facts=move.facts,
            degradation=end.degradation if end else None,
        )
