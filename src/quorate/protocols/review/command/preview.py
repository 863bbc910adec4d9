"""Terminal output before a committee starts: the change, the check results, and the elected members."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from quorate.cli.style import Fragment, Styled
from quorate.cli.text import count

if TYPE_CHECKING:
    from quorate.kit.findings import Finding
    from quorate.protocols.review.world.examination import Examined
    from quorate.protocols.review.world.review import Opened

MOST_SHOWN = 20
"""Findings that are listed before a debate; the report has all of them."""
STATUS_STYLES = {"pass": "green", "fail": "bold red", "skip": "dim"}
SEVERITY_STYLES = {"critical": "bold red", "high": "red", "medium": "yellow", "low": "dim"}


def tell_change(examined: Examined) -> Iterator[Styled]:
    """Yield lines about what is reviewed and what is left out."""
    yield (("review  ", "dim"), (examined.title, "bold"))
    files = count(len(examined.files), "file")
    yield (
        "        ",
        f"{files} under review, ",
        (f"+{examined.added:,}", "green"),
        " ",
        (f"-{examined.removed:,}", "red"),
    )
    if examined.left_out:
        reasons = Counter(each.why.value for each in examined.left_out)
        told = ", ".join(f"{number} {why}" for why, number in sorted(reasons.items()))
        yield ("        ", (f"left out: {told}", "dim"))


def tell_checks(examined: Examined) -> Iterator[Styled]:
    """Yield the result of every check, one line each, and the findings, the worst first."""
    width = max(len(result.check) for result in examined.results)
    for place, result in enumerate(examined.results):
        status = result.status.value
        found = f"{count(len(result.findings), 'finding')}; " if result.findings else ""
        yield (
            ("checks  " if place == 0 else "        ", "dim"),
            (f"{status.upper()}  ", STATUS_STYLES[status]),
            f"{result.check.ljust(width)}  ",
            (f"{found}{result.reason}", "" if result.findings else "dim"),
        )
    for place, finding in enumerate(examined.findings[:MOST_SHOWN]):
        yield (("found   " if place == 0 else "        ", "dim"), *_told(finding, examined))
    if (more := len(examined.findings) - MOST_SHOWN) > 0:
        yield ("        ", (f"and {count(more, 'finding')} more", "dim"))
    for finding, dismissal in examined.dismissed:
        told = f"{finding.rule} {_place(finding)}, dismissed by {dismissal.by}: {dismissal.reason}"
        yield (("        ", "dim"), (told, "dim"))


def _told(finding: Finding, examined: Examined) -> Styled:
    severity = finding.severity.value
    if finding.veto:
        weight: Fragment = (f"veto: {finding.veto}  ", "bold red")
    else:
        weight = "" if finding in examined.blocking else ("note  ", "dim")
    return (
        (f"{severity.upper():8}  ", SEVERITY_STYLES[severity]),
        weight,
        f"{_place(finding)}  ",
        (f"{finding.rule}  ", "dim"),
        finding.message,
    )


def _place(finding: Finding) -> str:
    if not finding.path:
        return "the whole change"
    return f"{finding.path}:{finding.line}" if finding.line else finding.path


def tell_blocking(examined: Examined) -> Iterator[Styled]:
    """Yield the last line: whether anything blocks."""
    if not examined.blocking and examined.unread:
        told = "none of the files could be read, so nothing was examined; a person has to look at them"
        yield (("result  ", "dim"), (told, "bold red"))
        return
    if not examined.blocking:
        yield (("result  ", "dim"), ("nothing blocks", "green"))
        return
    vetoes = sum(bool(finding.veto) for finding in examined.blocking)
    told = count(len(examined.blocking), "finding") + (" block" if len(examined.blocking) > 1 else " blocks")
    yield (("result  ", "dim"), (told + (f", {vetoes} with a veto" if vetoes else ""), "bold red"))


def tell_committee(opened: Opened) -> Iterator[Styled]:
    """Yield who was elected and on what basis."""
    seated = ", ".join(name + (" (veto)" if name in opened.veto_holders else "") for name in opened.election.committee)
    yield (("seats   ", "dim"), seated)
    yield ("        ", (f"{opened.election.complexity.name}: {opened.election.basis}", "dim"))
    if opened.claims:
        yield ("        ", (f"{count(opened.claims, 'acceptance claim')} to judge", "dim"))


def exit_code_of(examined: Examined) -> int:
    """Return 1 if something blocks, 2 if none of the files could be read, since that decides nothing; else 0."""
    return 1 if examined.blocking else 2 if examined.unread else 0


def checks_as_data(examined: Examined) -> dict[str, Any]:
    """Return what the checks found as plain data, for `--json`."""
    blocking = {finding.key for finding in examined.blocking}
    return {
        "title": examined.title,
        "base": examined.base,
        "head": examined.head,
        "files": [asdict(file) for file in examined.files],
        "left_out": [{"path": each.path, "why": each.why.value, "detail": each.detail} for each in examined.left_out],
        "checks": [
            {"check": each.check, "status": each.status.value, "reason": each.reason, "findings": len(each.findings)}
            for each in examined.results
        ],
        "findings": [_finding(finding, finding.key in blocking) for finding in examined.findings],
        "dismissed": [
            {"key": finding.key, "rule": finding.rule, "path": finding.path, "by": each.by, "reason": each.reason}
            for finding, each in examined.dismissed
        ],
        "exit_code": exit_code_of(examined),
    }


def _finding(finding: Finding, blocks: bool) -> dict[str, Any]:
    return {
        "key": finding.key,
        "rule": finding.rule,
        "severity": finding.severity.value,
        "path": finding.path,
        "line": finding.line,
        "message": finding.message,
        "evidence": finding.evidence,
        "veto": finding.veto,
        "blocks": blocks,
    }
