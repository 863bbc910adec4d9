"""The gate SCOPE-COVERAGE: every requirement of the RFC has a ticket, every ticket a requirement (C8).

A cancelled ticket covers nothing. Two tickets with one requirement overlap only where nothing coordinates them: one
waits for the other, one names the other in its text, or a third ticket of the same requirement waits for both and
brings them together. That both wait for the same ticket coordinates nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from quorate.protocols.council.rules.taxonomy import DOCUMENTS, Field, Gate, Subcategory
from quorate.protocols.council.world.gates.gate_findings import Looked, RawFinding, found, named, place_order
from quorate.protocols.council.world.gates.order import Order, is_cancelled
from quorate.protocols.council.world.gates.references import is_lost, lost_tickets
from quorate.protocols.council.world.gates.whereabouts import Whereabouts, file_of
from quorate.protocols.council.world.rfc.model import Place, Reference, Requirement, Rfc, Ticket, Version

IMPORTS, REGISTRY = DOCUMENTS[1], DOCUMENTS[7]
_EVIDENCE = re.compile(r"(?:[A-Z]{1,12}-)?EVID-")
MOST_COMPARED = 60
"""Tickets of one requirement that are compared with each other."""


def check_coverage(rfc: Rfc, order: Order) -> Looked:
    """Report requirements without tickets, tickets without requirements, double coverage and missing evidence."""
    if rfc.version is Version.V0 and not order.tickets:
        return Looked(Gate.COVERAGE, (), "An RFC of version v0 needs no tickets yet.", applies=False)
    imported = {each.id: each for each in sorted(rfc.requirements, key=lambda each: each.id) if each.imported}
    covering = _covering(order)
    if not imported:
        return _nothing_imported(rfc, order)
    uncovered = [each for each in imported if each not in covering]
    orphans = list(_orphans(rfc, order))
    findings = [*orphans, *_overlaps(rfc, order, imported, covering), *_without_evidence(rfc, order)]
    lost = lost_tickets(rfc)
    if not lost:
        findings += [_gap(rfc, order, imported[each]) for each in uncovered]
    evidence = {
        "requirements_count": len(imported),
        "covered_count": len(imported) - len(uncovered),
        "uncovered": uncovered,
        "orphan_tickets": [order.name(each.place) for each in orphans],
        "coverage_matrix": {each: order.ids(covering.get(each, ())) for each in imported},
    }
    reason = f"{len(imported) - len(uncovered)} of {len(imported)} requirements have a ticket."
    if lost and uncovered:
        reason = (
            f"Whether {named(uncovered)} has a ticket cannot be told: {named(lost)} could not be read."
            " The gate SCHEMA fails for it."
        )
    return Looked(Gate.COVERAGE, tuple(findings), reason, evidence, applies=not (lost and uncovered))


def _covering(order: Order) -> dict[str, list[str]]:
    """Return the keys of the tickets that cover each requirement."""
    covering: dict[str, list[str]] = {}
    for ticket in order.live:
        for each in dict.fromkeys(reference.id for reference in ticket.requirements):
            covering.setdefault(each, []).append(ticket.key)
    return covering


def _nothing_imported(rfc: Rfc, order: Order) -> Looked:
    if is_lost(rfc, IMPORTS):
        reason = "The requirements could not be read. The gate SCHEMA fails for it."
        return Looked(Gate.COVERAGE, tuple(_without_evidence(rfc, order)), reason, applies=False)
    document = next((each for each in rfc.documents if each.key == IMPORTS), None)
    where = document.fields.get(Field.REQUIREMENTS, Place(file_of(document))) if document else Place("")
    gap = found(
        Subcategory.SCOPE_GAP,
        IMPORTS,
        Field.REQUIREMENTS,
        where,
        message="The RFC imports no requirement, so nobody can tell what its tickets are for.",
        evidence="0 requirements",
        action="Import the requirements that the RFC is to meet.",
    )
    evidence = {
        "requirements_count": 0,
        "covered_count": 0,
        "uncovered": [],
        "orphan_tickets": [],
        "coverage_matrix": {},
    }
    findings = (gap, *_without_evidence(rfc, order))
    return Looked(Gate.COVERAGE, findings, "The RFC imports no requirement.", evidence)


def _gap(rfc: Rfc, order: Order, requirement: Requirement) -> RawFinding:
    given_up = [
        ticket.key
        for ticket in order.tickets
        if is_cancelled(ticket) and any(reference.id == requirement.id for reference in ticket.requirements)
    ]
    but = f" {named(order.ids(given_up))} covers it and is cancelled." if given_up else ""
    title = f" ({requirement.title.strip()})" if requirement.title.strip() else ""
    return found(
        Subcategory.SCOPE_GAP,
        Whereabouts(rfc).of(requirement.at, IMPORTS),
        Field.REQUIREMENTS,
        requirement.at,
        message=f"No ticket covers {requirement.id}{title}.{but}",
        evidence=requirement.id,
        action=f"Name {requirement.id} in the ticket that meets it, or add a ticket.",
    )


def _orphans(rfc: Rfc, order: Order) -> Iterator[RawFinding]:
    """Yield tickets without a requirement; one that names a nonexistent requirement is reported elsewhere."""
    for ticket in order.live:
        if not ticket.requirements:
            name = order.name(ticket.key)
            yield found(
                Subcategory.ORPHAN_TICKET,
                ticket.key,
                Field.REQUIREMENTS,
                ticket.place_of(Field.REQUIREMENTS),
                message=f"{name} names no requirement, so nobody can tell what it is for.",
                evidence=ticket.title or name,
                action="Name the requirement that it meets, or take the ticket out.",
            )


# Double coverage


def _overlaps(
    rfc: Rfc, order: Order, imported: Mapping[str, Requirement], covering: Mapping[str, Sequence[str]]
) -> Iterator[RawFinding]:
    """Yield one finding for each requirement covered by several uncoordinated tickets."""
    for each in imported:
        keys = covering.get(each, ())[:MOST_COMPARED]
        joined = [both for third in keys if len(both := order.reach[third].intersection(keys)) > 1]
        apart = [pair for pair in combinations(keys, 2) if not _coordinated(order, *pair, joined)]
        if apart:
            yield _overlap(order, each, apart)


def _coordinated(order: Order, one: str, other: str, joined: Sequence[frozenset[str]]) -> bool:
    if order.ordered(one, other) or {one, other} & order.open:
        return True  # what waits for a ticket that nobody knows may wait for anything
    if any(one in both and other in both for both in joined):
        return True
    first, second = order.by_key[one], order.by_key[other]
    return bool(first.id and first.id in second.text) or bool(second.id and second.id in first.text)


def _overlap(order: Order, requirement: str, apart: Sequence[tuple[str, str]]) -> RawFinding:
    keys = {key for pair in apart for key in pair}
    references = {key: _reference(order.by_key[key], requirement) for key in keys}
    # The ticket for which it is the least of its requirements, and of those the last, is the one that took it on.
    late = max(keys, key=lambda key: (references[key][0], place_order(key)))
    others = named(order.ids(one if other == late else other for one, other in apart if late in (one, other)))
    name = order.name(late)
    return found(
        Subcategory.SCOPE_OVERLAP,
        late,
        Field.REQUIREMENTS,
        references[late][1].at,
        message=f"{name} covers {requirement}, and so does {others}; neither waits for the other or names it.",
        evidence=f"{requirement}: {', '.join(order.ids(keys))}",
        action=f"Let one ticket cover {requirement}, or say in {name} which part of it is its own.",
    )


def _reference(ticket: Ticket, requirement: str) -> tuple[int, Reference]:
    return next((at, each) for at, each in enumerate(ticket.requirements) if each.id == requirement)


# Evidence


def _without_evidence(rfc: Rfc, order: Order) -> Iterator[RawFinding]:
    if is_lost(rfc, REGISTRY):
        return
    where = Whereabouts(rfc)
    for requirement in rfc.requirements:
        if requirement.imported:
            for reference in requirement.evidence:
                if _is_nowhere(rfc, reference):
                    yield _evidence_gap(where.of(reference.at), requirement.id, reference)
    for ticket in order.live:
        for reference in ticket.evidence:
            if _is_nowhere(rfc, reference):
                yield _evidence_gap(ticket.key, order.name(ticket.key), reference)


def _is_nowhere(rfc: Rfc, reference: Reference) -> bool:
    return bool(_EVIDENCE.match(reference.id)) and reference.id not in rfc.evidence


def _evidence_gap(place: str, name: str, reference: Reference) -> RawFinding:
    return found(
        Subcategory.EVIDENCE_GAP,
        place,
        Field.EVIDENCE,
        reference.at,
        message=f"{name} promises the evidence {reference.id}, which exists nowhere.",
        evidence=reference.id,
        action=f"Add {reference.id} to the registry of evidence, or name evidence that exists.",
    )
