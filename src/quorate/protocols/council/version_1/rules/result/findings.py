"""The findings of a bundle: place, sources, supporters, decision and remediation."""

from __future__ import annotations

import re
from typing import Any

from quorate.core.forms import Key
from quorate.core.types import Seat
from quorate.protocols.council.version_1.rules.forms import GateFinding, Response, Vote
from quorate.protocols.council.version_1.rules.history import Raising
from quorate.protocols.council.version_1.rules.model import REVIEWERS, Finding, Resolution
from quorate.protocols.council.version_1.rules.result.overview import Reading
from quorate.protocols.council.version_1.rules.taxonomy import dedup_key, location_type, recurrence_key

BY_GATE = "gate"
"""How a bundle names the gates as a source."""
MOST_ID = 60
_ODD = re.compile(r"[^A-Za-z0-9._-]+")
IN_CONSENSUS = {
    Resolution.UPHELD: True,
    Resolution.REMEDIATION_AGREED: True,
    Resolution.REMEDIATED: True,
    Resolution.DISMISSED: False,
    Resolution.DEADLOCKED: None,
    Resolution.OPEN: None,
}
"""C26."""


def plain_id(reading: Reading) -> str:
    """Return the RFC's id as used within other ids: only letters, digits, dots and dashes."""
    return _ODD.sub("-", reading.rfc.id)[:MOST_ID].strip("-") or "RFC"


def finding_id(reading: Reading, key: Key) -> str:
    """Return a finding's id in the bundle: `F7` of RFC-0042 is FND-RFC-0042-007."""
    return f"FND-{plain_id(reading)}-{int(key[1:]):03}"


def findings(reading: Reading) -> list[dict[str, Any]]:
    """Return every finding that was not merged into another, in order of number."""
    return [_finding(reading, each) for each in reading.state.findings]


def merged_findings(reading: Reading) -> list[dict[str, Any]]:
    """Return every merged finding, with what it was merged into and who raised it."""
    return [
        {
            "finding_id": finding_id(reading, key),
            "merged_into": finding_id(reading, into),
            "how": how,
            **_source(reading, reading.raisings[key]),
            "category": reading.raisings[key].subcategory.category.value,
            "subcategory": reading.raisings[key].subcategory.value,
            "severity": reading.raisings[key].severity.value,
            "description": reading.raisings[key].description,
        }
        for key, (into, how) in sorted(reading.merges.items(), key=lambda item: int(item[0][1:]))
    ]


def _finding(reading: Reading, finding: Finding) -> dict[str, Any]:
    key, kind = finding.key, finding.subcategory
    held = reading.sources[key]
    own, supporting, dissenting = held[0], *positions(reading, key)
    return {
        "finding_id": finding_id(reading, key),
        "gate_id": kind.gate.value,
        "category": kind.category.value,
        "subcategory": kind.value,
        "severity": finding.severity.value,
        "default_severity": kind.default.value,
        "severity_reason": _severity_reason(reading, finding),
        "location": _location(reading, finding, own),
        "description": own.description,
        "evidence": own.evidence,
        "remediation": remediation(reading, finding, own),
        "signature": recurrence_key(kind, finding.place),
        "dedup_key": dedup_key(kind, reading.rfc.name(finding.place), finding.field),
        "origin": BY_GATE if finding.proven else "seat",
        **_source(reading, own),
        "source_agents": list(dict.fromkeys(_agent(each) for each in held)),
        "agreement_status": finding.agreement.value,
        "in_consensus": IN_CONSENSUS[finding.resolution],
        "resolution": finding.resolution.value,
        "supporting_agents": supporting,
        "dissenting_agents": dissenting,
        "dissent_rationale": {seat: _rationale(reading, key, Seat(seat)) for seat in dissenting},
        "votes": reading.votes(key),
        "lone": key in reading.lone,
        "refuted": bool(reading.standings.get(key, {}).get("refuted", False)),
        "merged_from": [finding_id(reading, each.key) for each in held[1:]],
    }


def _agent(raising: Raising) -> str:
    return BY_GATE if raising.proven else str(raising.by)


def _source(reading: Reading, raising: Raising) -> dict[str, Any]:
    mode = reading.mode_of(raising)
    return {
        "source_agent": _agent(raising),
        "source_cycle": raising.cycle,
        "source_mode": mode.id if mode else None,
        "source_mode_name": mode.name if mode else None,
    }


def _location(reading: Reading, finding: Finding, own: Raising) -> dict[str, Any]:
    """Return a finding's location: as a gate reported it, or looked up from a seat's place and field (C28)."""
    said = own.said
    if isinstance(said, GateFinding):
        file, line, yaml_path = said.file.text, said.line, said.yaml_path.text
    else:
        where = reading.rfc.where(finding.place, finding.field)
        file, line, yaml_path = where.file, where.line, where.yaml_path
    ticket = reading.rfc.name(finding.place) if finding.place.startswith("T") else None
    kind = location_type(finding.place, finding.subcategory.gate)
    return {
        "file": file,
        "line": line,
        "yaml_path": yaml_path,
        "type": kind,
        "ticket": ticket,
        "place": reading.rfc.name(finding.place),
        "field": finding.field.value,
    }


def remediation(reading: Reading, finding: Finding, own: Raising) -> str | None:
    """Return the agreed remediation, or the gate's suggested action; None if there is neither."""
    for key, each in reading.proposals.items():
        if each.finding == finding.key and reading.agreed(key):
            return each.proposal.remediation.text
    said = own.said
    return (said.action.text or None) if isinstance(said, GateFinding) else None


def positions(reading: Reading, key: Key) -> tuple[list[str], list[str]]:
    """Return the seats for and against a finding, by what each said last: raised it, answered, voted."""
    holds: dict[Seat, bool | None] = {each.by: True for each in reading.sources[key] if not each.proven}
    for seat, counts in reading.counted.get(key, {}).items():
        if counts in (Response.CONFIRM.value, Response.SEVERITY.value):
            holds[seat] = True
        elif counts == Response.DISPUTE.value:
            holds[seat] = False
    by_vote = {Vote.SUPPORT.value: True, Vote.OPPOSE.value: False, Vote.ABSTAIN.value: None}
    holds |= {Seat(seat): by_vote[vote] for seat, vote in reading.votes(key).items()}
    return (
        [str(seat) for seat in REVIEWERS if holds.get(seat) is True],
        [str(seat) for seat in REVIEWERS if holds.get(seat) is False],
    )


def _rationale(reading: Reading, key: Key, seat: Seat) -> str:
    """Return why a seat dissents, in its own words: from its vote, or from its answer if it did not oppose."""
    ballot = reading.ballots.get(key, {}).get(seat)
    if ballot is not None and ballot.rationale.text.strip():
        return ballot.rationale.text
    answer = reading.answers.get(key, {}).get(seat)
    return answer.reason.text if answer is not None else ""


def _severity_reason(reading: Reading, finding: Finding) -> str:
    """Return why the severity differs from the subcategory's default; empty if it does not (C17)."""
    if finding.severity is finding.subcategory.default:
        return ""
    if finding.proven:
        return "the gate gives this case another severity"
    said = {each.by: f"{each.by} raised it as {each.severity.value}" for each in reading.sources[finding.key]}
    for seat, counts in reading.counted.get(finding.key, {}).items():
        if counts == Response.SEVERITY.value:
            said[seat] = f"{seat} holds {reading.answers[finding.key][seat].severity.value} right"
    return f"the median of those who hold it true (C17): {', '.join(said[seat] for seat in sorted(said))}"
