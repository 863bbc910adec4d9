"""Running the gates on an RFC: what code can prove, in a fixed order, with every secret masked (C7, C8, C10)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from quorate.protocols.council.rules.forms import GateReport
from quorate.protocols.council.rules.taxonomy import MOST_TICKETS, SEVEN, Gate
from quorate.protocols.council.world.gates.acyclicity import check_acyclicity
from quorate.protocols.council.world.gates.ccp_map import check_mapping
from quorate.protocols.council.world.gates.counts import Counted, check_counts, count, depth_of
from quorate.protocols.council.world.gates.cousins import HIGH, cousins
from quorate.protocols.council.world.gates.coverage import check_coverage
from quorate.protocols.council.world.gates.gate_findings import Looked
from quorate.protocols.council.world.gates.order import Order, within_bounds
from quorate.protocols.council.world.gates.report import filled_in
from quorate.protocols.council.world.gates.schema import check_schema, too_many_tickets
from quorate.protocols.council.world.gates.text_tricks import check_wording
from quorate.protocols.council.world.gates.texts import change_of, secrets_of
from quorate.protocols.council.world.gates.verification import check_verification
from quorate.protocols.council.world.gates.whereabouts import file_of
from quorate.protocols.council.world.rfc.model import Rfc, Version
from quorate.safety.masks import Masks

MOST_RECEIPT = 400_000
OF_FILES = frozenset({Gate.SCHEMA, Gate.SECURITY})
"""The gates that look at the files of the RFC too; the others look at its tickets."""
_EARLY = {
    Version.V0: frozenset({Gate.SCHEMA, Gate.COVERAGE}),
    Version.V2: frozenset({Gate.SCHEMA, Gate.COVERAGE, Gate.CCP_MAPPING}),
    Version.V4: frozenset(Gate),
}
"""The gates that each version has."""


def run_gates(rfc: Rfc, gates: tuple[Gate, ...] = SEVEN) -> GateReport:
    """Return what the gates find; deterministic for an RFC, whatever the order its tickets were read in.

    Secrets, hidden text and text that speaks to the reviewers are reported whichever gates are run.
    """
    crowd = [too_many_tickets(rfc)] if len(rfc.tickets) > MOST_TICKETS else []
    rfc = within_bounds(rfc)
    order = Order.of(rfc)
    change = change_of(rfc)
    secrets = secrets_of(rfc, change)
    counts = count(rfc, order)
    candidates = cousins(rfc, order)
    wording = check_wording(rfc, change, secrets)
    looks = [_held(_look(gate, rfc, order, counts, candidates), rfc, order) for gate in gates]
    masks = Masks.of(secrets)
    receipt = _receipt(rfc, order, counts, candidates, len(masks))
    return filled_in(looks, (*crowd, *wording), receipt, MOST_RECEIPT, masks, len(rfc.tickets))


def _look(
    gate: Gate, rfc: Rfc, order: Order, counts: Sequence[Counted], candidates: Sequence[dict[str, Any]]
) -> Looked:
    if gate not in _EARLY[rfc.version]:
        reason = f"An RFC of version {rfc.version.value} is not held against this gate yet."
        return Looked(gate, (), reason, applies=False)
    match gate:
        case Gate.SCHEMA:
            return check_schema(rfc, order)
        case Gate.ACYCLICITY:
            return check_acyclicity(rfc, order)
        case Gate.COVERAGE:
            return check_coverage(rfc, order)
        case Gate.CCP_MAPPING:
            return check_mapping(rfc, order)
        case Gate.ATOMICITY:
            return check_counts(order, counts)
        case Gate.IMPLEMENTABILITY:
            return check_verification(order)
        case Gate.SECURITY:
            return Looked(
                gate,
                (),
                "Code looked for secrets and for text that is hidden or speaks to the reviewers;"
                " the seats judge the rest.",
            )
        case Gate.FIDELITY:
            return Looked(gate, (), "The seats judge it; code cannot.")
        case Gate.ANTI_COUSIN:
            high = sum(each["score"] >= HIGH for each in candidates)
            reason = f"Code named {len(candidates)} candidates, {high} of them very much alike; the seats judge them."
            return Looked(gate, (), reason, {"candidates": len(candidates), "high": high})


def _held(look: Looked, rfc: Rfc, order: Order) -> Looked:
    """Say how much a gate could read: what read nothing has nothing to pass (C7)."""
    unread = order.unread if look.gate is Gate.ACYCLICITY else ()
    read = sum(ticket.key not in unread for ticket in order.tickets)
    read += len(rfc.documents) if look.gate in OF_FILES else 0
    if read or not look.applies:
        return replace(look, read=read)
    return replace(look, applies=False, reason=f"There is no ticket that could be read. {look.reason}")


def _receipt(
    rfc: Rfc, order: Order, counts: Iterable[Counted], candidates: list[dict[str, Any]], secrets: int
) -> dict[str, Any]:
    counts = tuple(counts)
    read = {file_of(document) for document in rfc.documents} | {ticket.at.file for ticket in order.tickets}
    return {
        "rfc": {
            "id": rfc.id,
            "version": rfc.version.value,
            "tickets": len(order.tickets),
            "requirements": sum(requirement.imported for requirement in rfc.requirements),
            "components": len(rfc.atlas.components),
            "files": len(rfc.atlas.files),
            "ccp": rfc.atlas.source,
        },
        "read": sorted(read),
        "left_out": [{"path": path, "why": why} for path, why in rfc.left_out],
        "facts": [each.facts() for each in counts],
        "cousins": candidates,
        "depth": depth_of(order, counts),
        "masked": secrets,
    }
