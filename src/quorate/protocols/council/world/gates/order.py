"""The dependency graph of the tickets, direct and transitive."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from posixpath import basename, splitext

from quorate.protocols.council.rules.taxonomy import MOST_TICKETS, Field
from quorate.protocols.council.world.gates.gate_findings import place_order
from quorate.protocols.council.world.rfc.model import Reference, Rfc, Shape, Ticket

_CANCELLED = frozenset({"CANCELLED", "CANCELED"})
_DONE = frozenset({"DONE", "COMPLETED", "CLOSED"})


def is_cancelled(ticket: Ticket) -> bool:
    """Return whether a ticket is cancelled, so that it covers nothing and its defects do not matter."""
    return ticket.status.strip().upper() in _CANCELLED


def name_of(ticket: Ticket) -> str:
    """Return a ticket's name: its id, or else its file or key."""
    if ticket.id:
        return ticket.id
    return ticket.key if ticket.shape is Shape.D else splitext(basename(ticket.at.file))[0] or ticket.key


def is_done(ticket: Ticket) -> bool:
    return ticket.status.strip().upper() in _DONE


def within_bounds(rfc: Rfc) -> Rfc:
    """Return the RFC with at most `MOST_TICKETS` tickets; a finding reports the others."""
    if len(rfc.tickets) <= MOST_TICKETS:
        return rfc
    return replace(rfc, tickets=tuple(sorted(rfc.tickets, key=lambda each: place_order(each.key))[:MOST_TICKETS]))


@dataclass(frozen=True)
class Order:
    """The tickets by key, and their dependencies; an id used twice belongs to the first ticket."""

    tickets: tuple[Ticket, ...]
    """In the order of their keys."""
    elsewhere: frozenset[str]
    unread: frozenset[str] = frozenset()
    """The tickets whose dependencies could not be read."""

    @classmethod
    def of(cls, rfc: Rfc) -> Order:
        tickets = tuple(sorted(rfc.tickets, key=lambda ticket: place_order(ticket.key)))
        unread = (flaw.place for flaw in rfc.flaws if flaw.field is Field.DEPENDENCIES and not flaw.warns)
        return cls(tickets, rfc.elsewhere, frozenset(unread))

    @cached_property
    def live(self) -> tuple[Ticket, ...]:
        """The tickets that are not cancelled."""
        return tuple(ticket for ticket in self.tickets if not is_cancelled(ticket))

    @cached_property
    def by_key(self) -> Mapping[str, Ticket]:
        return {ticket.key: ticket for ticket in self.tickets}

    @cached_property
    def by_id(self) -> Mapping[str, Ticket]:
        """Tickets by id; one without an id is known by its file's name, as its dependents would call it."""
        files = {name_of(ticket): ticket for ticket in reversed(self.tickets) if ticket.shape is not Shape.D}
        return files | {ticket.id: ticket for ticket in reversed(self.tickets) if ticket.id}

    @cached_property
    def needs(self) -> Mapping[str, Mapping[str, Reference]]:
        """By ticket key, the keys of its direct dependencies, each with its first mention."""
        needs: dict[str, dict[str, Reference]] = {}
        for ticket in self.tickets:
            mine = needs[ticket.key] = {}
            for reference in ticket.depends_on:
                if other := self.by_id.get(reference.id):
                    mine.setdefault(other.key, reference)
        return needs

    @cached_property
    def reach(self) -> Mapping[str, frozenset[str]]:
        """By ticket key, all transitive dependencies; includes itself if it is in a cycle."""
        reach: dict[str, frozenset[str]] = {}
        for key in self.needs:
            seen: set[str] = set()
            waiting = list(self.needs[key])
            while waiting:
                other = waiting.pop()
                if other not in seen:
                    seen.add(other)
                    waiting += self.needs[other]
            reach[key] = frozenset(seen)
        return reach

    @cached_property
    def open(self) -> frozenset[str]:
        """The tickets with an unknown dependency, whose full set of dependencies is therefore unknown."""
        open_ends = {
            ticket.key
            for ticket in self.tickets
            if ticket.key in self.unread
            or any(each.id not in self.by_id and each.id not in self.elsewhere for each in ticket.depends_on)
        }
        return frozenset(key for key, before in self.reach.items() if open_ends & {key, *before})

    def ordered(self, one: str, other: str) -> bool:
        """Return whether one of two tickets depends on the other."""
        return one in self.reach[other] or other in self.reach[one]

    @cached_property
    def depth(self) -> int | None:
        """Return the length of the longest dependency chain; None if there is a cycle."""
        if any(key in before for key, before in self.reach.items()):
            return None
        longest: dict[str, int] = {}
        for key in sorted(self.needs, key=lambda each: len(self.reach[each])):  # what comes before has fewer before it
            longest[key] = max((longest[other] + 1 for other in self.needs[key]), default=0)
        return max(longest.values(), default=0)

    def ids(self, keys: Iterable[str]) -> list[str]:
        """Return the names of tickets, in the order of the keys."""
        return [self.name(key) for key in sorted(set(keys), key=place_order)]

    def name(self, key: str) -> str:
        return name_of(self.by_key[key])
