"""Curtailed votes: which open asks are worth a call now, where the others may turn out not to matter.

A phase that may settle early is asked in waves. A wave is the fewest asks whose replies could settle it; the others go
out only if they did not. So no call is made that asking one by one would have spared, and a vote that could still go
either way takes no longer than it must. What is decided is the same: `verify` proves of every phase that settles that
no reply still to come could have decided otherwise.
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
    """Return the open asks to be made by now: all, or where the phase may settle early the fewest that could do it.

    Those in `left_open` are people's, who have seen them and answer when they like: nobody waits for them with a call.
    """
    waiting = tuple(ask for ask in session.open if ask.id not in left_open)
    if len(waiting) < 2 or protocol.nodes[session.phase].settle is None:
        return waiting
    return waiting[: _fewest(protocol, session, waiting)]


def _fewest(protocol: Protocol[Any], session: Session[Any], waiting: Sequence[Ask]) -> int:
    """The least number of replies with which the phase settles if those who are asked say the same.

    Alike is how votes are settled soonest. Where a mixture would do it sooner the wave is larger than it has to be,
    and where nothing does it is the whole phase: that costs calls, and changes no outcome.
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
    """What a seat may say, as far as decisions can tell it apart: the domain that `verify` walks."""
    domain = protocol.domains.get(ask.form)
    return tuple(map(seal, domain.values(Question(ask.seat, ask.brief, ask.form, ask.keys)))) if domain else ()
