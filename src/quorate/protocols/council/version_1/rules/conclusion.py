"""How a council concludes: whether it agreed, the verdict on what is left, and too few seats (C30 to C32, C36)."""

from __future__ import annotations

from quorate.core.decisions import Test, compare, otherwise
from quorate.protocols.council.version_1.rules.model import (
    REMAINING,
    CouncilSettings,
    Outcome,
    Resolution,
    State,
    Verdict,
)
from quorate.protocols.council.version_1.rules.taxonomy import Severity

SEATS_IN_DOUBT = 2
"""Seats in doubt that leave an approval to a person; where one sits alone, one (C32)."""


def agreement_tests(settings: CouncilSettings, state: State) -> tuple[Test, ...]:
    """Return the tests of whether the council agreed (C30)."""
    least = settings.deadlock_min_severity
    stuck = sum(each.resolution is Resolution.DEADLOCKED and each.severity.at_least(least) for each in state.findings)
    raised = state.findings if len(state.seats) > 1 else ()
    stranded = sum(is_stranded(each.proven, each.severity, each.resolution) for each in raised)
    return (
        compare("C30", Outcome.DEADLOCK, ("findings without a quorum", stuck), ">=", 1),
        compare("C30", Outcome.DEADLOCK, ("BLOCKERs upheld with no agreed remediation", stranded), ">=", 1),
        otherwise("C31", Outcome.CONSENSUS),
    )


def is_stranded(proven: bool, severity: Severity | None, resolution: Resolution | None) -> bool:
    """Return whether a BLOCKER raised by seats is upheld without a remediation backed by a quorum (C30)."""
    return not proven and severity is Severity.BLOCKER and resolution is Resolution.UPHELD


def too_many(majors: int, most: int) -> bool:
    """Return whether these are more MAJOR findings than an approval may leave to be remedied (C31)."""
    return majors > most


def too_doubtful(in_doubt: int, seats: int) -> bool:
    """Return whether with this many seats in doubt an approval is left to a person (C32)."""
    return in_doubt >= min(SEATS_IN_DOUBT, seats)


def too_few(active: int, needed: int) -> Test:
    """Return the test of whether too few seats are left to go on (C36)."""
    return compare("C36", Outcome.INSUFFICIENT_AGENTS, ("active seats", active), "<", ("quorum", needed))


def verdict_of(settings: CouncilSettings, state: State) -> Verdict:
    """Return the verdict on what is left, once the council agreed (C31, C32)."""
    left = [each for each in state.findings if each.resolution in REMAINING]
    majors = [each for each in left if each.severity is Severity.MAJOR]
    open_majors = [each for each in majors if each.resolution is Resolution.UPHELD]
    if any(each.severity is Severity.BLOCKER for each in left) or open_majors:
        return Verdict.REJECTED
    if too_many(len(majors), settings.most_majors):
        return Verdict.REJECTED
    if too_doubtful(sum(each.low for each in state.seats), len(state.seats)):
        return Verdict.NEEDS_ADJUDICATION
    return Verdict.APPROVED_WITH_REMEDIATION if majors else Verdict.APPROVED
