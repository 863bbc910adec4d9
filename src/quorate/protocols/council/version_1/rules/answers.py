"""Counting of answers: who backs or disputes a finding, its severity, its remediations (C15 to C18, C21)."""

from __future__ import annotations

from collections.abc import Mapping

from quorate.core.decisions import Fact
from quorate.core.forms import Key
from quorate.core.types import Replies, Seat
from quorate.core.values import replace
from quorate.protocols.council.version_1.rules.forms import Answer, Answers, Fix, LastProposals, Proposal, Response
from quorate.protocols.council.version_1.rules.merges import agreed_by, backers, median
from quorate.protocols.council.version_1.rules.model import Agreement, Finding, Resolution, State
from quorate.protocols.council.version_1.rules.taxonomy import Severity


def to_answer(state: State) -> tuple[Key, ...]:
    """Return the findings every seat is asked about: those open to dispute or in need of a remediation (C15)."""
    return tuple(each.key for each in state.findings if not each.proven or each.grave)


def proposes(proposal: Proposal) -> bool:
    return proposal.fix is not Fix.NONE and not proposal.blank


def take_answers(state: State, replies: Replies) -> tuple[State, list[Fact]]:
    """Count the answers: backers, disputers, severity and number of remediations (C16, C17, C21)."""
    given = {ask.seat: reply.answers for ask, reply in replies if isinstance(reply, Answers)}
    findings, facts = [], []
    for before in state.findings:
        answers = {seat: each[before.key] for seat, each in given.items() if before.key in each}
        finding = before if before.proven else _answered(state, before, answers)
        if not before.proven:
            facts += [
                Fact.of("answer", key=before.key, by=seat, said=each.response.value, counts=counts_as(each).value)
                for seat, each in answers.items()
            ]
        count = sum(proposes(each.proposal) for each in answers.values()) if finding.grave else 0
        findings.append(replace(finding, proposals=count))
    return replace(state, findings=tuple(findings)), facts


def counts_as(answer: Answer) -> Response:
    """Return what an answer counts as (C16)."""
    unfounded = answer.response is Response.DISPUTE and answer.unreasoned
    return Response.ABSTAIN if unfounded else answer.response


def _answered(state: State, finding: Finding, answers: Mapping[Seat, Answer]) -> Finding:
    held, disputed = backers(state, finding.key), False
    for seat, answer in answers.items():
        match counts_as(answer):
            case Response.CONFIRM:
                held.setdefault(seat, finding.severity)
            case Response.SEVERITY:
                held[seat] = answer.severity
            case Response.DISPUTE:
                disputed = True
                held.pop(seat, None)
            case Response.ABSTAIN:
                pass
    severity = median(held.values()) if held else finding.severity
    if len(state.seats) == 1:  # nobody votes, so what the one seat gives up is dismissed (C37)
        resolution = finding.resolution if held else Resolution.DISMISSED
        return replace(finding, severity=severity, resolution=resolution)
    agreement = agreed_by(state, len(held))
    if disputed or len(held) <= 1:
        agreement = Agreement.CONTESTED
    lone = severity is Severity.BLOCKER and len(held) == 1
    return replace(finding, severity=severity, agreement=agreement, lone=lone)


def take_last(state: State, replies: Replies) -> State:
    """Count the remediations of the final attempt (C18)."""
    given = [reply.proposals for _, reply in replies if isinstance(reply, LastProposals)]
    findings = tuple(
        replace(each, proposals=each.proposals + sum(each.key in own and proposes(own[each.key]) for own in given))
        for each in state.findings
    )
    return replace(state, findings=findings)
