"""PostgreSQL notifications of new entries, on one connection that reconnects when lost."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

from quorate.store.bell import Bell, within
from quorate.store.server import CONNECT_WITHIN, PostgresServer

ALIVE_EVERY = 20.0
"""Seconds of silence after which the connection is checked, since a cut cable gives no error."""
PAUSE = 0.5


class Notices:
    """Rings a bell for every session that grows, from the first `start` to `close`."""

    def __init__(self, server: PostgresServer, bell: Bell) -> None:
        self._server, self._bell = server, bell
        self._task: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self.listening = False
        """Whether no notification can be missed now; otherwise those who wait have to poll."""

    def start(self) -> None:
        """Start listening, unless already started."""
        loop = asyncio.get_running_loop()
        if self._task is None or self._task.done() or self._loop is not loop:
            self._loop, self._task = loop, loop.create_task(self._listen())

    async def close(self) -> None:
        """Stop listening."""
        task, self._task = self._task, None
        if task is not None and self._loop is asyncio.get_running_loop():
            task.cancel()
            await asyncio.wait([task])

    async def _listen(self) -> None:
        while True:
            with suppress(Exception):  # whoever waits looks meanwhile, and is told what is wrong
                await self._listen_once(await self._server.connect())
            await asyncio.sleep(PAUSE)

    async def _listen_once(self, connection: Any) -> None:
        """Listen until the connection is lost."""
        lost = asyncio.Event()
        try:
            connection.add_termination_listener(lambda _: lost.set())
            await connection.add_listener(self._server.address.channel, self._heard)
            self.listening = True
            self._bell.ring_all()  # what was written before nobody has told
            while not await within(lost, ALIVE_EVERY):
                await connection.execute("SELECT 1", timeout=CONNECT_WITHIN)
        finally:
            self.listening = False
            self._bell.ring_all()  # they look for themselves from now on
            connection.terminate()

    def _heard(self, _connection: Any, _pid: int, _channel: str, session: str) -> None:
        self._bell.ring(session)
