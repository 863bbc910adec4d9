"""Reading the ids that a ticket references: requirements, dependencies and evidence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from quorate.files.located_values import Located
from quorate.protocols.council.rules.taxonomy import Field
from quorate.protocols.council.world.rfc.model import Defect, Reference
from quorate.protocols.council.world.rfc.shapes import Written
from quorate.protocols.council.world.rfc.sheet import MOST_ID, Sheet, place_of


def read_requirements(ticket: Written) -> tuple[Reference, ...]:
    paths = (("requirement_ids",), ("binds", "requirements"), ("binds", "requirement_ids"), ("requirements",))
    return references(ticket.sheet, ticket.all(Field.REQUIREMENTS, *paths), "requirement_id", Field.REQUIREMENTS)


def read_dependencies(ticket: Written) -> tuple[Reference, ...]:
    found = ticket.all(Field.DEPENDENCIES, ("depends_on",), ("dependencies", "tickets"), ("blocked_by",))
    for base in ticket.bases:
        bare = base.get("dependencies")
        if bare is not None and isinstance(bare.value, tuple):
            found.append(bare)
            ticket.fields.setdefault(Field.DEPENDENCIES, place_of(bare))
    return references(ticket.sheet, found, "ticket_id", Field.DEPENDENCIES)


def read_evidence(ticket: Written) -> tuple[Reference, ...]:
    paths = (
        ("binds", "evidence_artifacts"),
        ("binds", "evidence_ids"),
        ("definition_of_done", "evidence_ids"),
        ("evidence_ids",),
    )
    return references(ticket.sheet, ticket.all(Field.EVIDENCE, *paths), "evidence_id", Field.EVIDENCE)


def references(sheet: Sheet, lists: Iterable[Located], name: str, field: Field) -> tuple[Reference, ...]:
    """Return the ids in lists of texts, or of mappings with `name` or `id`; each id once."""
    found: dict[str, Reference] = {}
    for each in lists:
        for entry in sheet.items(each, field):
            reference = _reference(sheet, entry, name, field)
            if reference is not None:
                found.setdefault(reference.id, reference)
    return tuple(found.values())


def _reference(sheet: Sheet, entry: Located, name: str, field: Field) -> Reference | None:
    node: Located | None = entry
    if isinstance(entry.value, Mapping):
        node = sheet.first(entry.value, (name, "id"))
        if node is None:
            sheet.note(Defect.MISSING_FIELD, f"an entry has no `{name}`", entry, field, f"`{name}` with an id")
            return None
    assert node is not None
    if not isinstance(node.value, str) or not node.value.strip():
        sheet.wrong(node, f"an id, or a mapping with `{name}`", field)
        return None
    return Reference(node.value.strip()[:MOST_ID], place_of(node))
