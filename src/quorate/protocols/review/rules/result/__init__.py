"""The result of a review: the verdict's grounds, the committee's votes, open findings, and coverage."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from quorate.core.record import Record
from quorate.kit.findings import Finding
from quorate.protocols.review.rules.ballot_count import UNGROUNDED, blocking_items
from quorate.protocols.review.rules.fates import WITHHELD, became_of_items
from quorate.protocols.review.rules.model import CLAIM_SEVERITY, Outcome, claim_keys
from quorate.protocols.review.rules.receipt import agreement, amendments, under_review
from quorate.protocols.review.rules.result.committee_findings import Raised
from quorate.protocols.review.rules.result.fixes import fix_requests, type_of
from quorate.protocols.review.rules.result.grounds import grounds, heading, warnings
from quorate.protocols.review.rules.result.log import deliberation
from quorate.protocols.review.rules.result.offers import compromises
from quorate.protocols.review.rules.result.open_findings import Open, findings, judged
from quorate.protocols.review.rules.result.overview import Overview
from quorate.protocols.review.rules.result.receipts import coverage, parts_read
from quorate.protocols.review.rules.result.terminal import show
from quorate.protocols.review.rules.result.votes import committee, election, tallies

__all__ = ["findings", "result", "show"]


def result(record: Record) -> dict[str, Any]:
    """Return the result as plain data."""
    reading = Overview(record)
    opened, conclusion = Open(reading), record.session.conclusion
    fixes = fix_requests(opened.raised)
    numbers = {key: fix["id"] for fix in fixes for key in fix["keys"]}
    return {
        "round": reading.state.round,
        "verdict": conclusion.verdict.name if conclusion else None,
        "grounds": grounds(reading, opened),
        "heading": heading(reading),
        "warnings": warnings(reading, opened),
        "election": election(reading),
        "committee": committee(reading),
        "checks": _checks(reading),
        "tallies": tallies(reading),
        "fixes": fixes,
        "notes": [_finding(each) for each in opened.raised if _is_note(each)],
        "findings": [{"id": numbers.get(each.finding.key), **_finding(each)} for each in opened.raised],
        "ungrounded": [_finding(each) for each in opened.raised if each.became == UNGROUNDED],
        "withheld": [_finding(each) for each in opened.raised if each.became == WITHHELD],
        "refuted": [_finding(each) for each in opened.refuted],
        "ended": [_finding(each) for each in opened.ended if not each.refuted],
        "dismissed_again": [_finding(Raised(each)) for each in opened.dismissed],
        "claims": list(_claims(reading)),
        "compromises": compromises(reading),
        "amendments": amendments(record),
        "agreement": _agreement(reading),
        **({"style": reading.settings.style.value} if reading.settings.narrow else {}),
        "receipt": coverage(reading),
        "log": deliberation(reading),
    }


def _checks(reading: Overview) -> dict[str, Any]:
    """Return the overall result of the checks, and each check's."""
    ran = reading.receipt.get("checks", [])
    return {"result": reading.state.checked.value, "ran": [dict(each) for each in ran]}


def _is_note(raised: Raised) -> bool:
    return not raised.finding.blocking and raised.became != UNGROUNDED


def _finding(raised: Raised) -> dict[str, Any]:
    finding: Finding = raised.finding
    told = asdict(finding) | {"severity": finding.severity.value, "raised_by": list(finding.raised_by)}
    added = {"key": finding.key, "type": type_of(finding), "standing": raised.standing, "doubt": raised.doubt}
    added |= {"item": raised.id, "became": raised.became}
    return {**told, **added}


def _claims(reading: Overview) -> Iterator[dict[str, Any]]:
    """Yield every acceptance claim with its judgement; None if nobody was asked (R24)."""
    unmet = dict(reading.state.unmet)
    for key, claim in zip(claim_keys(len(reading.claims())), reading.claims(), strict=True):
        worst = unmet[key].name.replace("_", "-") if key in unmet else "PASS" if reading.state.judged else None
        by = {seat: each.judgement.name.replace("_", "-") for seat, each in judged(reading, key).items()}
        severity = CLAIM_SEVERITY[unmet[key]].value if key in unmet else None
        yield {**claim, "key": str(key), "judgement": worst, "severity": severity, "by": by}


def _agreement(reading: Overview) -> Mapping[str, Any] | None:
    """Return the agreement: the chair's words, or the mechanical synthesis of the ballots (R25, R26)."""
    moves = [move for visit in reading.visits for move in visit.moves]
    if not any(move.outcome in (Outcome.AGREED, Outcome.QUORUM_MET) for move in moves):
        return None
    written = agreement(reading.record)
    if written is not None:
        steps = [each.text for each in written.next_steps]
        return {"by": "chair", "text": written.agreement.text, "next_steps": steps}
    return {"by": "code", "text": _synthesis(reading), "next_steps": []}


def _synthesis_of_answers(reading: Overview) -> str:
    parts, raised = list(parts_read(reading)), became_of_items(reading.record)
    read, fates = sum(part["read"] for part in parts), Counter(raised.values())
    told = ", ".join(f"{count} {became}" for became, count in fates.items()) or "none"
    return f"Hunks answered for: {read} of {len(parts)}.\nHits: {told}."


def _synthesis(reading: Overview) -> str:
    """Return a mechanical synthesis of the typed ballots, or of the answers of a narrow review (R53)."""
    if reading.settings.narrow:
        return _synthesis_of_answers(reading)
    tally = tallies(reading)[-1]
    stances = "; ".join(f"{each['seat']}: {each['counts'].upper()}" for each in tally["ballots"])
    now = under_review(reading.record)
    remain = blocking_items(reading.state)
    items = [f"{item.rule.value} in {now.name(item.path)} ({item.severity.name})" for item in remain]
    remaining = ", ".join(items) if items else "none"
    return f"Round {tally['round']}: {tally['arithmetic']}.\nVotes: {stances}.\nFix items of members: {remaining}."
