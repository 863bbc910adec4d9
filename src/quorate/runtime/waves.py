"""Curtailed votes: which open asks to send now, when the others may turn out not to matter.

A phase that may settle early is asked in waves. A wave is the fewest asks whose replies could settle it; the others are
sent only if they did not. So no call is made that asking one by one would have saved, and an open vote takes no longer
than necessary. The outcome is the same: `verify` proves of every phase that settles that no outstanding reply could
have changed it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from quorate.core.form_values import seal
from quorate.core.forms import Reply
from quorate.core.protocol import Protocol
from quorate.core.session import Session
from quorate.core.types import Ask, AskId, Question


def due(protocol: Protocol[Any], session: Session[Any], left_open: Collection[AskId]) -> tuple[Ask, ...]:
    """Return the open asks to send now: all, or if the phase may settle early the fewest that could settle it.

    Those in `left_open` are for people, who answer in their own time; no call waits for them.
    """
    waiting = tuple(ask for ask in session.open if ask.id not in left_open)
    if len(waiting) < 2 or protocol.nodes[session.phase].settle is None:
        return waiting
    return waiting[: _fewest(protocol, session, waiting)]


def _fewest(protocol: Protocol[Any], session: Session[Any], waiting: Sequence[Ask]) -> int:
    """Return the fewest replies that settle the phase if all who are asked say the same.

    Unanimous replies settle a vote soonest. If a mixture would settle it sooner the wave is larger than necessary, and
    if nothing does it is the whole phase: that costs calls, and changes no outcome.
    """
    settle = protocol.nodes[session.phase].settle
    assert settle is not None
    options = [_options(protocol, ask) for ask in waiting]
    for size in range(1, len(waiting)) if all(options) else ():
        for place in range(max(map(len, options[:size]))):
            said = {ask.id: each[place % len(each)] for ask, each in zip(waiting[:size], options, strict=False)}
            supposed = replace(session, replies={**session.replies, **said})
            if settle(session.state, supposed.heard()) is not None:
                return size
    return len(waiting)


def _options(protocol: Protocol[Any], ask: Ask) -> tuple[Reply, ...]:
    """Return what a seat may reply, as far as decisions can distinguish it: the domain that `verify` walks."""
    domain = protocol.domains.get(ask.form)
    return tuple(map(seal, domain.values(Question(ask.seat, ask.brief, ask.form, ask.keys)))) if domain else ()
