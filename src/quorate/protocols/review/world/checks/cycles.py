"""Detecting circular imports that a change introduces, in Python and in TypeScript or JavaScript.

A cycle that a change introduces has an import that was not there before, between two files that did not reach each
other before. So only what can be reached from the changed files is read, and an old tangle is not blamed on the change.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from quorate.files.places import counted, is_code, is_python, is_script, kinds
from quorate.kit.change import Change, FileStatus, Tree
from quorate.kit.check_result import CheckResult, skipped
from quorate.kit.findings import Finding, Severity
from quorate.kit.graph import chain, components
from quorate.kit.quote import clip, quoted, result
from quorate.protocols.review.world.checks.python_imports import PythonModules
from quorate.protocols.review.world.checks.script_imports import ScriptModules

CHECK = "circular imports"
VETO = "circular dependency"
MOST_FILES = 5_000
"""Files of one tree that are read."""
MOST_TEXT = 400_000
MOST_CHARACTERS = 40_000_000
MOST_CYCLES = 20
MOST_IN_CHAIN = 12


@dataclass(slots=True)
class _Imports:
    """The imports among the files of one tree that are reachable from some of them."""

    edges: dict[str, dict[str, int]] = field(default_factory=dict)
    """File -> the files it imports -> the line."""
    whole: bool = True
    """Nothing was left out for its size."""


def check_cycles(change: Change) -> CheckResult:
    """Report every circular import that did not exist before the change: CRITICAL, and a veto."""
    changed = [file for file in change.files if is_python(file.path) or is_script(file.path)]
    other = kinds(file.path for file in change.files if is_code(file.path) and file not in changed)
    if not changed:
        return skipped(CHECK, f"imports are not known for {other}" if other else "no code that has imports is changed")
    if change.before is None or change.after is None:
        return skipped(CHECK, "only a diff is known, and imports need the whole project")
    after = _Imports()
    for is_kind, modules in _LANGUAGES:
        _reach(after, change.after, [file.path for file in changed if is_kind(file.path)], is_kind, modules)
    together = components(after.edges)
    looped = [
        (source, target)
        for source, targets in after.edges.items()
        for target in targets
        if together.get(source) == together.get(target)
    ]
    findings = _new(change, after, looped) if looped else []
    reason = f"followed the imports of {counted(len(after.edges), 'file')}"
    if not after.whole:
        reason += "; some were left out for their size or number"
    if other:
        reason += f"; imports are not known for {other}"
    return result(CHECK, reason, findings, read=len(after.edges))


_Modules = type[PythonModules] | type[ScriptModules]
_LANGUAGES: tuple[tuple[Callable[[str], bool], _Modules], ...] = (
    (is_python, PythonModules),
    (is_script, ScriptModules),
)


def _reach(imports: _Imports, tree: Tree, starts: list[str], is_kind: Callable[[str], bool], kind: _Modules) -> None:
    """Read everything reachable from some files, up to the limits."""
    if not starts:
        return
    modules = kind(path for path in tree.paths() if is_kind(path))
    waiting, read = list(starts), 0
    while waiting:
        path = waiting.pop()
        if path in imports.edges:
            continue
        text = tree.read(path)
        if text is None:
            continue
        read += len(text)
        if len(text) > MOST_TEXT or read > MOST_CHARACTERS or len(imports.edges) >= MOST_FILES:
            imports.whole = False
            continue
        imports.edges[path] = modules.imports(path, text)
        waiting += imports.edges[path]


def _new(change: Change, after: _Imports, looped: list[tuple[str, str]]) -> list[Finding]:
    """Return a finding for each cycle with an import between files that did not reach each other before."""
    assert change.before is not None
    old = {file.path: file.old_path for file in change.files if file.old_path}
    before = _Imports()
    starts = sorted({old.get(path, path) for edge in looped for path in edge})
    for is_kind, modules in _LANGUAGES:
        _reach(before, change.before, [path for path in starts if is_kind(path)], is_kind, modules)
    were = components(before.edges)
    added = {file.path: file.added for file in change.files}
    fresh = {file.path for file in change.files if file.status in (FileStatus.ADDED, FileStatus.RENAMED)}
    findings: list[Finding] = []
    told: set[frozenset[str]] = set()
    for source, target in sorted(looped):
        was = old.get(source, source), old.get(target, target)
        if was[1] in before.edges.get(was[0], {}) or were.get(was[0], -1) == were.get(was[1], -2):
            continue
        if after.edges[source][target] not in added.get(source, ()) and target not in fresh:
            continue  # an import that nobody touched, which was not reached before within the limits
        way = [source, *chain(after.edges, target, source)]
        if len(findings) < MOST_CYCLES and frozenset(way) not in told:
            told.add(frozenset(way))
            findings.append(_finding(change, after, way))
    return findings


def _finding(change: Change, after: _Imports, way: list[str]) -> Finding:
    source, target = way[0], way[1]
    line = after.edges[source][target]
    file = next((file for file in change.files if file.path == source), None)
    shown = way if len(way) <= MOST_IN_CHAIN else [*way[:MOST_IN_CHAIN], "…", way[-1]]
    told = " -> ".join(clip(path, 120) for path in shown)
    code = f" at `{quoted(file, line)}`" if file else ""
    return Finding(
        rule="imports/cycle",
        severity=Severity.CRITICAL,
        path=source,
        line=line,
        message=f"These files import each other in a circle{code}. Move what both need into a file of its own.",
        evidence=told,
        consequence="Whichever file is loaded first sees the other half made.",
        action="Move what both need into a file of its own.",
        veto=VETO,
    )
