"""Who drives the sessions of a server: a worker process of their own, or the host in this process.

Over stdio a server lives only as long as its client, so it writes and never drives: a session is marked, and a worker
that outlives client and server drives it. A server over HTTP lives longer, and hosts sessions itself.
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
    """Sessions are driven by `quorate work`, which is started where none runs."""

    workspace: Workspace
    journal: Journal

    async def start(self, session: str) -> None:
        """Mark a session as hosted, durably, and see to it that a worker runs."""
        await self.journal.host(session, True)
        await self._ensure()

    async def look(self, session: str) -> None:
        """Something was written to a session: have a worker go on where it is one that workers drive."""
        await self.mind(session)

    async def mind(self, session: str) -> bool:
        """See to it that a worker runs, if this session is one that workers drive; True where one was started."""
        return await self._is_hosted(session) and await self._ensure()

    async def go_on(self) -> None:
        """See to it that a worker runs where an earlier server left sessions that can go on."""
        if any(not each.status.waiting for each in await self.journal.hosted()):
            await self._ensure()

    def problem(self, session: str) -> str:
        """Say what kept the worker from driving a session."""
        return failure_of(self.workspace, session)

    async def _is_hosted(self, session: str) -> bool:
        return any(each.id == session for each in await self.journal.hosted())

    async def _ensure(self) -> bool:
        return await anyio.to_thread.run_sync(ensure_worker, self.workspace)


@dataclass(frozen=True)
class Hosted:
    """Sessions are driven by the host of this process."""

    host: Host

    async def start(self, session: str) -> None:
        await self.host.start(session)

    async def look(self, session: str) -> None:
        await self.host.look(session)

    async def mind(self, session: str) -> bool:
        """Try again with a session that could not be driven; the host looks after all others."""
        failed = session in self.host.failures
        if failed:
            await self.host.start(session)
        return failed

    def problem(self, session: str) -> str:
        return self.host.failures.get(session, "")
