"""Running work of an AsyncQuorate: drives and watches, which are ended before the store is closed."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from quorate.api.broadcast import Broadcast
from quorate.core.errors import RuleViolation

T = TypeVar("T")
PATIENCE = 10.0
"""Seconds that interrupted work has to let go."""


class UnderWay:
    """Tracks everything long-running of one AsyncQuorate. Bound to one event loop."""

    def __init__(self) -> None:
        self._work: set[asyncio.Task[Any]] = set()
        self._broadcasts: set[Broadcast] = set()
        self._closed = False

    def check_open(self) -> None:
        """Raise RuleViolation if it has been closed."""
        if self._closed:
            raise RuleViolation(
                "this Quorate is closed; nothing is lost: open another one, and `run` continues the session"
            )

    async def do(self, work: Coroutine[Any, Any, T]) -> T:
        """Await a coroutine. `let_go` cancels it, and then this raises RuleViolation."""
        try:
            self.check_open()
        except RuleViolation:
            work.close()
            raise
        task = asyncio.ensure_future(work)
        self._work.add(task)
        try:
            return await task
        except asyncio.CancelledError:
            asked = asyncio.current_task()
            if asked is None or not asked.cancelling():  # it was not us whom somebody wanted to stop
                self.check_open()
            raise
        finally:
            self._work.discard(task)

    @contextmanager
    def watching(self, broadcast: Broadcast) -> Iterator[Broadcast]:
        """Context manager that closes a broadcast on exit, or when `let_go` is called."""
        self.check_open()
        self._broadcasts.add(broadcast)
        try:
            yield broadcast
        finally:
            self._broadcasts.discard(broadcast)
            broadcast.close()

    async def let_go(self) -> None:
        """Cancel everything, refuse new work, and wait up to `PATIENCE` seconds for leases to be released."""
        self._closed = True
        for task in self._work:
            task.cancel()
        if self._work:
            await asyncio.wait(set(self._work), timeout=PATIENCE)
        for broadcast in set(self._broadcasts):
            broadcast.close()
