"""How a council concludes: whether it agreed, and the verdict on what is left (C30 to C32)."""

from __future__ import annotations

from quorate.core.decisions import Test, compare, otherwise
from quorate.protocols.council.rules.model import (
    REMAINING,
    CouncilSettings,
    Finding,
    Outcome,
    Resolution,
    State,
    Verdict,
)
from quorate.protocols.council.rules.taxonomy import Severity

SEATS_IN_DOUBT = 2
"""Seats in doubt that leave an approval to a person; where one sits alone, one (C32)."""


def agreement_tests(settings: CouncilSettings, state: State) -> tuple[Test, ...]:
    """Return the tests of whether the council agreed (C30)."""
    least = settings.deadlock_min_severity
    stuck = sum(each.resolution is Resolution.DEADLOCKED and each.severity.at_least(least) for each in state.findings)
    stranded = sum(map(_is_stranded, state.findings)) if len(state.seats) > 1 else 0
    return (
        compare("C30", Outcome.DEADLOCK, ("findings without a quorum", stuck), ">=", 1),
        compare("C30", Outcome.DEADLOCK, ("BLOCKERs upheld with no agreed remediation", stranded), ">=", 1),
        otherwise("C31", Outcome.CONSENSUS),
    )


def _is_stranded(finding: Finding) -> bool:
    """Return whether a BLOCKER raised by seats is upheld without a remediation backed by a quorum (C30)."""
    return not finding.proven and finding.severity is Severity.BLOCKER and finding.resolution is Resolution.UPHELD


def verdict_of(settings: CouncilSettings, state: State) -> Verdict:
    """Return the verdict on what is left, once the council agreed (C31, C32)."""
    left = [each for each in state.findings if each.resolution in REMAINING]
    majors = [each for each in left if each.severity is Severity.MAJOR]
    open_majors = [each for each in majors if each.resolution is Resolution.UPHELD]
    if any(each.severity is Severity.BLOCKER for each in left) or open_majors:
        return Verdict.REJECTED
    if len(majors) > settings.most_majors:
        return Verdict.REJECTED
    if sum(each.low for each in state.seats) >= min(SEATS_IN_DOUBT, len(state.seats)):
        return Verdict.NEEDS_ADJUDICATION
    return Verdict.APPROVED_WITH_REMEDIATION if majors else Verdict.APPROVED
