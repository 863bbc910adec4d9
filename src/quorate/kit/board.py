"""The board: what a session shows beside its transcript, in types that all protocols share.

A protocol fills in what it has: findings, topics of an agenda, artifacts, a conversation. It is a pure function of the
record, so the board as of any event is the board of the record as of that event. All texts are as they were said.
"""

from __future__ import annotations

from dataclasses import dataclass

MOST_TITLE = 140


def title_of(text: str, most: int = MOST_TITLE) -> str:
    """Return the first non-blank line, shortened if it is long; empty if there is none."""
    line = next((" ".join(line.split()) for line in text.splitlines() if line.strip()), "")
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"


@dataclass(frozen=True, slots=True)
class Dated:
    """An event in the history of a card, with its round."""

    round: int
    says: str


@dataclass(frozen=True, slots=True)
class FindingCard:
    """The current state of a finding: its text, who raised it, who agreed, each seat's vote, its status."""

    id: str
    title: str
    severity: str
    status: str
    location: str = ""
    text: str = ""
    raised_by: tuple[str, ...] = ()
    agreed_by: tuple[str, ...] = ()
    votes: tuple[tuple[str, str], ...] = ()
    """Seat and word, one for each seat that voted, answered or was absent."""
    blocking: bool = False
    proven: bool = False
    """Found by code: no vote can change it."""
    history: tuple[Dated, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    """What else there is to know, by name."""


@dataclass(frozen=True, slots=True)
class Criterion:
    """A condition that must hold before a topic is done."""

    text: str
    met: bool
    round: int | None = None


@dataclass(frozen=True, slots=True)
class TopicCard:
    """A topic of the agenda."""

    id: str
    name: str
    status: str
    required: bool = False
    stage: str = ""
    minimum: int = 0
    """Artifacts that it needs."""
    counted: int = 0
    """Artifacts that count for it so far."""
    criteria: tuple[Criterion, ...] = ()


@dataclass(frozen=True, slots=True)
class ArtifactCard:
    """Something that a session made."""

    id: str
    kind: str
    title: str
    status: str
    agreement: str = ""
    topic: str = ""
    by: tuple[str, ...] = ()
    round: int = 0
    fields: tuple[tuple[str, str], ...] = ()
    history: tuple[Dated, ...] = ()


@dataclass(frozen=True, slots=True)
class Utterance:
    """One line of a conversation."""

    turn: int
    kind: str
    speaker: str
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Board:
    """All cards of a session at one moment."""

    findings: tuple[FindingCard, ...] = ()
    topics: tuple[TopicCard, ...] = ()
    artifacts: tuple[ArtifactCard, ...] = ()
    conversation: tuple[Utterance, ...] = ()
    warnings: tuple[str, ...] = ()
