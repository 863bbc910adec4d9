"""Analysing changed Python with bandit (dangerous calls) and, in `lint.py`, with ruff.

Both tools run in a scratch folder on copies of the texts. Only new issues on lines that the change adds are reported.
Bandit ignores `# nosec` and the project's settings; `proofs.py` defines what counts as a proven security hole.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

from quorate.files.places import is_test
from quorate.kit.change import Change, ChangedFile
from quorate.kit.check_result import CheckResult, skipped
from quorate.kit.findings import Finding, Severity
from quorate.kit.quote import clip, quoted, result
from quorate.protocols.review.world.checks.lint import check_lint
from quorate.protocols.review.world.checks.proofs import HOLES, Proofs
from quorate.protocols.review.world.checks.python_files import (
    INSTALL,
    ONCE,
    SECONDS,
    looked,
    nothing,
    python_files,
    read_json,
    sides,
    unread,
)
from quorate.protocols.review.world.checks.scratch import PYTHON, Scratch, in_halves

__all__ = ["check_dangerous_calls", "check_lint"]

CHECK = "dangerous calls"

LEFT_TO_OTHERS = "B101,B105,B106,B107,B603,B607,B401,B402,B403,B404,B405,B406,B407,B408,B409,B410,B411,B412,B413,B415"
"""Not asked of bandit: asserts, passwords (the check of secrets has them), mere imports, calls without a shell."""
_LESSER = {"B324": Severity.MEDIUM, "B113": Severity.LOW, "B108": Severity.LOW}
"""A weak hash is often no matter of security; a missing timeout and a path in /tmp seldom are."""
_ACTIONS = {
    "B602": "Pass a list of arguments, without shell=True.",
    "B605": "Use subprocess.run with a list of arguments.",
    "B307": "Use ast.literal_eval, or parse the input.",
    "B102": "Call a function instead of executing text.",
    "B301": "Use a format that carries data alone, such as JSON.",
    "B302": "Use a format that carries data alone, such as JSON.",
    "B506": "Use yaml.safe_load.",
    "B608": "Bind the values as parameters of the query.",
    "B501": "Leave the verification of certificates on.",
    "B502": "Use ssl.create_default_context().",
}


def check_dangerous_calls(change: Change) -> CheckResult:
    """Report the dangerous Python calls that a change brings; a proven security hole is CRITICAL and a veto."""
    files, unknown = python_files(change)
    if not files:
        return skipped(CHECK, nothing(unknown))
    if find_spec("bandit") is None:
        return skipped(CHECK, f"bandit is not installed: {INSTALL}")
    texts = {f"{side}{n}.py": text for n, file in enumerate(files) for side, text in sides(file)}
    with Scratch(SECONDS) as scratch:
        names = [name for name, text in texts.items() if scratch.write(name, text)]
        told, failed = in_halves(names, lambda part: _bandit(scratch, part))
    issues: dict[str, list[dict[str, Any]]] = {name: [] for name in names}
    unparsed = set(failed)
    for each in told:
        unparsed |= {_name(error["filename"]) for error in each["errors"]}
        for issue in each["results"]:
            issues[_name(issue["filename"])].append(issue)
    findings: list[Finding] = []
    not_read = list(unknown)
    for n, file in enumerate(files):
        if f"after{n}.py" in unparsed:
            not_read.append(file.path)
            findings += [unread(file, "bandit")] if f"before{n}.py" not in unparsed else []
        findings += _introduced(file, issues.get(f"before{n}.py", []), issues.get(f"after{n}.py", []))
    return result(CHECK, looked("bandit", files, not_read), findings)


def _bandit(scratch: Scratch, names: Sequence[str]) -> dict[str, Any] | None:
    if scratch.left == 0:
        return None
    words = (*PYTHON, "-m", "bandit", "-q", "-f", "json", "--ignore-nosec", "-s", LEFT_TO_OTHERS, "--", *names)
    ran = scratch.run(words, ONCE)
    return read_json(ran.out, dict) if ran.code in (0, 1) else None


def _introduced(file: ChangedFile, before: list[dict[str, Any]], after: list[dict[str, Any]]) -> list[Finding]:
    had = Counter(_sameness(issue, file.before or "") for issue in before)
    proofs: Proofs | None = None
    findings = []
    for issue in after:
        lines = issue["line_range"] or [issue["line_number"]]
        sameness = _sameness(issue, file.after or "")
        if not any(line in file.added for line in lines):
            had[sameness] -= 1
            continue
        if had[sameness] > 0:
            had[sameness] -= 1
            continue
        hole = False
        if issue["test_id"] in HOLES and not is_test(file.path):
            proofs = proofs or Proofs(file.after or "")
            hole = proofs.proves(issue["test_id"], min(lines), max(lines))
        findings.append(_dangerous(file, issue, hole=hole))
    return findings


def _sameness(issue: dict[str, Any], text: str) -> tuple[str, str, str]:
    """Return the identity of an issue, independent of its line."""
    lines = text.split("\n")
    said = "".join(lines[line - 1].strip() for line in issue["line_range"][:20] if line <= len(lines))
    return issue["test_id"], issue["issue_severity"], said


def _dangerous(file: ChangedFile, issue: dict[str, Any], *, hole: bool) -> Finding:
    test, lines = issue["test_id"], issue["line_range"] or [issue["line_number"]]
    severity = Severity.CRITICAL if hole else _LESSER.get(test) or _severity(issue)
    if is_test(file.path):
        severity = Severity.LOW
    action = _ACTIONS.get(test, f"See {issue['more_info']}")
    return Finding(
        rule=f"bandit/{test}",
        severity=severity,
        path=file.path,
        line=issue["line_number"],
        message=f"{clip(issue['issue_text']).rstrip('.')}. {action}",
        evidence=quoted(file, min(lines), max(lines)),
        action=action,
        veto="security hole" if hole else "",
    )


def _severity(issue: dict[str, Any]) -> Severity:
    match issue["issue_severity"], issue["issue_confidence"]:
        case "HIGH", "HIGH":
            return Severity.HIGH
        case ("HIGH", "MEDIUM") | ("MEDIUM", "HIGH") | ("MEDIUM", "MEDIUM"):
            return Severity.MEDIUM
        case _:
            return Severity.LOW


def _name(path: str) -> str:
    return path.rpartition("/")[2]
