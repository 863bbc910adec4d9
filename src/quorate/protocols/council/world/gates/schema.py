"""The gate SCHEMA: one finding for each flaw that the reader noted (C8)."""

from __future__ import annotations

import re
from posixpath import basename

from quorate.protocols.council.rules.taxonomy import (
    MOST_TICKETS,
    WHOLE_RFC,
    Field,
    Gate,
    Severity,
    Subcategory,
    place_keys,
)
from quorate.protocols.council.world.gates.gate_findings import Looked, RawFinding, found
from quorate.protocols.council.world.gates.order import Order
from quorate.protocols.council.world.gates.references import broken_references
from quorate.protocols.council.world.rfc.model import Defect, Flaw, Rfc

_LINKS = frozenset({Field.RFC, Field.REQUIREMENTS, Field.DEPENDENCIES, Field.EVIDENCE, Field.COMPONENT})
_ABOUT_THE_FILE = re.compile(r"(?:is|has|cannot|makes|does|must|holds|lacks)\b")
"""How a flaw is told whose subject is the file it is in."""
_ACTIONS = {
    Defect.MISSING: "Add it.",
    Defect.UNREADABLE: "Make the file readable.",
    Defect.TOO_LARGE: "Make the file smaller, or split it.",
    Defect.BINARY: "Write the file as UTF-8 text.",
    Defect.NOT_YAML: "Fix the YAML.",
    Defect.TAB: "Indent with spaces.",
    Defect.WRONG_SHAPE: "Write it in the expected shape.",
    Defect.MISSING_FIELD: "Add the field.",
    Defect.WRONG_VALUE: "Write a value that is allowed.",
    Defect.DUPLICATE: "Keep one of them.",
}


def check_schema(rfc: Rfc, order: Order) -> Looked:
    """Report what could not be read, and references to things that do not exist."""
    keys = frozenset(place_keys(len(rfc.tickets)))
    findings = [_of_flaw(flaw, keys) for flaw in rfc.flaws]
    findings += broken_references(rfc, order)
    shapes: dict[str, int] = {}
    for ticket in order.tickets:
        shapes[ticket.shape.name] = shapes.get(ticket.shape.name, 0) + 1
    evidence = {
        "documents": len(rfc.documents),
        "ticket_count": len(order.tickets),
        "shapes": shapes,
        "flaws": sum(not flaw.warns for flaw in rfc.flaws),
        "warnings": sum(flaw.warns for flaw in rfc.flaws),
        "broken_references": sum(finding.subcategory is Subcategory.BROKEN_REF for finding in findings),
    }
    reason = f"Read {len(rfc.documents)} files of the RFC and {len(order.tickets)} tickets."
    return Looked(Gate.SCHEMA, tuple(findings), reason, evidence)


def too_many_tickets(rfc: Rfc) -> RawFinding:
    """Return the finding for tickets beyond the limit."""
    last = max(rfc.tickets, key=lambda ticket: (len(ticket.key), ticket.key))
    return found(
        Subcategory.SCHEMA_VIOLATION,
        WHOLE_RFC,
        Field.WHOLE,
        last.at,
        message=f"The RFC has {len(rfc.tickets):,} tickets; a council reads at most {MOST_TICKETS}, and no others.",
        evidence=f"{len(rfc.tickets):,} tickets",
        action="Split the RFC.",
    )


def _of_flaw(flaw: Flaw, keys: frozenset[str]) -> RawFinding:
    link = flaw.defect is Defect.MISSING and flaw.field in _LINKS
    what = flaw.what.strip()
    about = f"{basename(flaw.at.file)} {what}" if _ABOUT_THE_FILE.match(what) else f"{what[:1].upper()}{what[1:]}"
    message = about + ("" if about.endswith(".") else ".")
    if flaw.expected:
        message += f" Expected: {flaw.expected.strip().removesuffix('.')}."
    return found(
        Subcategory.BROKEN_REF if link else Subcategory.SCHEMA_VIOLATION,
        flaw.place if flaw.place in keys else WHOLE_RFC,
        flaw.field,
        flaw.at,
        message=message,
        evidence=flaw.defect.value,
        action=_ACTIONS[flaw.defect],
        severity=Severity.INFO if flaw.warns else None,
    )
