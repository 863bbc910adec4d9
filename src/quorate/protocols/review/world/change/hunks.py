"""Parsing the hunks of a unified diff into added and removed lines by number; miscounted hunks are rejected."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from quorate.core.errors import InputError

MOST_LINE = 100_000_000
"""The highest number of a line that is believed."""

_HEADER = re.compile(r"@@ -(\d{1,10})(?:,(\d{1,10}))? \+(\d{1,10})(?:,(\d{1,10}))? @@")


@dataclass(slots=True)
class Lines:
    """The lines of a diff, with the current read position."""

    all: list[str]
    file: str
    at: int = 0

    @classmethod
    def of(cls, text: str, file: str) -> Lines:
        lines = text.split("\n")
        if lines[-1] == "":
            lines.pop()
        return cls(lines, file)

    @property
    def here(self) -> str | None:
        return self.all[self.at] if self.at < len(self.all) else None

    def error(self, what: str, expected: str | None = None, at: int | None = None) -> InputError:
        return InputError(what, file=self.file, line=(self.at if at is None else at) + 1, expected=expected)


@dataclass(slots=True)
class Hunks:
    """All hunks of one file."""

    text: list[str] = field(default_factory=list)
    added: dict[int, str] = field(default_factory=dict)
    removed: dict[int, str] = field(default_factory=dict)
    creates: bool = False
    """The first hunk says that there was nothing before."""
    deletes: bool = False
    """The first hunk says that nothing is left."""
    old_end: int = 0
    new_end: int = 0
    """The last lines that the hunks so far speak of."""


def read_hunks(lines: Lines) -> Hunks:
    """Read all hunks at the current position."""
    hunks = Hunks()
    while (line := lines.here) is not None and line.startswith("@@"):
        if line.startswith("@@@"):
            raise lines.error("is a combined diff of a merge", "a diff of two sides, as `git diff A B` prints it")
        _read_hunk(lines, hunks)
    if hunks.text:
        _refuse_surplus(lines)
    return hunks


def _read_hunk(lines: Lines, hunks: Hunks) -> None:
    start = lines.at
    match = _HEADER.match(lines.all[start])
    if match is None:
        raise lines.error("is not a hunk header", "@@ -LINE,COUNT +LINE,COUNT @@")
    old, olds, new, news = (1 if group is None else int(group) for group in match.groups())
    if max(old + olds, new + news) > MOST_LINE:
        raise lines.error("has impossible line numbers", f"at most {MOST_LINE:,}")
    if not hunks.text:
        hunks.creates, hunks.deletes = (old, olds) == (0, 0), (new, news) == (0, 0)
    if (olds and old <= hunks.old_end) or (news and new <= hunks.new_end):
        raise lines.error("overlaps an earlier hunk", "hunks in order that do not overlap")
    hunks.text.append(match[0])  # without the heading that git copies there from lines that are not part of the change
    lines.at += 1
    _read_body(lines, hunks, old, olds, new, news)
    hunks.old_end, hunks.new_end = old + olds - bool(olds), new + news - bool(news)


def _read_body(lines: Lines, hunks: Hunks, old: int, olds: int, new: int, news: int) -> None:
    """Read exactly as many lines as the header states."""
    header = lines.at - 1
    while olds or news:
        line = lines.here
        if line is None:
            raise lines.error("announces more lines than follow", "the whole hunk", at=header)
        sign = line[:1]
        if sign in ("", " ", "\r") and olds and news:
            old, olds, new, news = old + 1, olds - 1, new + 1, news - 1
            # Mailers strip the blank of an empty line.
            line = line if sign == " " else f" {line}"
        elif sign == "-" and olds:
            hunks.removed[old] = line[1:].removesuffix("\r")
            old, olds = old + 1, olds - 1
        elif sign == "+" and news:
            hunks.added[new] = line[1:].removesuffix("\r")
            new, news = new + 1, news - 1
        elif sign != "\\":
            raise lines.error("is not a line of the hunk above", f"{olds} old and {news} new lines more")
        hunks.text.append(line)
        lines.at += 1
    if (line := lines.here) is not None and line.startswith("\\"):
        hunks.text.append(line)
        lines.at += 1


def _refuse_surplus(lines: Lines) -> None:
    """Reject added or removed lines beyond what the header states, since skipping would hide them."""
    line = lines.here
    if line is None or line[:1] not in ("+", "-") or line.rstrip("\r\n") == "-- ":
        return
    following = lines.all[lines.at + 1] if lines.at + 1 < len(lines.all) else ""
    if not (line.startswith("--- ") and following.startswith("+++ ")):
        raise lines.error("is beyond the line counts in the hunk's header", "a new hunk or a new file")
