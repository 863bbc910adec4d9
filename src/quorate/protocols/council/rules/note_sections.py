"""What the other seats are shown of findings that count for nothing, and what their seat is told (C41, C45, C48)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from quorate.core.record import Record
from quorate.core.types import Ask, Seat
from quorate.core.view import Section
from quorate.kit.channel import Channel
from quorate.kit.ground import is_grounded
from quorate.kit.qualification import TOLD
from quorate.protocols.council.rules.material import brought
from quorate.protocols.council.rules.model import CouncilSettings
from quorate.protocols.council.rules.qualification import Note, notes_of

TITLE = "Notes of a seat that has not passed the exam; they count for nothing"
BRIEFS = ("assess", "respond", "remediate", "vote")
"""The briefs in which seats are shown what was found."""


def note_sections(
    record: Record, ask: Ask, settings: CouncilSettings, words: Callable[[str, Seat], str]
) -> Iterator[Section]:
    """Yield the notes of earlier phases, and to a seat of which every word is one that it is; `words` hides names."""
    earlier = [each for each in notes_of(record) if each.entry < ask.id.entry] if ask.brief in BRIEFS else []
    if earlier:
        text = "\n".join(words(_line(record, settings, each), ask.seat) for each in earlier)
        yield Section(TITLE, text, cut=2)
    if ask.seat in settings.unqualified_seats:
        yield Section("How your word counts", TOLD, data=False)


def _line(record: Record, settings: CouncilSettings, note: Note) -> str:
    rfc, said = brought(record), note.said
    about = f"{note.key}: {said.severity.value}, {said.subcategory.means}, {rfc.name(said.place)}, {said.field.value}"
    if settings.channel is Channel.PROSE:
        quoted = "" if said.quoted else " (this does not occur in the RFC)"
        return f"{about}\n  {said.description}\n  Evidence{quoted}: {said.evidence}"
    seen = "\n\n".join(str(each["text"]) for each in (*rfc.tickets, *rfc.documents))
    found = is_grounded(said.evidence, seen)
    return f"{about}\n  Evidence: {said.evidence}" if found else f"{about}\n  Its evidence does not occur in the RFC"
