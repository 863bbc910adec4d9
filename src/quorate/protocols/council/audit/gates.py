"""Checks of the gates: each listed once, in order, with the status that follows from its findings."""

from __future__ import annotations

from collections.abc import Iterator

from quorate.kit.untrusted_value import Spot, shown
from quorate.protocols.council.audit.deviation import Deviation, broken
from quorate.protocols.council.audit.read import Bundle, BundleFinding, gate_of, ids_of
from quorate.protocols.council.audit.vocabulary import names, one_of
from quorate.protocols.council.rules.taxonomy import BY_CODE, SEVEN, Gate, GateStatus, Severity, gate_type

_MANY = 100
"""Findings of gates from which on those that are too many to list may be the ones that failed a gate."""


def check_gates(bundle: Bundle) -> Iterator[Deviation]:
    """Every gate once, in the fixed order, with its type and status, and a reason if not applicable (C7, C10)."""
    seen: list[Gate] = []
    order = list(Gate)
    for at in bundle.gates:
        yield from one_of(at["gate_id"], "C7", "gate", [each.value for each in Gate])
        yield from one_of(at["status"], "C10", "gate status", names(GateStatus))
        yield from _agent_votes(at)
        gate = gate_of(at["gate_id"])
        if gate is None:
            continue
        if gate in seen:
            yield broken(at["gate_id"], "C7", f"{gate.value} is listed twice", "every gate once")
        elif seen and order.index(gate) < order.index(seen[-1]):
            yield broken(
                at["gate_id"], "C7", f"{gate.value} is listed after {seen[-1].value}", "the fixed order of gates"
            )
        seen.append(gate)
        yield from one_of(at["type"], "C8", "type of this gate", [gate_type(gate).value])
        if at["status"].word(GateStatus) is GateStatus.NOT_APPLICABLE and not (at["reason"].text or "").strip():
            yield broken(at["reason"], "C10", "NOT_APPLICABLE without a reason", "why the gate does not apply")


def _agent_votes(at: Spot) -> Iterator[Deviation]:
    gate = gate_of(at["gate_id"])
    votes = at["agent_votes"]
    if votes.entries and gate is not None and gate_type(gate).value != "LLM-ASSISTED":
        yield broken(votes, "C8", f"{gate.value} is run by code and judged by nobody", "no votes of agents")
    for each in votes.entries.values():
        yield from one_of(each, "C10", "judgement of a gate", ("PASSED", "FAILED"))


def check_gate_statuses(bundle: Bundle) -> Iterator[Deviation]:
    """A gate is FAILED if one of its BLOCKERs remains, else PASSED (C8, C10)."""
    if bundle.aborted or not bundle.at["findings"].is_list:
        return
    crowded = sum(found.by_gate for found in bundle.findings) >= _MANY
    for gate, at in bundle.gate_by_name.items():
        status = at["status"].word(GateStatus)
        blockers = [found for found in bundle.findings if _kind(found) is gate and found.severity is Severity.BLOCKER]
        left = [found for found in blockers if found.remains and (gate not in BY_CODE or _by_code(found))]
        rule = "C8" if gate in BY_CODE else "C10"
        if status is GateStatus.PASSED and left:
            yield broken(at["status"], rule, f"PASSED with {len(left)} BLOCKER left ({ids_of(left)})", "FAILED")
        if status is GateStatus.FAILED and not (blockers if gate in BY_CODE else left) and not crowded:
            yield broken(
                at["status"], rule, "FAILED, and no BLOCKER of it is left", "PASSED, or the finding that failed it"
            )


def _kind(found: BundleFinding) -> Gate | None:
    return found.gate or (found.subcategory.gate if found.subcategory else None)


def _by_code(found: BundleFinding) -> bool:
    return found.by_gate or not found.at["origin"].given


def check_profile(bundle: Bundle) -> Iterator[Deviation]:
    """All gates of the profile are present; nothing is decided without them (C7, C12)."""
    at: Spot = bundle.at["gates"]
    if not at.is_list or bundle.aborted:
        return
    gone = [gate.value for gate in SEVEN if gate not in bundle.gate_by_name]
    if gone:
        yield broken(at, "C7", f"{', '.join(gone)} {'is' if len(gone) == 1 else 'are'} missing", "the seven gates")
    ran = bundle.meta["gates_executed"]
    held = [each["gate_id"].text for each in bundle.gates if each["status"].text != GateStatus.NOT_APPLICABLE.value]
    if ran.is_list and list(ran.texts) != held:
        yield broken(ran, "C43", f"{ran} were executed", shown(held))
    if ran.given and not ran.is_list and ran.whole not in (len(held), len(bundle.gates)):
        yield broken(ran, "C43", f"{ran} gates executed", str(len(held)))
