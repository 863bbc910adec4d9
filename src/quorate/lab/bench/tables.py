"""The sessions of a cell, opened, seated and driven with the same store, record and seal as all others."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from quorate import catalog
from quorate.api import seats
from quorate.api.creation import write_opening
from quorate.api.opening import open_named
from quorate.api.reply_masks import cleaning, cleaning_text, masked_material
from quorate.api.seats import Seating
from quorate.api.sessions import load
from quorate.codec import decode_opening, read_record
from quorate.core.protocol import Protocol
from quorate.core.record import Record
from quorate.core.types import Seat
from quorate.kit.settings import plain, read_settings
from quorate.lab.bench import baseline
from quorate.lab.bench.baseline import BaselineSettings, Way
from quorate.lab.bench.seats import MOST_REPLY, Informed, Simulant, Simulated
from quorate.lab.bench.task import Task
from quorate.lab.lab import lab_of
from quorate.lab.redteam.seats import person
from quorate.participants.function import FunctionParticipant
from quorate.participants.panel import Panel
from quorate.participants.port import Participant
from quorate.participants.relay import Confirmation, Relay
from quorate.participants.standin import Metered
from quorate.runtime.budget import Budget, Purse
from quorate.runtime.executor import Executor
from quorate.store.journal import Journal
from quorate.store.process import a_driver
from quorate.workspace import Workspace

JUDGE = "judge"
READ = Way.READ.value


@dataclass
class Tables:
    """The store of the bench's sessions, and their participants."""

    workspace: Workspace
    journal: Journal
    panels: Mapping[str, Seating] = field(default_factory=dict)
    """By method; `""` is everybody's."""
    model: str | None = None
    simulated: Simulated | None = None
    slots: dict[str, asyncio.Semaphore] = field(default_factory=dict)

    def panel(self, *names: str) -> Seating | None:
        """Return the panel of the first of these methods that has its own, else the common one."""
        return next((self.panels[name] for name in (*names, "") if name in self.panels), None)

    async def open_plain(
        self,
        settings: BaselineSettings,
        material: Mapping[str, str],
        title: str,
        seed: int,
        method: str,
    ) -> str:
        """Open a session of the baseline, which is not in the catalog."""
        built = baseline.build(settings, catalog.briefs(baseline.DEFINITION), seed)
        texts = masked_material(material)
        source = self.panel(*_asked(settings.way.value, method)) if self.simulated is None else None
        budget = self.workspace.config.budget
        run: dict[str, Any] = {"budget": plain(budget), "context": "", "panel": seats.panel_text(source, self.model)}
        table = self._seated(built, source, run, None)
        seats.check_ready(table, budget)
        return await write_opening(self.journal, built, table, texts, title=title, seed=seed, run=run)

    async def open_protocol(self, protocol: str, inputs: Mapping[str, Any], seed: int, method: str, task: Task) -> str:
        """Open a session of an installed protocol through the public API."""
        source: Seating | None = self.panel(method, protocol)
        if self.simulated is not None:
            built = catalog.build(protocol, self._settings(protocol))
            source = _everywhere(built, Simulant(self.simulated, task, method))
        settings = self._settings(protocol) if self.simulated is not None else None
        opened = await open_named(
            self.workspace,
            self.journal,
            protocol,
            inputs,
            settings=settings,
            panel=source,
            model=None if self.simulated is not None else self.model,
            seed=seed,
        )
        return opened.session

    async def drive(self, session: str, task: Task, method: str, tokens: int | None = None) -> Record:
        """Run a session to its end, or until only people can go on; finished asks are not repeated.

        `tokens` is what is left for all of it. It binds here and not in the opening, so that a session which was cut
        short goes on within what is left by then.
        """
        record = await self.read(session)
        if record.session.conclusion is not None:
            return record
        simulant = None if self.simulated is None else Simulant(self.simulated, task, method)
        plainly = record.opening.protocol == baseline.NAME
        way = str(record.opening.settings["way"]) if plainly else record.opening.protocol
        source = self.panel(*(_asked(way, method) if plainly else (method, way)))
        if simulant is not None and record.opening.protocol != baseline.NAME:
            source = _everywhere(record.protocol, simulant)
        executor = Executor(
            session_id=session,
            record=record,
            journal=self.journal,
            panel=self._table(record, source, simulant, task),
            purse=Purse.of(_within(Budget(**record.opening.run["budget"]), tokens), record.envelopes),
            owner=a_driver(),
            clean=cleaning(record),
            clean_text=cleaning_text(record),
            slots=self.slots,
            curtail=record.opening.run.get("curtail", True),
        )
        await executor.drive()
        return record

    async def read(self, session: str) -> Record:
        """Fold a session of either kind from its journal."""
        entries = await self.journal.entries(session)
        opening = decode_opening(entries[0].body)[0]
        if opening.protocol != baseline.NAME:
            return (await load(self.workspace, self.journal, session)).record
        material = {name: await self.journal.material(digest) for name, digest in opening.material.items()}
        kept = {name: await self.journal.material(digest) for name, digest in opening.briefs.items()}
        settings = read_settings(BaselineSettings, opening.settings)
        return read_record(baseline.build(settings, kept, opening.seed), entries, material)

    # Who sits down

    def _seated(
        self, built: Protocol[Any], source: Seating | None, run: Mapping[str, Any], simulant: Simulant | None
    ) -> Panel:
        if self.simulated is not None and built.name == baseline.NAME:
            function = simulant or _nobody
            return seats.seat(built, {"seats": {baseline.ANSWERER: function}}, run)
        return seats.seat(baseline.every_way(built), source, run, model=self.model)

    def _table(
        self, record: Record, source: Seating | None, simulant: Simulant | None, task: Task
    ) -> dict[Seat, Participant]:
        protocol = record.protocol
        model = None if simulant is not None else self.model
        if simulant is not None and protocol.name == baseline.NAME:
            source = {"seats": {baseline.ANSWERER: simulant}}
        seated = baseline.every_way(protocol) if protocol.name == baseline.NAME else protocol
        table: dict[Seat, Participant] = dict(seats.seat(seated, source, record.opening.run, model=model).items())
        for seat in protocol.seats:
            if simulant is not None and seat in protocol.people:
                table[seat] = FunctionParticipant(person)
            elif simulant is not None and seat not in protocol.checks:
                table[seat] = Metered(table[seat], MOST_REPLY)
        return table if protocol.name == baseline.NAME else dealt(table, protocol, task)

    def _settings(self, protocol: str) -> dict[str, Any]:
        """Return settings that fix the seats before a session is opened; those of the workspace take precedence."""
        lab = lab_of(catalog.definition(protocol))
        return {**(lab.settings if lab is not None else {}), **self.workspace.config.protocol(protocol)}


def _everywhere(built: Protocol[Any], simulant: Simulant) -> dict[str, Any]:
    """Return a panel with simulated seats, except for checks and people."""
    free = (seat for seat in built.seats if seat not in built.checks)
    return {"seats": {seat: person if seat in built.people else simulant for seat in free}}


def dealt(table: dict[Seat, Participant], protocol: Protocol[Any], task: Task) -> dict[Seat, Participant]:
    """Deal the facts of a hidden profile to the seats that argue, in turn; judges and checks get none."""
    if not task.shares:
        return table
    arguing = [seat for seat in protocol.seats if seat not in protocol.uncounted and seat != JUDGE]
    hands = {seat: task.shares[number % len(task.shares)] for number, seat in enumerate(arguing)}
    return {seat: _informed(each, hands[seat]) if seat in hands else each for seat, each in table.items()}


def _informed(participant: Participant, facts: str) -> Participant:
    """Wrap a participant with its facts; both members of a relay, which stays a relay for the runtime."""
    if isinstance(participant, Relay | Confirmation):
        both = Informed(participant.first, facts), Informed(participant.stronger, facts)
        return replace(participant, first=both[0], stronger=both[1])
    return Informed(participant, facts)


def _asked(way: str, method: str) -> tuple[str, ...]:
    """Return the methods whose panel a baseline session uses: a protocol's own panel has no seat for a reader."""
    return (READ, Way.SINGLE.value) if way == READ else (method,)


def _nobody(_: Any) -> None:
    """A placeholder for a simulated seat until its session is driven."""


def _within(budget: Budget, tokens: int | None) -> Budget:
    if tokens is None:
        return budget
    return replace(budget, tokens=tokens if budget.tokens is None else min(tokens, budget.tokens))
