"""Measuring the functions that a change touches with lizard, in all the languages it supports.

A function is reported where it is over a limit *and* worse than before; one that was moved unchanged is not worse.
Comments that tell lizard to skip code are ignored.
"""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from io import StringIO

from quorate.files.places import counted, extension, is_test, kinds, listed
from quorate.kit.change import Change, ChangedFile
from quorate.kit.check_result import CheckResult, skipped
from quorate.kit.findings import Finding, Severity
from quorate.kit.quote import clip, quoted, result
from quorate.protocols.review.world.checks.scratch import MOST_TEXT, PYTHON, Scratch, in_halves

CHECK = "complexity"
MOST_PATHS, FAR_TOO_MANY_PATHS = 15, 30
"""Cyclomatic complexity: more is MEDIUM, far more HIGH."""
MOST_PARAMETERS, FAR_TOO_MANY_PARAMETERS = 7, 10
"""More than seven is LOW, ten and more MEDIUM."""
MOST_LINES = 100
"""Lines of code of a function, without blanks and comments; more is LOW."""
MOST_IN_LINE = 5_000
"""Characters of a line: lizard takes time with the square of what does not end on its line."""
SECONDS, ONCE = 90.0, 30.0
_LOOK_AWAY = re.compile(r"(lizard) (forgive)|(GENERATED) (CODE)")


@dataclass(frozen=True, slots=True)
class Function:
    """A function as lizard measures it."""

    name: str
    first: int
    last: int
    paths: int
    parameters: int
    lines: int


def check_complexity(change: Change) -> CheckResult:
    """Report the touched functions that are too complex, too long or take too much, and more so than before."""
    if find_spec("lizard") is None:
        return skipped(CHECK, "lizard is not installed: pip install 'quorate[review]'")
    readable = import_module("lizard_languages").get_reader_for
    known = [file for file in change.files if readable(f"x{extension(file.path)}") is not None]
    other = kinds(file.path for file in change.files if file not in known)
    files = [file for file in known if file.after is not None and _can_be_measured(file.after)]
    partly = [file.path for file in known if file not in files and file.added]
    if not files:
        why = (
            f"not known whole, or too large or wide: {listed(partly)}"
            if partly
            else f"no language that is read: {other}"
        )
        return skipped(CHECK, why if change.files else "nothing changed")
    deleted = [file for file in known if file.after is None and file.before is not None and not file.added]
    measured, failed = measure([*files, *deleted])
    gone = _gone(measured)
    findings = [f for file in files for f in _worse(file, measured[file.path], gone)]
    reason = f"lizard measured {counted(len(files) - len(failed), 'file')}"
    if partly or failed:
        reason += f"; not measured: {listed([*partly, *failed])}"
    if other:
        reason += f"; not read: {other}"
    return result(CHECK, reason, findings)


Measured = dict[str, tuple[list[Function], list[Function]]]
"""The functions before and after, by path."""


def measure(files: Sequence[ChangedFile]) -> tuple[Measured, list[str]]:
    """Measure files before and after; also return the paths of those that could not be measured."""
    names: dict[tuple[str, str], str] = {}  # alike texts are measured once: lizard itself leaves doubles out
    for file in files:
        for text in (file.before, file.after):
            if text is not None and _can_be_measured(text):
                names.setdefault((extension(file.path), text), f"{len(names)}{extension(file.path)}")
    functions: dict[str, list[Function]] = defaultdict(list)
    with Scratch(SECONDS) as scratch:
        for (_, text), name in names.items():
            scratch.write(name, _LOOK_AWAY.sub(lambda m: "-".join(word for word in m.groups() if word), text))
        tables, failed = in_halves(list(names.values()), lambda part: _lizard(scratch, part))
    for name, function in (row for table in tables for row in table):
        functions[name].append(function)
    measured: Measured = {}
    lost = []
    for file in files:
        before, after = (names.get((extension(file.path), text or ""), "") for text in (file.before, file.after))
        measured[file.path] = (functions[before], functions[after])
        if before in failed or after in failed:
            lost.append(file.path)
            measured[file.path] = ([], [])
    return measured, lost


def _can_be_measured(text: str) -> bool:
    return len(text) <= MOST_TEXT and all(len(line) <= MOST_IN_LINE for line in text.split("\n"))


def _lizard(scratch: Scratch, names: Sequence[str]) -> list[tuple[str, Function]] | None:
    if scratch.left == 0:
        return None
    ran = scratch.run((*PYTHON, "-m", "lizard", "--csv", *names), ONCE)
    return None if ran.code not in (0, 1) else list(_rows(ran.out))


def _rows(out: str) -> Iterator[tuple[str, Function]]:
    for row in csv.reader(StringIO(out.replace("\0", ""))):
        if len(row) < 11 or not all(row[n].isdigit() for n in (0, 1, 3, 9, 10)):
            continue
        lines, paths, parameters, first, last = (int(row[n]) for n in (0, 1, 3, 9, 10))
        yield row[6].rpartition("/")[2], Function(row[7], first, last, paths, parameters, lines)


def _gone(measured: Measured) -> dict[str, list[Function]]:
    """Return the functions that left their file, by name, to recognise those moved elsewhere."""
    gone: dict[str, list[Function]] = defaultdict(list)
    for before, after in measured.values():
        stayed = {function.name for function in after}
        for function in before:
            if function.name not in stayed:
                gone[function.name].append(function)
    return gone


def _worse(
    file: ChangedFile, functions: tuple[list[Function], list[Function]], gone: dict[str, list[Function]]
) -> Iterator[Finding]:
    before: dict[str, list[Function]] = defaultdict(list)
    for function in functions[0]:
        before[function.name].append(function)
    seen: dict[str, int] = defaultdict(int)
    for function in functions[1]:
        number, seen[function.name] = seen[function.name], seen[function.name] + 1
        earlier = before[function.name] or gone.get(function.name, [])
        was = earlier[min(number, len(earlier) - 1)] if earlier else None
        if any(line in file.added for line in range(function.first, function.last + 1)):
            yield from _judged(file, function, was)


def _judged(file: ChangedFile, function: Function, was: Function | None) -> Iterator[Finding]:
    name, old = clip(function.name, 80), was or Function("", 0, 0, 0, 0, 0)
    if function.paths > max(MOST_PATHS, old.paths):
        severity = Severity.HIGH if function.paths > FAR_TOO_MANY_PATHS else Severity.MEDIUM
        told = f"{name} has a cyclomatic complexity of {function.paths} {_beside(old.paths, MOST_PATHS)}. Split it."
        yield _finding("function", severity, file, function, told)
    if function.parameters > max(MOST_PARAMETERS, old.parameters):
        severity = Severity.MEDIUM if function.parameters >= FAR_TOO_MANY_PARAMETERS else Severity.LOW
        told = f"{name} takes {function.parameters} parameters {_beside(old.parameters, MOST_PARAMETERS)}."
        yield _finding("parameters", severity, file, function, f"{told} Group what belongs together.")
    if function.lines > max(MOST_LINES, old.lines) and not is_test(file.path):
        told = f"{name} has {function.lines} lines of code {_beside(old.lines, MOST_LINES)}. Split it."
        yield _finding("length", Severity.LOW, file, function, told)


def _beside(before: int, most: int) -> str:
    return f"(at most {most}, and it was {before})" if before else f"(at most {most})"


def _finding(rule: str, severity: Severity, file: ChangedFile, function: Function, message: str) -> Finding:
    return Finding(f"complexity/{rule}", severity, file.path, function.first, message, quoted(file, function.first))
