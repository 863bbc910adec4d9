"""The report of `verify`: nine results, what they cover, and the figures of every profile."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from quorate.core.types import Seat
from quorate.verify.bounds import WorstCase
from quorate.verify.options import Walked
from quorate.verify.story import Story


class ProofStatus(Enum):
    """How far a result holds."""

    PROVEN = "proven"
    BOUNDED = "bounded"
    """It holds for everything that was walked; the detail says what was not."""
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class ProofResult:
    """One of the nine results."""

    number: int
    title: str
    status: ProofStatus
    detail: str
    counterexample: Story | None = None

    def text(self) -> str:
        told = f"{self.number}. {self.title}: {self.status.value}\n   {self.detail}"
        return told if self.counterexample is None else f"{told}\n{self.counterexample.text()}"


@dataclass(frozen=True, slots=True)
class Profile:
    """What was walked under one profile, and how large it was."""

    settings: Mapping[str, object]
    domains: tuple[Walked, ...]
    cuts: tuple[str, ...]
    """What was left out; empty where everything was walked."""
    symmetry: str
    states: int
    moves: int
    combinations: int
    worst: WorstCase


@dataclass(frozen=True, slots=True)
class Report:
    """What `verify` found."""

    protocol: str
    results: tuple[ProofResult, ...]
    profiles: Mapping[str, Profile]

    @property
    def ok(self) -> bool:
        """Whether nothing failed."""
        return all(result.status is not ProofStatus.FAILED for result in self.results)

    def text(self) -> str:
        """Return the whole report as plain text."""
        lines = [f"{self.protocol}: {'all nine results hold' if self.ok else 'NOT PROVEN'}", ""]
        lines += [result.text() for result in self.results]
        for name, profile in self.profiles.items():
            lines += ["", *_told(name, profile)]
        return "\n".join(lines)


def _told(name: str, profile: Profile) -> list[str]:
    worst = profile.worst
    lines = [
        f"Profile {name!r}: {profile.states} states, {profile.combinations} combinations of replies, "
        f"{profile.moves} moves",
        f"   settings: {_flat(profile.settings)}",
        f"   seats alike: {profile.symmetry}",
        f"   longest session: rounds {worst.rounds}, phases that ask {worst.phases}, asks {worst.asks}",
        "   most asks to one seat: " + _counts(worst.by_seat),
        "   most asks with one brief: " + _counts(worst.by_brief),
    ]
    if worst.tokens is not None and worst.cost is not None:
        missing = f" (no figures for {', '.join(worst.unpriced)})" if worst.unpriced else ""
        lines.append(f"   worst case: {worst.tokens} tokens, {worst.cost / 1_000_000:.6f} US dollars{missing}")
    lines += [
        f"   {each.form}: {each.size} replies and 5 absences, {'exact' if each.exact else 'not exact'}: {each.why}"
        for each in profile.domains
    ]
    return [*lines, *(f"   cut: {each}" for each in profile.cuts)]


def _counts(counts: Mapping[Seat, int] | Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items()) or "none"


def _flat(settings: Mapping[str, object]) -> str:
    parts = []
    for name, value in settings.items():
        parts += [f"{name}.{k}={v}" for k, v in value.items()] if isinstance(value, Mapping) else [f"{name}={value}"]
    return ", ".join(parts) or "none"
