"""Reading a ticket's identity: its id, title, status and RFC."""

from __future__ import annotations

import re

from quorate.core.errors import nearest
from quorate.files.located_values import Located
from quorate.protocols.council.rules.taxonomy import Field
from quorate.protocols.council.world.rfc.lookalikes import alike
from quorate.protocols.council.world.rfc.model import Defect, Shape
from quorate.protocols.council.world.rfc.shapes import Written
from quorate.protocols.council.world.rfc.sheet import MOST_ID

TICKET_ID = re.compile(r"TCK-(?:\d{5}|[A-Z]+-\d{3,5})")
STANDARD_STATUS = ("DRAFT", "READY", "IN_PROGRESS", "BLOCKED", "DONE", "CANCELLED")
KNOWN_STATUS = (*STANDARD_STATUS, "COMPLETED", "OPEN", "CLOSED")
"""The standard's, and those that are in use beside it."""

_RFC_PATHS = (("rfc_id",), ("binds", "rfc_id"))


def rfc_of(ticket: Written) -> str:
    """Return the id of the RFC that a ticket says it belongs to; empty if it does not say."""
    node = ticket.one(Field.RFC, *_RFC_PATHS)
    return node.value.strip()[:MOST_ID] if node is not None and isinstance(node.value, str) else ""


def read_rfc_id(ticket: Written, rfc_id: str) -> str:
    """Return a ticket's RFC id, noting if it is missing or only looks like `rfc_id`; entries need not have one."""
    node = ticket.one(Field.RFC, *_RFC_PATHS)
    if node is None and ticket.shape is Shape.D:
        return ""
    binds = next((base["binds"] for base in ticket.bases if "binds" in base), None)
    given = _required(ticket, node, Field.RFC, "rfc_id", binds or ticket.head)
    if node is not None and rfc_id and given not in ("", rfc_id) and alike(given[:MOST_ID], rfc_id):
        what = f"the RFC {given[:MOST_ID]!a} looks like {rfc_id}, but is written with other characters"
        ticket.sheet.note(Defect.WRONG_VALUE, what, node, Field.RFC, rfc_id)
    return given


def id_of(ticket: Written) -> str:
    """Return the id of a ticket without noting flaws; empty if it has none."""
    node = _id_node(ticket)
    return node.value.strip()[:MOST_ID] if node is not None and isinstance(node.value, str) else ""


def read_id(ticket: Written) -> str:
    """Return the id of a ticket as written, noting if it is not a valid ticket id."""
    name = "ticket_id" if ticket.shape is Shape.D else "id"
    given = _required(ticket, _id_node(ticket), Field.ID, name, ticket.head)
    node = _id_node(ticket)
    if given and node is not None and not TICKET_ID.fullmatch(given):
        what = f"{given[:60]!r} is not the id of a ticket"
        ticket.sheet.note(Defect.WRONG_VALUE, what, node, Field.ID, "TCK- and five digits, or such as TCK-PEND-003")
    return given[:MOST_ID]


def read_title(ticket: Written) -> str:
    return _required(ticket, ticket.one(Field.TITLE, ("title",)), Field.TITLE, "title", ticket.head)


def read_status(ticket: Written) -> str:
    """Return the status, noting one that is unknown or nonstandard."""
    node = ticket.one(Field.STATUS, ("status",))
    if node is None and ticket.shape is Shape.D:
        return ""
    status = _required(ticket, node, Field.STATUS, "status", ticket.head)
    if status and node is not None and status not in STANDARD_STATUS:
        known = status in KNOWN_STATUS
        what = f"the status {status[:60]!r} is {'not a standard one' if known else 'unknown'}"
        expected = "one of " + ", ".join(STANDARD_STATUS)
        near = None if known else nearest(status[:60].upper(), KNOWN_STATUS)
        if near is not None:
            what += f" (did you mean {near}?)"
        ticket.sheet.note(Defect.WRONG_VALUE, what, node, Field.STATUS, expected, warns=known)
    return status


def _id_node(ticket: Written) -> Located | None:
    paths = (("ticket_id",), ("id",)) if ticket.shape is Shape.D else (("id",), ("ticket_id",))
    return ticket.one(Field.ID, *paths)


def _required(ticket: Written, node: Located | None, field: Field, name: str, where: Located) -> str:
    text = ticket.sheet.text(node, field)
    if not text and (node is None or isinstance(node.value, str)):
        what = f"the ticket has no `{name}`"
        ticket.sheet.note(Defect.MISSING_FIELD, what, where if node is None else node, field, f"`{name}` with a text")
    return text
