"""Runs a world: processes drive its session, fail and are started again, until it has ended or is found out.

`simulate(seed)` is all that callers need. The operator stands for whoever looks after a machine: they start a process
again after a crash, make room on a full disk, put a damaged file back from a copy, and wait where somebody else drives.
"""

from __future__ import annotations

import asyncio
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from quorate import api
from quorate.codec import encode_opening
from quorate.core.errors import QuorateError
from quorate.core.record import Envelope, Record
from quorate.core.types import Replied
from quorate.participants.person import Person
from quorate.participants.port import Participant
from quorate.runtime.budget import Budget, Purse
from quorate.runtime.executor import Executor
from quorate.runtime.happenings import Calling, Concluded, Happening, Writing
from quorate.store.journal import SessionBusy
from quorate.workspace import Workspace, find_workspace
from tests.faults import clock, oracle
from tests.faults.disk import Crash
from tests.faults.ghosts import Ghosts
from tests.faults.kinds import ON_DISK, Kind
from tests.faults.provider import Simulated
from tests.faults.stores import Handle, Store
from tests.faults.tables import opening_of, replying, written
from tests.faults.world import SESSION, World

MOST_STARTS = 600
FIRST_PAUSE = 5.0
"""Seconds to wait for whoever drives before the next try; each further one is longer."""
BUSY_FOR = 300.0
"""Seconds after which an operator who knows that the file is damaged waits no longer for whoever is said to drive."""
MOST_VISITS = 40
"""How often a rival or a late reply comes by; each time after a longer while."""
MEMORY = Path("/dev/shm")
"""Where a file costs no disk, if there is such a place."""


def simulate(seed: int) -> World:
    """Run the world of a seed and return it; what went wrong stands in its `problems`."""
    world = World.of(seed)
    with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None, prefix="quorate-world-") as folder:
        try:
            clock.run(world.clock, Operator(world, Path(folder)).look_after())
        except clock.TimeIsUp as hang:
            world.problem(f"hangs: {hang}")
        except Exception as error:
            world.problem(f"somebody who looks falls over: {type(error).__name__}: {error}")
    return world


class Operator:
    """Looks after one session."""

    def __init__(self, world: World, folder: Path) -> None:
        self.world, self.store = world, Store(world, folder)
        self.workspace: Workspace = find_workspace(folder, {}, store="memory:")
        self.driving: set[str] = set()
        self.conclusions: set[str] = set()
        self.rivals: set[asyncio.Task[str]] = set()
        self.busy_since: float | None = None
        self.patience = FIRST_PAUSE

    async def look_after(self) -> None:
        """Bring the session to its end, and have it examined."""
        await self._open()
        others = [asyncio.create_task(each) for each in (self._set_clocks(), self._send_rivals(), self._haunt())]
        for number in range(MOST_STARTS):
            ended = await self._start(f"process-{number}")
            if ended == "concluded" or self.world.problems:
                break
            await self._see_to(ended)
        else:
            self.world.problem(f"has not ended after {MOST_STARTS} starts")
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        if self.rivals:
            _, left = await asyncio.wait(self.rivals, timeout=3_600)
            if left:
                self.world.problem(f"{len(left)} processes go on although the session has ended")
        await oracle.examine(self.world, self.store, self.workspace, self.conclusions)

    async def _open(self) -> None:
        opening, texts = opening_of(self.world.table, self.world.seed, SESSION)
        journal = self.store.handle("opener", calm=True)
        body = encode_opening(opening, Envelope(at=int(self.world.clock.time() * 1000)))
        await journal.create(SESSION, opening.protocol, opening.title, 1, body, texts)
        await journal.close()

    # Processes

    async def _start(self, name: str) -> str:
        """Run one process to its end, and say how it ended."""
        task = asyncio.create_task(self._process(name))
        if Kind.CORRUPTED in self.world.kinds and self.world.chance.random() < 0.7:
            await asyncio.wait([task], timeout=self.world.chance.uniform(0.5, 15))  # then somebody presses Ctrl-C
            task.cancel()
        ended = await task
        self.world.note(name, ended)
        return ended

    async def _process(self, name: str) -> str:
        handle: Handle | None = None
        fired = self._fired()
        try:
            handle = self.store.handle(name)
            if self.world.chance.random() < 0.8 and await handle.driver(SESSION):
                return "busy"  # whoever looks first need not read the whole journal to be told so
            record = (await api.load(self.workspace, handle, SESSION)).record
            session = await self._executor(name, record, handle).drive()
        except Crash:
            self.store.bury(name)
            return "crashed"
        except asyncio.CancelledError:
            return "suspended"
        except SessionBusy:
            return "busy"
        except QuorateError as error:
            if self._fired() == fired and self.store.disk.replica is None:
                self.world.problem(f"{name} stops for no reason: {error}")
            return f"stopped: {type(error).__name__}: {str(error).replace(str(self.store.disk.folder), '')}"
        except Exception as error:
            self.world.problem(f"{name} falls over: {type(error).__name__}: {error}")
            return "fell over"
        finally:
            self.driving.discard(name)
            if handle is not None and not handle.dead:
                with suppress(Crash):
                    await handle.close()
        return "concluded" if session.conclusion is not None else "waiting"

    def _fired(self) -> int:
        return sum(self.world.fired[kind] for kind in ON_DISK)

    def _executor(self, name: str, record: Record, handle: Handle) -> Executor:
        def crash() -> NoReturn:
            handle.dead = True
            raise Crash

        def watch(happening: Happening) -> None:
            match happening:
                case Calling() | Writing():
                    self.driving.add(name)
                    if len(self.driving) > 1:
                        self.world.fire(Kind.RIVAL, name, f"with {len(self.driving) - 1} beside it")
                        self.driving = {name}
                case Concluded(conclusion):
                    self.conclusions.add(repr(conclusion))
                case _:
                    pass

        models: Participant = Simulated(self.world, name, replying(record, self.world.seed), crash)
        people = record.protocol.people
        return Executor(
            session_id=SESSION,
            record=record,
            journal=handle,
            panel={seat: Person() if seat in people else models for seat in record.protocol.seats},
            purse=Purse.of(Budget(), record.envelopes),
            owner=f"world:{name}",
            watch=watch,
        )

    # What an operator does

    async def _see_to(self, ended: str) -> None:
        """Do what has to be done before the next start."""
        damaged = self.store.disk.replica is not None
        if ended == "busy":
            self.busy_since = self.busy_since or self.world.clock.now
            if damaged and self.world.clock.now - self.busy_since > BUSY_FOR:
                await self._restore()
            self.patience = min(600.0, self.patience * 1.5)
            await asyncio.sleep(self.patience)
            return
        self.busy_since, self.patience = None, FIRST_PAUSE
        if ended == "waiting":
            await self._answer()
        elif damaged and ended.startswith(("stopped", "fell over")):
            await self._restore()
        elif ended.startswith("stopped"):
            await asyncio.sleep(5)
        if not damaged and self.world.on_disk and not self.store.open and self.world.strikes(Kind.CORRUPTED, 0.5):
            if self.store.disk.damage():
                await self._take_stock()

    async def _restore(self) -> None:
        """End all who have the file, and put it back; what was kept since the copy was made is known to be lost."""
        for each in self.store.open:
            each.die()
        self.store.open.clear()
        self.store.disk.restore()
        await self._take_stock()

    async def _take_stock(self) -> None:
        """Look which entries there are: what was lost with a damaged file has to be said again, and paid for."""
        try:
            journal = self.store.handle("operator", calm=True)
            try:
                result = await api.load(self.workspace, journal, SESSION)
            finally:
                await journal.close()
        except QuorateError as error:
            if self.store.disk.replica is None:
                self.world.problem(f"the file that was put back cannot be read: {error}")
            return
        there = {entry.seq: entry.hash for entry in result.entries}
        # A copy that is put back has the entries of its own time, which others may have taken the place of since.
        self.world.kept = {seq: there[seq] for seq in self.world.kept if seq in there}
        replied = {str(event.ask) for event, _ in result.record.events() if isinstance(event, Replied)}
        self.world.durable = {ask: at for ask, at in self.world.durable.items() if ask in replied}

    async def _answer(self) -> None:
        """Answer as the people of this world do, and sometimes press the button twice."""
        journal = self.store.handle("person", calm=True)
        try:
            result = await api.load(self.workspace, journal, SESSION)
            if not result.waiting:
                if result.record.session.conclusion is None and not self.rivals:
                    self.world.problem(f"stands still in {result.record.session.phase.name}, and waits for nobody")
                return
            ask = self.world.chance.choice(result.waiting)
            data = written(replying(result.record, self.world.seed)(ask))
            counted = await api.answer(self.workspace, journal, SESSION, ask.id, data, finishes=False)
            self.world.note("person", f"answers {ask.id}: {counted}")
            if Kind.DUPLICATE in self.world.kinds:
                self.world.fire(Kind.DUPLICATE, "person", str(ask.id))
                if await api.answer(self.workspace, journal, SESSION, ask.id, data, finishes=False):
                    self.world.problem(f"the second answer to {ask.id} counts too")
        except QuorateError as error:
            if self.store.disk.replica is None:
                self.world.problem(f"a person cannot answer: {error}")
            else:
                await self._restore()
        finally:
            await journal.close()

    # What happens meanwhile

    async def _set_clocks(self) -> None:
        for number in range(MOST_VISITS):
            await asyncio.sleep(self.world.chance.uniform(1, 30) * 1.1**number)
            for kind, way in ((Kind.CLOCK_FORWARD, 1), (Kind.CLOCK_BACK, -1)):
                if self.world.strikes(kind, 0.3):
                    seconds = way * self.world.chance.choice((1.0, 40.0, 4_000.0, 90_000.0))
                    self.world.clock.ahead += seconds
                    self.world.fire(kind, "clock", f"by {seconds:g} s")

    async def _send_rivals(self) -> None:
        """Start processes beside the one that drives, in the hope that one gets its lease."""
        for number in range(MOST_VISITS if {Kind.RIVAL, Kind.CLOCK_FORWARD} & self.world.kinds else 0):
            await asyncio.sleep(self.world.chance.uniform(3, 25) * 1.1**number)
            self.rivals = {task for task in self.rivals if not task.done()}
            if len(self.rivals) < 2:
                self.rivals.add(asyncio.create_task(self._process(f"rival-{number}")))

    async def _haunt(self) -> None:
        ghosts = Ghosts(self.world, self.store, self.workspace)
        for number in range(MOST_VISITS if {Kind.DUPLICATE, Kind.LATE} & self.world.kinds else 0):
            await asyncio.sleep(self.world.chance.uniform(0.5, 10) * 1.1**number)
            await ghosts.deliver()
