"""The faults that need real things: a PostgreSQL that restarts, a line that is cut, a worker that is killed.

Each runs a session on a real server in real time. What must come of it is the same as in a simulation, and the same
oracle says whether it did.
"""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from quorate import api
from quorate.core.errors import StoreError
from quorate.core.types import Ask
from quorate.store.open import open_journal
from tests.faults import oracle
from tests.faults.kinds import REAL, Kind
from tests.faults.tables import TABLES, undisturbed
from tests.faults.worker import WORKSPACE, drive, open_world, real_world
from tests.faults.world import SESSION, World
from tests.support.postgres import Between, Postgres, postgres_server

EACH = 3
"""Worlds for each kind."""
STRIKES = 2
"""Faults in each of them."""
FEWEST = 7
"""Entries of a session that is worth it."""
PATIENCE = 180
"""Seconds after which a session that should have ended hangs."""
MOST_STARTS = 20


def run_real(fired: Counter[Kind], each: int = EACH) -> Iterator[str]:
    """Run some worlds of each real kind; yield what went wrong, and count what fired."""
    try:
        with postgres_server() as server:
            for kind in REAL:
                for number in range(each):
                    yield from (
                        f"{kind.value}, world {number}: {each_}" for each_ in run_one(kind, number, server, fired)
                    )
    except pytest.skip.Exception as reason:
        yield f"cannot be run here: {reason}"


def run_one(kind: Kind, number: int, server: Postgres, fired: Counter[Kind]) -> list[str]:
    """Run one world with one kind of fault; return what went wrong."""
    chance = Random(f"{kind.name} {number}")
    table = (REAL.index(kind) + number * len(REAL)) % len(TABLES)
    world = real_world(_long_enough(table, 1_000 + number), table)
    run = {Kind.SERVER_RESTART: _restarted, Kind.NETWORK_CUT: _cut, Kind.WORKER_KILLED: _killed}[kind]
    with TemporaryDirectory(prefix="quorate-real-") as folder:
        asyncio.run(run(world, server, Path(folder), chance))
    fired.update(world.fired)
    return world.problems


def _long_enough(table: int, first: int) -> int:
    """Return a seed whose session is worth striking at."""
    return next(
        seed for seed in range(first, first + 100) if len(undisturbed(table, seed, _nobody).envelopes) >= FEWEST
    )


def _nobody(_: Ask) -> None:
    """Nobody is absent."""


async def _restarted(world: World, server: Postgres, _: Path, chance: Random) -> None:
    restarting = asyncio.Lock()  # a server that is stopped while it starts is one that nobody could start

    async def strike() -> None:
        async with restarting:
            await asyncio.to_thread(server.stop)
            await asyncio.sleep(chance.uniform(0, 0.5))
            await asyncio.to_thread(server.start)

    await _driven(world, server.url(), Kind.SERVER_RESTART, strike, chance)


async def _cut(world: World, server: Postgres, folder: Path, chance: Random) -> None:
    between = Between(server.folder)

    async def strike() -> None:
        between.cut_after = b""  # whatever is said next reaches the server, and the answer nobody

    async with between.listening(folder):
        await _driven(world, server.url(folder=folder), Kind.NETWORK_CUT, strike, chance)
    world.fired[Kind.NETWORK_CUT] = between.cuts  # those that broke a line, not those that were to


async def _driven(
    world: World, url: str, kind: Kind, strike: Callable[[], Coroutine[Any, Any, None]], chance: Random
) -> None:
    """Drive a world in this process, and strike at some of its moments; start again where that stopped it."""
    moments = {chance.randint(2, 12), chance.randint(13, 24)}
    lines: list[str] = []
    struck: set[asyncio.Task[None]] = set()

    def moment(line: str) -> None:
        lines.append(line)
        if len(lines) in moments and world.fired[kind] < STRIKES:
            world.fire(kind, "real", line)
            struck.add(asyncio.create_task(strike()))

    async def operator() -> None:
        for _ in range(MOST_STARTS):
            journal = open_journal(url)
            try:
                await drive(journal, world, moment, "real:driver")
                return
            except StoreError as error:
                world.note("driver", f"stopped: {error}")
            finally:
                await asyncio.gather(*struck)
                await journal.close()
            await asyncio.sleep(0.2)
        world.problem(f"has not ended after {MOST_STARTS} starts: {world.trace[-1]}")

    journal = open_journal(url)
    await open_world(journal, world)
    await journal.close()
    try:
        await asyncio.wait_for(operator(), PATIENCE)
    except TimeoutError:
        world.problem("hangs")
    await _examine(world, url, lines)


async def _killed(world: World, server: Postgres, folder: Path, chance: Random) -> None:
    url, log = server.url(), folder / "log"
    journal = open_journal(url)
    await open_world(journal, world)
    await journal.close()
    command = [sys.executable, "-m", "tests.faults.worker", url, str(world.seed), str(world.table), str(log)]
    for kill_at in (chance.randint(1, 8), chance.randint(3, 12), None):
        run = await asyncio.create_subprocess_exec(*command, *([str(kill_at)] if kill_at else []))
        try:
            code = await asyncio.wait_for(run.wait(), PATIENCE)
        except TimeoutError:
            run.kill()
            world.problem("hangs")
            return
        if code == -9:
            world.fire(Kind.WORKER_KILLED, "real", f"at moment {kill_at}")
        elif code:
            world.problem(f"a worker ended with code {code}")
    await _examine(world, url, log.read_text().splitlines())


async def _examine(world: World, url: str, lines: list[str]) -> None:
    journal = open_journal(url)
    result = await api.load(WORKSPACE, journal, SESSION)
    await journal.close()
    oracle.judge(world, result.record, set())
    written: set[str] = set()
    for line in lines:
        what, _, ask = line.partition(" ")
        if what == "wrote":
            written.add(ask)
        elif what == "calling" and ask in written:
            world.problem(f"{ask} was called again although its reply was durable")
