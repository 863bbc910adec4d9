"""Broken references: tickets, requirements and parts of the code that are named but do not exist.

If the file that would define a name could not be read, the name is not reported: the flaw of that file is the one
finding, and a hundred more that follow from it would hide it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from posixpath import basename

from quorate.core.errors import nearest
from quorate.protocols.council.rules.taxonomy import DOCUMENTS, WHOLE_RFC, Field, Subcategory
from quorate.protocols.council.world.gates.gate_findings import RawFinding, found
from quorate.protocols.council.world.gates.order import Order, name_of
from quorate.protocols.council.world.rfc.model import Defect, Flaw, Reference, Rfc, Ticket

MOST_HINTS = 30
MOST_NAMES = 500
_LOST = frozenset({Defect.MISSING, Defect.UNREADABLE, Defect.TOO_LARGE, Defect.BINARY, Defect.NOT_YAML, Defect.TAB})
"""After these nothing of a file was read; after a tab, unless it could be read as spaces."""
_OTHER_FOLDERS = frozenset({"prd", "prds", "ccp", "evidence", "evidence_artifacts", "requirements"})


def is_lost(rfc: Rfc, document: str) -> bool:
    """Return whether a document of the RFC, by its key, could not be read."""
    read = any(each.key == document and each.fields for each in rfc.documents)
    return any(flaw.place == document and _loses(flaw, read=read) for flaw in rfc.flaws)


def lost_tickets(rfc: Rfc) -> tuple[str, ...]:
    """Return the ticket files that could not be read, so that their coverage is unknown."""
    plan = DOCUMENTS[6]
    in_plan = is_lost(rfc, plan)
    files = {flaw.at.file for flaw in rfc.flaws if (in_plan and flaw.place == plan) or _loses_ticket(flaw)}
    return tuple(sorted(files))


def _loses_ticket(flaw: Flaw) -> bool:
    """Return whether a flaw means that a whole ticket is missing; a readable ticket has a key of its own."""
    folders = flaw.at.file.split("/")[:-1]
    lost = flaw.place == WHOLE_RFC and flaw.defect is not Defect.MISSING and _loses(flaw)
    return lost and _OTHER_FOLDERS.isdisjoint(folders)


def _loses(flaw: Flaw, *, read: bool = False) -> bool:
    if flaw.warns or (flaw.defect is Defect.TAB and read):
        return False
    return flaw.defect in _LOST or (flaw.defect is Defect.WRONG_SHAPE and flaw.field is Field.WHOLE)


class _Hints:
    """Suggests the nearest name, for a limited number of names, since a file may hold any number."""

    def __init__(self) -> None:
        self._left = MOST_HINTS

    def nearest(self, name: str, names: Sequence[str]) -> str | None:
        self._left -= 1
        return nearest(name[:100], names[:MOST_NAMES]) if self._left >= 0 else None


def broken_references(rfc: Rfc, order: Order) -> Iterator[RawFinding]:
    """Yield a finding for each id that a ticket names and that does not exist."""
    lost = [basename(file) for file in lost_tickets(rfc)]
    requirements = {} if is_lost(rfc, DOCUMENTS[1]) else {each.id: each for each in rfc.requirements}
    hints = _Hints()
    for ticket in order.tickets:
        for reference in _once(ticket.depends_on):
            known = reference.id in order.by_id or reference.id in order.elsewhere
            if not known and not any(reference.id in name for name in lost):
                near = hints.nearest(reference.id, (*order.by_id, *sorted(order.elsewhere)))
                yield _broken(ticket, reference, Field.DEPENDENCIES, "ticket", near)
        for reference in _once(ticket.requirements):
            if requirements and reference.id not in requirements:
                near = hints.nearest(reference.id, sorted(requirements))
                yield _broken(ticket, reference, Field.REQUIREMENTS, "requirement", near)
        yield from _parts(rfc, ticket, hints)


def _once(references: tuple[Reference, ...]) -> Iterator[Reference]:
    seen: set[str] = set()
    for reference in references:
        if reference.id not in seen:
            seen.add(reference.id)
            yield reference


def _parts(rfc: Rfc, ticket: Ticket, hints: _Hints) -> Iterator[RawFinding]:
    """Yield unknown components and extension points written as ids; those described in words are not checked."""
    components = {component.id for component in rfc.atlas.components}
    hooks = {point.id for component in rfc.atlas.components for point in component.extension_points}
    at = ticket.place_of(Field.COMPONENT)
    if _is_unknown(ticket.component, components):
        near = hints.nearest(ticket.component, sorted(components))
        yield _broken(ticket, Reference(ticket.component, at), Field.COMPONENT, "component", near)
    if _is_unknown(ticket.extension_point, hooks):
        near = hints.nearest(ticket.extension_point, sorted(hooks))
        yield _broken(ticket, Reference(ticket.extension_point, at), Field.COMPONENT, "extension point", near)


def _is_unknown(name: str, known: set[str]) -> bool:
    prefix, dash, number = name.partition("-")
    alike = {each.partition("-")[0] for each in known if "-" in each}
    return bool(dash) and name not in known and prefix in alike and number.replace("-", "").isalnum()


def _broken(ticket: Ticket, reference: Reference, field: Field, what: str, near: str | None) -> RawFinding:
    name = name_of(ticket)
    hint = f" Did it mean {near}?" if near else ""
    return found(
        Subcategory.BROKEN_REF,
        ticket.key,
        field,
        reference.at,
        message=f"{name} names the {what} {reference.id}, which does not exist.{hint}",
        evidence=reference.id,
        action=f"Name a {what} that exists, or take the reference out.",
    )
