"""An event loop in a background thread, for synchronous callers, notebooks included."""

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
    """Runs coroutines for synchronous callers, all on one thread."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._threads = _Threads(thread_name_prefix="quorate-function")
        self._loop.set_default_executor(self._threads)
        self._thread = Thread(target=self._loop.run_forever, name="quorate", daemon=True)
        self._thread.start()
        self._closed, self._closing = False, Lock()

    @property
    def is_open(self) -> bool:
        """Whether calls are accepted: not after `close`, nor while the interpreter shuts down."""
        return not self._closed and not sys.is_finalizing()

    def call(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine and return its result. Ctrl-C cancels it and waits for its cleanup before raising."""
        if not self.is_open or current_thread() is self._thread:
            work.close()
            raise RuleViolation(
                "a blocking call from inside its own event loop would never return; use AsyncQuorate there"
                if self.is_open
                else "this Quorate is closed; open another one"
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
        """Cancel running work, wait for its cleanup, and end the thread. Idempotent.

        A user's function that runs in a worker thread cannot be stopped; its result is dropped.
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
    """Thread pool for blocking calls. When the interpreter shuts down and refuses new threads, calls run inline."""

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
