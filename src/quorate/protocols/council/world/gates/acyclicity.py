"""The gate DEPENDENCY-ACYCLICITY: no tickets that wait for each other, and none that needs what comes later (C8).

A set of tickets without any dependency passes, as it must: tickets may be independent. It passes trivially though,
and sets whose dependencies were lost do as well, so the reason says it to whoever reads the report. Lost dependencies
that matter show themselves where one ticket changes what another creates.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence

from quorate.kit.graph import components
from quorate.protocols.council.rules.taxonomy import Field, Gate, Subcategory
from quorate.protocols.council.world.gates.gate_findings import Looked, RawFinding, found, named, place_order
from quorate.protocols.council.world.gates.order import Order, is_cancelled
from quorate.protocols.council.world.gates.paths import normal
from quorate.protocols.council.world.rfc.model import FilePath, Rfc, Ticket

MOST_NAMED = 12
"""Tickets of a cycle that are named; its two ends always are."""


def check_acyclicity(rfc: Rfc, order: Order) -> Looked:
    """Report each strongly connected group of tickets once, with its shortest cycle; then ordering defects."""
    cycles = list(_cycles(order))
    findings = [_cycle(order, way, size) for way, size in cycles]
    findings += _misordered(rfc, order)
    findings += _never_ready(order)
    edges = sum(len(needs) for needs in order.needs.values())
    outer = sum(reference.id in order.elsewhere for ticket in order.tickets for reference in ticket.depends_on)
    evidence = {
        "cycle_count": len(cycles),
        "topological_sort_success": not cycles,
        "max_dependency_depth": order.depth,
        "ticket_count": len(order.tickets),
        "edge_count": edges,
        "external_edge_count": outer,
    }
    reason = f"Followed {edges:,} dependencies among {len(order.tickets)} tickets."
    if not edges and len(order.tickets) > 1:
        reason = (
            f"None of the {len(order.tickets)} tickets depends on another, so no cycle is possible."
            " See whether they are independent indeed or their dependencies were lost."
        )
    return Looked(Gate.ACYCLICITY, tuple(findings), reason, evidence)


# Cycles


def _cycles(order: Order) -> Iterator[tuple[list[str], int]]:
    """Yield the shortest cycle of each knot (tickets that depend on each other), and the knot's size."""
    together = components(order.needs)
    knots: dict[int, list[str]] = {}
    for key, number in together.items():
        knots.setdefault(number, []).append(key)
    for knot in knots.values():
        if len(knot) > 1 or knot[0] in order.needs[knot[0]]:
            yield _shortest(order, frozenset(knot)), len(knot)


def _shortest(order: Order, knot: frozenset[str]) -> list[str]:
    best: list[str] = []
    for start in sorted(knot, key=place_order):
        way = _back_to(order, start, knot, len(best) or len(knot) + 2)
        if way:
            best = way
    # All dependencies of a cycle but one may lead to earlier tickets; the first ticket's never does.
    first = min(range(len(best) - 1), key=lambda at: place_order(best[at]))
    return [*best[first:-1], *best[: first + 1]]


def _back_to(order: Order, start: str, knot: frozenset[str], below: int) -> list[str]:
    """Return the shortest path from a ticket back to itself, if it has fewer than `below` entries."""
    came: dict[str, str] = {}
    waiting = deque([(start, 1)])
    while waiting:
        key, length = waiting.popleft()
        if length + 1 >= below:
            return []
        for other in sorted(order.needs[key], key=place_order):
            if other == start:
                way = [start, key]
                while way[-1] != start:
                    way.append(came[way[-1]])
                return way[::-1]
            if other in knot and other not in came:
                came[other] = key
                waiting.append((other, length + 1))
    return []


def _cycle(order: Order, way: Sequence[str], size: int) -> RawFinding:
    entry = order.needs[way[0]][way[1]]
    names = [order.name(key) for key in way]
    shown = names if len(names) <= MOST_NAMED else [*names[: MOST_NAMED - 1], "...", names[-1]]
    told = " -> ".join(shown)
    if len(way) == 2:
        message = f"{names[0]} depends on itself."
    else:
        message = f"{len(way) - 1} tickets wait for each other: {told}. None of them can be begun."
    if size > len(way) - 1:
        message += f" They are part of a knot of {size} tickets, of which this is the shortest cycle."
    return found(
        Subcategory.DEPENDENCY_CYCLE,
        way[0],
        Field.DEPENDENCIES,
        entry.at,
        message=message,
        evidence=told,
        action=f"Take out the dependency of {names[0]} on {names[1]}, or another one of the cycle.",
    )


# What is out of order


def _misordered(rfc: Rfc, order: Order) -> Iterator[RawFinding]:
    creators: dict[str, list[tuple[Ticket, FilePath]]] = {}
    for ticket in order.live:
        for path, file in {normal(each.path): each for each in reversed(ticket.creates)}.items():
            creators.setdefault(path, []).append((ticket, file))
    for path, entries in creators.items():
        if len(entries) > 1:
            yield from _created_twice(order, path, entries)
    for ticket in order.live:
        for path, file in {normal(each.path): each for each in reversed(ticket.modifies)}.items():
            makers = [maker for maker, _ in creators.get(path, ())]
            early = any(maker is ticket or maker.key in order.reach[ticket.key] for maker in makers)
            known = early or path in rfc.atlas.files or ticket.key in order.open
            if makers and not known:
                yield _too_early(order, ticket, file, makers)


def _created_twice(order: Order, path: str, entries: Sequence[tuple[Ticket, FilePath]]) -> Iterator[RawFinding]:
    """Yield findings for the tickets after the first, since they would find the file already there."""
    ranked = sorted(entries, key=lambda each: (len(order.reach[each[0].key]), place_order(each[0].key)))
    first = order.name(ranked[0][0].key)
    for ticket, file in ranked[1:]:
        yield found(
            Subcategory.PHASE_MISORDERING,
            ticket.key,
            Field.FILES_TO_CREATE,
            file.at,
            message=f"{order.name(ticket.key)} creates {path}, and so does {first}.",
            evidence=path,
            action=f"Let one of them create it; the other changes it, and depends on {first}.",
        )


def _too_early(order: Order, ticket: Ticket, file: FilePath, makers: Sequence[Ticket]) -> RawFinding:
    name, path = order.name(ticket.key), normal(file.path)
    others = named(order.ids(maker.key for maker in makers))
    later = any(ticket.key in order.reach[maker.key] for maker in makers)
    why = f"which waits for {name} itself" if later else "on which it does not depend"
    return found(
        Subcategory.PHASE_MISORDERING,
        ticket.key,
        Field.FILES_TO_MODIFY,
        file.at,
        message=f"{name} changes {path}, which only {others} creates, {why}.",
        evidence=path,
        action=f"Let {name} depend on {others}, or create the file itself.",
    )


def _never_ready(order: Order) -> Iterator[RawFinding]:
    """Yield dependencies on tickets that nobody will work on."""
    for ticket in order.live:
        for key, reference in order.needs[ticket.key].items():
            if is_cancelled(order.by_key[key]):
                name, other = order.name(ticket.key), order.name(key)
                yield found(
                    Subcategory.PHASE_MISORDERING,
                    ticket.key,
                    Field.DEPENDENCIES,
                    reference.at,
                    message=f"{name} depends on {other}, which is cancelled.",
                    evidence=reference.id,
                    action=f"Take out the dependency, or name the ticket that does the work of {other}.",
                )
