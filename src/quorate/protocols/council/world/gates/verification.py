"""Checks for the gate IMPLEMENTABILITY: tickets that name no way to verify that they are done (C8)."""

from __future__ import annotations

import re

from quorate.protocols.council.rules.taxonomy import Field, Gate, Subcategory
from quorate.protocols.council.world.gates.gate_findings import Looked, RawFinding, found
from quorate.protocols.council.world.gates.order import Order
from quorate.protocols.council.world.rfc.model import Ticket

_WORD = re.compile(r"[^\W_]+")
_HOLLOW = frozenset({"tbd", "todo", "na", "none"})


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
    """Return whether the ticket names any way to verify that it is done."""
    texts = [*ticket.commands, *(criterion.verification for criterion in ticket.criteria)]
    for test in ticket.tests:
        said = [text for text in (test.command, test.description) if text.strip()]
        texts += said or [test.id]  # the id of a test that is still to be thought of is no way to tell
    return any(map(_tells, texts))


def _tells(text: str) -> bool:
    """Return whether a text has content: more than punctuation or a placeholder such as TBD."""
    words = _WORD.findall(text.casefold())
    return bool(words) and "".join(words) not in _HOLLOW


def _finding(order: Order, ticket: Ticket) -> RawFinding:
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
