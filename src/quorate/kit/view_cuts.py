"""What was cut from each view of a session, computed by replaying its record."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Protocol, runtime_checkable

from quorate.core.record import Asked, Envelope, Record
from quorate.core.types import Ask
from quorate.core.view import Cut, View


@runtime_checkable
class Receipted(Protocol):
    """Views that are cut to a size and say what was cut."""

    def with_receipt(self, record: Record, ask: Ask) -> tuple[View, tuple[Cut, ...]]: ...


def views_cut(record: Record) -> Iterator[tuple[Asked, tuple[Cut, ...]]]:
    """Yield every ask to a model or person with what was cut from its view; seats held by code see everything.

    The session is folded again, so that every view is rebuilt as it was.
    """
    view = record.protocol.view
    if not isinstance(view, Receipted):
        return
    again, seen = Record(record.protocol, record.opening, record.material), 0
    for event, envelope in (*record.events(), (None, Envelope())):
        for line in again.log[seen:]:
            if isinstance(line, Asked) and line.ask.seat not in record.protocol.checks:
                yield line, view.with_receipt(again, line.ask)[1]
        seen = len(again.log)
        if event is not None:
            again.take(event, envelope)


def still_whole(reply: Any, _: str) -> bool:
    """A mark: all of the material was shown. A recorded false stays: only a participant knows its own window."""
    return reply.whole is not False


def cut_material(view: View, cuts: Iterable[Cut]) -> bool:
    """Return whether one of these cuts was made in what may be quoted from the view."""
    quotable = {section.title for section in view.sections if section.quotable}
    return any(cut.title in quotable for cut in cuts)


def cuts_told(record: Record) -> list[dict[str, Any]]:
    """Return the cuts as plain data; seats with the same cuts share an entry."""
    alike: dict[tuple[int, str, tuple[Cut, ...]], list[str]] = {}
    for asked, cut in views_cut(record):
        if cut:
            alike.setdefault((asked.round, asked.ask.brief, cut), []).append(str(asked.ask.seat))
    return [
        {
            "round": round_,
            "brief": brief,
            "seats": seats,
            "shown": sum(each.shown for each in cut),
            "of": sum(each.of for each in cut),
            "sections": [{"section": each.title, "shown": each.shown, "of": each.of} for each in cut],
        }
        for (round_, brief, cut), seats in alike.items()
    ]
