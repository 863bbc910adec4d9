"""Basic types: seats, asks, replies and the events that a session takes."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from quorate.core.forms import Key, Reply
from quorate.core.values import value


class Seat(str):
    """A place at the table, by its name."""

    __slots__ = ()


class AskId(str):
    """`<entry>.<index>`: the phase entry that asked, and the index among its asks. Stable across restarts."""

    __slots__ = ()

    @property
    def entry(self) -> int:
        """The number of the phase entry that asked."""
        return int(self.partition(".")[0])


class AbsentReason(Enum):
    """Why there is no usable reply. Tallies and reports keep the five reasons apart."""

    FAILED = "failed"
    TIMED_OUT = "timed_out"
    MALFORMED = "malformed"
    REFUSED = "refused"
    SILENT = "silent"


@value(frozen=True, slots=True)
class Absent:
    """A typed reply: this seat gave nothing usable. Abstaining is a stance, not an absence."""

    reason: AbsentReason


@value(frozen=True, slots=True)
class Question:
    """A question of a phase: one seat, one brief, one form, and the keys the reply may name."""

    seat: Seat
    brief: str
    form: type[Reply]
    keys: tuple[Key, ...] = ()


@value(frozen=True, slots=True)
class Ask:
    """An effect: one question to one seat, with the id under which exactly one reply counts."""

    id: AskId
    seat: Seat
    brief: str
    form: type[Reply]
    keys: tuple[Key, ...] = ()


class Reason(Enum):
    """Why a session is interrupted."""

    CANCELLED = "cancelled"
    BUDGET = "budget"
    EPISODES = "episodes"
    STALL = "stall"
    WISH = "wish"
    ESCALATION = "escalation"
    """A person wants to be asked; only protocols that can do so have a way for it."""


@value(frozen=True, slots=True)
class Replied:
    """An event: a seat answered an ask, or was absent."""

    ask: AskId
    reply: Reply | Absent


@value(frozen=True, slots=True)
class Interrupted:
    """An event: a limit was hit, or somebody stopped the session, wished it to wrap up or wants to be asked."""

    reason: Reason


@value(frozen=True, slots=True)
class Ruled:
    """An event: a person ruled on a conclusion, under a name and with a reason."""

    verdict: str
    """The name of the verdict."""
    by: str
    reason: str


Event = Replied | Interrupted | Ruled


@value(frozen=True, slots=True)
class Replies:
    """The replies of a phase, in the order of its asks, not of arrival."""

    pairs: tuple[tuple[Ask, Reply | Absent], ...] = ()

    def __iter__(self) -> Iterator[tuple[Ask, Reply | Absent]]:
        return iter(self.pairs)

    def __len__(self) -> int:
        return len(self.pairs)

    def of(self, seat: Seat) -> Reply | Absent | None:
        """Return the reply of `seat`, or None if it was not asked or has not replied."""
        return next((reply for ask, reply in self.pairs if ask.seat == seat), None)

    def present(self) -> tuple[Seat, ...]:
        return tuple(ask.seat for ask, reply in self.pairs if not isinstance(reply, Absent))

    def absent(self) -> tuple[Seat, ...]:
        """The seats without a usable reply. The record has the reasons."""
        return tuple(ask.seat for ask, reply in self.pairs if isinstance(reply, Absent))
