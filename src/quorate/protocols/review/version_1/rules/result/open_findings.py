"""The findings that a review leaves open: of the checks, of the committee, and of claims that did not pass.

Whatever was refuted with a quotation (R23) or dismissed is not open. A veto that stands is a CRITICAL finding with its
class (R13, R14), and cannot be dismissed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from quorate.core.forms import Key
from quorate.core.record import Record
from quorate.kit.findings import Finding
from quorate.protocols.review.version_1.rules.forms import ClaimJudgement, ClaimJudgements, Examination
from quorate.protocols.review.version_1.rules.model import CLAIM_SEVERITY, Judgement, VetoClass, claim_keys
from quorate.protocols.review.version_1.rules.receipt import examinations
from quorate.protocols.review.version_1.rules.result.committee_findings import Raised, raised_by_committee
from quorate.protocols.review.version_1.rules.result.overview import Reading


def findings(record: Record) -> tuple[Finding, ...]:
    """Return all open findings, blocking ones first, then by severity; the order is deterministic."""
    return tuple(each.finding for each in Open(Reading(record)).raised)


class Open:
    """Open findings, and those that no longer are."""

    def __init__(self, reading: Reading) -> None:
        gone = reading.dismissed()
        opinions = (*raised_by_committee(reading), *map(Raised, claim_findings(reading)))
        standing = [each for each in opinions if not each.refuted]
        again = [each for each in standing if each.finding.key in gone and not each.finding.veto]
        kept = (each for each in standing if each not in again)
        self.raised = in_order((*map(Raised, proven_findings(reading)), *kept))
        self.dismissed = tuple(each.finding for each in in_order(again))
        """What the committee raised although somebody has dismissed it: not open, and yet it counted."""
        self.refuted = in_order(each for each in opinions if each.refuted)


def in_order(found: Iterable[Raised]) -> tuple[Raised, ...]:
    """Sort findings: blocking ones first, then by severity, then by place."""

    def place(each: Raised) -> tuple[bool, int, str, int, str, str]:
        finding = each.finding
        return not finding.blocking, finding.severity.rank, finding.path, finding.line, finding.rule, finding.key

    return tuple(sorted(found, key=place))


def brought_findings(record: Record) -> tuple[Finding, ...]:
    """Return what the checks found in the change as submitted, before any amendment."""
    first = next((said.reply for said in examinations(record)), None)
    return tuple(proven_by(Reading(record), first)) if isinstance(first, Examination) else ()


def proven_findings(reading: Reading) -> Iterator[Finding]:
    """Yield what the checks found in the current change, without dismissed findings."""
    if reading.examination is not None:
        yield from proven_by(reading, reading.examination)


def proven_by(reading: Reading, examination: Examination) -> Iterator[Finding]:
    """Yield what the checks found in one state of the change."""
    for each in examination.findings:
        veto = "" if each.veto is VetoClass.NONE else each.veto.value
        yield Finding(
            rule=each.rule.text,
            severity=each.severity,
            path=each.path.text,
            line=each.line,
            message=each.message.text,
            evidence=each.evidence.text,
            consequence=each.consequence.text,
            action=each.action.text,
            raised_by=(each.check.text,),
            veto=veto,
            blocking=bool(veto) or reading.settings.blocks(each.severity),
            occurrence=each.occurrence,
            fingerprint=each.fingerprint.text,
        )


def claim_keys_by_rule(reading: Reading) -> dict[str, Key]:
    """Return the keys of the acceptance claims by the rule id each has as a finding."""
    claims = reading.claims()
    return {_rule_of(claim): key for key, claim in zip(claim_keys(len(claims)), claims, strict=True)}


def _rule_of(claim: Mapping[str, Any]) -> str:
    return f"claim/{claim['id']}"


def claim_findings(reading: Reading) -> Iterator[Finding]:
    """Yield an item for each acceptance claim that did not pass (R24)."""
    claims = dict(zip(claim_keys(len(reading.claims())), reading.claims(), strict=True))
    for key, judgement in reading.state.unmet:
        claim, failed = claims[key], judgement is Judgement.FAIL
        against = {seat: each for seat, each in judged(reading, key).items() if each.judgement is judgement}
        yield Finding(
            rule=_rule_of(claim),
            severity=CLAIM_SEVERITY[judgement],
            path="",
            message=f"{'It fails' if failed else 'The evidence is insufficient'}: {claim['claim']}",
            evidence=next((each.observed.text for each in against.values()), ""),
            consequence=f"Expected: {claim['expected']}",
            action=f"{'Make it hold' if failed else 'Bring evidence'}: {claim['observable']}",
            source="claim",
            raised_by=tuple(against),
            blocking=reading.settings.blocks(CLAIM_SEVERITY[judgement]),
        )


def judged(reading: Reading, key: Key) -> dict[str, ClaimJudgement]:
    """Return how each member judged a claim about the current change, by seat; empty before it was judged."""
    rounds = [visit for visit in reading.held if any(said.ask.form is ClaimJudgements for said in visit.said)]
    if not (reading.state.judged and rounds):
        return {}
    given = {said.ask.seat: said.reply for said in rounds[-1].said if isinstance(said.reply, ClaimJudgements)}
    seats = [member.seat for member in reading.state.members if member.seat in given]
    return {str(seat): given[seat].claims[key] for seat in seats if key in given[seat].claims}
