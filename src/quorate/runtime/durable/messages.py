"""Messages between a workflow and its activities: plain data, small, and without prose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

WORKFLOW = "Deliberation"
LOOK = "look"
"""Signal: something was written to the journal."""
REST = "rest"
"""Signal: stop driving; replies are kept, and a workflow started later continues."""
GO_ON = "go_on"
"""Signal sent with a start: drive, even if the running workflow was just told to rest."""
STANDING = "standing"
"""Query: the status of a session."""


@dataclass(frozen=True)
class Start:
    """Input of a workflow: the session to drive."""

    session: str


@dataclass(frozen=True)
class Begun:
    """What a workflow needs to run a session's rules."""

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
    """Request for the journal entries after a sequence."""

    session: str
    after: int


@dataclass(frozen=True)
class Wanted:
    """Request for quotes on asks that are about to be made."""

    session: str
    after: int
    asks: list[str]


@dataclass(frozen=True)
class Quote:
    """Participant and cost of a call."""

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
    """Quotes of the asks that are still open, and new journal entries."""

    news: News
    quotes: list[Quote]


@dataclass(frozen=True)
class ToAsk:
    """Request to make one ask."""

    session: str
    after: int
    ask: str
    repairs: int


@dataclass(frozen=True)
class Asked:
    """New journal entries up to and including the reply, unless the ask was left open for a person."""

    news: News
    left_open: bool = False


@dataclass(frozen=True)
class Stop:
    """Request to write an interruption."""

    session: str
    after: int
    reason: str
    detail: str


@dataclass(frozen=True)
class Ended:
    """Result of a workflow."""

    verdict: str
    """Empty where it was told to rest."""
    entries: int


@dataclass(frozen=True)
class Standing:
    """Status of a workflow, for queries."""

    protocol: str
    phase: str
    entries: int
    calling: list[str]
    """Seats that are being asked."""
    waiting: list[str]
    """Seats whose people are waited for."""
