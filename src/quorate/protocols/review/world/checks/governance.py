"""Detecting changes to the rules a change is judged by: settings, house rules, ledger, briefs, and the pipeline."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from quorate.core.errors import InputError
from quorate.files.places import counted
from quorate.kit.change import Change, ChangedFile, FileStatus
from quorate.kit.check_result import CheckResult
from quorate.kit.findings import Finding, Severity
from quorate.kit.quote import clip, result
from quorate.store.ledger import read_ledger

NAME = "governance"
DECIDING = ("quorate.yaml", ".quorate/briefs/")
"""What takes effect on the review as the change leaves it, seen from the root; with a slash, all that stands there."""
VETO = "rule violation"
PANEL = ("panel", "who sits at the table")
_OWN = (
    ("settings", re.compile(r"(?:^|/)quorate\.ya?ml$", re.IGNORECASE), "the settings of the review"),
    ("house-rules", re.compile(r"(?:^|/)[\w.-]*quorate\.rules\.ya?ml$", re.IGNORECASE), "the house rules"),
    ("ignored-files", re.compile(r"(?:^|/)\.quorateignore$", re.IGNORECASE), "which files are left out of the review"),
    ("ledger", re.compile(r"(?:^|/)\.quorate/ledger[\w.-]*$", re.IGNORECASE), "which findings are dismissed"),
    (
        "briefs",
        re.compile(r"(?:^|/)\.quorate(?:$|/briefs(?:$|/))", re.IGNORECASE),
        "the personas and tasks",
    ),
)
_PIPELINE = re.compile(
    r"(?:^|/)(?:\.github/(?:workflows|actions)/.+|action\.ya?ml|\.gitlab-ci\.ya?ml|\.circleci/.+|azure-pipelines\.ya?ml"
    r"|Jenkinsfile|\.pre-commit-(?:config|hooks)\.yaml|bitbucket-pipelines\.ya?ml|\.woodpecker.*|\.drone\.ya?ml)$"
)
_ATTRIBUTES = re.compile(r"(?:^|/)\.gitattributes$")
_HIDES = re.compile(r"linguist-(?:generated|vendored)")


def check_governance(change: Change, deciding: Sequence[str] = DECIDING) -> CheckResult:
    """Report every file by which the change is judged and which the change itself alters; HIGH, for a person to see.

    What takes effect on this very review (`deciding`) proves a veto: whoever sets the thresholds or seats the committee
    needs no other way in. House rules, claims, ignored files and dismissals count as they were before the change, so
    that these are for a person to see and no more; to dismiss something is a note.
    """
    findings: list[Finding] = []
    for file in change.files:
        names = [name for name in (file.path, file.old_path) if name]
        names.sort(key=lambda name: not _decides(name, deciding))  # a file that is moved is told of once, by the worse
        line, quoted = min(file.added, default=0), _quoted(file)
        findings += [_altered(name, file, line, quoted, deciding) for name in names if _rules(name, file, deciding)][:1]
    read = {file.path for file in change.files}
    for left in change.left_out:  # a rule may not be altered out of sight
        if left.path not in read and _rules(left.path, None, deciding):
            findings.append(_altered(left.path, None, 0, f"left out: {left.why.value}", deciding))
    paths = len(change.files) + len(change.left_out)
    return result(NAME, f"the paths of {counted(paths, 'changed file')}", findings, read=paths)


def _rules(path: str, file: ChangedFile | None, deciding: Sequence[str]) -> tuple[str, str] | None:
    """Return the name and meaning of the file at a path if the change is judged by it, else None."""
    return _ruled(path, file) or (PANEL if _decides(path, deciding) else None)


def _altered(path: str, file: ChangedFile | None, line: int, quoted: str, deciding: Sequence[str]) -> Finding:
    name, what = _rules(path, file, deciding) or PANEL
    made = _finding(file.path if file is not None else path, name, what, line, quoted)
    if name == "ledger":
        made = replace(made, severity=Severity.LOW, consequence="It counts once it is merged.")
    return replace(made, severity=Severity.CRITICAL, veto=VETO) if _decides(path, deciding) else made


def _decides(path: str, deciding: Sequence[str]) -> bool:
    """Return whether a path is one of `deciding`, or a link on the way to one."""
    return any(path == place or f"{place}/".startswith(f"{path}/") or _within(path, place) for place in deciding)


def _within(path: str, place: str) -> bool:
    return place.endswith("/") and path.startswith(place)


def _ruled(path: str, file: ChangedFile | None) -> tuple[str, str] | None:
    """Return the name and meaning of the rule file at a path, or None."""
    for name, pattern, what in _OWN:
        if pattern.search(path):
            return None if name == "ledger" and file is not None and not _excuses(file) else (name, what)
    if _PIPELINE.search(path) and (file is None or any("quorate" in text.lower() for text in _texts(file))):
        return "pipeline", "the pipeline that runs the review"
    if _ATTRIBUTES.search(path) and (file is None or any(map(_HIDES.search, _lines(file)))):
        return "attributes", "which files count as generated, and are left out"
    return None


def _excuses(file: ChangedFile) -> bool:
    """Return whether a change of the ledger dismisses findings, rather than only recording them."""
    if file.after is None:
        return file.status is not FileStatus.DELETED  # only a diff is known, and it may dismiss anything
    before, after = _dismissed(file.before or ""), _dismissed(file.after)
    return before is None or after is None or not after <= before


def _dismissed(text: str) -> set[tuple[str, bool]] | None:
    """Return the findings that a ledger dismisses; None if it cannot be read."""
    try:
        entries = read_ledger(text).entries if text.strip() else {}
    except InputError:
        return None
    return {(key, each.dismissal.false_positive) for key, each in entries.items() if each.dismissal is not None}


def _texts(file: ChangedFile) -> Iterator[str]:
    yield from (text for text in (file.before, file.after, file.patch) if text)


def _lines(file: ChangedFile) -> Iterator[str]:
    yield from (*file.added.values(), *file.removed.values())


def _quoted(file: ChangedFile) -> str:
    line = file.added[min(file.added)] if file.added else next(iter(file.removed.values()), "")
    return clip(line)


def _finding(path: str, name: str, what: str, line: int, evidence: str) -> Finding:
    return Finding(
        rule=f"governance/{name}",
        severity=Severity.HIGH,
        path=path,
        line=line,
        message=f"the change alters the rules that it is judged by: {what}",
        evidence=evidence,
        consequence="Whoever writes the change decides how it is reviewed.",
        action="Alter the rules in a change of their own, which a person approves.",
    )
