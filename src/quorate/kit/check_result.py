"""The interface of deterministic checks: a change in, a result with typed findings out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from quorate.kit.change import Change
from quorate.kit.findings import Finding


class CheckStatus(Enum):
    PASS = "pass"  # noqa: S105 - a result
    FAIL = "fail"
    SKIP = "skip"


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of one check. It fails if it found anything; a skipped one says why."""

    check: str
    status: CheckStatus
    reason: str
    """What was looked at, or why nothing was, in a sentence."""
    findings: tuple[Finding, ...] = ()


Check = Callable[[Change], CheckResult]
"""A check never executes the change, never raises for what stands in it, and never lets a secret out."""


def passed(check: str, reason: str) -> CheckResult:
    return CheckResult(check, CheckStatus.PASS, reason)


def skipped(check: str, reason: str) -> CheckResult:
    return CheckResult(check, CheckStatus.SKIP, reason)


def found(check: str, reason: str, findings: tuple[Finding, ...]) -> CheckResult:
    """Return a failure, or a pass if there are no findings."""
    return CheckResult(check, CheckStatus.FAIL if findings else CheckStatus.PASS, reason, findings)
