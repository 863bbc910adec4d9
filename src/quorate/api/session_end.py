"""The end of a session: what it leaves in the project, whichever surface or process brought it to its verdict.

Whoever drives a session to its end finishes it. Where the word of a person ends it while nobody drives it, whoever
has written that word does. The lease sees to it that this is one of them.
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
"""Seconds for which the lease is taken to finish: for a large ledger, a slow disk, others who write there."""


@dataclass(frozen=True, slots=True)
class Written:
    """A file, and what was done to it."""

    path: Path
    how: str
    """written, merged, or already there."""
    ids: Mapping[str, str] = field(default_factory=dict)
    """What became of ids that others had taken in that file: old to new."""


@dataclass(frozen=True, slots=True)
class Left:
    """What a session has left, and what it could not."""

    written: tuple[Written, ...] = ()
    """Its files, beside those that were asked for."""
    changes: Changes | None = None
    """What became of the project's ledger."""
    unwritten: QuorateError | None = None
    """What is in the way of files."""
    unsettled: QuorateError | None = None
    """Why the ledger is as it was."""

    @property
    def problems(self) -> tuple[str, ...]:
        """What could not be left, in words; no verdict hangs on it."""
        found = (("not everything was written", self.unwritten), ("the ledger is left as it was", self.unsettled))
        return tuple(f"{what}: {error}" for what, error in found if error is not None)


def finish(workspace: Workspace, result: Result, folder: Path | None = None, *, settle: bool = True) -> Left:
    """Leave what a session leaves in the project, by its protocol's world: files, and findings in the ledger.

    Nothing is left before it has concluded. Files are left where the session was opened to leave them, or else in
    `folder`; to do it again changes nothing. `settle` is for the one who brought it to its verdict: what is
    settled again later could undo what others have found since. What cannot be left is told and raises nothing.
    """
    written: tuple[Written, ...] = ()
    changes: Changes | None = None
    unwritten = unsettled = None
    world = world_of(catalog.definition(result.record.opening.protocol))
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
    """Finish a session that the caller's word has ended; None where it has not, or where who drives it finishes it.

    Then it needs no host any more, unless something could not be left: a host tries that again, and tells.
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
    """Hold the lease of a session; SessionBusy where it is another owner's, also in this process."""
    await journal.lease(session, owner, seconds)
    try:
        yield
    finally:
        with suppress(QuorateError):
            await journal.release(session, owner)
