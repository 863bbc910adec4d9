"""Bounds: proof that every session ends, and its worst case in rounds, asks, tokens and money."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from math import ceil
from typing import Any

from quorate.core.types import Ask, Seat
from quorate.verify.explore import Vertex, Walk

Weight = Callable[[tuple[Ask, ...]], int]
Placed = Callable[[Vertex[Any]], int]


@dataclass(frozen=True, slots=True)
class Figure:
    """The maximum cost of one ask to a seat, as plain numbers from its participant."""

    tokens_in: int
    tokens_out: int
    price_in: float = 0
    """US dollars for a million tokens, which is millionths of a dollar for one."""
    price_out: float = 0

    @property
    def tokens(self) -> int:
        return self.tokens_in + self.tokens_out

    @property
    def cost(self) -> int:
        """Return the cost in millionths of a US dollar, rounded up."""
        return ceil(self.tokens_in * self.price_in + self.tokens_out * self.price_out)


@dataclass(frozen=True, slots=True)
class WorstCase:
    """The worst case of one protocol; each figure is the maximum over all paths, not all on the same path."""

    rounds: int = 0
    phases: int = 0
    """Phases that asked somebody, one after the other."""
    asks: int = 0
    by_seat: Mapping[Seat, int] = field(default_factory=dict)
    by_brief: Mapping[str, int] = field(default_factory=dict)
    by_phase: Mapping[tuple[Enum, str], int] = field(default_factory=dict)
    """Asks of one phase with one brief."""
    tokens: int | None = None
    cost: int | None = None
    """Millionths of a US dollar."""
    unpriced: tuple[Seat, ...] = ()
    """Seats without a figure: left out of tokens and cost, unless they were walked as like one that has a figure."""


def cycle(walk: Walk[Any]) -> list[int] | None:
    """Return the vertices of a shortest cycle through the first vertex that lies on one, or None."""
    vertices = walk.vertices
    on_cycle = _unfinished(vertices)
    for start in sorted(on_cycle):
        before: dict[int, int] = {}
        queue = deque([start])
        while queue:
            place = queue.popleft()
            for other in vertices[place].next:
                if other == start:
                    path = [place]
                    while path[-1] != start:
                        path.append(before[path[-1]])
                    return path[::-1]
                if other in on_cycle and other not in before:
                    before[other] = place
                    queue.append(other)
    return None


def _unfinished(vertices: Sequence[Vertex[Any]]) -> set[int]:
    """Return the vertices that are left after repeatedly removing those with no remaining successor."""
    waits = [len(vertex.next) for vertex in vertices]
    sources: list[list[int]] = [[] for _ in vertices]
    for place, vertex in enumerate(vertices):
        for other in vertex.next:
            sources[other].append(place)
    ready = [place for place, open_ in enumerate(waits) if open_ == 0]
    remaining = set(range(len(vertices)))
    while ready:
        place = ready.pop()
        remaining.discard(place)
        for source in sources[place]:
            waits[source] -= 1
            if waits[source] == 0:
                ready.append(source)
    return remaining


def worst_case(walk: Walk[Any], figures: Mapping[Seat, Figure] | None = None) -> WorstCase:
    """Return the worst case of a walk without cycles.

    Seats that were walked as interchangeable stand for one another on a path, so the figure of one of them is the
    most that any of them could come to.
    """
    vertices = walk.vertices
    order = _backwards(vertices)
    asked = {(ask.seat, ask.brief) for vertex in vertices for ask in vertex.session.asks}
    places = dict.fromkeys((vertex.session.phase, ask.brief) for vertex in vertices for ask in vertex.session.asks)
    seats = [seat for seat in walk.protocol.seats if any(seat == each for each, _ in asked)]
    alike = {seat: (seat,) for seat in seats} | {seat: group for group in walk.symmetry.groups for seat in group}

    def longest(weight: Weight) -> int:
        return _longest(vertices, order, lambda vertex: weight(vertex.session.asks))

    def within(phase: Enum, brief: str) -> Placed:
        return lambda vertex: (
            sum(ask.brief == brief for ask in vertex.session.asks) if vertex.session.phase is phase else 0
        )

    def to(seat: Seat) -> Weight:
        return lambda asks: max(sum(ask.seat == each for ask in asks) for each in alike[seat])

    def dearest(figure: Callable[[Figure], int]) -> int | None:
        if figures is None:
            return None
        most = {s: max((figure(figures[each]) for each in alike[s] if each in figures), default=0) for s in alike}
        return longest(lambda asks: sum(most.get(ask.seat, 0) for ask in asks))

    def using(brief: str) -> Weight:
        return lambda asks: sum(ask.brief == brief for ask in asks)

    return WorstCase(
        rounds=max((vertex.round for vertex in vertices), default=0),
        phases=longest(lambda asks: int(bool(asks))),
        asks=longest(len),
        by_seat={seat: longest(to(seat)) for seat in seats},
        by_brief={brief: longest(using(brief)) for brief in sorted({brief for _, brief in asked})},
        by_phase={place: _longest(vertices, order, within(*place)) for place in places},
        tokens=dearest(lambda figure: figure.tokens),
        cost=dearest(lambda figure: figure.cost),
        unpriced=tuple(seat for seat in seats if figures is not None and seat not in figures),
    )


def _backwards(vertices: Sequence[Vertex[Any]]) -> list[int]:
    """Return the vertex indices in reverse topological order: each after all its successors."""
    order: list[int] = []
    seen = [False] * len(vertices)
    for root in range(len(vertices)):
        stack = [] if seen[root] else [(root, iter(vertices[root].next))]
        seen[root] = True
        while stack:
            place, others = stack[-1]
            for other in others:
                if not seen[other]:
                    seen[other] = True
                    stack.append((other, iter(vertices[other].next)))
                    break
            else:
                stack.pop()
                order.append(place)
    return order


def _longest(vertices: Sequence[Vertex[Any]], order: Sequence[int], weight: Placed) -> int:
    best = [0] * len(vertices)
    for place in order:
        vertex = vertices[place]
        best[place] = weight(vertex) + max((best[other] for other in vertex.next), default=0)
    return best[0] if best else 0
