"""The event stream of a session, derived from its journal, for watchers on any interface."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from quorate import catalog
from quorate.api.sessions import brought_back
from quorate.codec.chain import Entry
from quorate.codec.entries import decode_opening
from quorate.codec.journal_reader import check_chain, check_material, check_rules
from quorate.evidence.events import Teller, Told
from quorate.runtime.happenings import Called, Calling, Happening, Saying
from quorate.store.journal import Journal
from quorate.workspace import Workspace

__all__ = ["Ephemeral", "Teller", "Told", "ephemeral", "teller", "told"]


@dataclass(frozen=True, slots=True)
class Ephemeral:
    """An event that is not journaled: it has no sequence, is never stored, and may be missed."""

    kind: str
    """`calling`, `saying` or `called`."""
    data: Mapping[str, Any]


def ephemeral(happening: Happening) -> Ephemeral | None:
    """Return the ephemeral event of a happening; None if the journal has an event for it."""
    match happening:
        case Calling(ask, participant, _):
            return Ephemeral("calling", {"ask": str(ask.id), "seat": str(ask.seat), "participant": participant})
        case Saying(ask, text):
            return Ephemeral("saying", {"ask": str(ask.id), "seat": str(ask.seat), "text": text})
        case Called(ask):
            return Ephemeral("called", {"ask": str(ask.id), "seat": str(ask.seat)})
        case _:
            return None


async def teller(workspace: Workspace, journal: Journal, entries: list[Entry]) -> tuple[Teller, Told]:
    """Return the teller of a session, and its first event; `entries` start with the opening.

    Verifies the chain; raises RulesChanged if the rules have changed since the session began.
    """
    check_chain(entries)
    opening, envelope = decode_opening(entries[0].body)
    built, material = await brought_back(journal, opening)
    check_rules(built, opening)
    check_material(opening, material)
    made = Teller(built, opening, material, catalog.definition_of(opening).gauges)
    return made, made.opened(entries[0], envelope)


async def told(workspace: Workspace, journal: Journal, session: str, after: int = -1) -> list[Told]:
    """Return all events of a session after a sequence, in order."""
    entries = await journal.entries(session)
    made, first = await teller(workspace, journal, entries)
    events = [first, *map(made.take, entries[1:])]
    return [event for event in events if event.seq > after]
