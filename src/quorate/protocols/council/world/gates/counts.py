"""Counts of files and components per ticket, for the gate ATOMICITY and the review depth (C8, C44)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from quorate.protocols.council.rules.taxonomy import Field, Gate, Subcategory
from quorate.protocols.council.world.gates.gate_findings import Looked, RawFinding, found, named
from quorate.protocols.council.world.gates.order import Order
from quorate.protocols.council.world.gates.paths import Components, files_of, normal
from quorate.protocols.council.world.rfc.model import FilePath, Rfc, Ticket

MOST_FILES = 10
MOST_COMPONENTS = 2
STANDARD_TICKETS, STANDARD_COMPONENTS, STANDARD_NEW_FILES = 15, 2, 10


@dataclass(frozen=True, slots=True)
class Counted:
    """The size of one ticket."""

    ticket: Ticket
    files: dict[str, FilePath]
    """Each path once, in the order of the ticket's file."""
    components: dict[str, tuple[str, ...]]
    """Component -> its paths, the component with the most paths first."""

    def facts(self) -> dict[str, Any]:
        return {
            "ticket": self.ticket.key,
            "files": len(self.files),
            "components": sorted(self.components),
            "steps": len(self.ticket.steps),
            "criteria": len(self.ticket.criteria),
            "tests": len(self.ticket.tests),
        }


def count(rfc: Rfc, order: Order) -> tuple[Counted, ...]:
    """Return the size of every ticket, in the order of their keys."""
    components = Components(rfc.atlas.components)
    return tuple(_counted(ticket, components) for ticket in order.tickets)


def _counted(ticket: Ticket, components: Components) -> Counted:
    files = files_of(ticket)
    touched: dict[str, list[str]] = {}
    for path in files:
        if component := components.of(path):
            touched.setdefault(component.id, []).append(path)
    most_first = sorted(touched.items(), key=lambda each: -len(each[1]))
    return Counted(ticket, files, {key: tuple(paths) for key, paths in most_first})


def check_counts(order: Order, counts: Sequence[Counted]) -> Looked:
    """Report tickets with too many files or components; the seats judge atomicity otherwise."""
    live = {ticket.key for ticket in order.live}
    sizes = [each for each in counts if each.ticket.key in live]
    findings = [finding for each in sizes for finding in _too_large(order, each)]
    evidence = {
        "most_files": max((len(each.files) for each in sizes), default=0),
        "most_components": max((len(each.components) for each in sizes), default=0),
        "over_files": order.ids(each.ticket.key for each in sizes if len(each.files) > MOST_FILES),
        "over_components": order.ids(each.ticket.key for each in sizes if len(each.components) > MOST_COMPONENTS),
    }
    reason = f"Code counted the files and components of {len(sizes)} tickets; the seats judge the rest."
    return Looked(Gate.ATOMICITY, tuple(findings), reason, evidence)


def _too_large(order: Order, size: Counted) -> Iterator[RawFinding]:
    name, key = order.name(size.ticket.key), size.ticket.key
    if len(size.files) > MOST_FILES:
        file = list(size.files.values())[MOST_FILES]
        yield found(
            Subcategory.SCOPE_TOO_LARGE,
            key,
            _field(size.ticket, file),
            file.at,
            message=f"{name} names {len(size.files):,} files; a ticket has at most {MOST_FILES}. This is the eleventh.",
            evidence=file.path,
            action="Split the ticket.",
        )
    if len(size.components) > MOST_COMPONENTS:
        odd = list(size.components.values())[MOST_COMPONENTS][0]
        file = size.files[odd]
        yield found(
            Subcategory.MULTI_COMPONENT,
            key,
            _field(size.ticket, file),
            file.at,
            message=f"{name} touches {len(size.components)} components ({named(size.components)});"
            f" a ticket has at most {MOST_COMPONENTS}.",
            evidence=file.path,
            action="Split the ticket by component, or move this file to the ticket of its component.",
        )


def _field(ticket: Ticket, file: FilePath) -> Field:
    return Field.FILES_TO_MODIFY if file in ticket.modifies else Field.FILES_TO_CREATE


def depth_of(order: Order, counts: Sequence[Counted]) -> dict[str, Any]:
    """Return the depth for an RFC of this size (one seat or a council), with the numbers and the reason."""
    tickets = len(order.tickets)
    components = len({component for each in counts for component in each.components})
    new_files = len({normal(file.path) for each in counts for file in each.ticket.creates})
    over = [
        f"{number:,} {what} are more than {most}"
        for number, most, what in (
            (tickets, STANDARD_TICKETS, "tickets"),
            (components, STANDARD_COMPONENTS, "components touched"),
            (new_files, STANDARD_NEW_FILES, "new files"),
        )
        if number > most
    ]
    why = "; ".join(over) or (
        f"at most {STANDARD_TICKETS} tickets, {STANDARD_COMPONENTS} components touched"
        f" and {STANDARD_NEW_FILES} new files"
    )
    return {
        "depth": "COUNCIL" if over else "STANDARD",
        "tickets": tickets,
        "components": components,
        "new_files": new_files,
        "why": why,
    }
