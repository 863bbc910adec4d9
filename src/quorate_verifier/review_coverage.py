"""Who read which part of a change under review, and what nobody has read: rules R43 to R47."""

from __future__ import annotations

import json
from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any

from quorate_verifier.rules import Asked, Heard, counted

Report = Mapping[str, Any]
Part = Mapping[str, Any]
TWICE = 2
"""How often a part is put to a reader (R44)."""
MOST_HUNKS = 100_000
OVER_A_LIMIT = ("too large", "too many files")
"""Why files are left out that are unread; all others are left out by a rule (R45)."""


class Coverage:
    """What of the change under review was read, and by whom."""

    def __init__(
        self,
        members: Sequence[str],
        holders: Sequence[str],
        most: int,
        notes: Container[str] = (),
        *,
        narrow: bool = False,
    ) -> None:
        self.members, self.holders, self.left = members, holders, most
        """`left`: the readings that may still be asked for in the session (R44)."""
        self.notes = notes
        """Whose reply makes nothing read (R48)."""
        self.narrow = narrow
        """Whether parts are hunks of which each changed line has a number (R50)."""
        self.answered = False
        """Whether somebody whose word counts has answered for a part of the change as it stands (R53)."""
        self.report: Report = {}
        self.proven = False
        """Whether a check has proven a veto, so that nobody is asked to read."""
        self.open: list[Part] = []
        """The parts that somebody has to read yet."""
        self.lost: list[Part] = []
        """The parts that nobody will read any more."""
        self.by: dict[int, list[str]] = {}
        """By the number of a part those who were shown all of it in a reading, and replied."""
        self.divided = False
        self.times = 0

    def begin(self, report: Report, *, proven: bool) -> None:
        """Take what the checks report of a change: nobody has read anything of it yet (R43)."""
        self.report, self.proven, self.times, self.by = report, proven, 0, {}
        self.open, self.lost, self.divided = list(report["parts"]), [], report["divided"]
        self.answered = False
        self._end()

    def due(self) -> list[tuple[Part, str]]:
        """Return the parts that are put to readers now, with the reader (R44)."""
        if not self.divided or self.times == TWICE or self.proven:
            return []
        return [(part, self._reader(part)) for part in self.open[: max(0, self.left)]]

    def _reader(self, part: Part) -> str:
        members = [each for each in self.members if each not in self.notes] or self.members
        among = self.holders if part["sensitive"] and self.holders else members
        seat: str = among[(part["number"] - 1 + self.times) % len(among)]
        return seat

    def asked(self) -> list[Asked]:
        """Return whom to ask about which files, or lines, in order (R43, R50)."""
        if self.narrow:
            return [(seat, "narrow", _lines(part)) for part, seat in self.due()]
        return [(seat, "read", ["F0", *(f"F{number}" for number in _files(part))]) for part, seat in self.due()]

    def heard(self, heard: Sequence[Heard]) -> Iterator[tuple[dict[str, Any], Heard, Part]]:
        """Take what readers replied; yield what is told of each part, with the reply and the part (R45)."""
        due = self.due()
        for (part, seat), each in zip(due, heard, strict=True):
            read = each.reply is not None and each.reply["whole"] is True and seat not in self.notes
            if read:
                self.by.setdefault(part["number"], []).append(seat)
                self.open.remove(part)
            self.answered = self.answered or read
            hunks = _hunks(part, "L" if self.narrow else "H")
            yield {"part": f"P{part['number']}", "hunks": hunks, "by": seat, "read": read}, each, part
        self.times, self.left = self.times + 1, self.left - len(due)
        self._end()

    def balloted(self, ballots: Mapping[str, Mapping[str, Any]]) -> None:
        """Take the ballots on a change that is not divided: whoever was shown all of it has read it (R45)."""
        if self.divided:
            return
        shown = [seat for seat, ballot in ballots.items() if ballot["whole"] is True and seat not in self.notes]
        self.open = [
            part
            for part in self.open
            if not ([seat for seat in shown if seat in self.holders] if self._held(part) else shown)
        ]

    def _held(self, part: Part) -> bool:
        return part["sensitive"] and bool(self.holders)

    def _end(self) -> None:
        """Where nobody is to read any more, what is unread stays unread (R45)."""
        if self.divided and not self.due():
            self.lost, self.open, self.divided = [*self.lost, *self.open], [], False

    def unread(self) -> bool:
        """Whether some of the change was read by nobody (R45)."""
        held = {n for part in self.report["parts"] for span in part["spans"] for n in _range(span)}
        named = {number for part in self.report["parts"] for number in _files(part)}
        hunks, files = counted(self.report["hunks"], MOST_HUNKS), counted(self.report["files"])
        missing = set(range(1, hunks + 1)) - held or set(range(1, files + 1)) - named
        return bool(self.open or self.lost or missing or self.report["beyond"])

    def _in_no_part(self) -> set[int]:
        """Return the files of which some hunk stands in no part: all those that it may be of (R45)."""
        found, waiting, last = set[int](), False, 1
        whose = {
            number: span["file"] for part in self.report["parts"] for span in part["spans"] for number in _range(span)
        }
        files, hunks = counted(self.report["files"]), counted(self.report["hunks"], MOST_HUNKS)
        for number in range(1, hunks + 2):
            file = files if number > hunks else whose.get(number)
            if file is None:
                waiting = True
                continue
            if waiting:
                found |= set(range(min(last, file), max(last, file) + 1))
            waiting, last = False, file
        return found

    # Fates

    def fates(self, *, ended: bool, ruled: bool) -> Iterator[dict[str, Any]]:
        """Yield what became of every part of a divided change and of every file (R47)."""
        if not self.report:
            return
        missed = "ruled upon" if ruled else "read by nobody" if ended else "not read yet"
        missed = "not put to anybody" if self.proven else missed
        unread = [part["number"] for part in (*self.open, *self.lost)]
        for part in self.report["parts"] if self.report["divided"] else ():
            number = part["number"]
            by = list(dict.fromkeys(self.by.get(number, ())))
            yield _fate(f"P{number}", "part", by, missed if number in unread else "read")
        told, lost = _receipt(self.report), self._in_no_part()
        for file in told["files"]:
            key = int(file["key"][1:])
            parts = [part["number"] for part in self.report["parts"] if key in _files(part)]
            read = key not in lost and bool(parts) and not any(number in unread for number in parts)
            yield _fate(file["key"], "file", [], "read" if read else missed, file["path"])
        for place, left in enumerate(told.get("left_out", []), start=1):
            became = missed if left["why"] in OVER_A_LIMIT else "seen by checks only"
            yield _fate(f"L{place}", "file", [], became, left["path"] or left["detail"])


def _fate(id_: str, what: str, by: list[str], became: str, words: str | None = None) -> dict[str, Any]:
    return {"id": id_, "what": what, "by": by, "became": became, "words": words}


def _receipt(report: Report) -> Mapping[str, Any]:
    try:
        found = json.loads(report["receipt"])
    except ValueError:
        found = {}
    return found if isinstance(found, dict) and "files" in found else {"files": []}


def _range(span: Mapping[str, int]) -> range:
    return range(span["first"], counted(span["last"], MOST_HUNKS) + 1)


def _files(part: Part) -> list[int]:
    return sorted({span["file"] for span in part["spans"]})


def _lines(part: Part) -> list[str]:
    return [f"L{number}" for span in part["spans"] for number in _range(span)]


def _hunks(part: Part, letter: str) -> str:
    """Return the hunks of a part as the record tells them."""
    told: list[tuple[list[int], list[int]]] = []
    for span in part["spans"]:
        if not told or span["first"] != told[-1][0][-1] + 1:
            told.append(([], []))
        told[-1][0].extend((span["first"], span["last"]))
        told[-1][1].append(span["file"])
    return ", ".join(f"{_from_to(letter, hunks)} of {_from_to('F', files)}" for hunks, files in told)


def _from_to(letter: str, numbers: Sequence[int]) -> str:
    first, last = numbers[0], numbers[-1]
    return f"{letter}{first}" if first == last else f"{letter}{first}-{letter}{last}"
