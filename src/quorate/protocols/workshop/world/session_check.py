"""Checks a workshop's session file: every problem with its line, and a verdict."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quorate.core.errors import InputError
from quorate.evidence.text import MOST_CHARACTERS, from_text
from quorate.files.json_places import lines_of
from quorate.files.named_file import text_of
from quorate.files.yaml import MOST_BYTES as MOST_AT_ONCE
from quorate.files.yaml import load, load_whole
from quorate.protocols.workshop.audit import (
    NotChecked,
    Problem,
    Severity,
    Verdict,
    examine,
    looks_like_session_file,
    verdict,
)

MOST_BYTES = 5_000_000
MOST_DUMPS = 2_000
MOST_OF_DUMPS = 50_000_000
"""Bytes of all dumps together."""
ROUNDS = "rounds"
"""The folder of the dumps, beside the session file or in a folder that has its name."""
ENDINGS = (".yaml", ".yml", ".json")
_WANTED = "a session file in YAML or JSON"
_TOP = re.compile(r"^([A-Za-z_]{2,40})[ ]*:(?=[ \r\n]|$)", re.MULTILINE)

Path_ = tuple[str | int, ...]
Lines = Callable[[list[Path_]], Mapping[Path_, int | None]]


@dataclass(frozen=True, slots=True)
class Placed:
    """A problem, and the file and line where it stands."""

    problem: Problem
    file: str
    line: int | None

    def __str__(self) -> str:
        at = self.file if self.line is None else f"{self.file}:{self.line}"
        place = f" {self.problem.path}" if self.problem.path else ""
        parts = [f"{at}: {self.problem.check}{place}: {self.problem.what}"]
        if self.problem.expected is not None:
            parts.append(f"expected {self.problem.expected}")
        if self.problem.nearest is not None:
            parts.append(f"did you mean {self.problem.nearest!r}?")
        return "; ".join(parts)


@dataclass(frozen=True, slots=True)
class Checked:
    """What the checks of a session file found."""

    file: str
    session: str | None
    """The id that the file gives."""
    verdict: Verdict
    problems: tuple[Placed, ...]
    """The critical ones first, then errors, then warnings; otherwise in the order of the checks."""
    not_checked: tuple[NotChecked, ...]
    """Checks that the file has no data for, which is no failure."""
    ran: tuple[str, ...]
    """The checks that apply to the file."""
    dumps: int
    """How many dumps of rounds were looked at."""

    @property
    def holds(self) -> bool:
        """Whether nothing is wrong but for warnings."""
        return self.verdict != "fail"

    def lines(self) -> list[str]:
        """Return every problem with its place, and the result last."""
        looked = f", {self.dumps} dumps" if self.dumps else ""
        return [*map(str, self.problems), f"{self.file}: {self.verdict} ({len(self.ran)} checks{looked})"]

    def remarks(self) -> list[str]:
        """Return the checks that the file has no data for."""
        return [f"not checked: {each.check}, {each.why}" for each in self.not_checked]

    def as_data(self) -> dict[str, Any]:
        """Return it as plain data, for JSON."""
        return {
            "file": self.file,
            "session": self.session,
            "verdict": self.verdict,
            "problems": [
                {
                    "check": each.problem.check,
                    "severity": each.problem.severity.value,
                    "file": each.file,
                    "line": each.line,
                    "path": each.problem.path,
                    "what": each.problem.what,
                    "expected": each.problem.expected,
                    "nearest": each.problem.nearest,
                }
                for each in self.problems
            ],
            "not_checked": [{"check": each.check, "why": each.why} for each in self.not_checked],
            "checks": list(self.ran),
            "dumps": self.dumps,
        }


def is_session_file(path: Path) -> bool:
    """Return whether a file seems to be a session file, be it broken; one that cannot be read raises InputError."""
    text = text_of(path, MOST_CHARACTERS, _WANTED)
    if len(text) > MOST_BYTES:
        return False  # Only the bundle of a journal may be as large.
    if text.lstrip()[:1] == "{":
        try:
            return looks_like_session_file(from_text(text, str(path)))
        except InputError:
            return False
    # Without parsing, so that a file with a mistake in it is still told what it is.
    return looks_like_session_file(frozenset(_TOP.findall(text)))


def check_known(path: Path) -> Checked | None:
    """Check a session file; None for a file that does not seem to be one."""
    return check_file(path) if is_session_file(path) else None


def check_file(path: Path) -> Checked:
    """Check a session file in YAML or JSON, and its dumps where it has any.

    What cannot be read or is no session file raises InputError; whatever else is wrong is told with its place.
    """
    file = str(path)
    data, lines = _read(path, file)
    if not looks_like_session_file(data):
        expected = "a session file with workflow_type, strategy, agenda, rounds, artifacts and metrics"
        raise InputError("is not the session file of a workshop", file=file, expected=expected)
    dumps, lines_in, unreadable = _dumps(path)
    found = examine(data, dumps or None)
    known = {each.file for each in unreadable}
    problems = (*(each for each in found.problems if not each.file or each.file not in known), *unreadable)
    told = [each for severity in Severity for each in problems if each.severity is severity]
    places = lines([each.at for each in told if not each.file])
    placed = []
    for each in told:
        if not each.file:
            placed.append(Placed(each, file, places.get(each.at)))
            continue
        inside = lines_in[each.file]([each.at]).get(each.at) if each.file in lines_in else None
        placed.append(Placed(each, str(path.parent / each.file), inside))
    session = data.get("id")
    return Checked(
        file,
        session if isinstance(session, str) else None,
        verdict(problems),
        tuple(placed),
        found.not_checked,
        found.ran,
        len(dumps),
    )


def _read(path: Path, file: str) -> tuple[Any, Lines]:
    """Return the plain data of a file, and what tells the lines of its places."""
    text = text_of(path, MOST_BYTES, _WANTED)
    if text.lstrip()[:1] == "{":
        return from_text(text, file), lambda paths: lines_of(text, paths)
    source = load(text, file) if len(text) <= MOST_AT_ONCE else load_whole(text, file)
    return source.plain(), lambda paths: {each: source.line_of(each) for each in paths}


def _dumps(path: Path) -> tuple[dict[str, Any], dict[str, Lines], list[Problem]]:
    """Read the dumps beside a session file: their data and lines by path, and those that cannot be read."""
    read: dict[str, Any] = {}
    lines: dict[str, Lines] = {}
    wrong: list[Problem] = []
    left = MOST_OF_DUMPS
    for place in _dump_files(path):
        name = place.relative_to(path.parent).as_posix()
        if left <= 0 or len(read) >= MOST_DUMPS:
            what = f"is not read: there are more than {MOST_DUMPS} dumps, or {MOST_OF_DUMPS} bytes of them"
            wrong.append(Problem("DIAG-001", Severity.ERROR, "", what, "less", file=name))
            break
        try:
            if not place.resolve().is_relative_to(path.parent.resolve()):
                raise InputError("is a link to somewhere else and is not followed", expected="a file of its own")
            left -= place.stat().st_size
            read[name], lines[name] = _read(place, name)
        except (InputError, OSError) as error:
            what = error.what if isinstance(error, InputError) else f"cannot be read: {error.strerror or error}"
            line = f" (line {error.line})" if isinstance(error, InputError) and error.line else ""
            wrong.append(Problem("DIAG-001", Severity.ERROR, "", what + line, "a dump in YAML or JSON", file=name))
            read[name] = None  # It is there, so that nobody calls it missing.
    return read, lines, wrong


def _dump_files(path: Path) -> list[Path]:
    """The dumps in the folder that has the file's name, or else in the folder beside it."""
    for folder in (path.parent / path.stem / ROUNDS, path.parent / ROUNDS):
        try:
            names = sorted(name for name in os.listdir(folder) if name.endswith(ENDINGS) and not name.startswith("."))
        except OSError:
            continue
        return [folder / name for name in names]
    return []
