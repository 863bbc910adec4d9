"""Worst case of a session: everything its schedule may ask, times the maximum cost of each ask."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from quorate import catalog
from quorate.api.sizes import CallCost, Sizes
from quorate.core.errors import DefinitionError
from quorate.core.protocol import Protocol
from quorate.core.types import Seat
from quorate.kit.schedule import Either, Schedule, Turn, turns
from quorate.participants.person import Person
from quorate.verify.bounds import cycle, worst_case
from quorate.verify.counterexamples import Failures
from quorate.verify.explore import Walk


class Basis(Enum):
    """How the maximum of asks is known."""

    SCHEDULE = "bounded by the protocol's schedule"
    WALK = "proven by walking every session"


@dataclass(frozen=True, slots=True)
class CostBounds:
    """Upper bounds; each figure is the maximum over all sessions, not all of the same one."""

    asks: int
    people: int
    tokens_in: int
    tokens_out: int
    money: int
    """Millionths of a US dollar, as far as prices are known."""
    unpriced: tuple[str, ...] = ()
    """Participants whose price is not known; their part of the money is left out."""


def schedule_of(protocol: Protocol[Any], material: Mapping[str, str]) -> tuple[Schedule, Basis]:
    """Return the schedule of the most that a session may ask, and how it is known."""
    found = catalog.definitions().get(protocol.name)
    known = found.schedule if found is not None else None
    return (known(protocol, material), Basis.SCHEDULE) if known is not None else (walked(protocol), Basis.WALK)


def walked(protocol: Protocol[Any]) -> Schedule:
    """Return the schedule of a protocol that defines none, by walking every session: exact but slow.

    Views are assumed to contain everything ever said. Raises DefinitionError if sessions need not end, or are too many
    to walk.
    """
    walk = Walk(protocol, Failures())
    walk.run()
    if walk.unfinished or cycle(walk) is not None:
        why = list(walk.cuts)[-1] if walk.unfinished else "a session may go on for ever"
        raise DefinitionError(f"{protocol.name}: there is no worst case: {why}; run `quorate verify` for details")
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


def worst_of(sizes: Sizes) -> tuple[CostBounds, dict[str, CostBounds]]:
    """Return the worst case, in total and by phase."""
    asked = {turn.phase for turn in asking(sizes)}
    names = [phase.name for phase in sizes.protocol.nodes if phase in asked]
    return _summed(sizes, None), {name: _summed(sizes, name) for name in names}


def asking(sizes: Sizes) -> Iterator[Turn]:
    """Yield the turns of seats that are not held by code."""
    return (turn for turn in turns(sizes.schedule) if not set(turn.seats) <= sizes.protocol.checks)


def _summed(sizes: Sizes, phase: str | None) -> CostBounds:
    def most(figure: Callable[[CallCost, bool], int]) -> int:
        counted: list[int] = []
        others = 0
        for each in sizes.schedule:
            ways = each.ways if isinstance(each, Either) else ((each,),)
            found = [list(_figures(sizes, way, phase, figure)) for way in ways]
            taken = max(found, key=lambda way: sum(value for value, _ in way))
            counted += [value for value, counts in taken if counts]
            others += sum(value for value, counts in taken if not counts)
        limit = sizes.protocol.limits.episodes
        return others + sum(sorted(counted, reverse=True)[:limit])

    unpriced = {
        name
        for turn in asking(sizes)
        if phase in (None, turn.phase.name)
        for seat in turn.seats
        for name in sizes.unpriced(seat)
    }
    return CostBounds(
        asks=most(lambda _, person: int(not person)),
        people=most(lambda _, person: int(person)),
        tokens_in=most(lambda call, _: call.tokens_in),
        tokens_out=most(lambda call, _: call.tokens_out),
        money=most(lambda call, _: call.money or 0),
        unpriced=tuple(sorted(unpriced)),
    )


def _figures(
    sizes: Sizes, way: tuple[Turn, ...], phase: str | None, figure: Callable[[CallCost, bool], int]
) -> Iterator[tuple[int, bool]]:
    """Yield a figure for each ask of a path, and whether the ask counts as an episode."""
    for turn in way:
        if phase not in (None, turn.phase.name):
            continue
        seats = [seat for seat in turn.seats if seat not in sizes.protocol.checks]
        found = [
            (
                figure(_worst(sizes, turn, seat), isinstance(sizes.table[seat], Person)),
                seat not in sizes.protocol.people,
            )
            for seat in seats
        ]
        for value in [max(found)] if turn.one and found else found:
            yield from [value] * turn.times


def _worst(sizes: Sizes, turn: Turn, seat: Seat) -> CallCost:
    key = (id(turn), seat)
    if key not in sizes.worsts:
        sizes.worsts[key] = sizes.worst(turn, seat)
    return sizes.worsts[key]
