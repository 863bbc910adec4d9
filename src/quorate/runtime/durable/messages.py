"""What a workflow and its activities tell each other: plain data, small, and without a word of prose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

WORKFLOW = "Deliberation"
LOOK = "look"
"""The signal that something was written to the journal."""
REST = "rest"
"""The signal to stop driving; what was said is kept, and a workflow that is started later goes on."""
GO_ON = "go_on"
"""The signal that comes with a start: drive, also where the workflow that runs was told to rest a moment ago."""
STANDING = "standing"
"""The query where a session stands."""


@dataclass(frozen=True)
class Start:
    """A deliberation to be driven, by its session."""

    session: str


@dataclass(frozen=True)
class Begun:
    """What a workflow has to know to run a session's rules."""

    protocol: str
    settings: dict[str, Any]
    seed: int
    briefs: dict[str, str]
    """The prompts that it began with: who sits at the table is read off the role files."""
    budget: dict[str, Any]
    most_entries: int
    """Entries that one run takes before it is continued as a new one."""
    curtail: bool = False
    """Whether a phase that may settle early is asked in waves."""


@dataclass(frozen=True)
class News:
    """Decisions in the order of the journal, without a gap."""

    first: int
    """The entry of the first one."""
    decisions: list[str]
    more: bool = False
    """Whether there are further ones."""


@dataclass(frozen=True)
class After:
    """A wish for what a session's journal holds after an entry."""

    session: str
    after: int


@dataclass(frozen=True)
class Wanted:
    """Asks that are about to go out."""

    session: str
    after: int
    asks: list[str]


@dataclass(frozen=True)
class Quote:
    """What it takes to make a call."""

    ask: str
    provider: str
    """Empty for a person, who is not called."""
    worst: list[list[int]]
    """Tokens and money at worst, by the number of repairs."""
    heartbeat: float
    """Seconds without a sign of life after which another worker makes the call."""
    timeout: float
    """Seconds that a call may take altogether."""


@dataclass(frozen=True)
class Quoted:
    """The quotes of the asks that are still open, after what is new in the journal."""

    news: News
    quotes: list[Quote]


@dataclass(frozen=True)
class ToAsk:
    """One ask to be made."""

    session: str
    after: int
    ask: str
    repairs: int


@dataclass(frozen=True)
class Asked:
    """What is new in the journal, up to the reply, which is part of it unless the ask was left open for a person."""

    news: News
    left_open: bool = False


@dataclass(frozen=True)
class Stop:
    """An interruption to be written."""

    session: str
    after: int
    reason: str
    detail: str


@dataclass(frozen=True)
class Ended:
    """How a workflow ended."""

    verdict: str
    """Empty where it was told to rest."""
    entries: int


@dataclass(frozen=True)
class Standing:
    """Where a workflow stands, for those who look at it."""

    protocol: str
    phase: str
    entries: int
    calling: list[str]
    """Seats that are being asked."""
    waiting: list[str]
    """Seats whose people are waited for."""
