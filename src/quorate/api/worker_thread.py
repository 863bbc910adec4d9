"""Run session opening in a worker thread so the event loop is not blocked.

Reading files, running git and checking take a while. The journal is written in the caller's event loop, because a
journal belongs to one loop.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from threading import Thread
from typing import Any, TypeVar, cast

from quorate.codec.chain import Entry
from quorate.core.errors import StoreError
from quorate.store.journal import Journal

T = TypeVar("T")


async def run_in_thread(journal: Journal, work: Callable[[Journal], Coroutine[Any, Any, T]]) -> T:
    """Run `work` in a thread, with a journal that it may create a session in, and return its result.

    If the caller is cancelled so is the work, at its next await: what runs until then writes nothing any more.
    """
    creates = _Creates(journal, asyncio.get_running_loop())
    tasks: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[T]]] = []
    done: Future[T] = Future()
    done.set_running_or_notify_cancel()  # so that a caller who goes away does not take the place for the result along

    async def working() -> T:
        task = asyncio.create_task(work(cast("Journal", creates)))
        tasks.append((asyncio.get_running_loop(), task))
        return await task

    def run() -> None:
        try:
            done.set_result(asyncio.run(working()))
        except BaseException as error:
            done.set_exception(error)

    Thread(target=run, name="quorate-opening", daemon=True).start()
    try:
        return await asyncio.wrap_future(done)
    except asyncio.CancelledError:
        creates.abandoned = True
        for loop, task in tasks:
            with suppress(RuntimeError):  # it has just ended
                loop.call_soon_threadsafe(task.cancel)
        raise


@dataclass
class _Creates:
    """The `create` of a journal, run in the event loop that the journal belongs to."""

    journal: Journal
    loop: asyncio.AbstractEventLoop
    abandoned: bool = False

    async def create(self, *args: Any, **named: Any) -> Entry:
        if self.loop.is_closed():
            raise _cancelled()
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(self._create(*args, **named), self.loop))

    async def _create(self, *args: Any, **named: Any) -> Entry:
        """Runs in the caller's loop, where a cancellation is known as soon as it has happened."""
        if self.abandoned:
            raise _cancelled()
        return await self.journal.create(*args, **named)


def _cancelled() -> StoreError:
    return StoreError("the request was cancelled, so the session was not opened")
