"""Checks of the shape of a change: its size, its tests, and its dependencies."""

from __future__ import annotations

import re
from collections.abc import Iterator

from quorate.files.places import counted, is_document, is_source, is_test, listed
from quorate.kit.change import Change, ChangedFile, FileStatus
from quorate.kit.check_result import CheckResult, passed, skipped
from quorate.kit.findings import Finding, Severity
from quorate.kit.quote import clip, result
from quorate.protocols.review.world.checks.manifests import (
    Dependency,
    Manifest,
    is_manifest,
    is_other_manifest,
    read_manifest,
)

TESTS, SIZE, DEPENDENCIES = "tests", "size", "dependencies"
MANY_UNTESTED = 100
"""Added lines of source without any test: fewer are a note, more have to be dealt with."""
LARGE, VERY_LARGE = 400, 1_000
"""Changed lines: more are LOW, and MEDIUM."""


def check_tests(change: Change) -> CheckResult:
    """Report source that is added while no test changes: LOW, and MEDIUM above `MANY_UNTESTED` lines."""
    source = [file for file in change.files if is_source(file.path) and not _is_declaring(file.path)]
    lines = sum(_code_lines(file) for file in source)
    if not source:
        return skipped(TESTS, "no source is changed")
    tests = [file for file in change.files if is_test(file.path) and file.status is not FileStatus.DELETED]
    if tests:
        return passed(TESTS, f"{counted(len(tests), 'test file')} changed with {counted(len(source), 'source file')}")
    reason = f"{counted(lines, 'line')} of source added and no test changed"
    if not lines:
        return passed(TESTS, "source is only taken away")
    severity = Severity.MEDIUM if lines > MANY_UNTESTED else Severity.LOW
    what = "Add a test that fails without this change, or say why none is needed."
    finding = Finding("tests/missing", severity, "", 0, f"{reason.capitalize()}. {what}", _first(source), action=what)
    return result(TESTS, reason, [finding])


def _is_declaring(path: str) -> bool:
    return path.endswith((".d.ts", ".pyi", ".sql"))


def _code_lines(file: ChangedFile) -> int:
    """Count the added lines that are neither blank nor, at first sight, a comment."""
    return sum(
        1 for line in file.added.values() if (bare := line.strip()) and not bare.startswith(("#", "//", "*", "/*"))
    )


def _first(files: list[ChangedFile]) -> str:
    return listed([clip(path, 80) for path in sorted(file.path for file in files)], 3)


def check_size(change: Change) -> CheckResult:
    """Report a change that is too large to be reviewed well: over 400 lines LOW, over 1,000 MEDIUM."""
    lines = sum(len(file.added) + len(file.removed) for file in change.files)
    reason = f"{counted(lines, 'changed line')} in {counted(len(change.files), 'file')}"
    if lines <= LARGE:
        return result(SIZE, reason, (), read=len(change.files))
    severity = Severity.MEDIUM if lines > VERY_LARGE else Severity.LOW
    what = f"Split it into changes of at most {LARGE} lines, so that each can be read."
    largest = sorted(change.files, key=lambda file: -len(file.added) - len(file.removed))
    told = f"The change has {reason}. {what}"
    return result(SIZE, reason, [Finding("size/large", severity, "", 0, told, _first(largest[:3]), action=what)])


# Dependencies


def check_dependencies(change: Change) -> CheckResult:
    """Report what a change makes the project depend on.

    Packages from an address, install scripts and other indexes are HIGH. A new package is MEDIUM as long as no document
    of the change names it, and LOW for those who develop; held less tightly is MEDIUM; gone is LOW.
    """
    files = [file for file in change.files if is_manifest(file.path)]
    other = [file.path for file in change.files if is_other_manifest(file.path)]
    if not files:
        told = f"dependencies are not read from {listed(other)}" if other else "no list of dependencies is changed"
        return skipped(DEPENDENCIES, told)
    lines = (line[:5_000] for file in change.files if is_document(file.path) for line in file.added.values())
    words = "\n".join(lines).lower()
    findings: list[Finding] = []
    for file in files:
        sides = _manifests(file)
        if sides is None:
            other.append(file.path)
        else:
            findings += _compared(file, *sides, words)
    if len(other) >= len(files) and not findings:
        return skipped(DEPENDENCIES, f"not known whole or not to be read: {listed(other)}")
    reason = f"compared {counted(len(files), 'list')} of dependencies"
    return result(DEPENDENCIES, f"{reason}; not read: {listed(other)}" if other else reason, findings)


def _manifests(file: ChangedFile) -> tuple[Manifest, Manifest] | None:
    before = (
        Manifest() if file.status is FileStatus.ADDED else read_manifest(file.old_path or file.path, file.before or "")
    )
    after = Manifest() if file.status is FileStatus.DELETED else read_manifest(file.path, file.after or "")
    known = (file.before is not None or file.status is FileStatus.ADDED) and (
        file.after is not None or file.status is FileStatus.DELETED
    )
    return (before, after) if known and before is not None and after is not None else None


def _compared(file: ChangedFile, before: Manifest, after: Manifest, words: str) -> Iterator[Finding]:
    for key, now in after.dependencies.items():
        was = before.dependencies.get(key)
        name = clip(now.name, 80)
        if now.is_direct and (was is None or was.version != now.version):
            told = f"{name} is taken from an address, past the package index. Use a released version from the index."
            yield _finding(file, "source", Severity.HIGH, told, now.name, now.version)
        elif was is None:
            yield _added(file, now, words)
        elif now.tightness < was.tightness:
            told = f"{name} is held less tightly ({clip(was.version, 60)} before). Keep a bound, or say why it can go."
            yield _finding(file, "loosened", Severity.MEDIUM, told, now.name, now.version)
    for key, was in before.dependencies.items():
        if key not in after.dependencies and file.status is not FileStatus.DELETED:
            told = f"{clip(was.name, 80)} is gone. Make sure that nothing imports it any more."
            yield _finding(file, "removed", Severity.LOW, told, was.name, was.version)
    for name, script in after.scripts.items():
        if before.scripts.get(name) != script:
            told = f"The script {name} runs on the machine of whoever installs this. Do without it."
            yield _finding(file, "script", Severity.HIGH, told, name, script)
    for index in after.indexes:
        if index not in before.indexes:
            told = "Packages come from another index, where anybody may own their names. Use the one index you trust."
            yield _finding(file, "index", Severity.HIGH, told, index, "")


def _added(file: ChangedFile, now: Dependency, words: str) -> Finding:
    named = re.search(rf"(?<![\w-]){re.escape(now.name.lower())}(?![\w-])", words) is not None
    severity = Severity.LOW if now.dev or named else Severity.MEDIUM
    told = (
        f"{clip(now.name, 80)} is a new dependency. Say in the changelog or in the documentation what it is needed for."
    )
    return _finding(file, "added", severity, told, now.name, now.version)


def _finding(file: ChangedFile, rule: str, severity: Severity, told: str, name: str, value: str) -> Finding:
    word = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])")
    line = next((n for n, text in sorted(file.added.items()) if word.search(text[:5_000])), 0)
    quote = clip(file.added[line]) if line else clip(f"{name} {value}".strip())
    return Finding(f"dependencies/{rule}", severity, file.path, line, told, quote)
