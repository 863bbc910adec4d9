"""Desk: the state shared by all transports of the server, and how a session is started."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import anyio.to_thread

from quorate import api
from quorate.api.folds import Fold, Folds, again
from quorate.api.opening import OpenedSession, open_named
from quorate.api.roots import Roots
from quorate.store.journal import Journal
from quorate.workspace import Workspace


class Driving(Protocol):
    """How sessions are driven: by a separate worker process, or by this one."""

    async def start(self, session: str) -> None:
        """Have a session driven from now on, even if the client disconnects. Idempotent."""
        ...

    async def look(self, session: str) -> None:
        """React to a write to a session: continue one that is driven, release one that has ended."""
        ...

    async def mind(self, session: str) -> bool:
        """Ensure that a hosted session has a driver; return whether a new attempt was started."""
        ...

    def problem(self, session: str) -> str:
        """Return why a session cannot be driven; empty if it can."""
        ...


@dataclass(frozen=True)
class Desk:
    """A workspace with its open journal, the roots that paths must be inside, and the driver."""

    workspace: Workspace
    journal: Journal
    roots: Roots
    driving: Driving
    folds: Folds = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "folds", Folds(self.workspace, self.journal))

    async def fold(self, name: str) -> Fold:
        """Return the current state of a session, by id, id prefix, or `latest`."""
        return await self.folds.get(await self.find(name))

    async def find(self, name: str) -> str:
        """Return the session id for an id, an id prefix, or `latest`."""
        return await api.find_session(self.journal, name, self.workspace.folder)

    async def load(self, name: str) -> api.Result:
        """Return the result of a session, without its events."""
        return (await self.fold(name)).result

    async def is_hosted(self, session: str) -> bool:
        """Return whether the session is hosted, i.e. driven by a server or worker and not by a terminal."""
        return any(each.id == session for each in await self.journal.hosted())

    async def written(self, name: str, write: Callable[[api.Result], str]) -> tuple[str, str]:
        """Return the session id for a name, and what `write` returns for its current result.

        `write` runs in a worker thread, on its own copy of the record.
        """
        fold = await self.fold(name)
        folded = again(fold)
        return fold.session, await anyio.to_thread.run_sync(lambda: write(folded()))

    async def open(self, protocol: str, inputs: Mapping[str, Any], given: Mapping[str, Any]) -> OpenedSession:
        """Open a session and start it; `given` are the panel's path, model, settings, budget and seed."""
        chosen = {name: value for name, value in given.items() if value is not None}
        if "panel" in chosen:
            chosen["panel"] = Path(chosen["panel"])
        opened = await open_named(self.workspace, self.journal, protocol, inputs, roots=self.roots, **chosen)
        await self.driving.start(opened.session)
        return opened
