"""Running ruff on changed Python, and reporting the lint that the change introduces.

Ruff follows the project's own settings as they were *before* the change, or a small selection where there are none.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from posixpath import basename
from typing import Any

from quorate.kit.change import Change, ChangedFile
from quorate.kit.check_result import CheckResult, skipped
from quorate.kit.findings import Finding, Severity
from quorate.kit.quote import clip, quoted, result
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
from quorate.protocols.review.world.checks.scratch import Scratch, in_halves

CHECK = "lint"

SELECTED = "E4,E7,E9,F,B,PLE"
"""The rules for a project that has none of its own."""
_WORST = ("E9", "F7", "F821", "F823")
_BAD = ("F5", "F6", "F811", "F822", "PLE", "B006", "B012", "B023")
SETTINGS = ("pyproject.toml", "ruff.toml", ".ruff.toml")
MOST_PACKAGES = 5_000
MOST_IN_FILE = 1_000
"""Violations of one file that are looked at, the worst first."""


def check_lint(change: Change) -> CheckResult:
    """Report the lint that a change brings: what cannot run is HIGH, likely faults MEDIUM, all style LOW."""
    files, unknown = python_files(change)
    if not files:
        return skipped(CHECK, nothing(unknown))
    if find_spec("ruff") is None:
        return skipped(CHECK, f"ruff is not installed: {INSTALL}")
    with Scratch(SECONDS) as scratch:
        own = _write_settings(change, files, scratch)
        written = [file for file in files if _write(scratch, file)]
        note = "with the project's settings" if own else "with a selection of our own"
        try:
            before, after = (_ruff(scratch, side, written, own=own) for side in ("before", "after"))
        except _BadSettings:
            note = "with a selection of our own, since the project's settings do not work here"
            before, after = (_ruff(scratch, side, written, own=False) for side in ("before", "after"))
    findings = [f for file in written for f in _linted(file, before, after)]
    left = [file.path for file in files if file not in written]
    return result(CHECK, f"{looked('ruff', files, [*unknown, *left])}, {note}", findings)


def _write_settings(change: Change, files: list[ChangedFile], scratch: Scratch) -> bool:
    """Write the settings from before the change, and surrounding packages; return whether there are any settings."""
    if change.before is None:
        return False
    wanted = {f"{folder}{name}" for file in files for folder in _folders(file.path) for name in SETTINGS}
    texts = {path: change.before.read(path) for path in wanted}
    own = {p: t for p, t in texts.items() if t is not None and ("pyproject" not in basename(p) or "[tool.ruff" in t)}
    if not own:
        return False
    tree = change.after or change.before
    packages = [path for path in tree.paths() if path.endswith("__init__.py")][:MOST_PACKAGES]
    if not any(name in own for name in SETTINGS):
        own["ruff.toml"] = f"lint.select = {json.dumps(SELECTED.split(','))}"
    for side in ("before", "after"):
        for path, text in own.items():
            scratch.write(f"{side}/{path}", text)
        for path in packages:  # ruff tells our own packages from others by their folders
            scratch.write(f"{side}/{path}", "")
    return True


def _folders(path: str) -> list[str]:
    parts = path.split("/")[:-1]
    return ["/".join(parts[:n]) + "/" if n else "" for n in range(len(parts) + 1)]


def _write(scratch: Scratch, file: ChangedFile) -> bool:
    return all([scratch.write(f"{side}/{file.path}", text) for side, text in sides(file)])


class _BadSettings(Exception):
    """Raised if ruff rejects the project's settings."""


@dataclass(frozen=True, slots=True)
class _Violations:
    by_path: dict[str, list[dict[str, Any]]]
    failed: list[str]
    """The paths of files that ruff did not get through."""


def _ruff(scratch: Scratch, side: str, files: list[ChangedFile], *, own: bool) -> _Violations:
    how = ("--force-exclude",) if own else ("--isolated", "--select", SELECTED)
    program = import_module("ruff").find_ruff_bin()
    words = (program, "check", "--no-cache", "--output-format", "json", "--quiet", *how, "--")

    def once(paths: Sequence[str]) -> list[dict[str, Any]] | None:
        ran = scratch.run((*words, *paths), ONCE, side)
        if ran.code == 2 and own:
            raise _BadSettings
        return read_json(ran.out, list) if ran.code in (0, 1) else None

    told, failed = in_halves([file.path for file in files if side in dict(sides(file))], once)
    by_path: dict[str, list[dict[str, Any]]] = {}
    for issue in (issue for issues in told for issue in issues):
        by_path.setdefault(issue["filename"].removeprefix(f"{scratch.folder / side}/"), []).append(issue)
    return _Violations(by_path, failed)


def _linted(file: ChangedFile, old: _Violations, new: _Violations) -> list[Finding]:
    """Return new violations; equal ones are counted, regardless of line."""
    if file.path in new.failed and file.path not in old.failed:
        return [unread(file, "ruff")]
    before, after = old.by_path.get(file.path, []), new.by_path.get(file.path, [])
    had = Counter((issue["code"], issue["message"]) for issue in before)
    findings = []
    ranked = sorted(after, key=lambda each: (_lint_severity(each["code"] or "").rank, _row(each) in file.added))
    for issue in ranked[:MOST_IN_FILE]:
        code, line = issue["code"] or "invalid-syntax", _row(issue)
        had[issue["code"], issue["message"]] -= 1
        rows = range(line, issue["end_location"]["row"] + 1)
        broken = code == "invalid-syntax" and not any(each["code"] == issue["code"] for each in before)
        if had[issue["code"], issue["message"]] >= 0 or not (broken or any(row in file.added for row in rows)):
            continue
        if code[0] == "S" and code[1:].isdigit():
            continue  # bandit's rules, which the check of dangerous calls asks
        severity = _lint_severity(code)
        what = clip(issue["message"]).rstrip(".")
        told = f"{what}. See {issue['url']}" if issue.get("url") else f"{what}. Mend the syntax."
        evidence = quoted(file, line)
        findings.append(Finding(f"ruff/{code}", severity, file.path, line, told, evidence))
    return findings


def _row(issue: dict[str, Any]) -> int:
    return int(issue["location"]["row"])


def _lint_severity(code: str) -> Severity:
    if code in ("", "invalid-syntax") or code.startswith(_WORST):
        return Severity.HIGH
    return Severity.MEDIUM if code.startswith(_BAD) else Severity.LOW
