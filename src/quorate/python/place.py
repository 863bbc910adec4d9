"""Entry point of the async API: the settings and store of a folder, and the sessions in it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from quorate import catalog
from quorate.api import session_queries, sessions
from quorate.api.estimate import estimate, estimate_data
from quorate.api.opening import inputs_schema, main_input, open_named
from quorate.api.session_list import check_protocol, list_sessions
from quorate.core.errors import InputError, RuleViolation
from quorate.python.deliberation import AsyncDeliberation
from quorate.python.open_sessions import UnderWay
from quorate.python.seats import Panel, as_seating, held_here
from quorate.store.journal import Journal
from quorate.workspace import Workspace, find_workspace


class AsyncQuorate:
    """Entry point of the async API; use it with `async with`. Its sessions are visible to all surfaces."""

    def __init__(self, folder: str | Path = ".", *, store: str | None = None) -> None:
        """Use the project settings of a folder; `store` is a URL such as `sqlite:work.db` or `memory:`."""
        self._folder, self._store = Path(folder), store
        self._workspace: Workspace | None = None
        self._journal: Journal | None = None
        self._under_way = UnderWay()

    async def __aenter__(self) -> Self:
        if not self._folder.is_dir():
            raise InputError("is not a folder", file=str(self._folder), expected="the folder to work in")
        self._workspace = find_workspace(self._folder, os.environ, store=self._store)
        self._journal = self._workspace.open()
        self._under_way = UnderWay()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        journal, self._journal = self._journal, None
        if journal is not None:
            await self._under_way.let_go()
            await journal.close()

    async def open(
        self,
        protocol: str,
        inputs: str | Mapping[str, Any],
        *,
        settings: Mapping[str, Any] | None = None,
        panel: Panel | None = None,
        model: str | None = None,
        budget: Mapping[str, Any] | None = None,
        seed: int | None = None,
    ) -> AsyncDeliberation:
        """Open a session of any installed protocol, without running it.

        `inputs` are the protocol's inputs by name; a plain text is its main input. `settings` and `budget` override
        those of the project. Invalid values raise InputError with their key.
        """
        workspace, journal = self._entered()
        seats = as_seating(panel)
        opened = await open_named(
            workspace,
            journal,
            protocol,
            {_main(protocol): inputs} if isinstance(inputs, str) else inputs,
            settings=settings,
            budget=budget,
            panel=seats,
            model=model,
            seed=seed,
        )
        loaded = await sessions.load(workspace, journal, opened.session)
        own = held_here(seats, model or workspace.config.model)
        return AsyncDeliberation(workspace, journal, loaded, self._under_way, panel=own, says=opened.says)

    async def get(self, session: str) -> AsyncDeliberation:
        """Return a session of this store by id, id prefix, or `latest`."""
        workspace, journal = self._entered()
        found = await sessions.find_session(journal, session, workspace.folder)
        loaded = await sessions.load(workspace, journal, found)
        return AsyncDeliberation(workspace, journal, loaded, self._under_way)

    async def sessions(self) -> list[dict[str, Any]]:
        """Return all sessions of this store as plain data, newest first."""
        _, journal = self._entered()
        return [each.data() for each in await list_sessions(journal)]

    async def estimate(
        self,
        protocol: str,
        inputs: str | Mapping[str, Any] | None = None,
        *,
        settings: Mapping[str, Any] | None = None,
        panel: Panel | None = None,
        model: str | None = None,
        budget: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Return the expected and the maximum cost of a session, as plain data. Calls nobody and stores nothing.

        Without `inputs` the material is assumed to have 2,000 tokens.
        """
        workspace, _ = self._entered()
        brought = {_main(protocol): inputs} if isinstance(inputs, str) else inputs
        check_protocol(protocol)

        def work() -> dict[str, Any]:
            made = estimate(
                workspace,
                protocol,
                brought,
                settings=settings,
                budget=budget,
                panel=as_seating(panel),
                model=model,
            )
            return estimate_data(asyncio.run(made))

        return await asyncio.to_thread(work)

    async def compare(self, *sessions: str) -> dict[str, Any]:
        """Compare sessions of one protocol, as plain data: where each diverges from the first, and why."""
        return await session_queries.compared(*self._entered(), sessions)

    async def calibration(self, *, protocol: str | None = None, model: str | None = None) -> dict[str, Any]:
        """Return how often verdicts, seats and models were right in the labelled sessions, as plain data."""
        return await session_queries.calibrated(*self._entered(), protocol=protocol, model=model)

    def protocols(self) -> dict[str, str]:
        """Return the installed protocols: descriptions by name."""
        return {name: each.title for name, each in catalog.definitions().items()}

    def inputs(self, protocol: str) -> dict[str, Any]:
        """Return the JSON Schema of a protocol's inputs."""
        return inputs_schema(protocol)

    def _entered(self) -> tuple[Workspace, Journal]:
        if self._workspace is None or self._journal is None:
            raise RuleViolation("the store is not open: use `async with AsyncQuorate(...) as quorate`")
        return self._workspace, self._journal


def _main(protocol: str) -> str:
    name = main_input(protocol)
    if name is None:
        raise InputError(
            "is a text", key="inputs", expected=f"a mapping of names to values, as a {protocol} takes no text alone"
        )
    return name
