"""What the verifier has to know of a protocol: its table, whom each phase asks, and what follows from the replies."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

ESCALATION, STALL, EPISODES = "escalation", "stall", "episodes"
"""The interruption from which a session comes back, and the two that are counted and not told by an entry."""
MOST_NUMBERED = 1_000
Asked = tuple[str, str] | tuple[str, str, Sequence[str] | None]
"""Seat and brief of an ask, and the keys that its reply may name if it may any; None where those are not derived."""


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


def exits(**codes: int) -> dict[str, int]:
    """Return the exit code of each verdict."""
    return codes


def degree(below: object, within: object) -> str:
    """Return how far a session was degraded: below its settings, within them, or not at all."""
    return "below settings" if below else "within settings" if within else "none"


def counted(number: int, most: int = MOST_NUMBERED) -> int:
    """Return a number of things that a reply states; more than any session has is a ValueError."""
    if number > most:
        raise ValueError(f"{number} things of a kind are too many")
    return number


def numbered(letter: str, most: int, first: int = 1) -> list[str]:
    """Return the keys T1, T2, ... of so many things; no session has more than some hundreds of a kind."""
    return [f"{letter}{number}" for number in range(first, counted(most) + 1)]


class Rules(ABC):
    """The rules of one protocol, and what they have to remember while its phases are gone through in order."""

    table: ClassVar[Mapping[str, Mapping[str, str]]]
    interrupts: ClassVar[Mapping[str, str]]
    """Where each reason to interrupt leads."""
    after: ClassVar[frozenset[str]] = frozenset((STALL, "wish"))
    """The reasons that let the phase under way come to its end; the others act at once."""
    ends: ClassVar[frozenset[str]]
    initial: str
    uncounted: ClassVar[frozenset[str]] = frozenset()
    """Seats of people and of code, whose replies are no episodes."""
    settling: ClassVar[frozenset[str]] = frozenset()
    """Phases that may end before everybody is heard; no stall is counted in these."""
    codes: ClassVar[Mapping[str, int]]
    """The exit code of each verdict."""
    rulings: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """What a person may rule, by verdict."""
    entries: ClassVar[str] = "the form"
    """The rule by which an entry of a list that does not fit its form is refused, cut or kept elsewhere."""
    derived: ClassVar[str]
    left_out: ClassVar[tuple[str, ...]] = ()
    unseen: ClassVar[frozenset[str]] = frozenset()
    """Names of facts that `left_out` is about."""

    def __init__(self, settings: Mapping[str, Any], briefs: Mapping[str, str]) -> None:
        self.settings, self.briefs = settings, briefs
        self.round = self.seed = 0
        self.facts: list[tuple[str, dict[str, Any]]] = []
        """What the decision under way has to state beside its outcome, in order."""
        self.cut_short: Sequence[Heard] = ()
        """What was heard in the phase that was interrupted last, before it had decided."""
        self.ruled: list[Mapping[str, Any]] = []
        """The rulings of people on the conclusion, in order."""

    def tell(self, name: str, /, **values: Any) -> None:
        """Note a fact that the decision has to state; words that only explain are not among its values."""
        self.facts.append((name, values))

    @abstractmethod
    def asked(self, phase: str) -> Sequence[Asked]:
        """Return whom the phase has to ask, in order."""

    @abstractmethod
    def decide(self, phase: str, heard: Sequence[Heard]) -> str:
        """Return the outcome that follows, and remember what later phases need."""

    def certain(self, phase: str, heard: Sequence[Heard]) -> bool:
        """Whether nothing that is still to be heard could change what follows; asked of `settling` phases alone."""
        return False

    def progress(self, brief: str, reply: Mapping[str, Any]) -> bool:
        """Whether a reply brings the session on, so that no stall is counted."""
        return True

    def interrupt(self, phase: str, reason: str) -> None:  # noqa: B027 - some keep nothing
        """Leave a phase before it has decided; what was heard in it stays in the record and decides nothing."""

    @abstractmethod
    def verdict(self, phase: str) -> str:
        """Return the verdict of a session that ended in this phase."""

    @abstractmethod
    def degradation(self) -> str:
        """Return how far the session was degraded."""

    def fates(self) -> Sequence[Mapping[str, Any]] | None:
        """Return what became of each thing that was said (id, what, by, became); None if that is not derived.

        With `words`, that are not None, those that it quotes have to be these.
        """
        return None

    def words(self, moves: Sequence[Any]) -> Mapping[str, str]:
        """Return the words of fates by id, those that `fates` does not give, from the moves with their asks."""
        return {}


def given(heard: Sequence[Heard], brief: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the seats that gave a usable reply, with it."""
    for each in heard:
        if each.reply is not None and brief in ("", each.brief):
            yield each.seat, each.reply


def absent(heard: Sequence[Heard], brief: str = "") -> list[str]:
    """Return the seats without a usable reply."""
    return [each.seat for each in heard if each.reply is None and brief in ("", each.brief)]
