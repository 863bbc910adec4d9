"""The material of a council: the RFC as the seats are shown it, and the report of the gates, both masked (C29)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from quorate.codec import canonical, reply_to_data
from quorate.protocols.council.rules.forms import GateReport
from quorate.protocols.council.rules.taxonomy import Field
from quorate.protocols.council.world.gates.order import Order, within_bounds
from quorate.protocols.council.world.gates.texts import masked, masks_of
from quorate.protocols.council.world.rfc.model import Component, Document, Place, Requirement, Rfc, Ticket
from quorate.safety.masks import Masks


def material_of(rfc: Rfc, report: GateReport) -> dict[str, str]:
    """Return the two texts of a session: `rfc`, what is reviewed, and `gates`, the filled-in report."""
    tickets = Order.of(within_bounds(rfc)).tickets
    covered: dict[str, list[str]] = {}
    for ticket in tickets:
        for each in dict.fromkeys(reference.id for reference in ticket.requirements):
            covered.setdefault(each, []).append(ticket.key)
    data = {
        "id": rfc.id,
        "title": rfc.title,
        "version": rfc.version.value,
        "version_written": rfc.version_written,
        "prd_id": rfc.prd_id,
        "root": rfc.root,
        "documents": [_document(document) for document in sorted(rfc.documents, key=lambda each: each.key)],
        "tickets": [_ticket(ticket) for ticket in tickets],
        "requirements": [
            _requirement(each, covered.get(each.id, [])) for each in sorted(rfc.requirements, key=lambda each: each.id)
        ],
        "components": [_component(each) for each in sorted(rfc.atlas.components, key=lambda each: each.id)],
        "decisions": [{"id": each.id, "title": each.title} for each in rfc.decisions],
    }
    return {"rfc": canonical(_masked(data, masks_of(rfc))), "gates": canonical(reply_to_data(report))}


def _document(document: Document) -> dict[str, Any]:
    return {
        "key": document.key,
        "name": document.name,
        "text": document.text,
        "fields": _fields(document.fields),
    }


def _ticket(ticket: Ticket) -> dict[str, Any]:
    return {
        "key": ticket.key,
        "id": ticket.id,
        "title": ticket.title,
        "status": ticket.status,
        "shape": ticket.shape.name,
        **_at(ticket.at),
        "text": ticket.text,
        "fields": _fields(ticket.fields),
    }


def _requirement(requirement: Requirement, tickets: list[str]) -> dict[str, Any]:
    return {
        "id": requirement.id,
        "title": requirement.title,
        "statement": requirement.statement,
        "imported": requirement.imported,
        "tickets": tickets,
    }


def _component(component: Component) -> dict[str, Any]:
    points = [
        {"id": point.id, "name": point.name, "path": point.path, "description": point.description}
        for point in component.extension_points
    ]
    return {
        "id": component.id,
        "name": component.name,
        "path": component.path,
        "description": component.description,
        "extension_points": points,
    }


def _fields(fields: Mapping[Field, Place]) -> dict[str, dict[str, Any]]:
    return {field.value: _at(place) for field, place in fields.items()}


def _at(place: Place) -> dict[str, Any]:
    return {"file": place.file, "line": place.line, "yaml_path": place.yaml_path}


def _masked(value: Any, masks: Masks) -> Any:
    match value:
        case str():
            return masked(value, masks)
        case dict():
            return {key: _masked(inner, masks) for key, inner in value.items()}
        case list():
            return [_masked(inner, masks) for inner in value]
        case _:
            return value
