"""Slots limit how many processes that share a store do something at once, by name.

The slots of a process that dies are released at once by the system or the database server; those of a machine that
vanishes after half a minute. Slots are numbered and taken from the highest number down, so that a process with a low
limit is not starved by those with a high one.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Coroutine
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote

from quorate.core.errors import QuorateError, SettingError, StoreError
from quorate.files.lock import taken
from quorate.store.address import read_address
from quorate.store.open import EXPECTED, shown_store, store_file, store_server
from quorate.store.postgres_errors import in_words
from quorate.store.server import PostgresServer

LOOK_EVERY = 0.05
"""Seconds between polls for a free slot; calls take seconds."""
ANSWER_WITHIN = 10.0
"""Seconds after which a silent server counts as lost: a cut line gives no error."""
KEEPALIVE = {"tcp_keepalives_idle": "10", "tcp_keepalives_interval": "5", "tcp_keepalives_count": "3"}
"""How soon the server notices that a machine has gone without a word: after half a minute."""


class Slots(Protocol):
    """Interface: limits shared by all users of a store."""

    def held(self, name: str, most: int) -> AbstractAsyncContextManager[None]:
        """Hold one of the first `most` slots of this name, waiting until one is free."""
        ...

    async def close(self) -> None: ...


def open_slots(url: str) -> Slots:
    """Return the slots of a store; SettingError for one in memory, which nobody shares."""
    if store_server(url) is not None:
        return ServerSlots(PostgresServer(read_address(url)))
    if (file := store_file(url)) is not None:
        return FileSlots(file.with_name(f"{file.name}-slots"))
    raise SettingError(f"is {shown_store(url)!r}", key="store", expected=EXPECTED)


class FileSlots:
    """Slots for the processes of one machine: locked files in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @asynccontextmanager
    async def held(self, name: str, most: int) -> AsyncIterator[None]:
        handle = await self._wait(name, most)
        try:
            yield
        finally:
            os.close(handle)

    async def _wait(self, name: str, most: int) -> int:
        while True:
            handle = self._take(name, most)
            if handle is not None:
                return handle
            await asyncio.sleep(LOOK_EVERY)

    def _take(self, name: str, most: int) -> int | None:
        """Lock a free file, and return its handle; None if all are taken."""
        for number in reversed(range(most)):
            path = self._folder / f"{quote(name, safe='')}-{number}"
            try:
                self._folder.mkdir(parents=True, exist_ok=True)
                handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
            except OSError as error:
                raise StoreError(f"{path} cannot be written: {error.strerror or error}") from error
            if taken(handle):
                return handle
            os.close(handle)
        return None

    async def close(self) -> None:
        """Do nothing; only held slots are open."""


class ServerSlots:
    """Slots for many machines: advisory locks of a PostgreSQL server, on one connection.

    A lost connection loses its slots: calls in flight continue, but no longer count.
    """

    def __init__(self, server: PostgresServer) -> None:
        self._server = server
        self._connection: Any = None
        self._lock = asyncio.Lock()
        self._mine: dict[tuple[str, int], Any] = {}
        """What is held, and on which connection: the server would give it once more to the same one."""

    @asynccontextmanager
    async def held(self, name: str, most: int) -> AsyncIterator[None]:
        number = await self._wait(name, most)
        try:
            yield
        finally:
            _, stopped = await _to_its_end(self._give(name, number))
            if stopped:
                raise asyncio.CancelledError

    async def _wait(self, name: str, most: int) -> int:
        while True:
            number = await self._take(name, most)
            if number is not None:
                return number
            await asyncio.sleep(LOOK_EVERY)

    async def _take(self, name: str, most: int) -> int | None:
        async with self._lock:
            await self._connect()
            mine = [number for held, number in self._mine if held == name]
            taking, stopped = await _to_its_end(self._ask("take_slot", name, most, mine))
            if stopped:
                if taking.exception() is None and taking.result() is not None:  # nobody is left to use it
                    await _to_its_end(self._ask("give_slot", name, taking.result()))
                raise asyncio.CancelledError
            number: int | None = taking.result()
            if number is not None:
                self._mine[name, number] = self._connection
            return number

    async def _connect(self) -> None:
        if self._connection is None or self._connection.is_closed():
            try:
                self._connection = await self._server.connect(**KEEPALIVE)
            except QuorateError:
                raise
            except Exception as error:
                raise in_words(error, self._server.address) from error

    async def _give(self, name: str, number: int) -> None:
        connection = self._mine.pop((name, number))
        if connection is not self._connection:
            return  # it was lost, and has given back what it held
        async with self._lock:
            if connection is self._connection:
                with suppress(StoreError):
                    await self._ask("give_slot", name, number)

    async def _ask(self, statement: str, name: str, *values: Any) -> Any:
        """Run a statement on the connection; on failure drop the connection and all slots held on it."""
        connection, key = self._connection, f"{self._server.address.channel} {name}"
        try:
            return await connection.fetchval(self._server.sql[statement], key, *values, timeout=ANSWER_WITHIN)
        except Exception as error:
            self._leave()
            raise in_words(error, self._server.address) from error

    def _leave(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.terminate()

    async def close(self) -> None:
        """Release all slots and close the connection."""
        self._leave()
        await self._server.close()


async def _to_its_end(work: Coroutine[Any, Any, Any]) -> tuple[asyncio.Task[Any], bool]:
    """Finish a coroutine even if cancelled, and return whether we were cancelled, so that no lock is lost."""
    task, stopped = asyncio.create_task(work), False
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError:
            stopped = True
    return task, stopped
