"""The desk: what every transport of the server works with, and how a session is set going there."""

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
    """How sessions are driven: by a process of their own, or by this one."""

    async def start(self, session: str) -> None:
        """Have a session driven from now on, whatever becomes of the client; harmless twice."""
        ...

    async def look(self, session: str) -> None:
        """Something was written to a session: see to it that what is driven goes on, and what has ended is left."""
        ...

    async def mind(self, session: str) -> bool:
        """Somebody waits for a session: see to it that whoever drives it is there; True where it is tried anew."""
        ...

    def problem(self, session: str) -> str:
        """Say why a session that is driven cannot go on; empty for nothing."""
        ...


@dataclass(frozen=True)
class Desk:
    """A workspace with its journal open, the roots that paths may lie in, and who drives."""

    workspace: Workspace
    journal: Journal
    roots: Roots
    driving: Driving
    folds: Folds = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "folds", Folds(self.workspace, self.journal))

    async def fold(self, name: str) -> Fold:
        """Return the session that a name stands for (an id, the start of one, or `latest`) as it stands now."""
        return await self.folds.get(await self.find(name))

    async def find(self, name: str) -> str:
        """Return the id that a name stands for."""
        return await api.find_session(self.journal, name, self.workspace.folder)

    async def load(self, name: str) -> api.Result:
        """Return the same for whoever wants no events."""
        return (await self.fold(name)).result

    async def is_hosted(self, session: str) -> bool:
        """Whether processes that host sessions drive this one; another may be driven in a terminal, or by nobody."""
        return any(each.id == session for each in await self.journal.hosted())

    async def written(self, name: str, write: Callable[[api.Result], str]) -> tuple[str, str]:
        """Return the session that a name stands for, and what `write` makes of it as it stands now.

        That may take a while, so it is done in a thread, on a record of its own.
        """
        fold = await self.fold(name)
        folded = again(fold)
        return fold.session, await anyio.to_thread.run_sync(lambda: write(folded()))

    async def open(self, protocol: str, inputs: Mapping[str, Any], given: Mapping[str, Any]) -> OpenedSession:
        """Open a session and set it going; `given` are the panel's path, model, settings, budget and seed."""
        chosen = {name: value for name, value in given.items() if value is not None}
        if "panel" in chosen:
            chosen["panel"] = Path(chosen["panel"])
        opened = await open_named(self.workspace, self.journal, protocol, inputs, roots=self.roots, **chosen)
        await self.driving.start(opened.session)
        return opened
