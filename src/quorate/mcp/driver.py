"""Drivers for the sessions of a server: a separate worker process, or the host in this process.

A stdio server lives only as long as its client, so it never drives: it marks sessions as hosted, and a worker that
outlives client and server drives them. An HTTP server is long-lived and hosts sessions itself.
"""

from __future__ import annotations

from dataclasses import dataclass

import anyio.to_thread

from quorate.api.host import Host
from quorate.api.worker import ensure_worker, failure_of
from quorate.store.journal import Journal
from quorate.workspace import Workspace


@dataclass(frozen=True)
class Detached:
    """Sessions are driven by `quorate work`, which is started if none is running."""

    workspace: Workspace
    journal: Journal

    async def start(self, session: str) -> None:
        """Mark a session as hosted, durably, and ensure that a worker is running."""
        await self.journal.host(session, True)
        await self._ensure()

    async def look(self, session: str) -> None:
        """Ensure that a worker is running if the session is hosted."""
        await self.mind(session)

    async def mind(self, session: str) -> bool:
        """Ensure that a worker is running if the session is hosted; return whether one was started."""
        return await self._is_hosted(session) and await self._ensure()

    async def go_on(self) -> None:
        """Ensure that a worker is running if an earlier server left sessions that can continue."""
        if any(not each.status.waiting for each in await self.journal.hosted()):
            await self._ensure()

    def problem(self, session: str) -> str:
        """Return why the worker could not drive a session; empty if it could."""
        return failure_of(self.workspace, session)

    async def _is_hosted(self, session: str) -> bool:
        return any(each.id == session for each in await self.journal.hosted())

    async def _ensure(self) -> bool:
        return await anyio.to_thread.run_sync(ensure_worker, self.workspace)


@dataclass(frozen=True)
class HostedDriver:
    """Sessions are driven by the host of this process."""

    host: Host

    async def start(self, session: str) -> None:
        await self.host.start(session)

    async def look(self, session: str) -> None:
        await self.host.look(session)

    async def mind(self, session: str) -> bool:
        """Retry a session that could not be driven; the host takes care of all others."""
        failed = session in self.host.failures
        if failed:
            await self.host.start(session)
        return failed

    def problem(self, session: str) -> str:
        return self.host.failures.get(session, "")
