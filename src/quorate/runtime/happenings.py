"""Events that a driver reports to watchers. Watching never affects the session."""

from __future__ import annotations

from collections.abc import Callable

from quorate.codec.chain import Entry
from quorate.core.record import Envelope
from quorate.core.session import Conclusion, Move
from quorate.core.types import Ask, Event
from quorate.core.values import value
from quorate.core.view import Cut


@value(frozen=True, slots=True)
class Calling:
    """A participant is about to be asked."""

    ask: Ask
    participant: str
    cuts: tuple[Cut, ...]


@value(frozen=True, slots=True)
class Saying:
    """A participant is speaking; this text is not stored."""

    ask: Ask
    text: str


@value(frozen=True, slots=True)
class Called:
    """A participant has answered, or left the ask open; nothing is written yet."""

    ask: Ask


@value(frozen=True, slots=True)
class Writing:
    """Entries are about to be written in one batch: from one sequence to another."""

    seq: int
    last: int


@value(frozen=True, slots=True)
class Wrote:
    """An entry is durable, and these moves follow from it."""

    entry: Entry
    event: Event
    envelope: Envelope
    moves: tuple[Move, ...]


@value(frozen=True, slots=True)
class Waiting:
    """The session waits for people."""

    asks: tuple[Ask, ...]


@value(frozen=True, slots=True)
class Concluded:
    conclusion: Conclusion


Happening = Calling | Saying | Called | Writing | Wrote | Waiting | Concluded
Watcher = Callable[[Happening], None]


def nobody_watches(_: Happening) -> None:
    """Watcher that does nothing."""
