"""Decisions that people are asked for: what each choice does, which texts may stay empty, and how a choice is typed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quorate.core.types import Ask

CHOICE = "choice"
"""The field that a decision turns on."""


@dataclass(frozen=True, slots=True)
class Decision:
    """A form that is a choice with texts, as a person is told of it."""

    does: Mapping[str, str]
    """What comes of each choice, in one line."""
    optional: tuple[str, ...]
    """Texts that count as empty where they are left out."""
    needs: Mapping[str, str] = field(default_factory=dict)
    """The text that a choice is nothing without; with every other choice it stays empty."""
    unanswered: str = ""
    """The choice that has the same effect as no answer."""
    shows: tuple[str, ...] = ()
    """How the titles begin of what a person has to see, beside what is about the ask's keys."""

    @property
    def kept_for(self) -> tuple[str, ...]:
        """Texts that belong to one choice alone."""
        return tuple(self.needs.values())

    def asked_with(self, choice: str) -> list[str]:
        """Return the texts that go with a choice, the one it needs first."""
        needed = self.needs.get(choice)
        return [*([needed] if needed else []), *(name for name in self.optional if name not in self.kept_for)]


DECISIONS = {
    "quorate.protocols.workshop.forms.Ruling": Decision(
        does={
            "accept": "what the facilitator recommends holds",
            "decide": "what you write as the decision holds",
            "go_on": "nothing is resolved; the discussion goes on",
        },
        optional=("reason", "decision"),
        needs={"decide": "decision"},
        unanswered="go_on",
        shows=("Why you are asked", "The facilitator recommends", "What it is about"),
    ),
    "quorate.protocols.workshop.forms.PauseReply": Decision(
        does={
            "go_on": "the next round begins",
            "conclude": "the workshop ends now, and documents are written of what there is",
            "escalate": "the open conflicts are put to you, then it goes on",
        },
        optional=("remark",),
        unanswered="go_on",
        shows=("Round ", "Made in this round", "Agenda"),
    ),
    "quorate.protocols.roundtable.forms.Menu": Decision(
        does={
            "elaborate": "talk it over",
            "continue": "go on with the work",
            "skip": "skip the rest of the phase",
            "text": "leave a note as feedback",
        },
        optional=("text",),
        needs={"text": "text"},
    ),
}
"""By the form that is filled in."""


def decision_of(ask: Ask) -> Decision | None:
    """Return the decision that an ask is for; None where its form is of another kind."""
    return DECISIONS.get(f"{ask.form.__module__}.{ask.form.__qualname__}")


def picked(text: str, names: Sequence[str], *, numbered: bool = True) -> str | None:
    """Return the name that was typed: in any case, with a space for `_`, by its beginning, or by its number."""
    if text in names:
        return text
    typed = _plain(text)
    if not typed:
        return None
    if numbered and (number := text.strip()).isdecimal():
        return names[int(number) - 1] if len(number) < 4 and 1 <= int(number) <= len(names) else None
    same = [name for name in names if _plain(name) == typed]
    found = same or [name for name in names if _plain(name).startswith(typed)]
    return found[0] if len(found) == 1 else None


def same_word(text: str, names: Iterable[str]) -> str | None:
    """Return the name that a whole word stands for, in any case and with a space or a dash for `_`."""
    found = [name for name in names if _plain(name) == _plain(text)]
    return found[0] if len(found) == 1 else None


def _plain(text: str) -> str:
    return "_".join(text.replace("-", " ").replace("_", " ").split()).casefold()
