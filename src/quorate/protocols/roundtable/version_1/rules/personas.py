"""The cast: the personas, read from their role files, and which of them leads (T1, T3)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from quorate.core.errors import SettingError, nearest
from quorate.core.forms import Key
from quorate.core.types import Seat
from quorate.kit.roles import roles_in
from quorate.protocols.roundtable.version_1.rules.address import ANYBODY, TABLE
from quorate.protocols.roundtable.version_1.rules.exits import EXIT_WORDS
from quorate.protocols.roundtable.version_1.rules.model import (
    ENSEMBLE,
    USER,
    Contexts,
    RoundtableSettings,
    document_keys,
)
from quorate.protocols.roundtable.version_1.rules.sentences import folded

_HEADING = re.compile(r"#\s+(?P<name>[^,\n]+),\s*(?P<role>[^\n]+)")
_LEADS = re.compile(r"^Leads:(?P<phases>[^\n]*)$", re.MULTILINE)
_FIRST = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
MOST_NAME = 60
RESERVED = frozenset({"all", "user"}) | TABLE | ANYBODY | EXIT_WORDS
"""First names that mean something else: in an attribution, or in a person's turn ("Team, ...", "Done")."""


@dataclass(frozen=True, slots=True)
class Persona:
    seat: Seat
    first: str
    """The first name, by which it is addressed."""
    name: str
    role: str
    leads: tuple[str, ...] = ()
    """The phases that it leads."""

    @property
    def full(self) -> str:
        return f"{self.name} ({self.role})"

    @property
    def prefix(self) -> str:
        """The prefix of everything the persona says."""
        return f"{self.first} ({self.role})"


@dataclass(frozen=True, slots=True)
class Cast:
    """Everybody who speaks, under given settings."""

    settings: RoundtableSettings
    personas: tuple[Persona, ...]
    lead: Persona
    lead_known: bool
    """A role file says so; otherwise the first persona leads for want of another."""

    @property
    def order(self) -> tuple[Seat, ...]:
        """All personas, the lead first, the others as they are seated."""
        return (self.lead.seat, *(each.seat for each in self.others))

    @property
    def others(self) -> tuple[Persona, ...]:
        return tuple(each for each in self.personas if each.seat != self.lead.seat)

    @property
    def keys(self) -> tuple[Key, ...]:
        return tuple(Key(each.seat) for each in self.personas)

    @property
    def documents(self) -> tuple[Key, ...]:
        return document_keys(self.settings.documents)

    def asked(self, speaker: Seat) -> Seat:
        """Return the seat to ask when a persona has the word."""
        return ENSEMBLE if self.settings.contexts is Contexts.SHARED else speaker

    def first_with(self, seat: Seat) -> tuple[Seat, ...]:
        """All personas, this one first and then the lead."""
        return (seat, *(each for each in self.order if each != seat))

    def of(self, key: str) -> Persona | None:
        return next((each for each in self.personas if each.seat == key), None)

    def called(self, key: str) -> str:
        """Return a seat's name in an attribution."""
        persona = self.of(key)
        return persona.first if persona is not None else "User" if key == USER else str(key)

    def attribution(self, by: tuple[Key, ...]) -> str:
        """Format an attribution: [Maya], [Maya/Alex], [User/Jordan], [All] for the whole table; empty for nobody."""
        table = {*self.keys, USER}
        return f"[{'All' if set(by) == table else '/'.join(map(self.called, by))}]" if by else ""


def cast(settings: RoundtableSettings, briefs: Mapping[str, str]) -> Cast:
    """Read the personas from their role files; SettingError for a missing file or a heading without a name."""
    personas = tuple(_persona(Seat(name), briefs) for name in settings.personas)
    firsts: dict[str, Persona] = {}
    for each in personas:
        other = firsts.setdefault(folded(each.first), each)
        if other is not each:
            raise SettingError(
                f"seats {other.seat!r} and {each.seat!r}, who are both called {each.first}",
                key="personas",
                expected="different first names, since that is how they are addressed",
            )
    leads = (each for each in personas if any(_leads(each, settings.phase)))
    lead = next(leads, None)
    return Cast(settings, personas, lead or personas[0], lead is not None)


def _leads(persona: Persona, phase: str) -> list[str]:
    return [own for own in persona.leads if phase == own or phase.startswith(f"{own}-")]


def _persona(seat: Seat, briefs: Mapping[str, str]) -> Persona:
    brief = f"roles/{seat}"
    if brief not in briefs:
        roles = sorted(roles_in(briefs))
        raise SettingError(
            f"names {seat!r}, which has no role file",
            key="personas",
            expected="roles among " + ", ".join(roles),
            nearest=nearest(seat, roles),
        )
    text = briefs[brief].strip()
    heading = _HEADING.match(text)
    first = _FIRST.match(heading["name"].strip()) if heading else None
    if heading is None or first is None or len(heading["name"]) > MOST_NAME or len(heading["role"]) > MOST_NAME:
        raise SettingError(
            "does not begin with the persona's name and role", key=brief, expected="a first line `# Maya Chen, Analyst`"
        )
    if folded(first[0]) in RESERVED:
        raise SettingError(
            f"gives the persona the reserved first name {first[0]!r}",
            key=brief,
            expected="another first name; this word addresses everybody or ends the talk",
        )
    found = _LEADS.search(text)
    phases = tuple(phase.strip() for phase in found["phases"].split(",") if phase.strip()) if found else ()
    return Persona(seat, first[0], heading["name"].strip(), heading["role"].strip(), phases)
