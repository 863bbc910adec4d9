"""Time in a world: it stands still while code runs, and jumps to the next thing that is due when all wait.

A world of a week takes milliseconds, and two runs of it see the same times. The wall clock is another one than the
loop's: it can be set forward and back, as those of machines are.
"""

from __future__ import annotations

import asyncio
import selectors
import sys
import time
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from functools import lru_cache
from types import SimpleNamespace
from typing import Any, TypeVar

T = TypeVar("T")

BEGAN = 1_800_000_000.0
"""Seconds since 1970 at which every world begins."""


class TimeIsUp(Exception):
    """The world has gone on for longer than anything in it may take: something hangs."""


class Clock:
    """The two clocks of a world: the one that only goes on, and the one on the wall."""

    def __init__(self, most_seconds: float) -> None:
        self.now, self.ahead, self.most = 0.0, 0.0, most_seconds

    def monotonic(self) -> float:
        return self.now

    def time(self) -> float:
        return BEGAN + self.now + self.ahead

    def time_ns(self) -> int:
        return int(self.time() * 1_000_000_000)

    def go_on(self, seconds: float) -> None:
        self.now += seconds
        if self.now > self.most:
            raise TimeIsUp(f"nothing has ended within {self.most:.0f} seconds")


class _Selector(selectors.SelectSelector):
    """Waits for nothing real: instead of waiting it moves the clock on."""

    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self.clock = clock

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            raise TimeIsUp("everybody waits, and nothing is ever going to happen")
        if timeout > 0:
            self.clock.go_on(timeout)
        return []


class Loop(asyncio.SelectorEventLoop):
    """An event loop on a world's clock; what others run in threads runs at once, so that the order is always one."""

    def __init__(self, clock: Clock) -> None:
        self._world = clock
        super().__init__(_Selector(clock))

    def time(self) -> float:
        return self._world.now

    def run_in_executor(  # type: ignore[override]
        self, executor: Executor | None, func: Callable[..., T], *args: Any
    ) -> asyncio.Future[T]:
        future: asyncio.Future[T] = self.create_future()
        try:
            future.set_result(func(*args))
        except Exception as error:
            future.set_exception(error)
        return future


def run(clock: Clock, main: Coroutine[Any, Any, T]) -> T:
    """Run a world to its end on its own clock."""
    loop = Loop(clock)
    try:
        with _installed(clock):
            return loop.run_until_complete(main)
    finally:
        try:
            left = asyncio.all_tasks(loop)
            for task in left:
                task.cancel()
            clock.most = float("inf")
            if left:
                loop.run_until_complete(asyncio.wait(left))
        finally:
            loop.close()


@contextmanager
def _installed(clock: Clock) -> Iterator[None]:
    """Let every module of the program read this clock, however it has imported time."""
    fake = SimpleNamespace(**{**vars(time), **{name: getattr(clock, name) for name in _READ}})
    known: dict[int, Any] = {id(getattr(time, name)): getattr(clock, name) for name in _READ} | {id(time): fake}
    places = _places(tuple(name for name in sys.modules if name.partition(".")[0] == "quorate"))
    for module, attribute, value in places:
        setattr(module, attribute, known[id(value)])
    try:
        yield
    finally:
        for module, attribute, value in places:
            setattr(module, attribute, value)


@lru_cache(maxsize=1)
def _places(modules: tuple[str, ...]) -> list[tuple[Any, str, Any]]:
    """Return where these modules keep what tells the time: the module, the name in it, and what it is."""
    read = (time, *(getattr(time, name) for name in _READ))
    return [
        (module, attribute, value)
        for module in map(sys.modules.get, modules)
        if module is not None
        for attribute, value in vars(module).items()
        if any(value is each for each in read)
    ]


_READ = ("monotonic", "time", "time_ns")
