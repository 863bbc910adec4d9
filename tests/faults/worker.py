"""Drives the session of a world for real, in this process or in one of its own that dies where it is told to.

`python -m tests.faults.worker URL SEED TABLE LOG [KILL_AT]`: every moment (a call or a write, before and after) is a
line of LOG; at the moment of that number the process kills itself as `kill -9` would.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from quorate import api
from quorate.codec import encode_opening
from quorate.core.record import Envelope, Record
from quorate.core.types import Replied
from quorate.participants.person import Person
from quorate.runtime.budget import Budget, Purse
from quorate.runtime.executor import Executor
from quorate.runtime.happenings import Called, Calling, Happening, Writing, Wrote
from quorate.store.journal import Journal
from quorate.store.open import open_journal
from quorate.workspace import find_workspace
from tests.faults.provider import Simulated
from tests.faults.tables import opening_of, replying, written
from tests.faults.world import SESSION, World

WORKSPACE = find_workspace(Path(), {}, store="memory:")
PACE = 0.01
"""How much faster than in a simulation a reply comes: here seconds are seconds."""
Moment = Callable[[str], None]
"""Is told of every moment at which a process could die."""


def real_world(seed: int, table: int) -> World:
    """Return a world without simulated faults, in which time is the real one."""
    return World(seed, table, pace=PACE)


async def open_world(journal: Journal, world: World) -> None:
    """Open the session of a world."""
    opening, texts = opening_of(world.table, world.seed, SESSION)
    body = encode_opening(opening, Envelope(at=1_800_000_000_000))
    await journal.create(SESSION, opening.protocol, opening.title, 1, body, texts)


async def drive(journal: Journal, world: World, moment: Moment, owner: str) -> Record:
    """Drive the session to its end, and answer for its people."""
    while True:
        record = (await api.load(WORKSPACE, journal, SESSION)).record
        await _executor(journal, world, record, moment, owner).drive()
        if record.session.conclusion is not None:
            return record
        ask = record.waits_for_people()[0]
        data = written(replying(record, world.seed)(ask))
        moment(f"calling {ask.id}")
        await api.answer(WORKSPACE, journal, SESSION, ask.id, data, finishes=False)
        moment(f"wrote {ask.id}")


def _executor(journal: Journal, world: World, record: Record, moment: Moment, owner: str) -> Executor:
    def never() -> NoReturn:
        raise AssertionError("no crash is simulated here")

    def watch(happening: Happening) -> None:
        match happening:
            case Calling(ask=ask) if ask.seat not in people:
                moment(f"calling {ask.id}")
            case Called(ask=ask):
                moment(f"called {ask.id}")
            case Writing(seq=seq):
                moment(f"writing {seq}")
            case Wrote(event=Replied(ask=ask_id)):
                moment(f"wrote {ask_id}")
            case _:
                pass

    people = record.protocol.people
    models = Simulated(world, "worker", replying(record, world.seed), never)
    return Executor(
        session_id=SESSION,
        record=record,
        journal=journal,
        panel={seat: Person() if seat in people else models for seat in record.protocol.seats},
        purse=Purse.of(Budget(), record.envelopes),
        owner=owner,
        watch=watch,
    )


async def _main(url: str, seed: int, table: int, log: Path, kill_at: int | None) -> None:
    count = 0

    def moment(line: str) -> None:
        nonlocal count
        with log.open("a") as stream:
            stream.write(line + "\n")
        count += 1
        if count == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)

    journal = open_journal(url)
    await drive(journal, real_world(seed, table), moment, "real:worker")
    await journal.close()


if __name__ == "__main__":
    at = int(sys.argv[5]) if len(sys.argv) > 5 else None
    asyncio.run(_main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]), at))
