"""Checks of the counters: every number in a bundle is what its own lists add up to (C25, C43)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from quorate.kit.untrusted_value import Spot
from quorate.protocols.council.audit.deviation import Deviation, broken
from quorate.protocols.council.audit.read import Bundle, agent_of
from quorate.protocols.council.rules.model import Agreement, Resolution
from quorate.protocols.council.rules.taxonomy import Severity

TOTALS = ("total_findings", "findings_total", "total", "findings_generated", "findings_raised", "findings_count")
BY_SEVERITY = ("findings_by_severity", "severity_counts", "by_severity", "severities")


def check_totals(bundle: Bundle) -> Iterator[Deviation]:
    """The number of findings raised equals those kept plus those merged (C25)."""
    meta, left = bundle.meta, len(bundle.findings)
    if not bundle.at["findings"].is_list:
        return
    yield from _equal(meta["findings_after_dedup"], "C43", left, "findings after merging")
    total = meta["total_findings_generated"]
    if bundle.at["merged_findings"].is_list:
        yield from _equal(total, "C25", left + len(bundle.merged), "findings raised")
    elif total.whole is not None and total.whole < left:
        yield broken(total, "C25", f"{total} findings raised, and {left} are listed", f"at least {left}")
    voted = sum(found.agreement in (Agreement.QUORUM_SUPPORT, Agreement.QUORUM_OPPOSE) for found in bundle.findings)
    yield from _equal(meta["contested_items_resolved"], "C43", voted, "contested findings that a quorum resolved")


def check_severity_counts(bundle: Bundle) -> Iterator[Deviation]:
    """The counts by severity match the listed findings (C43)."""
    if not bundle.at["findings"].is_list:
        return
    listed = Counter(found.severity for found in bundle.findings)
    for at in (*(bundle.meta[name] for name in BY_SEVERITY), *(bundle.at[name] for name in BY_SEVERITY)):
        yield from _by_severity(at, listed)


def _by_severity(at: Spot, listed: Mapping[Severity | None, int]) -> Iterator[Deviation]:
    for name, each in at.entries.items():
        severity = Spot(name).word(Severity)
        if severity is not None:
            yield from _equal(each, "C43", listed.get(severity, 0), f"{severity.name} findings")


def check_resolution_counts(bundle: Bundle) -> Iterator[Deviation]:
    """The counts by resolution match the lists and add up to the number raised (C25)."""
    at = bundle.meta["resolutions"]
    if not at.is_mapping:
        return
    listed = Counter(found.resolution for found in bundle.findings)
    listed[Resolution.MERGED] += len(bundle.merged)
    for resolution in Resolution:
        if at[resolution.name].given or listed[resolution]:
            yield from _equal(at[resolution.name], "C25", listed[resolution], f"findings that are {resolution.name}")
    raised = bundle.meta["total_findings_generated"].whole
    summed = sum(each.whole or 0 for each in at.entries.values())
    if raised is not None and summed != raised:
        yield broken(at, "C25", f"the resolutions add up to {summed}", f"{raised}, the findings raised")


def check_gate_counts(bundle: Bundle) -> Iterator[Deviation]:
    """The findings a gate lists or counts are exactly those that name it (C43)."""
    if not bundle.at["findings"].is_list:
        return
    for gate, at in bundle.gate_by_name.items():
        own = {found.id for found in bundle.findings if found.gate is gate}
        for name in ("findings", "finding_count", "findings_count"):
            if at[name].given and not at[name].is_list:
                right = sum(found.gate is gate for found in bundle.findings)
                yield from _equal(at[name], "C43", right, f"findings of {gate.value}")
        if not at["findings"].is_list:
            continue
        spots = [each["finding_id"] if each.is_mapping else each for each in at["findings"].items]
        stated = {each.text for each in spots}
        for each in spots:
            if each.text not in own:
                yield broken(each, "C43", f"{each} is not a finding of {gate.value}", "the ids of its findings")
        for gone in sorted(map(str, own - stated))[:20]:
            yield broken(
                at["findings"],
                "C43",
                f"{Spot(gone)} is a finding of {gate.value}, but is not listed",
                "all of its findings",
            )


def check_agent_counts(bundle: Bundle) -> Iterator[Deviation]:
    """A seat's totals add up, and match what it raised if all raised findings are listed (C43)."""
    whole = bundle.at["findings"].is_list and bundle.at["merged_findings"].is_list
    every = (*(found.at for found in bundle.findings), *bundle.merged)
    for agent, spot in bundle.agents.items():
        total, by_severity = spot.first(*TOTALS), spot.first(*BY_SEVERITY)
        if whole and total.given:
            raised = sum(agent_of(each["source_agent"].value) == agent for each in every)
            yield from _equal(total, "C43", raised, f"findings that {agent} raised")
        numbers = [each.whole for name, each in by_severity.entries.items() if Spot(name).word(Severity)]
        summed = sum(number for number in numbers if number is not None)
        if total.whole is not None and numbers and None not in numbers and summed != total.whole:
            says = f"{total} findings of {agent}, and its severities add up to {summed}"
            yield broken(total, "C43", says, str(summed))


def check_cycle_counts(bundle: Bundle) -> Iterator[Deviation]:
    """The findings raised per cycle add up to the total raised (C25)."""
    raised = [each["findings_raised"] for each in bundle.at["cycles"].items]
    numbers = [each.whole for each in raised if each.whole is not None]
    total = bundle.meta["total_findings_generated"].whole
    if numbers and len(numbers) == len(raised) and total is not None and sum(numbers) != total:
        says = f"the cycles raised {sum(numbers)} findings in all"
        yield broken(bundle.at["cycles"], "C25", says, f"{total}, the findings raised")
    every = (*(found.at for found in bundle.findings), *bundle.merged)
    if not bundle.at["merged_findings"].is_list:
        return
    listed = Counter(each["source_cycle"].whole for each in every)
    for each in bundle.at["cycles"].items:
        number = each["cycle_number"].whole
        if number is not None:
            yield from _equal(each["findings_raised"], "C25", listed[number], f"findings of cycle {number}")


def _equal(at: Spot, rule: str, right: int, noun: str) -> Iterator[Deviation]:
    """A number that is given equals `right`."""
    if at.given and at.whole != right:
        yield broken(at, rule, f"{at} {noun}", str(right))
