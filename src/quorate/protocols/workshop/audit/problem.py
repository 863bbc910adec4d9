"""Problems of a session file, checks that could not run, and the overall verdict."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Literal

from quorate.core.errors import nearest
from quorate.kit.untrusted_value import Path, Spot, one, place_of

Verdict = Literal["pass", "warn", "fail"]


class Severity(Enum):
    CRITICAL = "critical"
    """The file is no session file that could be worked with."""
    ERROR = "error"
    """It contradicts itself or a rule."""
    WARNING = "warning"
    """It is legal, and somebody should know."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem: the check that found it, its place, what is wrong, and what was expected."""

    check: str
    """Such as `STR-003`."""
    severity: Severity
    path: str
    """The place in the file, such as `rounds[3].artifacts_created[0]`; empty for the whole file."""
    what: str
    expected: str | None = None
    nearest: str | None = None
    at: Path = ()
    """The path in its parts, for whoever knows the lines."""
    file: str = ""
    """The dump that it stands in, such as `rounds/001-02-qa-lead.yaml`; empty for the session file."""

    def __str__(self) -> str:
        place = ": ".join(part for part in (self.file, self.path) if part) or "the file"
        parts = [f"{self.check} {place}: {self.what}"]
        if self.expected is not None:
            parts.append(f"expected {self.expected}")
        if self.nearest is not None:
            parts.append(f"did you mean {self.nearest!r}?")
        return "; ".join(parts)


@dataclass(frozen=True, slots=True)
class NotChecked:
    """A check, or part of one, that the file has no data for. Not a failure."""

    check: str
    why: str

    def __str__(self) -> str:
        return f"{self.check} not checked: {self.why}"


Finding = Problem | NotChecked


def problem(
    check: str,
    at: Spot,
    what: str,
    expected: str | None = None,
    near: str | None = None,
    *,
    severity: Severity = Severity.ERROR,
    file: str = "",
) -> Problem:
    """Return a problem at a place."""
    return Problem(check, severity, place_of(at.path), what, expected, near, at.path, file)


def unknown(check: str, at: Spot, noun: str, names: Collection[str]) -> Problem:
    """Return the problem of an unknown word, with the nearest known one."""
    said = at.text if at.text is not None and len(at.text) <= 80 else None
    near = nearest(said.lower(), names) if said else None
    return problem(check, at, f"{at} is not {one(noun)}", _one_of(names), near)


def _one_of(names: Collection[str], most: int = 12) -> str:
    listed = ", ".join(list(names)[:most])
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"one of {listed}{more}"


def verdict(problems: Iterable[Problem]) -> Verdict:
    """Return `fail` for any critical problem or error, `warn` for warnings only, else `pass`."""
    found = {each.severity for each in problems}
    if found & {Severity.CRITICAL, Severity.ERROR}:
        return "fail"
    return "warn" if found else "pass"
