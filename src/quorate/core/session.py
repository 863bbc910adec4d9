"""A session: where one deliberation stands, what must go out, and the moves that brought it there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Generic, TypeVar

from quorate.core.decisions import Fact, Test
from quorate.core.forms import Reply
from quorate.core.protocol import Degradation
from quorate.core.types import Absent, Ask, AskId, Reason, Replies

S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class Conclusion:
    """How a session ended."""

    phase: Enum
    verdict: Enum
    degradation: Degradation
    interrupted: Reason | None


@dataclass(frozen=True, slots=True)
class Conclude:
    """An effect: the session is over."""

    conclusion: Conclusion


@dataclass(frozen=True, slots=True)
class Withdraw:
    """An effect: this ask is no longer wanted; a reply to it would not count."""

    ask: AskId


Effect = Ask | Withdraw | Conclude


class Cause(Enum):
    """What made a session move."""

    DECIDED = "decided"
    SETTLED = "settled early"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class Move:
    """One transition as it happened: from where, why, and to where."""

    entry: int
    phase: Enum
    outcome: Enum
    to: Enum
    cause: Cause
    before: Any
    """The state in which the phase was entered."""
    after: Any
    because: tuple[Test, ...] = ()
    facts: tuple[Fact, ...] = ()


@dataclass(frozen=True, slots=True)
class Session(Generic[S]):
    """Where a deliberation stands: what decisions need, and no more."""

    phase: Enum
    state: S
    entry: int = 0
    asks: tuple[Ask, ...] = ()
    replies: Mapping[AskId, Reply | Absent] = field(default_factory=dict)
    pending: Reason | None = None
    interrupted: Reason | None = None
    episodes: int = 0
    idle: int = 0
    conclusion: Conclusion | None = None

    @property
    def open(self) -> tuple[Ask, ...]:
        """The asks that wait for a reply."""
        return tuple(ask for ask in self.asks if ask.id not in self.replies)

    def heard(self) -> Replies:
        return Replies(tuple((ask, self.replies[ask.id]) for ask in self.asks if ask.id in self.replies))


@dataclass(frozen=True, slots=True)
class Step(Generic[S]):
    """What one event led to: the session after it, what must go out, and the moves it made."""

    session: Session[S]
    effects: tuple[Effect, ...] = ()
    moves: tuple[Move, ...] = ()
