"""The schedule of a protocol: the most that one session may ask under its settings, turn by turn.

`verify` proves the worst case of a protocol by walking every session, which takes minutes for large settings. A
schedule says the same in closed form, at once and for any settings. Tests hold it against proofs of the protocol's
profiles, and against sessions that were run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from quorate.core.forms import Reply
from quorate.core.protocol import Protocol
from quorate.core.types import Seat


@dataclass(frozen=True, slots=True)
class Turn:
    """One phase entered once: who may be asked what, how often, and how much of what was said before is shown."""

    phase: Enum
    brief: str
    form: type[Reply]
    seats: tuple[Seat, ...]
    times: int = 1
    """How often each seat may be asked, retries included."""
    one: bool = False
    """Only one of the seats is asked, whichever has the word."""
    keys: int = 0
    """The most keys that it is asked about."""
    shows: tuple[tuple[str, int], ...] = ()
    """The most replies of earlier turns that a view may hold, by their brief; `a|b` is either of two."""
    rare: tuple[tuple[str, int], ...] = ()
    """What a view may hold besides, where things go badly; expectations leave it out."""
    material: int = 1
    """How often the material may stand in a view."""
    most: int | None = None
    """The tokens that a view is cut to, where settings say so."""

    @property
    def asks(self) -> int:
        return self.times * (1 if self.one else len(self.seats))


@dataclass(frozen=True, slots=True)
class Either:
    """A branch: one of these ways is taken."""

    ways: tuple[tuple[Turn, ...], ...]


Schedule = tuple[Turn | Either, ...]
Scheduling = Callable[[Protocol[Any], Mapping[str, str]], Schedule]
"""scheduling(protocol, material): the schedule of a protocol as it is built, for what is deliberated about."""


def turns(schedule: Schedule) -> Iterator[Turn]:
    """Yield all turns of a schedule, of every branch, in order."""
    for each in schedule:
        if isinstance(each, Turn):
            yield each
        else:
            for way in each.ways:
                yield from way
