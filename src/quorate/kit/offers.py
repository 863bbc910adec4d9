"""Offers: descriptions of the choices for a person who decides, and the texts that go with each."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from quorate.core.record import Record
from quorate.core.values import replace

CHOICE = "choice"
"""The field that a decision of a person turns on."""


@dataclass(frozen=True)
class Offer:
    """A form that is a choice with texts, described for a person."""

    does: Mapping[str, str]
    """What comes of each choice, in one line."""
    optional: tuple[str, ...] = ()
    """Texts that count as empty where they are left out."""
    needs: Mapping[str, str] = field(default_factory=dict)
    """The text that a choice is nothing without; with every other choice it stays empty."""
    unanswered: str = ""
    """The choice that has the same effect as no answer."""
    shows: tuple[str, ...] = ()
    """How the titles begin of what a person has to see, beside what is about the ask's keys."""
    there: Callable[[Record], Collection[str]] | None = None
    """The choices that there are at this moment of a session, where that is not always all of them."""

    @property
    def kept_for(self) -> tuple[str, ...]:
        """Texts that belong to one choice alone."""
        return tuple(self.needs.values())

    def asked_with(self, choice: str) -> list[str]:
        """Return the texts that go with a choice, the required one first."""
        needed = self.needs.get(choice)
        return [*([needed] if needed else []), *(name for name in self.optional if name not in self.kept_for)]

    def at(self, record: Record) -> Offer:
        """Return the offer with the choices available at this moment of a session."""
        if self.there is None:
            return self
        there = self.there(record)
        return replace(self, does={name: does for name, does in self.does.items() if name in there})

    def completed(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """Return an answer with missing texts filled in as empty, if it makes a choice at all."""
        return {**dict.fromkeys(self.optional, ""), **data} if CHOICE in data else dict(data)

    def lacks(self, data: Mapping[str, Any]) -> str | None:
        """Return the name of a required text that is missing; None if the answer is complete."""
        needed = self.needs.get(str(data.get(CHOICE)))
        return needed if needed is not None and not str(data.get(needed, "")).strip() else None

    def misplaced(self, data: Mapping[str, Any]) -> tuple[str, str] | None:
        """Return a text that stands beside another choice than its own, and its choice; such words would be lost."""
        chosen = data.get(CHOICE)
        given = ((name, own) for own, name in self.needs.items() if own != chosen and str(data.get(name, "")).strip())
        return next((each for each in given if each[0] != self.needs.get(str(chosen))), None)
