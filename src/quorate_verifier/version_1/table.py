"""The table of a roundtable: who the personas are and who leads, and what is remembered of their talk (T1, T3)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from quorate_verifier.rules import numbered

LEAST_TURNS, MOST_TURNS, DEFAULT_TURNS, MANY_TURNS, WARNED_BEFORE = 3, 1_000, 10, 20, 2
ENSEMBLE, USER = "ensemble", "user"
_LEADS = re.compile(r"^Leads:([^\n]*)$", re.MULTILINE)


class Cast:
    """Who speaks, under the settings and role files that a session was opened with."""

    def __init__(self, settings: Mapping[str, Any], briefs: Mapping[str, str]) -> None:
        self.personas: list[str] = list(settings["personas"])
        self.shared = settings["contexts"] == "shared"
        phase = str(settings["phase"])
        leading = [each for each in self.personas if _is_led(phase, briefs[f"roles/{each}"])]
        self.known = bool(leading)
        """Whether a role file says who leads (T3)."""
        self.lead = leading[0] if leading else self.personas[0]
        self.others = [each for each in self.personas if each != self.lead]
        self.documents = numbered("D", settings["documents"])
        most = settings["max_turns"]
        self.limit: int = most if most is not None and LEAST_TURNS <= most <= MOST_TURNS else DEFAULT_TURNS

    def asked(self, persona: str) -> str:
        """Who is asked when a persona has the word (T1)."""
        return ENSEMBLE if self.shared else persona

    def order(self, first: str = "") -> list[str]:
        """All personas: whom the person addressed, then the lead, then the others (T11 to T13)."""
        everybody = [self.lead, *self.others]
        return [first, *(each for each in everybody if each != first)] if first else everybody


def _is_led(phase: str, role: str) -> bool:
    """Whether a role file names the phase, or what it begins with (T3): `01` names 01-requirements."""
    found = _LEADS.search(role.strip())
    named = [each.strip() for each in found[1].split(",")] if found else []
    return any(phase == each or phase.startswith(f"{each}-") for each in named if each)


class Talk:
    """The talk of one elaboration: who has the word next, who has spoken, and how many turns were taken."""

    def __init__(self) -> None:
        self.step = ""
        """Whose word it is: frame, speak, listen, read, classify, clarify; then synthesise, append, record."""
        self.turns = self.free = self.tries = 0
        self.queue: list[str] = []
        self.addressed = self.group = False
        self.spoken: set[str] = set()
        self.targets: list[str] = []

    def give(self, queue: Sequence[str], *, addressed: bool = False, group: bool = False) -> None:
        """Give the word to these, one after the other."""
        self.step, self.queue, self.addressed, self.group = "speak", list(queue), addressed, group

    def end(self) -> None:
        """The talk is over; what was said and counted stays."""
        self.step, self.free = "synthesise", 0

    @property
    def only_framed(self) -> bool:
        """Whether nothing was said since the framing, by the person neither (T21)."""
        return self.turns <= 1 and USER not in self.spoken
