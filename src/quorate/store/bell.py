"""In-process notification: wakes those who wait for a session to grow."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class Bell:
    """Notifies waiting tasks that a session may have grown. For the tasks of one event loop."""

    def __init__(self) -> None:
        self._waiting: dict[str, set[asyncio.Event]] = {}

    def ring(self, session: str) -> None:
        """Notify all who wait for this session."""
        for heard in self._waiting.get(session, ()):
            heard.set()

    def ring_all(self) -> None:
        """Notify everybody, after notifications may have been missed."""
        for session in self._waiting:
            self.ring(session)

    @contextmanager
    def hearing(self, session: str) -> Iterator[asyncio.Event]:
        """Subscribe to a session: yields an event that is set on every ring, and that the caller clears."""
        heard = asyncio.Event()
        waiting = self._waiting.setdefault(session, set())
        waiting.add(heard)
        try:
            yield heard
        finally:
            waiting.discard(heard)
            if not waiting and self._waiting.get(session) is waiting:
                del self._waiting[session]

    async def wait(self, session: str, seconds: float) -> None:
        """Wait until this session is rung, or for some seconds."""
        with self.hearing(session) as heard:
            await within(heard, seconds)


async def within(heard: asyncio.Event, seconds: float) -> bool:
    """Wait for an event with a timeout; return whether it was set."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):  # not `wait_for`, which may swallow being cancelled
            await heard.wait()
    return heard.is_set()
