"""Sessions: the current phase and state of a deliberation, its effects and its moves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import Enum
from typing import Any, Generic, TypeVar

from quorate.core.decisions import Fact, Test
from quorate.core.forms import Reply
from quorate.core.protocol import Degradation
from quorate.core.types import Absent, Ask, AskId, Reason, Replies
from quorate.core.values import value

S = TypeVar("S")


@value(frozen=True, slots=True)
class Conclusion:
    """How a session ended."""

    phase: Enum
    verdict: Enum
    degradation: Degradation
    interrupted: Reason | None


@value(frozen=True, slots=True)
class Conclude:
    """An effect: the session is over."""

    conclusion: Conclusion


@value(frozen=True, slots=True)
class Withdraw:
    """An effect: this ask is withdrawn, and a reply to it is refused."""

    ask: AskId


Effect = Ask | Withdraw | Conclude


class Cause(Enum):
    """What made a session move."""

    DECIDED = "decided"
    SETTLED = "settled early"
    INTERRUPTED = "interrupted"


@value(frozen=True, slots=True)
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


@value(frozen=True, slots=True)
class Session(Generic[S]):
    """The current state of a deliberation: what decisions need, and no more."""

    phase: Enum
    state: S
    entry: int = 0
    """How many phases were entered before this one; ids of asks begin with it."""
    asks: tuple[Ask, ...] = ()
    replies: Mapping[AskId, Reply | Absent] = field(default_factory=dict)
    pending: Reason | None = None
    """The interruption that waits for the phase to end."""
    interrupted: Reason | None = None
    """The interruption whose wrap-up is under way."""
    episodes: int = 0
    """Asks that `Limits.episodes` counts, so far."""
    idle: int = 0
    """Replies in a row without progress, which `Limits.stall` counts."""
    conclusion: Conclusion | None = None

    @property
    def open(self) -> tuple[Ask, ...]:
        """The asks that wait for a reply."""
        replies = self.replies
        return tuple([ask for ask in self.asks if ask.id not in replies]) if replies else self.asks

    def is_open(self, ask_id: AskId) -> bool:
        """Whether an ask of this id waits for a reply."""
        return ask_id not in self.replies and self.ask(ask_id) is not None

    def ask(self, ask_id: AskId) -> Ask | None:
        """The ask with this id, answered or not."""
        for ask in self.asks:
            if ask.id == ask_id:
                return ask
        return None

    def hearing(self, ask_id: AskId, reply: Reply | Absent) -> Session[S]:
        """Return the session with one more reply; faster than `replace`, and called for every reply."""
        replies = {**self.replies, ask_id: reply}
        return Session(
            self.phase,
            self.state,
            self.entry,
            self.asks,
            replies,
            self.pending,
            self.interrupted,
            self.episodes,
            self.idle,
            self.conclusion,
        )

    def heard(self) -> Replies:
        return Replies(tuple((ask, self.replies[ask.id]) for ask in self.asks if ask.id in self.replies))


@value(frozen=True, slots=True)
class Step(Generic[S]):
    """The result of one event: the session after it, the effects and the moves."""

    session: Session[S]
    effects: tuple[Effect, ...] = ()
    moves: tuple[Move, ...] = ()
