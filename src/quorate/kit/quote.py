"""Findings as a check reports them: evidence quoted within bounds, duplicates numbered, the worst first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from quorate.kit.change import ChangedFile
from quorate.kit.check_result import CheckResult, found, skipped
from quorate.kit.findings import MOST_ALIKE, Finding

MOST_QUOTED = 200
MOST_FINDINGS = 200
"""Findings that one check lists; the worst are kept, and the reason says how many are not listed."""


def clip(text: str, most: int = MOST_QUOTED) -> str:
    """Return a text on one line, without control characters, shortened if it is too long."""
    line = " ".join(text[: most * 8].split())
    line = "".join(character for character in line if character.isprintable())
    return line if len(line) <= most and len(text) <= most * 8 else line[: most - 1] + "…"


def quoted(file: ChangedFile, line: int, last: int = 0) -> str:
    """Quote a line of the file as it is after the change, or the lines up to `last`."""
    if line in file.added and last <= line:
        return clip(file.added[line])
    lines = (file.after or "").split("\n")[max(0, line - 1) : max(line, last)]
    return clip("\n".join(lines)) if line > 0 else ""


def result(check: str, reason: str, findings: Iterable[Finding], read: int = 1) -> CheckResult:
    """Return the result of a check, with its findings sorted and each with a unique key.

    `read` is how many things it looked at: a check that found nothing because it read nothing has not passed.
    """
    ordered = sorted(findings, key=lambda each: (each.severity.rank, each.path, each.line, each.rule, each.evidence))
    seen: Counter[tuple[str, ...]] = Counter()
    listed = []
    for finding in ordered:
        here, alike = (finding.rule, finding.path), (finding.rule, finding.path, finding.evidence)
        if seen[here] < MOST_ALIKE:
            listed.append(replace(finding, occurrence=seen[alike], raised_by=finding.raised_by or (check,)))
        seen[here] += 1
        seen[alike] += 1
    listed = listed[:MOST_FINDINGS]
    if len(ordered) > len(listed):
        reason = f"{reason}; {len(ordered) - len(listed):,} more findings are not listed"
    return found(check, reason, tuple(listed)) if read or listed else skipped(check, f"nothing read: {reason}")
