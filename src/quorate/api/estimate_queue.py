"""Estimates for servers: computed in worker threads, a few at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from quorate.api.estimate import USUAL, estimate, estimate_data
from quorate.api.expected_cost import Assumed
from quorate.api.roots import Roots
from quorate.core.errors import RuleViolation
from quorate.workspace import Workspace

AT_A_TIME = 1
"""Estimates at the same time; they are CPU-bound, so more would not be faster."""
MOST_WAITING = 8


@dataclass
class Estimates:
    """Estimate queue of one server. For one event loop."""

    workspace: Workspace
    roots: Roots
    """What a request may reach."""
    _slots: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(AT_A_TIME))
    _asked: int = 0

    async def make(
        self,
        protocol: str,
        inputs: Mapping[str, Any] | None = None,
        *,
        settings: Mapping[str, Any] | None = None,
        budget: Mapping[str, Any] | None = None,
        panel: str | None = None,
        model: str | None = None,
        assumed: Assumed = USUAL,
    ) -> dict[str, Any]:
        """Return an estimate as plain data; raise RuleViolation if too many are queued."""
        if self._asked >= AT_A_TIME + MOST_WAITING:
            raise RuleViolation(f"{self._asked} estimates are waiting already; try again when they are done")

        def work() -> dict[str, Any]:
            made = estimate(
                self.workspace,
                protocol,
                inputs,
                settings=settings,
                budget=budget,
                panel=Path(panel) if panel is not None else None,
                model=model,
                assumed=assumed,
                roots=self.roots,
            )
            return estimate_data(asyncio.run(made))

        self._asked += 1
        try:
            async with self._slots:
                return await asyncio.to_thread(work)
        finally:
            self._asked -= 1
