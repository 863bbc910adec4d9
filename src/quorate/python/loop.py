"""An event loop in a thread of its own, for programs that do not await, in a notebook too."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from threading import Event, Thread, current_thread
from typing import Any, TypeVar

from quorate.core.errors import RuleViolation

T = TypeVar("T")
PATIENCE = 10.0
"""Seconds that interrupted work has to let go."""


class LoopThread:
    """Runs coroutines for callers that do not await, one thread for all of them."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever, name="quorate", daemon=True)
        self._thread.start()

    @property
    def is_open(self) -> bool:
        return not self._loop.is_closed()

    def call(self, work: Coroutine[Any, Any, T]) -> T:
        """Run some work to its end and return its result. Ctrl-C cancels it, and it lets go before that is raised."""
        if self._loop.is_closed() or current_thread() is self._thread:
            work.close()
            raise RuleViolation(
                "this place is closed" if self._loop.is_closed() else "this would wait for itself; use AsyncQuorate"
            )
        ended = Event()
        future = asyncio.run_coroutine_threadsafe(_then(work, ended), self._loop)
        try:
            return future.result()
        except KeyboardInterrupt:
            future.cancel()
            ended.wait(PATIENCE)
            raise

    def close(self) -> None:
        """Cancel whatever is under way, wait until it has let go, and end the thread."""
        if self._loop.is_closed():
            return
        asyncio.run_coroutine_threadsafe(_let_go(), self._loop).result(PATIENCE)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(PATIENCE)
        self._loop.close()


async def _then(work: Coroutine[Any, Any, T], ended: Event) -> T:
    try:
        return await work
    finally:
        ended.set()


async def _let_go() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    loop = asyncio.get_running_loop()
    await loop.shutdown_asyncgens()
    await loop.shutdown_default_executor()
