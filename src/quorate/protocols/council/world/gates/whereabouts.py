"""Locating a line: the ticket or document it is in, and its field."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, replace

from quorate.protocols.council.rules.taxonomy import WHOLE_RFC, Field
from quorate.protocols.council.world.gates.gate_findings import place_order
from quorate.protocols.council.world.rfc.model import Document, Place, Rfc, Shape, Ticket


@dataclass(frozen=True, slots=True)
class Spot:
    """A place as a finding names it."""

    key: str
    field: Field
    at: Place


def file_of(document: Document) -> str:
    """Return the file of a document as findings name it."""
    return next((place.file for place in document.fields.values()), document.name)


class Whereabouts:
    """Maps files and lines to the tickets and documents of one RFC."""

    def __init__(self, rfc: Rfc) -> None:
        self._documents = {file_of(document): document for document in rfc.documents}
        self._tickets: dict[str, list[Ticket]] = {}
        for ticket in sorted(rfc.tickets, key=lambda each: (each.at.line, place_order(each.key))):
            self._tickets.setdefault(ticket.at.file, []).append(ticket)

    def spot(self, file: str, line: int) -> Spot:
        """Return the innermost known place that contains a line."""
        if ticket := self._ticket(file, line):
            return _within(ticket.key, ticket.fields, Place(file, line, ticket.at.yaml_path))
        if document := self._documents.get(file):
            return _within(document.key, document.fields, Place(file, line))
        return Spot(WHOLE_RFC, Field.WHOLE, Place(file, line))

    def of(self, at: Place, otherwise: str = WHOLE_RFC) -> str:
        """Return the key of the ticket or document that contains a place."""
        key = self.spot(at.file, at.line).key
        return otherwise if key == WHOLE_RFC else key

    def _ticket(self, file: str, line: int) -> Ticket | None:
        tickets = self._tickets.get(file)
        if not tickets:
            return None
        at = bisect_right([ticket.at.line for ticket in tickets], line) - 1
        if at >= 0:
            ticket = tickets[at]
            if ticket.shape is not Shape.D or line < ticket.at.line + max(1, ticket.text.count("\n") + 1):
                return ticket
            return None
        # What stands above the first ticket belongs to it, unless the file is a document of the RFC.
        return None if file in self._documents else tickets[0]


def _within(key: str, fields: Mapping[Field, Place], at: Place) -> Spot:
    """Narrow a place down to the last field that begins before the line."""
    inside = [(place.line, field) for field, place in fields.items() if place.file == at.file and place.line <= at.line]
    if not inside:
        return Spot(key, Field.WHOLE, at)
    _, field = max(inside, key=lambda each: (each[0], each[1].value))
    return Spot(key, field, replace(at, yaml_path=fields[field].yaml_path))
