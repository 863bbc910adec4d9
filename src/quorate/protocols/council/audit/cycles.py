"""Checks of the cycles: three in their order, notes between them, and no quorum without them (C2, C13, C15, C19)."""

from __future__ import annotations

from collections.abc import Iterator

from quorate.kit.untrusted_value import Spot, many
from quorate.protocols.council.audit.deviation import Deviation, broken, missing
from quorate.protocols.council.audit.read import Bundle
from quorate.protocols.council.rules.model import Agreement, Verdict
from quorate.protocols.council.rules.taxonomy import GateStatus, Severity

CYCLES = ("STRUCTURAL", "FEASIBILITY", "CONVERGE")


def check_completed(bundle: Bundle) -> Iterator[Deviation]:
    """At most three cycles; only a gate or an abort ends a council before the third is over (C2, C11)."""
    spots = (bundle.meta["cycles_completed"], bundle.at["cycles_completed"])
    stated = [at for at in spots if at.given]
    for at in stated:
        if at.whole is None or not 0 <= at.whole <= len(CYCLES):
            yield broken(at, "C2", f"{at} cycles", "0 to 3")
    if len({at.whole for at in stated}) > 1:
        yield broken(stated[1], "C2", f"{stated[1]} cycles here and {stated[0]} in the metadata", "one number")
    done = bundle.cycles_completed
    if done is None or done >= len(CYCLES) or bundle.aborted:
        return
    failed = any(gate["status"].word(GateStatus) is GateStatus.FAILED for gate in bundle.gates)
    proven = any(found.by_gate and found.severity is Severity.BLOCKER for found in bundle.findings)
    if done == 0 and bundle.verdict is Verdict.REJECTED and (failed or proven):
        return  # the gates ended it (C11)
    says = f"{bundle.at['verdict']} after {done} of three cycles"
    yield broken(stated[0], "C2", says, "3 cycles before a verdict, or an abort")


def check_quorum(bundle: Bundle) -> Iterator[Deviation]:
    """A quorum is claimed only after the third cycle, where the votes are, and not over a deadlock (C18, C22, C30)."""
    at = bundle.meta["quorum_achieved"]
    size = bundle.meta["quorum"]
    if size.given and size.whole not in (2, 3):
        yield broken(size, "C22", f"a quorum of {size}", "2, or 3")
    stated = bundle.meta["settings"]["quorum"]
    if size.given and stated.given and size.value != stated.value:
        yield broken(size, "C22", f"a quorum of {size}", f"{stated}, as the settings have it")
    if at.flag is None:
        return
    done = bundle.cycles_completed
    least = len(CYCLES) - 1 if bundle.aborted else len(CYCLES)  # a council may be aborted after its vote
    if at.flag and done is not None and done < least:
        yield broken(at, "C18", f"a quorum after {done} of three cycles", "false: the vote is in CYCLE_3")
    stuck = sum(found.agreement is Agreement.DEADLOCKED for found in bundle.findings)
    if at.flag and stuck:
        yield broken(at, "C22", f"a quorum, and {many(stuck, 'finding')} without one", "false")
    if not at.flag and not stuck and bundle.over and not bundle.alone:
        yield broken(at, "C22", "no quorum, and every finding has one", "true")


def check_source_cycles(bundle: Bundle) -> Iterator[Deviation]:
    """Findings are raised only in the first two cycles, and only in cycles that began (C13, C15)."""
    done = bundle.cycles_completed
    for at in (*(found.at for found in bundle.findings), *bundle.merged):
        cycle = at["source_cycle"]
        if not cycle.given:
            continue
        if cycle.whole not in (1, 2):
            yield broken(cycle, "C15", f"raised in cycle {cycle}", "1 or 2: the third only votes")
        elif bundle.aborted and done is not None and cycle.whole > done + 1 and not _by_code(at):
            yield broken(cycle, "C15", f"raised in cycle {cycle} after {done} completed ones", f"at most {done + 1}")


def _by_code(at: Spot) -> bool:
    return at["origin"].text == "gate" or at["source_agent"].text in ("gate", "gates")


def check_cycles(bundle: Bundle) -> Iterator[Deviation]:
    """The cycles are in order and correctly named, with notes after the first two (C2, C19)."""
    done = bundle.cycles_completed
    entries = bundle.at["cycles"].items
    if not entries and not bundle.at["cycles"].is_list:
        if done:
            yield missing(bundle.at["cycles"], "C19", "the cycles and their onboarding notes are not recorded")
        return
    gates = {gate["gate_id"].text for gate in bundle.gates}
    for index, each in enumerate(entries):
        number, name = each["cycle_number"], each["cycle_name"]
        if number.given and number.whole != index + 1:
            yield broken(number, "C2", f"cycle {number} in place {index + 1}", str(index + 1))
        right = CYCLES[index] if index < len(CYCLES) else "no further cycle"
        if name.given and name.text != right:
            yield broken(name, "C2", f"{name} as cycle {index + 1}", right)
        yield from _noted(bundle, each, index + 1)
        yield from _results(each["onboarding_notes"]["gate_results"], gates)
    if done is not None and len(entries) < done:
        yield broken(bundle.at["cycles"], "C2", f"{len(entries)} cycles are listed", f"{done}, as many as completed")


def _noted(bundle: Bundle, at: Spot, number: int) -> Iterator[Deviation]:
    done, notes = bundle.cycles_completed, at["onboarding_notes"]
    wanted = number <= 2 and (done is None or number <= done)
    if wanted and not notes.is_mapping:
        yield broken(notes, "C19", f"no notes after cycle {number}", "notes with at least one focus area")
    elif wanted and not [text for text in notes["focus_areas"].texts if text.strip()]:
        yield broken(notes["focus_areas"], "C19", f"no focus area after cycle {number}", "at least one")


def _results(at: Spot, gates: set[str | None]) -> Iterator[Deviation]:
    for each in at.items:
        gate, status = each["gate_id"], each["status"]
        if gate.given and gates and gate.text not in gates:
            yield broken(gate, "C19", f"{gate} is not one of the gates", "a gate of the bundle")
        if status.given and status.text not in [each.value for each in GateStatus]:
            yield broken(status, "C10", f"{status} is not a gate status", "PASSED, FAILED or NOT_APPLICABLE")
