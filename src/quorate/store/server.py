"""PostgreSQL connection: connects on demand, migrates the schema, and retries.

A lost connection or a restarting server is retried for a while. Whatever is retried must be idempotent, which is the
writer's responsibility. Errors name the database and never contain its password.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, TypeVar

from quorate.core.errors import QuorateError, SettingError, StoreError
from quorate.store.address import Address
from quorate.store.named_sql import statements
from quorate.store.postgres_errors import Lost, in_words

if TYPE_CHECKING:
    import asyncpg

T = TypeVar("T")
Work = Callable[[Any], Awaitable[T]]

PATIENCE = 30.0
"""Seconds for which a server that answered before is retried."""
PAUSE, LONGEST_PAUSE = 0.05, 1.0
MOST_CONNECTIONS = 10
CONNECT_WITHIN = 10.0
ANSWER_WITHIN = 60.0
"""Seconds after which a silent server counts as lost."""
SETTINGS = {
    "application_name": "quorate",
    "synchronous_commit": "on",  # what was kept is on the disk, whatever the server's own setting is
    "default_transaction_isolation": "read committed",
    "idle_in_transaction_session_timeout": "60000",
    "jit": "off",
}


@cache
def migrations() -> tuple[str, ...]:
    """Return the schema migrations in order; the number of the last one is the schema's version."""
    folder = files(__package__) / "migrations" / "postgres"
    found = sorted((each for each in folder.iterdir() if each.name.endswith(".sql")), key=lambda each: each.name)
    return tuple(each.read_text(encoding="utf-8") for each in found)


class PostgresServer:
    """A database on a server. `rows` queries and `patiently` runs functions; both retry after a lost connection."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self.sql = statements("postgres.sql")
        self._pool: asyncpg.Pool[Any] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lock = asyncio.Lock()
        self._reached = False

    def __str__(self) -> str:
        return self.address.shown

    async def rows(self, statement: str, *values: Any) -> list[Any]:
        """Run one named statement, which must be idempotent because it may be retried."""

        async def work(connection: Any) -> list[Any]:
            return list(await connection.fetch(self.sql[statement], *values))

        return await self.patiently(work)

    async def patiently(self, work: Work[T]) -> T:
        """Run a function on a connection, retrying if that is lost; StoreError when time is up."""
        clock = asyncio.get_running_loop().time
        ends, pause = clock() + PATIENCE, PAUSE
        while True:
            try:
                return await self._once(work)
            except Lost as lost:
                if clock() > ends or not (self._reached or lost.comes_back):
                    raise
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)

    async def _once(self, work: Work[T]) -> T:
        try:
            pool = await self._ready()
            connection = await pool.acquire()
            try:
                return await work(connection)
            finally:
                with suppress(Exception):  # what was done is done, and a broken connection is thrown away
                    await pool.release(connection)
        except QuorateError:
            raise
        except Exception as error:
            raise in_words(error, self.address) from error

    async def connect(self, **settings: str) -> Any:
        """Return a separate connection with these settings, which the caller closes."""
        await self.patiently(_nothing)  # the schema is there, and words are found for what is wrong
        how = self._how()
        return await _driver().connect(**how | {"server_settings": how["server_settings"] | settings})

    async def _ready(self) -> asyncpg.Pool[Any]:
        loop = asyncio.get_running_loop()
        if self._pool is not None and self._loop is loop:
            return self._pool
        if self._loop is not loop:
            self._lock, self._loop, self._pool = asyncio.Lock(), loop, None
        async with self._lock:
            if self._pool is None:
                pool = _driver().create_pool(
                    min_size=0, max_size=MOST_CONNECTIONS, reset=_nothing, command_timeout=ANSWER_WITHIN, **self._how()
                )
                try:
                    await pool
                    async with pool.acquire() as connection:
                        await self._prepare(connection)
                except BaseException:
                    pool.terminate()
                    raise
                self._pool, self._reached = pool, True
        return self._pool

    def _how(self) -> dict[str, Any]:
        return {
            "dsn": self.address.url,
            "user": self.address.user,
            "password": self.address.password,
            "timeout": CONNECT_WITHIN,
            "server_settings": SETTINGS | {"search_path": self.address.schema},
        }

    # The schema

    async def _prepare(self, connection: Any) -> None:
        """Create or migrate the schema, one process at a time, without losing data."""
        if (encoding := await connection.fetchval("SHOW server_encoding")) != "UTF8":
            raise StoreError(f"{self}: its encoding is {encoding}; make a database with the encoding UTF8")
        if await self._version(connection) == len(migrations()):
            return
        # Locked before the transaction begins, or its first look could miss what the one before us has just made.
        await connection.execute("SELECT pg_advisory_lock(hashtextextended($1, 0))", self.address.channel)
        try:
            async with connection.transaction():
                await self._migrate(connection)
        finally:
            await connection.execute("SELECT pg_advisory_unlock(hashtextextended($1, 0))", self.address.channel)

    async def _migrate(self, connection: Any) -> None:
        steps = migrations()
        version = await self._version(connection)  # somebody else may have been faster
        if version == 0:
            await self._make_schema(connection)
        for number, step in enumerate(steps[version:], start=version + 1):
            await connection.execute(step)
            await connection.execute("INSERT INTO version (number) VALUES ($1)", number)

    async def _make_schema(self, connection: Any) -> None:
        name = self.address.schema
        if await connection.fetchval("SELECT to_regnamespace($1)", name) is None:
            await connection.execute(f'CREATE SCHEMA "{name}"')
        if await connection.fetchval("SELECT count(*) FROM pg_tables WHERE schemaname = $1", name):
            raise StoreError(
                f"{self}: the schema {name} has tables of another program; choose another with ?schema=NAME"
            )
        await connection.execute("CREATE TABLE version (number integer PRIMARY KEY, at timestamptz DEFAULT now())")

    async def _version(self, connection: Any) -> int:
        """Return the version of the schema, 0 for none; raise if it is of a newer Quorate."""
        if await connection.fetchval("SELECT to_regclass($1)", f'"{self.address.schema}".version') is None:
            return 0
        version = int(await connection.fetchval("SELECT coalesce(max(number), 0) FROM version"))
        if version > len(migrations()):
            raise StoreError(
                f"{self} was written by a newer Quorate (schema {version}, this one knows {len(migrations())}); "
                "upgrade, or name another with ?schema=NAME"
            )
        return version

    async def close(self) -> None:
        """Close all connections."""
        pool, self._pool = self._pool, None
        if pool is None:
            return
        if self._loop is not asyncio.get_running_loop():
            return  # its loop is gone, and its connections with it
        with suppress(Exception):
            async with asyncio.timeout(CONNECT_WITHIN):
                await pool.close()
            return
        pool.terminate()


async def _nothing(_: Any) -> None:
    """Do not reset a connection: no statement of ours leaves state behind."""


def _driver() -> Any:
    """Return the driver's module; SettingError with the install command if it is missing."""
    try:
        import asyncpg
    except ImportError as error:
        raise SettingError(
            "is a PostgreSQL server, and asyncpg is not installed",
            key="store",
            expected="pip install 'quorate[postgres]'",
        ) from error
    return asyncpg
