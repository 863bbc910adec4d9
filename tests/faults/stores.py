"""The store of a world as one process has it: the real journal, with crashes and delays before and after every call."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from quorate.codec.chain import Drafts, Entry
from quorate.core.errors import StoreError
from quorate.store.memory import MemoryJournal
from quorate.store.sqlite import SqliteJournal
from tests.faults.disk import Crash, Disk, Door
from tests.faults.kinds import Kind
from tests.faults.world import World

WRITES = ("append", "extend", "lease", "release")
ENTRIES = ("append", "extend")
CALLS = (*WRITES, "create", "entries", "material", "sessions", "host", "hosted", "driver", "wait")


class Store:
    """What lasts while processes come and go."""

    def __init__(self, world: World, folder: Path) -> None:
        self.world = world
        self.memory = None if world.on_disk else MemoryJournal()
        self.disk = Disk(world, folder)
        self.open: list[Handle] = []
        if world.on_disk:
            self.disk.file.parent.mkdir(parents=True)

    def handle(self, process: str, *, calm: bool = False) -> Handle:
        """Open the store for one process; with `calm` nothing is struck."""
        opened = Handle(self, process, calm)
        self.open.append(opened)
        return opened

    def bury(self, process: str) -> None:
        """Let everything that a dead process had open be gone; the disk is as it was left, torn where it was."""
        dead = [each for each in self.open if each.process == process]
        self.open = [each for each in self.open if each.process != process]
        if self.world.on_disk and dead and not self.open:
            self.disk.crash_image()
        for each in dead:
            each.die()


class Handle:
    """A `Journal` of one process. It answers every method of the real one, and dies with its process."""

    def __init__(self, store: Store, process: str, calm: bool) -> None:
        self.store, self.world, self.process, self.calm, self.dead = store, store.world, process, calm, False
        self.door: Door | None = None
        self.real: Any = store.memory
        if store.memory is None:
            journal = SqliteJournal(store.disk.file)
            file = journal._file
            self.door = Door(store.disk, process, file._connection)
            self.door.calm = calm
            file._connection = self.door  # type: ignore[assignment]
            self.real = journal

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name not in CALLS:
            raise AttributeError(name)

        async def call(*values: Any, **more: Any) -> Any:
            return await self._call(name, *values, **more)

        return call

    async def close(self) -> None:
        if self in self.store.open:
            self.store.open.remove(self)
        if self.door is not None and not self.dead:
            self.door.calm = True
            await self.real.close()

    def die(self) -> None:
        self.dead = True
        if self.door is not None:
            self.door.dead = True
            self.door.close()

    async def _call(self, name: str, *values: Any, **more: Any) -> Any:
        if self.dead:
            raise Crash
        if not self.calm:
            await self._before(name)
        try:
            result = await getattr(self.real, name)(*values, **more)
        except Crash:
            self.dead = True
            raise
        except StoreError:
            if self.door is not None and self.door.lied and name in ENTRIES:
                for _, ask in _drafts(name, values):
                    if ask is not None:  # it is there, whatever was said
                        self.world.durable.setdefault(ask, self.world.clock.now)
            raise
        finally:
            if self.door is not None:
                self.door.lied = False
        if name in ENTRIES:
            written = [result] if isinstance(result, Entry) else result
            for entry, (_, ask) in zip(written, _drafts(name, values), strict=True):
                self._keep(entry, ask)
        elif name == "lease":
            self.world.leased.setdefault(self.process, self.world.clock.now)
        if not self.calm:
            await self._after(name)
        return result

    def _keep(self, entry: Entry, ask: str | None) -> None:
        self.world.kept[entry.seq] = entry.hash
        if ask is not None:
            self.world.durable.setdefault(ask, self.world.clock.now)
        self.world.note(self.process, f"entry {entry.seq} is durable ({ask or 'no reply'}) {entry.hash[:8]}")

    async def _before(self, name: str) -> None:
        if name in WRITES and self.world.strikes(Kind.CRASH_BEFORE_WRITE, 0.06):
            self._crash(Kind.CRASH_BEFORE_WRITE, name)
        if name in ENTRIES and self.world.strikes(Kind.RIVAL, 0.1):
            seconds = self.world.chance.uniform(31, 70)  # longer than a lease: somebody else may take over meanwhile
            self.world.note(self.process, f"stands still for {seconds:.1f} s before it writes")
            await asyncio.sleep(seconds)
            self._check()
        await self._pause()

    async def _after(self, name: str) -> None:
        if name in WRITES and self.world.strikes(Kind.CRASH_AFTER_WRITE, 0.06):
            self._crash(Kind.CRASH_AFTER_WRITE, name)
        await self._pause()

    async def _pause(self) -> None:
        """Let others have their turn in between, as a store on another machine would."""
        if self.world.chance.random() < 0.3:
            await asyncio.sleep(self.world.chance.choice((0.0, 0.001, 0.05, 0.4)))
            self._check()

    def _crash(self, kind: Kind, name: str) -> None:
        self.world.fire(kind, self.process, name)
        self.dead = True
        raise Crash

    def _check(self) -> None:
        if self.dead:
            raise Crash


def _drafts(name: str, values: tuple[Any, ...]) -> Drafts:
    """What a call is to write, whichever of the two it is."""
    if name == "append":
        return [(values[2], values[3])]
    drafts: Drafts = values[2]
    return drafts
