"""Finish a session: write its files and findings to the project, from any interface or process.

Whoever drives a session to its end finishes it. If a person's answer ends it while nobody drives it, the process that
wrote the answer does. The lease makes sure that only one of them does.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from quorate import catalog
from quorate.api.sessions import Result
from quorate.api.world import world_of
from quorate.core.errors import QuorateError
from quorate.kit.ledger import Changes
from quorate.store.journal import Journal, SessionBusy
from quorate.store.process import a_driver
from quorate.workspace import Workspace

LONG_ENOUGH = 300.0
"""Seconds of the lease for finishing: allows for a large ledger, a slow disk, and other writers."""


@dataclass(frozen=True, slots=True)
class Written:
    """A file that was written, and how it changed."""

    path: Path
    how: str
    """written, merged, or already there."""
    ids: Mapping[str, str] = field(default_factory=dict)
    """What became of ids that others had taken in that file: old to new."""


@dataclass(frozen=True, slots=True)
class Left:
    """What a session has written to the project, and what it could not."""

    written: tuple[Written, ...] = ()
    """Its files, beside those that were asked for."""
    changes: Changes | None = None
    """What became of the project's ledger."""
    unwritten: QuorateError | None = None
    """Why files could not be written."""
    unsettled: QuorateError | None = None
    """Why the ledger was not updated."""

    @property
    def problems(self) -> tuple[str, ...]:
        """What could not be written, as sentences; the verdict does not depend on it."""
        found = (("not all files were written", self.unwritten), ("the ledger is left as it was", self.unsettled))
        return tuple(f"{what}: {error}" for what, error in found if error is not None)


def finish(workspace: Workspace, result: Result, folder: Path | None = None, *, settle: bool = True) -> Left:
    """Write what a session produces to the project, as its protocol's world defines: files, and ledger findings.

    Does nothing before the session has concluded. Files go where the session was opened to write them, else to
    `folder`; repeating it changes nothing. Pass `settle` only from the process that reached the verdict: settling later
    could undo what others found since. Failures are reported in the result, not raised.
    """
    written: tuple[Written, ...] = ()
    changes: Changes | None = None
    unwritten = unsettled = None
    world = world_of(catalog.definition_of(result.record.opening))
    try:
        written = tuple(world.leave(result, folder))
    except QuorateError as error:
        unwritten = error
    if settle:
        try:
            changes = world.settle(workspace, result)
        except QuorateError as error:
            unsettled = error
    return Left(written, changes, unwritten, unsettled)


async def finish_ended(
    workspace: Workspace, journal: Journal, result: Result, folder: Path | None = None, *, settle: bool = True
) -> Left | None:
    """Finish a session that the caller's write has ended; None if it has not ended, or its driver finishes it.

    Afterwards it needs no host, unless something could not be written: a host retries that, and reports it.
    """
    if result.record.session.conclusion is None:
        return None
    try:
        async with leased(journal, result.session, a_driver(), LONG_ENOUGH):
            left = await asyncio.to_thread(partial(finish, workspace, result, folder, settle=settle))
            if not left.problems:
                await journal.host(result.session, False)
    except SessionBusy:
        return None
    return left


@asynccontextmanager
async def leased(journal: Journal, session: str, owner: str, seconds: float) -> AsyncIterator[None]:
    """Hold the lease of a session; SessionBusy if another owner has it, in this process or another."""
    await journal.lease(session, owner, seconds)
    try:
        yield
    finally:
        with suppress(QuorateError):
            await journal.release(session, owner)
