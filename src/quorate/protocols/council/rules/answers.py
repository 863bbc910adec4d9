"""Counting of answers: who backs or disputes a finding, its severity, its remediations (C15 to C18, C21)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from quorate.core.decisions import Fact
from quorate.core.forms import Key, Keyed
from quorate.core.types import Replies, Seat
from quorate.core.values import replace
from quorate.protocols.council.rules.forms import Answer, Answers, Fix, LastProposals, Proposal, Response
from quorate.protocols.council.rules.merges import agreed_by, backers, worst
from quorate.protocols.council.rules.model import (
    Agreement,
    CouncilSettings,
    Finding,
    Resolution,
    State,
)
from quorate.protocols.council.rules.sameness import take_sameness
from quorate.protocols.council.rules.taxonomy import Severity

Given = Mapping[Seat, Keyed[Answer]]


def to_answer(state: State) -> tuple[Key, ...]:
    """Return the findings every seat is asked about: those open to dispute or in need of a remediation (C15)."""
    return tuple(each.key for each in state.findings if not each.proven or each.grave)


def proposes(proposal: Proposal) -> bool:
    return proposal.fix is not Fix.NONE and not proposal.blank


def take_answers(settings: CouncilSettings, state: State, replies: Replies) -> tuple[State, list[Fact]]:
    """Join what is one, and count the answers: backers, disputers, severity, remediations (C14, C16, C17, C21)."""
    given = {ask.seat: reply.answers for ask, reply in replies if isinstance(reply, Answers)}
    facts = list(_told(state, given))
    after, joined = take_sameness(state, given, 1 if len(state.seats) == 1 else settings.quorum)
    into = {each.gone: each.into for each in after.joined}
    findings = []
    for kept in after.findings:
        own = [each for each in state.findings if into.get(each.key, each.key) == kept.key]
        finding = kept if kept.proven else _answered(settings, after, kept, _stances(state, own, given))
        count = sum(
            proposes(answers[each.key].proposal) for each in own for answers in given.values() if each.key in answers
        )
        findings.append(replace(finding, proposals=count if finding.grave else 0))
    return replace(after, findings=tuple(findings)), [*facts, *joined]


def _told(state: State, given: Given) -> Iterator[Fact]:
    for finding in state.findings:
        for seat, answers in given.items():
            if finding.key in answers:
                said = answers[finding.key]
                counts = Response.ABSTAIN if finding.proven else counts_as(said)
                if finding.proven and said.response not in (Response.DISPUTE, Response.SEVERITY):
                    continue  # it says nothing against what a gate found
                yield Fact.of("answer", key=finding.key, by=seat, said=said.response.value, counts=counts.value)


def counts_as(answer: Answer) -> Response:
    """Return what an answer counts as (C16)."""
    unfounded = answer.response is Response.DISPUTE and answer.unreasoned
    return Response.ABSTAIN if unfounded else answer.response


def _stances(state: State, own: list[Finding], given: Given) -> tuple[dict[Seat, Severity], list[Severity]]:
    """Return who backs any of these findings, at the worst severity it gives one, and those of the disputed ones."""
    held: dict[Seat, Severity] = {}
    disputed: list[Severity] = []
    for finding in own:
        backing = backers(state, finding.key)
        for seat, answers in given.items():
            match counts_as(answers[finding.key]) if finding.key in answers else Response.ABSTAIN:
                case Response.CONFIRM:
                    backing.setdefault(seat, finding.severity)
                case Response.SEVERITY:
                    backing[seat] = answers[finding.key].severity
                case Response.DISPUTE:
                    disputed.append(finding.severity)
                    backing.pop(seat, None)
                case Response.ABSTAIN:
                    pass
        for seat, severity in backing.items():
            held[seat] = worst((held.get(seat, severity), severity))
    return held, disputed


def _answered(
    settings: CouncilSettings, state: State, finding: Finding, stances: tuple[dict[Seat, Severity], list[Severity]]
) -> Finding:
    held, disputed = stances
    if len(state.seats) == 1:  # nobody votes, so the one seat's own answer counts as the vote (C37)
        if not held:
            return replace(finding, resolution=Resolution.DISMISSED)
        return replace(finding, severity=worst((*held.values(), *disputed)))
    severity = worst((finding.severity, *held.values()))
    milder = [each for each in held.values() if each is not severity]
    lower = worst(milder) if milder and severity.at_least(Severity.MAJOR) else None
    doubted = bool(disputed) or len(held) < 2
    return replace(
        finding,
        severity=severity,
        agreement=Agreement.CONTESTED if doubted or lower else agreed_by(state, len(held)),
        doubted=doubted,
        lower=lower,
        lone=severity is Severity.BLOCKER and len(held) == 1 and not settings.literal,
    )


def take_last(state: State, replies: Replies) -> State:
    """Count the remediations of the final attempt (C18)."""
    given = [reply.proposals for _, reply in replies if isinstance(reply, LastProposals)]
    findings = tuple(
        replace(each, proposals=each.proposals + sum(each.key in own and proposes(own[each.key]) for own in given))
        for each in state.findings
    )
    return replace(state, findings=findings)
