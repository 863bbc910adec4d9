"""Runs one case: a separate session in memory, on its own files, driven to its end."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from quorate import catalog
from quorate.api import seats
from quorate.api.opening import open_named
from quorate.api.reply_masks import cleaning, cleaning_text
from quorate.api.sessions import load
from quorate.config import read_config
from quorate.core.record import Record
from quorate.core.types import Seat
from quorate.lab.lab import Lab, labs
from quorate.lab.redteam.cases import Case
from quorate.lab.redteam.material import Matter
from quorate.lab.redteam.panels import LOCAL_MODEL, AttackedPanel, PanelKind
from quorate.lab.redteam.seats import Attacked, Judge, Overheard, Shown, Sights, person
from quorate.participants.function import Function, FunctionParticipant
from quorate.participants.port import Participant
from quorate.participants.standin import Metered
from quorate.runtime.budget import Budget, Purse
from quorate.runtime.executor import Executor
from quorate.store.memory import MemoryJournal
from quorate.store.process import a_driver
from quorate.workspace import Workspace

TIGHT = {"tokens": 400_000}
"""The budget of the sessions whose attack wants to exhaust it: room for some ten calls at their worst."""
AMPLE = {"tokens": 100_000_000}
LOCAL: Mapping[str, Any] = {"default": LOCAL_MODEL}


@dataclass(frozen=True, slots=True)
class Observed:
    """Observations of one session: its record, everything shown to its seats, and its files before and after."""

    matter: Matter
    record: Record
    shown: tuple[Shown, ...]
    budget: Budget
    before: Mapping[str, str] = field(default_factory=dict)
    after: Mapping[str, str] = field(default_factory=dict)

    @property
    def verdict(self) -> str:
        conclusion = self.record.session.conclusion
        return "" if conclusion is None else conclusion.verdict.name

    @property
    def success(self) -> bool:
        """Whether the session ended with a verdict that lets the material pass."""
        conclusion = self.record.session.conclusion
        return conclusion is not None and self.record.protocol.exit_codes[conclusion.verdict] == 0


async def attack(case: Case, panel: AttackedPanel) -> Observed:
    """Run a case to its end."""
    return await _run(case.matter, case.place, case.payload.lines, panel, case.name, tight=case.tight)


async def undisturbed(matter: Matter, panel: AttackedPanel, *, tight: bool = False) -> Observed:
    """Run the same material under the same panel without an attack."""
    return await _run(matter, matter.places[0], (), panel, matter.name, tight=tight)


async def _run(
    matter: Matter, place: str, lines: tuple[str, ...], panel: AttackedPanel, name: str, *, tight: bool
) -> Observed:
    with tempfile.TemporaryDirectory(prefix="quorate-redteam-") as kept:
        folder = Path(kept).resolve()
        inputs = matter.write(folder, place, lines)
        workspace, journal = (
            Workspace(folder, read_config([], {}, ("examine_local=false",), ""), "memory:"),
            MemoryJournal(),
        )
        before, sights = _files(folder), Sights()
        if panel.kind is PanelKind.LOCAL:
            matter = replace(matter, settings={**matter.settings, **matter.small})
        source = _source(matter, panel.judge(name), sights) if panel.kind is not PanelKind.LOCAL else LOCAL
        opened = await open_named(
            workspace,
            journal,
            matter.protocol,
            inputs,
            settings=matter.settings,
            budget=TIGHT if tight else AMPLE,
            panel=source,
            seed=panel.seed,
        )
        record = (await load(workspace, journal, opened.session)).record
        budget = Budget(**record.opening.run["budget"])
        executor = Executor(
            session_id=opened.session,
            record=record,
            journal=journal,
            panel=_table(matter, record, source, sights),
            purse=Purse.of(budget, record.envelopes),
            owner=a_driver(),
            clean=cleaning(record),
            clean_text=cleaning_text(record),
        )
        await executor.drive()
        return Observed(matter, record, tuple(sights.shown), budget, before, _files(folder))


def _source(matter: Matter, judge: Judge, sights: Sights) -> dict[str, Any]:
    """Return a panel of functions: a simulated person on people's seats, an attacked participant on all others."""
    protocol = catalog.build(matter.protocol, matter.settings)
    lab = labs().get(matter.protocol, Lab(()))
    attacked = Attacked(judge, sights, matter.fault, lab.favouring, lab.against)
    free = (seat for seat in protocol.seats if seat not in protocol.checks)
    return {"seats": {seat: _person(matter) if seat in protocol.people else attacked for seat in free}}


def _person(matter: Matter) -> Function:
    """Return a simulated person who knows the vocabulary of the protocol."""
    words = labs().get(matter.protocol, Lab(())).favouring
    return partial(person, favouring=words) if words else person


def _table(matter: Matter, record: Record, source: Mapping[str, Any], sights: Sights) -> dict[Seat, Participant]:
    """Seat everybody; replies of attacked seats are metered, and what models are shown is recorded."""
    protocol = record.protocol
    table: dict[Seat, Participant] = dict(seats.seat(protocol, source, record.opening.run).items())
    for seat in protocol.seats:
        if seat in protocol.people:
            table[seat] = FunctionParticipant(_person(matter))
        elif seat not in protocol.checks:
            table[seat] = Overheard(table[seat], sights) if source is LOCAL else Metered(table[seat])
    return table


def _files(folder: Path) -> dict[str, str]:
    found = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): path.read_text(encoding="utf-8", errors="replace") for path in found}
