"""The analysable Python files of a change, and helpers shared by the Python checks."""

from __future__ import annotations

from typing import Any

from quorate.files.places import counted, is_python, listed
from quorate.kit.change import Change, ChangedFile
from quorate.kit.findings import Finding, Severity
from quorate.kit.quote import clip
from quorate.kit.strict_json import strict_json
from quorate.protocols.review.world.checks.scratch import MOST_TEXT

INSTALL = "install quorate[review]"
SECONDS = 120.0
"""For one tool on all files, before and after."""
ONCE = 60.0


def python_files(change: Change) -> tuple[list[ChangedFile], list[str]]:
    """Return the Python files that can be analysed, and the paths of those known only in part."""
    every = [file for file in change.files if is_python(file.path) and file.added]
    files = [file for file in every if file.after is not None and len(file.after) <= MOST_TEXT]
    return files, [file.path for file in every if file not in files]


def sides(file: ChangedFile) -> list[tuple[str, str]]:
    pairs = (("before", file.before), ("after", file.after))
    return [(side, text) for side, text in pairs if text is not None and len(text) <= MOST_TEXT]


def unread(file: ChangedFile, tool: str) -> Finding:
    """Return the finding about a file that a tool cannot analyse."""
    told = f"{tool} cannot get through this file, so nothing is known about it. Mend its syntax, or make it simpler."
    return Finding(f"{tool}/unread", Severity.MEDIUM, file.path, 0, told, clip(file.path))


def nothing(unknown: list[str]) -> str:
    if unknown:
        return f"the whole text is not known or too large: {listed(unknown)}"
    return "no Python lines are added"


def looked(tool: str, files: list[ChangedFile], not_read: list[str]) -> str:
    what = f"{tool} looked at {counted(len(files), 'Python file')}"
    return f"{what}; not read: {listed(not_read)}" if not_read else what


def read_json(text: str, kind: type[Any]) -> Any:
    """Parse the JSON output of a tool; None if it is not of this type."""
    try:
        value = strict_json(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, kind) else None
