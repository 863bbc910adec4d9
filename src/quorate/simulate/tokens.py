"""Token counts of a deliberation, computed from its shape before any call is made.

N agents speak in R rounds. Every call reads the task (T0 tokens) and the messages of earlier rounds that the agent may
see, and writes one message (m tokens).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from quorate.core.errors import SettingError


class History(Enum):
    """Which earlier rounds a call reads again."""

    FULL = "all earlier rounds"
    LAST = "the round before"


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens read and written."""

    input: int
    output: int

    @property
    def total(self) -> int:
        return self.input + self.output


def tokens(
    agents: int, rounds: int, task: int, message: int, *, seen: int | None = None, history: History = History.FULL
) -> Tokens:
    """The tokens of all calls; `seen` is how many messages of a round each agent reads, all N of them by default.

    Full history: input = N R T0 + N seen m R(R-1)/2, output = N R m. With the last round alone R(R-1)/2 becomes R-1.
    One agent and one round are a single call; many agents and one round are a plain vote.
    """
    for key, value, least in (("agents", agents, 1), ("rounds", rounds, 1), ("task", task, 0), ("message", message, 0)):
        if value < least:
            raise SettingError(f"is {value}", key=key, expected=f"a whole number from {least}")
    read = agents if seen is None else seen
    if not 0 <= read <= agents:
        raise SettingError(f"is {read}", key="seen", expected=f"a whole number from 0 to {agents}")
    reread = rounds * (rounds - 1) // 2 if history is History.FULL else rounds - 1
    return Tokens(
        input=agents * rounds * task + agents * read * message * reread,
        output=agents * rounds * message,
    )
