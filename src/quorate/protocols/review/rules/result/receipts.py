"""The coverage receipt: what was read by whom, what by nobody, what was left out and why (R33, R43 to R47)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from quorate.core.record import Said
from quorate.core.types import Absent
from quorate.kit.view_cuts import cuts_told
from quorate.protocols.review.rules.file_fates import OVER_A_LIMIT, unread_now
from quorate.protocols.review.rules.forms import Ballot
from quorate.protocols.review.rules.hits import shown_whole
from quorate.protocols.review.rules.model import Checked
from quorate.protocols.review.rules.parts import Part, files_in_no_part
from quorate.protocols.review.rules.receipt import part_replies
from quorate.protocols.review.rules.result.overview import Overview

IN_PART = "shown in part"
"""Why a reply reads nothing: its seat was not shown all of the part."""


def coverage(reading: Overview) -> dict[str, Any]:
    """Return the receipt as plain data."""
    told = reading.receipt
    left = [dict(each) for each in told.get("left_out", [])]
    nobody = unread(reading) if reading.record.session.conclusion is not None else {}
    return {
        "title": str(told.get("title", "")),
        "base": str(told.get("base", "")),
        "head": str(told.get("head", "")),
        "files": [dict(file) for file in told["files"]],
        "left_out": left,
        "checks_only": [each for each in left if each["why"] not in OVER_A_LIMIT],
        "divided": reading.examination is not None and reading.examination.divided,
        "parts": list(parts_read(reading)),
        **({"unshown": nobody} if nobody else {}),
        "cut": cuts_told(reading.record),
        "dismissed": [dict(each) for each in told.get("dismissed", [])],
    }


def parts_read(reading: Overview) -> Iterator[dict[str, Any]]:
    """Yield every part of the current change, with who was shown all of it and replied (R45)."""
    parts = reading.examination.parts if reading.examination is not None else ()
    unread = {part.key for part in unread_now(reading.record)}
    for part in parts:
        asked = [(str(said.ask.seat), _why(reading, said)) for said in _asked(reading, part)]
        yield {
            "part": str(part.key),
            "sensitive": part.sensitive,
            "hunks": part.told(reading.settings.narrow),
            "paths": _paths(reading, (part,)),
            "read": part.key not in unread,
            "by": list(dict.fromkeys(seat for seat, why in asked if not why)),
            "lost": [f"{seat} ({why})" for seat, why in asked if why],
        }


def _asked(reading: Overview, part: Part) -> Iterable[Said]:
    """Yield the replies of those who were asked about a part: its readers, or all members at the ballot."""
    if reading.examination is not None and reading.examination.divided:
        return (said for key, said in part_replies(reading.record) if key == part.key)
    ballots = (said for visit in reading.debates if reading.is_current(visit) for said in visit.said)
    return (said for said in ballots if said.ask.form is Ballot)


def _why(reading: Overview, said: Said) -> str:
    """Return why a reply reads nothing, by somebody who was not shown the whole part, say; empty if it does."""
    if isinstance(said.reply, Absent):
        return said.reply.reason.value
    if not reading.settings.counts(said.ask.seat):
        return "has not passed the exam"
    whole = shown_whole(said.reply) or (isinstance(said.reply, Ballot) and said.reply.whole)
    return "" if whole else IN_PART


def unread(reading: Overview) -> dict[str, Any]:
    """Return the files of which nobody has read something; empty if there is none.

    Where a check has proven a veto nobody was asked to read (R14), and it is empty too.
    """
    state, examination = reading.state, reading.examination
    if examination is None or not state.unseen or state.checked is Checked.VETOED:
        return {}
    lost = files_in_no_part(examination.parts, examination.files, examination.hunks)
    paths = _paths(reading, unread_now(reading.record))
    paths += [str(file["path"]) for file in reading.receipt["files"] if file["key"] in lost]
    beyond = reading.receipt.get("unshown", {"count": examination.beyond, "paths": []})
    listed = list(dict.fromkeys((*paths, *map(str, beyond["paths"]))))
    more = max(0, int(beyond["count"]) - len(beyond["paths"]))
    return {"count": len(listed) + more, "paths": listed}


def _paths(reading: Overview, parts: Sequence[Part]) -> list[str]:
    """Return the paths of the files of some parts, in the order of their keys."""
    keys = {key for part in parts for key in part.files}
    return [str(file["path"]) for file in reading.receipt["files"] if file["key"] in keys]
