"""Qualification: of seats whose model has not passed the exam, words are notes, and nothing follows from them.

Which seats these are is found out when a session is opened and stands in its settings. From there on it is a matter
of each protocol's rules, which this module gives the words for.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Annotated

from quorate.core.decisions import Fact
from quorate.core.errors import SettingError, nearest
from quorate.core.forms import AtMost
from quorate.core.types import Absent, Replies, Seat
from quorate.kit.settings import UNQUALIFIED_SEATS, Later

Unqualified = Annotated[
    tuple[str, ...],
    AtMost(24),
    Later(),
    "seats whose model has not passed the exam, so that what they say is a note; the opening of a session fills it in",
]
NOTED = "noted: whoever said it has not passed the exam"
"""The fate of what such a seat says."""
WHY = "its model has not passed the exam"
TOLD = (
    "You have not passed the exam of this protocol. What you say is shown to the others and to people as a note. "
    "Your vote is not counted, and nothing that you name blocks or approves anything."
)
"""What such a seat is told of how its reply counts."""


def check_unqualified(named: Iterable[str], seats: Collection[str]) -> None:
    """Raise SettingError for a seat that the session does not have."""
    for name in named:
        if name not in seats:
            expected, near = "seats among " + ", ".join(seats), nearest(name, seats)
            raise SettingError(f"names {name!r}", key=UNQUALIFIED_SEATS, expected=expected, nearest=near)


def qualified(replies: Replies, unqualified: Collection[str]) -> Replies:
    """Return the replies of those whose word counts."""
    return Replies(tuple((ask, reply) for ask, reply in replies if ask.seat not in unqualified))


def unqualified_facts(replies: Replies, unqualified: Collection[str]) -> tuple[Fact, ...]:
    """Return a fact for each seat that was heard and whose word does not count."""
    heard = dict.fromkeys(ask.seat for ask, reply in replies if not isinstance(reply, Absent))
    return tuple(unqualified_fact(seat) for seat in heard if seat in unqualified)


def unqualified_fact(seat: Seat) -> Fact:
    return Fact.of("unqualified", seat=seat, why=WHY)


def as_note(title: str, seat: Seat, unqualified: Collection[str]) -> str:
    """Return the title under which others are shown what a seat said."""
    return f"{title} (a note: it has not passed the exam, and counts for nothing)" if seat in unqualified else title


def heading_words(voters: Collection[str], unqualified: Collection[str], voter: str = "member") -> Iterator[str]:
    """Yield what the first line of a report says of them: of those who vote, and of other seats."""
    notes = [name for name in voters if name in unqualified]
    if notes:
        count = "no" if len(notes) == len(voters) else f"{len(notes)} of {len(voters)}"
        if len(notes) == len(voters):
            yield f"{count} {voter} has passed the exam"
        else:
            yield f"{count} {voter}s {'has' if len(notes) == 1 else 'have'} not passed the exam"
    if others := [name for name in unqualified if name not in voters]:
        yield f"{' and '.join(others)} {'has' if len(others) == 1 else 'have'} not passed the exam"
