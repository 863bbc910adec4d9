"""What a workshop is about and brings about: topics, artifacts, and what was said in a round."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Topic:
    """One topic of the agenda."""

    required: bool
    criteria: int
    minimum: int
    counts: tuple[str, ...]
    met: int = 0
    closed: bool = False


@dataclass
class Artifact:
    """One artifact; the agreement of one whose fate was decided elsewhere is not derived."""

    kind: str
    topic: str
    agreement: str
    live: bool = True
    since: int = 0
    """The round in which a conflict was opened, or given more time."""
    blocks: int = 0


@dataclass
class Said:
    """What the participants said in the round under way."""

    sure: dict[str, int] = field(default_factory=dict)
    """By key (P1, P2, ...) the confidence of everybody who answered."""
    critical: set[str] = field(default_factory=set)
