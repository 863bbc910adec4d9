"""Reporting files that no check could read or no reviewer is shown, since the unseen must not be approved."""

from __future__ import annotations

from dataclasses import replace

from quorate.files.guarded_names import ALLOWED
from quorate.files.places import counted
from quorate.kit.change import Change, Why
from quorate.kit.check_result import CheckResult, CheckStatus
from quorate.kit.findings import Finding, Severity
from quorate.kit.quote import result
from quorate.protocols.review.world.change.file_order import FileKind, kind_of, unshown

NAME = "coverage"
UNREAD = (Why.BINARY, Why.TOO_LARGE, Why.UNREADABLE)
WRITTEN = (FileKind.SOURCE, FileKind.TEST, FileKind.CONFIGURATION)


def check_coverage(change: Change) -> CheckResult:
    """Report files that are code or settings by their name that nobody could read, or only code could; MEDIUM."""
    read = {file.path for file in change.files}
    unread = [left for left in change.left_out if left.path not in read and left.why in UNREAD]
    findings = [
        Finding(
            "coverage/unread",
            Severity.MEDIUM,
            left.path,
            message=f"no check could read it: {left.why.value}",
            evidence=left.detail,
            consequence="Whatever stands in it goes in unseen.",
            action="Write it as text in UTF-8 of less than a megabyte, or have a person look at it.",
        )
        for left in unread
        if kind_of(left.path) in WRITTEN
    ]
    findings += [
        Finding(
            "coverage/unshown",
            Severity.MEDIUM,
            left.path,
            message="only the checks have read it: by its name it holds secrets",
            evidence=left.detail,
            consequence="A change of its settings goes in without a reviewer's eye.",
            action=f"Have a person look at it, or name it in {ALLOWED} where it holds no secret.",
        )
        for left in change.left_out
        if left.why is Why.GUARDED
    ]
    told = result(
        NAME, f"{counted(len(read), 'file')} could be read, {len(unread)} could not", findings, read=len(read)
    )
    return without(told, len(unshown(change)), "more or larger than can be put before a committee")


def without(told: CheckResult, files: int, why: str) -> CheckResult:
    """Return the result of the check with `files` files shown to nobody, which makes it fail (R33)."""
    if not files:
        return told
    reason = f"{told.reason}; {counted(files, 'file')} shown to nobody: {why}"
    return replace(told, status=CheckStatus.FAIL, reason=reason)
