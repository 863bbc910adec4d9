"""What became of every file of a change, and of every part in which a large one was read (R47)."""

from __future__ import annotations

from collections.abc import Iterator

from quorate.core.record import Record
from quorate.kit.change import Why
from quorate.kit.fates import RULED_UPON, Fate
from quorate.kit.settings import read_settings
from quorate.protocols.review.rules.forms import Examination
from quorate.protocols.review.rules.hits import shown_whole
from quorate.protocols.review.rules.model import Checked, ReviewSettings, State
from quorate.protocols.review.rules.parts import Part, files_in_no_part
from quorate.protocols.review.rules.receipt import examinations, part_replies, receipt, unread_parts

READ, NOBODY, NOT_YET = "read", "read by nobody", "not read yet"
NOT_PUT, CHECKS_ONLY = "not put to anybody", "seen by checks only"
OVER_A_LIMIT = frozenset({Why.TOO_LARGE.value, Why.TOO_MANY.value})
"""Why files are left out that nobody is to approve unread; all others are left out by a rule (R45)."""


def fates_of_files(record: Record) -> Iterator[Fate]:
    """Yield the fate of every part of a divided change, of every file, and of every file that was left out."""
    last = next((said.reply for said in reversed(examinations(record))), None)
    if not isinstance(last, Examination):
        return
    unread, missed = unread_now(record), _missed(record)
    lost = files_in_no_part(last.parts, last.files, last.hunks)
    if last.divided:
        yield from (_part(record, part, NOT_PUT if _nobody_asked(record) else missed, unread) for part in last.parts)
    told = receipt(last)
    for file in told["files"]:
        key = str(file["key"])
        became = READ if key not in lost and is_file_read(last, key, unread) else missed
        yield Fate(key, "file", (), str(file["path"]), became, "R14" if became == NOT_PUT else "R45")
    for number, left in enumerate(told.get("left_out", []), start=1):
        became = missed if left["why"] in OVER_A_LIMIT else CHECKS_ONLY
        yield Fate(f"L{number}", "file", (), str(left["path"] or left["detail"]), became, "R45")


def unread_now(record: Record) -> tuple[Part, ...]:
    """Return the parts that nobody has read: before the ballot, or at it where the change is not divided."""
    state: State = record.session.state
    return unread_parts(record) or state.unread


def is_file_read(report: Examination, key: str, unread: tuple[Part, ...]) -> bool:
    """Return whether every part with hunks of a file was read, and there is one."""
    parts = [part for part in report.parts if key in part.files]
    return bool(parts) and not any(part in unread for part in parts)


def _nobody_asked(record: Record) -> bool:
    """Return whether a veto that a check has proven spared everybody the change (R14)."""
    state: State = record.session.state
    return state.checked is Checked.VETOED


def _missed(record: Record) -> str:
    """Return what becomes of what nobody has read."""
    if _nobody_asked(record):
        return NOT_PUT
    if record.ruling is not None:
        return RULED_UPON
    return NOT_YET if record.session.conclusion is None else NOBODY


def _part(record: Record, part: Part, missed: str, unread: tuple[Part, ...]) -> Fate:
    settings = read_settings(ReviewSettings, record.protocol.settings)
    replies = [said for key, said in part_replies(record) if key == part.key and settings.counts(said.ask.seat)]
    by = dict.fromkeys(str(s.ask.seat) for s in replies if shown_whole(s.reply))
    became = missed if part in unread else READ
    return Fate(
        str(part.key), "part", tuple(by), part.told(settings.narrow), became, "R14" if became == NOT_PUT else "R45"
    )
