"""Conflict markers that a merge left behind."""

from __future__ import annotations

import re
from collections.abc import Iterator

from quorate.files.places import counted
from quorate.kit.change import Change, ChangedFile
from quorate.kit.check_result import CheckResult
from quorate.kit.findings import Finding, Severity
from quorate.kit.quote import clip, result

NAME = "conflict markers"
_OPENS, _CLOSES = re.compile(r"<{7}(?: |$)"), re.compile(r">{7}(?: |$)")
_PARTS = re.compile(r"={7}\s*$")


def check_conflicts(change: Change) -> CheckResult:
    """Report conflict markers among the added lines: HIGH for a whole conflict, MEDIUM for a marker alone.

    It is no CRITICAL finding: most languages do not even parse such a file, so that it cannot go unnoticed for long.
    """
    findings = [finding for file in change.files for finding in _in_file(file)]
    lines = sum(len(file.added) for file in change.files)
    return result(NAME, counted(lines, "added line"), findings, read=lines)


def _in_file(file: ChangedFile) -> Iterator[Finding]:
    opened: int | None = None
    parted = False
    for number in sorted(file.added):
        text = file.added[number].rstrip("\r")
        if _OPENS.match(text):
            if opened is not None:
                yield _finding(file, opened, Severity.MEDIUM, "a conflict marker is left behind")
            opened, parted = number, False
        elif _PARTS.match(text) and opened is not None:
            parted = True  # alone it underlines a heading
        elif _CLOSES.match(text):
            if opened is not None and parted:
                yield _finding(file, opened, Severity.HIGH, f"an unresolved conflict, down to line {number}")
            else:
                yield _finding(file, opened or number, Severity.MEDIUM, "a conflict marker is left behind")
            opened = None
    if opened is not None:
        yield _finding(file, opened, Severity.MEDIUM, "a conflict marker is left behind")


def _finding(file: ChangedFile, line: int, severity: Severity, message: str) -> Finding:
    return Finding(
        rule="conflicts/marker",
        severity=severity,
        path=file.path,
        line=line,
        message=message,
        evidence=clip(file.added[line]),
        consequence="Both sides of a merge stand in the file, and neither works.",
        action="Resolve the conflict and remove the markers.",
    )
