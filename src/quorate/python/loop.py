"""An event loop in a thread of its own, for programs that do not await, in a notebook too."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from threading import Event, Lock, Thread, current_thread
from typing import Any, TypeVar

from quorate.core.errors import RuleViolation
from quorate.python.open_sessions import PATIENCE

T = TypeVar("T")


class LoopThread:
    """Runs coroutines for callers that do not await, one thread for all of them."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._threads = _Threads(thread_name_prefix="quorate-function")
        self._loop.set_default_executor(self._threads)
        self._thread = Thread(target=self._loop.run_forever, name="quorate", daemon=True)
        self._thread.start()
        self._closed, self._closing = False, Lock()

    @property
    def is_open(self) -> bool:
        """Whether work can be done: not once it is closed, nor when the interpreter has frozen its threads."""
        return not self._closed and not sys.is_finalizing()

    def call(self, work: Coroutine[Any, Any, T]) -> T:
        """Run some work to its end and return its result. Ctrl-C cancels it, and it lets go before that is raised."""
        if not self.is_open or current_thread() is self._thread:
            work.close()
            raise RuleViolation(
                "this would wait for itself; use AsyncQuorate" if self.is_open else "this place is closed"
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
        """Cancel whatever is under way, wait until it has let go, and end the thread; to do it twice is harmless.

        A function of the program that is at work in a thread cannot be stopped: it ends by itself, unheard.
        """
        with self._closing:
            if not self.is_open:
                return
            self._closed = True
        with suppress(TimeoutError):  # what does not let go is left behind with its thread
            asyncio.run_coroutine_threadsafe(_let_go(), self._loop).result(PATIENCE)
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(PATIENCE)
        if not self._thread.is_alive():
            self._loop.close()


class _Threads(ThreadPoolExecutor):
    """Threads for what blocks. A program that ends has none any more; what is left to do is then done in the loop."""

    def submit(self, work: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        try:
            return super().submit(work, *args, **kwargs)
        except RuntimeError:  # that none can be had is no failure of whoever was asked
            done = Future[T]()
        try:
            done.set_result(work(*args, **kwargs))
        except Exception as error:
            done.set_exception(error)
        return done


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
    await asyncio.get_running_loop().shutdown_asyncgens()
