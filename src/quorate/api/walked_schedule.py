"""Schedule of a protocol that defines none: found by walking every session, which is exact but slow."""

from __future__ import annotations

from typing import Any

from quorate.core.errors import DefinitionError
from quorate.core.protocol import Protocol
from quorate.kit.schedule import Schedule, Turn
from quorate.verify.bounds import cycle, worst_case
from quorate.verify.counterexamples import Findings
from quorate.verify.explore import Walk


def walked(protocol: Protocol[Any]) -> Schedule:
    """Return the maximum that any session asks in each phase; views are assumed to contain everything ever said.

    Raises DefinitionError if sessions need not end, or are too many to walk.
    """
    walk = Walk(protocol, Findings())
    walk.run()
    if walk.unfinished or cycle(walk) is not None:
        why = list(walk.cuts)[-1] if walk.unfinished else "a session may go on for ever"
        raise DefinitionError(f"{protocol.name}: no worst case is known: {why}; `quorate verify` tells more")
    worst = worst_case(walk)
    shows = tuple(worst.by_brief.items())
    found = []
    for (phase, brief), most in worst.by_phase.items():
        asks = [
            ask
            for vertex in walk.vertices
            if vertex.session.phase is phase
            for ask in vertex.session.asks
            if ask.brief == brief
        ]
        seats = tuple(dict.fromkeys(ask.seat for ask in asks))
        keys = max(len(ask.keys) for ask in asks)
        found.append(Turn(phase, brief, asks[0].form, seats, most, one=True, keys=keys, shows=shows))
    return tuple(found)
