"""What is under way in a place: drives and watching, which let go of their sessions before the store is closed."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from quorate.api.channel import Channel
from quorate.core.errors import RuleViolation

T = TypeVar("T")
PATIENCE = 10.0
"""Seconds that interrupted work has to let go."""


class UnderWay:
    """The work of one place. Everything that writes or reads for long goes through it. For one event loop."""

    def __init__(self) -> None:
        self._work: set[asyncio.Task[Any]] = set()
        self._channels: set[Channel] = set()
        self._closed = False

    def check_open(self) -> None:
        """Raise where the place has been closed."""
        if self._closed:
            raise RuleViolation("this place is closed; nothing is lost, and the session goes on with the next `run`")

    async def do(self, work: Coroutine[Any, Any, T]) -> T:
        """Do some work to its end; closing the place cancels it, and then this raises in words."""
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
    def watching(self, channel: Channel) -> Iterator[Channel]:
        """Close a channel when it is left, or when the place is closed."""
        self.check_open()
        self._channels.add(channel)
        try:
            yield channel
        finally:
            self._channels.discard(channel)
            channel.close()

    async def let_go(self) -> None:
        """End everything, begin nothing any more, and wait until leases are given back; not for ever."""
        self._closed = True
        for task in self._work:
            task.cancel()
        if self._work:
            await asyncio.wait(set(self._work), timeout=PATIENCE)
        for channel in set(self._channels):
            channel.close()
