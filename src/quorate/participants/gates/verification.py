"""What code can tell for the gate IMPLEMENTABILITY: tickets of which nobody could say that they are done (C8)."""

from __future__ import annotations

from quorate.intake.rfc.model import Ticket
from quorate.participants.gates.found import Found, Looked, found
from quorate.participants.gates.order import Order
from quorate.protocols.council.taxonomy import Field, Gate, Subcategory


def check_verification(order: Order) -> Looked:
    """Report tickets without a test, a command, or a criterion that says how it is verified."""
    bare = [ticket for ticket in order.live if not is_verified(ticket)]
    findings = tuple(_finding(order, ticket) for ticket in bare)
    evidence = {
        "ticket_count": len(order.live),
        "unverified": order.ids(ticket.key for ticket in bare),
        "without_steps": order.ids(ticket.key for ticket in order.live if not ticket.steps),
    }
    reason = f"Code looked for a way to verify each of {len(order.live)} tickets; the seats judge the rest."
    return Looked(Gate.IMPLEMENTABILITY, findings, reason, evidence)


def is_verified(ticket: Ticket) -> bool:
    """Whether the ticket names any way to tell that it is done."""
    texts = [*ticket.commands, *(criterion.verification for criterion in ticket.criteria)]
    texts += [text for test in ticket.tests for text in (test.command, test.description, test.id)]
    return any(text.strip() for text in texts)


def _finding(order: Order, ticket: Ticket) -> Found:
    field = next((each for each in (Field.CRITERIA, Field.TESTS) if each in ticket.fields), Field.WHOLE)
    name = order.name(ticket.key)
    return found(
        Subcategory.MISSING_VERIFICATION,
        ticket.key,
        field,
        ticket.place_of(field),
        message=f"{name} has no test, no command and no criterion that says how it is verified.",
        evidence=ticket.title or name,
        action="Add a test, or a command that shows that it is done.",
    )
