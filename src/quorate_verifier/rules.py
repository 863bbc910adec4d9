"""What the verifier has to know of a protocol: its table, whom each phase asks, and what follows from the replies."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

NONE, WITHIN, BELOW = "none", "within settings", "below settings"
"""How far a session was degraded."""


@dataclass(frozen=True, slots=True)
class Heard:
    """One ask of a phase, and the typed reply to it; None where the seat was absent or the ask was withdrawn."""

    seat: str
    brief: str
    keys: tuple[str, ...]
    reply: Mapping[str, Any] | None
    answered: bool = True
    """Whether there is an entry for it: an absence is one, a withdrawn ask is not."""


def table(text: str) -> dict[str, dict[str, str]]:
    """Read a table of lines `PHASE: OUTCOME TO, OUTCOME TO`; an outcome alone stays in its phase."""
    rows: dict[str, dict[str, str]] = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        phase, _, moves = line.partition(":")
        for move in moves.split(","):
            outcome, *to = move.split()
            rows.setdefault(phase, {})[outcome] = to[0] if to else phase
    return rows


def leads(**to: str) -> dict[str, str]:
    """Return where each reason to interrupt leads, from `PHASE="reason reason"`."""
    return {reason: phase for phase, reasons in to.items() for reason in reasons.split()}


class Rules(ABC):
    """The rules of one protocol, and what they have to remember while its phases are gone through in order."""

    table: ClassVar[Mapping[str, Mapping[str, str]]]
    interrupts: ClassVar[Mapping[str, str]]
    """Where each reason to interrupt leads."""
    ends: ClassVar[frozenset[str]]
    initial: str
    rulings: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """What a person may rule, by verdict."""
    counts: ClassVar[str] = "tally"
    """The name of the facts that state a count."""
    derived: ClassVar[str]
    left_out: ClassVar[tuple[str, ...]] = ()

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self.settings = settings
        self.facts: Sequence[Mapping[str, Any]] = ()
        """What the decision states beside its outcome; rules take nothing from it but the numbers of things."""
        self.stated = self.stated_verdict = ""
        """The outcome and the verdict that are stated, for where `left_out` says that they are not derived."""
        self.tallies: list[dict[str, Any]] = []
        """What the last decision counted: the values of each such fact that it has to state."""

    @abstractmethod
    def asked(self, phase: str) -> Sequence[tuple[str, str]] | None:
        """Return whom the phase has to ask, as seat and brief in order; None where that is not derived."""

    @abstractmethod
    def decide(self, phase: str, heard: Sequence[Heard]) -> str:
        """Return the outcome that follows, and remember what later phases need."""

    def interrupt(self, phase: str, reason: str, heard: Sequence[Heard]) -> None:  # noqa: B027 - most keep nothing
        """Take what was heard before an interruption."""

    @abstractmethod
    def verdict(self, phase: str) -> str:
        """Return the verdict of a session that ended in this phase."""

    def degradation(self) -> str | None:
        """Return how far the session was degraded; None where that is not derived."""
        return None


def given(heard: Sequence[Heard], brief: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the seats that gave a usable reply, with it."""
    for each in heard:
        if each.reply is not None and brief in ("", each.brief):
            yield each.seat, each.reply


def absent(heard: Sequence[Heard], brief: str = "") -> list[str]:
    """Return the seats without a usable reply."""
    return [each.seat for each in heard if each.reply is None and brief in ("", each.brief)]
