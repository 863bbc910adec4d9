"""Tolerance of a verdict: how many votes for it may have been dishonest without changing it.

A verdict tolerates f dishonest votes where it would stand had any f of the votes for it been cast against it. That
counts votes alone: an honest veto, or a proven finding, stops a verdict whatever the votes. Faults that the voters
share, as seats with one model do, are outside of any f.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from quorate.core.record import Record, Said
from quorate.kit.tolerance import Margin, NoVote, Stated
from quorate.worth.families import NO_MODEL, family
from quorate.worth.totals import counted


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How many dishonest votes a verdict withstands."""

    voters: tuple[str, ...]
    """The seats that voted, abstentions included."""
    threshold: str
    """What had to be reached, in words."""
    tolerates: int | None
    """The largest f; None where the vote carried no positive verdict."""
    families: Mapping[str, int]
    """How many of the voters are of each model family, or scripts or people, the largest first."""
    alone: str = ""
    """The seat that decides by itself, where no votes are counted."""
    unstated: str = ""
    """Why there is no number, as a sentence."""

    @property
    def sentences(self) -> tuple[str, ...]:
        """The tolerance as sentences, with what it does not cover; or that the protocol states none."""
        return (self.unstated,) if self.unstated else (self._number(), self._shared())

    def _number(self) -> str:
        if self.alone:
            return f"One {self.alone} decided: the verdict tolerates no dishonest vote."
        seats = (
            f"{counted(len(self.voters), 'seat')} voted ({', '.join(self.voters)}); {self.threshold} had to be reached."
        )
        if self.tolerates is None:
            return f"{seats} The vote carried no approval."
        number = counted(self.tolerates, "dishonest vote") if self.tolerates else "no dishonest vote"
        changed = f"would stand had any {self.tolerates}" if self.tolerates else "would not stand had one"
        return f"{seats} The verdict tolerates {number}: it {changed} of the votes for it been against it."

    def _shared(self) -> str:
        return f"Faults that voters share are outside of any such number; {self._held_by()}."

    def _held_by(self) -> str:
        """Describe the voters: models by family; scripts and people have none."""
        models = {name: count for name, count in self.families.items() if name not in NO_MODEL}
        others = [counted(count, name, NO_MODEL[name]) for name, count in self.families.items() if name in NO_MODEL]
        if len(self.voters) == 1:
            who = f"the {self.alone or 'voter'}"
            (name,) = self.families
            return f"{who} is a {name}" if name in NO_MODEL else f"{who} is of one model family ({name})"
        if not models:
            (first, *rest) = self.families
            return f"the voters are {' and '.join(others)}" if rest else f"all voters are {NO_MODEL[first]}"
        if len(models) == 1 and not others:
            return f"all voters are of one model family ({''.join(models)})"
        number = "one model family" if len(models) == 1 else f"{len(models)} model families"
        named = ", ".join(f"{name} {count}" for name, count in models.items())
        return f"the voters are of {number} ({named}){''.join(f', and {each}' for each in others)}"


def tolerance(record: Record, stated: Stated | None) -> Tolerance | None:
    """Return the tolerance of a session's verdict, from what its protocol states about the deciding vote.

    None before its end, and where votes decide and nobody voted.
    """
    if record.session.conclusion is None:
        return None
    if stated is None:
        name = record.opening.protocol
        says = f"How many dishonest votes the verdict tolerates is not stated by this protocol ({name})."
        return Tolerance((), "", None, {}, unstated=says)
    match stated(record):
        case None | Margin(voted=()):
            return None
        case NoVote(why):
            says = f"No vote carried the verdict, so no number of dishonest votes applies: {why}."
            return Tolerance((), "", None, {}, unstated=says)
        case Margin(voted, threshold, spare, alone):
            families = dict(Counter(sorted(family(_model(record, line)) for line in voted)).most_common())
            return Tolerance(tuple(str(line.ask.seat) for line in voted), threshold, spare, families, alone)


def as_data(found: Tolerance | None) -> dict[str, Any] | None:
    """Return the tolerance as plain data; if its number is null, `says` tells why."""
    if found is None:
        return None
    data = {**asdict(found), "voters": list(found.voters), "says": list(found.sentences)}
    del data["unstated"], data["alone"]
    return data


def _model(record: Record, said: Said) -> str:
    """Return the model that answered, as the reply says; else the participant of the seat."""
    return said.envelope.model or record.opening.panel.get(str(said.ask.seat), "")
