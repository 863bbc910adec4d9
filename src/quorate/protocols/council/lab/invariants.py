"""Red-team invariants of the council: gates cannot be outvoted, dismissals have a quorum, nothing is lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from quorate.core.forms import Key
from quorate.core.record import Said
from quorate.lab.redteam.broken import Broken, Guarantee
from quorate.lab.redteam.case_run import Observed
from quorate.protocols.council.rules.conclusion import too_many
from quorate.protocols.council.rules.forms import Ballots, GateReport, Vote
from quorate.protocols.council.rules.model import APPROVALS, REMAINING, Resolution, State
from quorate.protocols.council.rules.taxonomy import Severity
from quorate.protocols.council.rules.votes import Count, Standing


def broken(seen: Observed) -> Iterator[Broken]:
    """Yield every invariant that the observed council broke."""
    state: State = seen.record.session.state
    conclusion = seen.record.session.conclusion
    reports = [line.reply for line in seen.record.log if isinstance(line, Said) and isinstance(line.reply, GateReport)]
    joined, left = len(state.joined), len(state.findings)
    if state.raised != joined + left:
        yield Broken(Guarantee.LEDGER, f"{state.raised} raised, {joined} joined to others, {left} in the ledger")
    yield from _proven(state, reports)
    yield from _dismissed(seen, state)
    if conclusion is None or conclusion.verdict not in APPROVALS:
        return
    if not reports:
        yield Broken(Guarantee.PROVEN, "approved without a report of the gates")
    for report in reports:
        for found in report.findings:
            if found.severity is Severity.BLOCKER:
                yield Broken(Guarantee.PROVEN, f"approved although a gate found {found.subcategory.value}")
    remaining = [each for each in state.findings if each.resolution in REMAINING]
    for each in remaining:
        if each.severity is Severity.BLOCKER:
            yield Broken(Guarantee.THRESHOLDS, f"approved with the BLOCKER {each.key} upheld")
    majors = sum(each.severity is Severity.MAJOR for each in remaining)
    if too_many(majors, seen.record.opening.settings["most_majors"]):
        yield Broken(Guarantee.THRESHOLDS, f"approved with {majors} MAJOR findings")


def _proven(state: State, reports: list[GateReport]) -> Iterator[Broken]:
    """Everything a gate found remains and is upheld (C9)."""
    proven = [each for each in state.findings if each.proven]
    found = sum(len(report.findings) for report in reports[:1])
    if len(proven) != found and state.findings:
        yield Broken(Guarantee.LEDGER, f"the gates found {found}, the ledger has {len(proven)} of them")
    for each in proven:
        if each.resolution in (Resolution.DISMISSED, Resolution.DEADLOCKED, Resolution.MERGED):
            yield Broken(Guarantee.PROVEN, f"what a gate found ({each.key}) is {each.resolution.name}")


def _dismissed(seen: Observed, state: State) -> Iterator[Broken]:
    """A dismissed finding has a quorum of different seats against it (C22)."""
    against: Counter[Key] = Counter()
    for line in seen.record.log:
        if isinstance(line, Said) and isinstance(line.reply, Ballots):
            against.update(key for key, ballot in line.reply.votes.items() if ballot.vote is Vote.OPPOSE)
    quorum = seen.record.opening.settings["quorum"]
    for each in state.findings:
        opposed = Count(0, against[each.key], 0, True).standing(quorum, 0) is Standing.OPPOSED
        if each.resolution is Resolution.DISMISSED and not opposed:
            yield Broken(Guarantee.THRESHOLDS, f"{each.key} is dismissed with {against[each.key]} of {quorum} votes")
