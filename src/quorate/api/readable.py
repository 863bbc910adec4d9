"""Read a damaged session up to the first invalid entry; for display only, never to continue it.

What is lost beside the journal (a text that was deliberated about, a prompt) is replaced by a sentence that says so;
the decisions do not need it, because the journal has every mark that was computed from it.
"""

from __future__ import annotations

from typing import Any

from quorate import catalog
from quorate.api.damage import DamagedSession, DamageReport, lost_names
from quorate.api.sessions import Result, brought_back, load, with_history
from quorate.codec.chain import Entry
from quorate.codec.entries import decode_opening
from quorate.codec.journal_reader import check_material, check_rules, fold
from quorate.core.protocol import Protocol
from quorate.core.record import Opening, Record
from quorate.store.journal import Journal
from quorate.store.open import store_file
from quorate.store.salvage import SalvagedJournal
from quorate.store.sqlite_errors import Damaged
from quorate.workspace import Workspace


def open_readable(workspace: Workspace) -> Journal:
    """Open the store; if its file is too damaged for that, open what can be salvaged, read-only."""
    try:
        return workspace.open()
    except Damaged:
        file = store_file(str(workspace.store))
        if file is None:
            raise
        return SalvagedJournal(file)


LOST = "(This text is lost from the store.)"


async def read(workspace: Workspace, journal: Journal, session: str) -> Result:
    """Fold a session's journal, or its valid part; `damage` of the result says what is wrong.

    Raises DamagedSession if the opening is lost, because then nothing can be read.
    """
    try:
        return await load(workspace, journal, session)
    except DamagedSession as error:
        if not error.entries:
            raise
        built, opening, material = await restored(journal, error.damage, error.entries)
        record = fold(Record(built, opening, material), error.entries[1:])
        held = Result(session, record, list(error.entries), error.damage)
        return await with_history(workspace, journal, held)


async def restored(
    journal: Journal, damage: DamageReport, entries: tuple[Entry, ...]
) -> tuple[Protocol[Any], Opening, dict[str, str]]:
    """Return rules, opening and texts of a damaged session; the rules are checked as usual."""
    opening, _ = decode_opening(entries[0].body)
    briefs, material = lost_names(damage, "brief"), lost_names(damage, "material")
    if not briefs and not material:
        built, texts = await brought_back(journal, opening)
        check_rules(built, opening)
        check_material(opening, texts)
        return built, opening, texts
    kept = {name: LOST if name in briefs else await journal.material(digest) for name, digest in opening.briefs.items()}
    texts = {
        name: LOST if name in material else await journal.material(digest) for name, digest in opening.material.items()
    }
    built = catalog.rebuild(opening, kept)
    check_rules(built, opening, opening.briefs)
    return built, opening, texts
