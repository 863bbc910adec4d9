"""Checks of the fields: present fields have the right type, and missing ones are noted once (C43)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum

from quorate.kit.untrusted_value import NOTHING, Spot, many
from quorate.protocols.council.audit.deviation import Deviation, broken, missing
from quorate.protocols.council.audit.read import Bundle


class FieldType(Enum):
    TEXT = "a text"
    WHOLE = "a whole number"
    FLAG = "true or false"
    LIST = "a list"
    MAPPING = "a mapping"
    ANY = "anything"


_T, _W, _F, _L, _M, _A = (
    FieldType.TEXT,
    FieldType.WHOLE,
    FieldType.FLAG,
    FieldType.LIST,
    FieldType.MAPPING,
    FieldType.ANY,
)
Fields = Mapping[str, tuple[FieldType, str | None]]
"""Field -> its type, and the rule that cannot be checked without it; None where nothing hangs on it."""

TOP: Fields = {
    "schema_version": (_T, "C43"),
    "rfc_id": (_T, None),
    "rfc_version": (_T, "C1"),
    "review_timestamp": (_T, "C43"),
    "review_depth": (_T, "C44"),
    "terminal_state": (_T, "C2"),
    "verdict": (_T, None),
    "verdict_reason": (_T, "C31"),
    "degraded": (_F, "C36"),
    "degraded_reason": (_T, None),
    "gates": (_L, None),
    "findings": (_L, None),
    "merged_findings": (_L, "C25"),
    "remediations": (_L, "C25"),
    "consensus_findings": (_L, "C26"),
    "deadlocked_findings": (_L, "C30"),
    "escalation_target": (_T, None),
    "partial_findings": (_L, None),
    "abort_reason": (_T, None),
    "cycles": (_L, None),
    "rulings": (_L, None),
    "covered": (_F, None),
    "unshown": (_L, None),
    "refused": (_W, None),
    "warnings": (_L, None),
    "artifacts": (_M, "C13"),
    "budget": (_M, None),
    "council_metadata": (_M, "C43"),
    "seal": (_M, None),
}
META: Fields = {
    "session_id": (_T, "C43"),
    "subagents": (_L, "C1"),
    "mode_selection_validation": (_M, "C4"),
    "cycles_completed": (_W, "C2"),
    "total_findings_generated": (_W, "C25"),
    "findings_after_dedup": (_W, "C43"),
    "contested_items_resolved": (_W, "C43"),
    "quorum_achieved": (_F, "C22"),
    "tokens_consumed": (_W, "C35"),
    "episodes_consumed": (_W, "C34"),
    "findings_by_severity": (_M, None),
    "resolutions": (_M, "C25"),
}
AGENT: Fields = {
    "agent_id": (_T, "C1"),
    "emergent_role": (_T, "C43"),
    "selected_modes": (_A, "C3"),
    "lost": (_F, "C36"),
}
GATE: Fields = {
    "gate_id": (_T, "C7"),
    "type": (_T, "C8"),
    "status": (_T, "C10"),
    "findings": (_A, "C43"),
}
FINDING: Fields = {
    "finding_id": (_T, "C43"),
    "gate_id": (_T, "C7"),
    "category": (_T, "C27"),
    "subcategory": (_T, "C27"),
    "severity": (_T, "C17"),
    "severity_reason": (_T, None),
    "location": (_A, "C28"),
    "description": (_T, "C13"),
    "remediation": (_A, None),
    "signature": (_T, "C27"),
    "dedup_key": (_T, "C27"),
    "origin": (_T, "C9"),
    "source_agent": (_T, "C13"),
    "source_agents": (_L, None),
    "source_cycle": (_W, "C13"),
    "source_mode": (_A, "C6"),
    "agreement_status": (_T, "C21"),
    "in_consensus": (_F, "C26"),
    "resolution": (_T, "C25"),
    "supporting_agents": (_L, None),
    "dissenting_agents": (_L, None),
    "votes": (_A, None),
    "severity_votes": (_A, None),
    "refuted": (_F, None),
    "merged_from": (_L, None),
}
NEEDED = ("rfc_id", "gates", "findings")
"""Without these it is no review; a missing verdict is told by the check of the verdict."""


def check_fields(bundle: Bundle) -> Iterator[Deviation]:
    """The fields of the bundle and of its metadata."""
    at = bundle.at
    if not at.is_mapping:
        yield broken(at, "C43", f"{at} is not a council bundle", "a mapping with verdict, gates and findings")
        return
    for name in NEEDED:
        if not at[name].given:
            yield broken(at[name], "C43", f"{name} is missing", TOP[name][0].value)
    for name, (kind, rule) in TOP.items():
        yield from _field(at[name], kind, None if name == "council_metadata" and bundle.alone else rule)
    if bundle.meta.is_mapping:
        for name, (kind, rule) in META.items():
            yield from _field(bundle.meta[name], kind, rule)


def _field(at: Spot, kind: FieldType, rule: str | None) -> Iterator[Deviation]:
    if at.value is NOTHING:
        if rule is not None:
            yield missing(at, rule, "not recorded", kind.value)
    elif not _is(at, kind):
        yield broken(at, "C43", f"{at} is not {kind.value}", kind.value)


def _is(at: Spot, kind: FieldType) -> bool:
    """Return whether a value is of a type; null is of every type."""
    if not at.given:
        return True
    match kind:
        case FieldType.TEXT:
            return at.text is not None
        case FieldType.WHOLE:
            return at.whole is not None
        case FieldType.FLAG:
            return at.flag is not None
        case FieldType.LIST:
            return at.is_list
        case FieldType.MAPPING:
            return at.is_mapping
        case FieldType.ANY:
            return True


def check_entries(bundle: Bundle) -> Iterator[Deviation]:
    """The fields of findings, gates and seats; a field that several lack is noted once."""
    lists = (
        (bundle.at["findings"], FINDING, "finding"),
        (bundle.at["gates"], GATE, "gate"),
        (bundle.meta["subagents"], AGENT, "seat"),
    )
    for at, fields, noun in lists:
        for each in at.items:
            if not each.is_mapping:
                yield broken(each, "C43", f"{each} is not a {noun}", "a mapping")
        entries = [each for each in at.items if each.is_mapping]
        for name, (kind, rule) in fields.items():
            spots = [each[name] for each in entries]
            lacking = sum(spot.value is NOTHING for spot in spots)
            if lacking and rule is not None:
                says = f"not recorded for {lacking} of {many(len(entries), noun)}"
                yield missing(at[name], rule, says, kind.value)
            for spot in spots:
                if not _is(spot, kind):
                    yield broken(spot, "C43", f"{spot} is not {kind.value}", kind.value)
    for name in ("merged_findings", "remediations", "cycles", "rulings"):
        for each in bundle.at[name].items:
            if not each.is_mapping:
                yield broken(each, "C43", f"{each} is not an entry of {name}", "a mapping")
