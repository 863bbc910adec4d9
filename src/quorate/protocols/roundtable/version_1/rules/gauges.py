"""Gauges of a roundtable: turns of the current or last elaboration, and elaborations."""

from __future__ import annotations

from collections.abc import Iterator

from quorate.core.record import Record
from quorate.kit.gauges import Gauge, counter, latest_moves
from quorate.protocols.roundtable.version_1.rules.model import Phase, State, turn_limit


def gauges(record: Record) -> tuple[Gauge, ...]:
    """Return the gauges: turns and elaborations used."""
    state, settings = _state(record), record.protocol.settings
    most = int(settings["max_elaborations"])
    return (
        *_turns(record, turn_limit(settings["max_turns"])),
        counter("elaborations", "elaboration", state.elaborations, most),
    )


def _state(record: Record) -> State:
    state: State = record.session.state
    return state


def _turns(record: Record, limit: int) -> Iterator[Gauge]:
    """Turns are counted anew in every elaboration; once one is recorded its count stays until the next begins."""
    state = _state(record)
    if state.elaborations == 0:
        return
    kept = (move.before.turn for move in latest_moves(record) if move.phase in (Phase.STATE_PERSIST, Phase.ENTRY))
    used = state.turn or next(kept, 0)
    words = f"turn {used} of {limit} of elaboration {state.elaborations}"
    yield Gauge("turns", words, limit, (("used", used),))
