"""Slots that processes share: never more than allowed, none kept by the dead, none lost by who gives up waiting."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest
import pytest_asyncio

from quorate.core.errors import SettingError, StoreError
from quorate.store.address import read_address
from quorate.store.server import PostgresServer
from quorate.store.slots import LOOK_EVERY, ServerSlots, Slots, open_slots
from tests.support.postgres import ON_POSTGRES, Postgres, shared_postgres

pytestmark = ON_POSTGRES
postgres = pytest.fixture(scope="session")(shared_postgres)
PATIENCE = 120.0
HOLDER = """
import asyncio, sys
from quorate.store.address import read_address
from quorate.store.server import PostgresServer
from quorate.store.slots import open_slots

async def main():
    async with open_slots(sys.argv[1]).held("openai", 1):
        print("held", flush=True)
        await asyncio.sleep(600)

asyncio.run(main())
"""


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path, postgres: Postgres) -> str:
    return postgres.url() if request.param == "postgresql" else f"sqlite:{tmp_path / 'store.db'}"


@pytest_asyncio.fixture
async def both(url: str) -> AsyncIterator[tuple[Slots, Slots]]:
    """What two processes have of one store."""
    first, second = open_slots(url), open_slots(url)
    yield first, second
    await first.close()
    await second.close()


async def test_never_more_than_allowed_at_once(both: tuple[Slots, Slots]) -> None:
    now, seen, full = 0, list[int](), asyncio.Event()

    async def call(slots: Slots) -> None:
        nonlocal now
        async with slots.held("openai", 3):
            now += 1
            seen.append(now)
            if now == 3:
                full.set()
            await full.wait()  # however long the others take to come
            await asyncio.sleep(0.02)
            now -= 1

    async with asyncio.timeout(PATIENCE):
        await asyncio.gather(*(call(slots) for slots in both * 8))
    assert len(seen) == 16
    assert max(seen) == 3


async def test_names_do_not_limit_each_other(both: tuple[Slots, Slots]) -> None:
    first, second = both
    async with asyncio.timeout(PATIENCE), first.held("openai", 1), second.held("anthropic", 1), first.held("a/b c", 1):
        assert not await _within(second.held("openai", 1))


async def test_who_may_have_many_leaves_room_for_who_may_have_few(both: tuple[Slots, Slots]) -> None:
    first, second = both
    async with asyncio.timeout(PATIENCE), first.held("openai", 3), first.held("openai", 3):
        async with second.held("openai", 1):
            assert not await _within(first.held("openai", 3))
        assert await _within(first.held("openai", 3), PATIENCE)


async def test_who_gives_up_waiting_holds_nothing(both: tuple[Slots, Slots]) -> None:
    first, second = both
    async with asyncio.timeout(PATIENCE):
        async with first.held("openai", 1):
            waiting = [asyncio.create_task(_within(second.held("openai", 1), PATIENCE)) for _ in range(5)]
            await asyncio.sleep(3 * LOOK_EVERY)
            for each in waiting:
                each.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)
        assert await _within(first.held("openai", 1), PATIENCE)


@pytest.mark.parametrize("times", [1, 2])
async def test_who_is_stopped_while_it_gets_a_slot_gives_it_back(both: tuple[Slots, Slots], times: int) -> None:
    """At whatever moment it is stopped, and however often: in the end the other can have the slot."""
    first, second = both
    async with asyncio.timeout(PATIENCE):
        for moment in range(40):
            getting = asyncio.create_task(_kept(first.held("openai", 1)))
            for _ in range(moment):
                await asyncio.sleep(0)
            for _ in range(times):
                getting.cancel()
                await asyncio.sleep(0)
            await asyncio.gather(getting, return_exceptions=True)
            assert getting.cancelled(), "and it is known that it was stopped"
            assert await _within(second.held("openai", 1), PATIENCE), moment


async def _kept(held: AbstractAsyncContextManager[None]) -> None:
    async with held:
        await asyncio.sleep(PATIENCE)


async def test_whoever_waits_is_stopped_at_once_while_the_server_is_away(postgres: Postgres) -> None:
    slots = ServerSlots(_Away(read_address(postgres.url())))
    waiting = [asyncio.create_task(_kept(slots.held("openai", 1))) for _ in range(5)]
    await asyncio.sleep(3 * LOOK_EVERY)
    async with asyncio.timeout(PATIENCE / 10):
        for each in waiting:
            each.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
    assert all(each.cancelled() for each in waiting)


class _Away(PostgresServer):
    """A server that lets everybody wait."""

    async def connect(self, **settings: str) -> None:
        await asyncio.sleep(PATIENCE)


async def test_what_fails_inside_gives_its_slot_back(both: tuple[Slots, Slots]) -> None:
    first, second = both
    with pytest.raises(ZeroDivisionError):
        async with first.held("openai", 1):
            _ = 1 / 0
    assert await _within(second.held("openai", 1), PATIENCE)


async def test_a_process_that_is_killed_holds_nothing(url: str) -> None:
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, url], stdout=subprocess.PIPE, text=True)
    slots = open_slots(url)
    try:
        assert holder.stdout is not None
        assert await asyncio.to_thread(holder.stdout.readline) == "held\n"
        assert not await _within(slots.held("openai", 1))
        holder.kill()
        holder.wait()
        assert await _within(slots.held("openai", 1), PATIENCE)
    finally:
        holder.kill()
        await slots.close()


async def test_a_connection_that_is_lost_is_made_again(postgres: Postgres) -> None:
    slots = open_slots(postgres.url())
    assert isinstance(slots, ServerSlots)
    async with slots.held("openai", 1):
        slots._connection.terminate()
        assert not await _within(slots.held("openai", 1)), (
            "what it held counts in this process until its call has ended"
        )
    assert await _within(slots.held("openai", 1), PATIENCE)
    await slots.close()


async def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "store.db-slots").write_text("a file")
    with pytest.raises(StoreError, match=r"store\.db-slots"):
        async with open_slots(f"sqlite:{tmp_path / 'store.db'}").held("openai", 1):
            pytest.fail("nothing was held")


def test_what_nobody_shares_has_none() -> None:
    with pytest.raises(SettingError, match="memory:"):
        open_slots("memory:")


async def _within(held: AbstractAsyncContextManager[None], seconds: float = 5 * LOOK_EVERY) -> bool:
    """Whether a slot can be had in so many seconds; it is given back at once."""
    try:
        async with asyncio.timeout(seconds):
            async with held:
                return True
    except TimeoutError:
        return False
