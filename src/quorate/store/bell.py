"""A bell: who waits for a session to grow is told at once when somebody says that it has."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class Bell:
    """Rung by whoever writes or is told of it; each one who waits hears it once. For the tasks of one event loop."""

    def __init__(self) -> None:
        self._waiting: dict[str, set[asyncio.Event]] = {}

    def ring(self, session: str) -> None:
        """Tell all who wait for this session that it may have grown."""
        for heard in self._waiting.get(session, ()):
            heard.set()

    def ring_all(self) -> None:
        """Tell everybody: what was missed meanwhile is not known."""
        for session in self._waiting:
            self.ring(session)

    @contextmanager
    def hearing(self, session: str) -> Iterator[asyncio.Event]:
        """Listen for this session: the event is set whenever it rings, and is the caller's to clear."""
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
        """Return when it rings for this session, or after some seconds."""
        with self.hearing(session) as heard:
            await within(heard, seconds)


async def within(heard: asyncio.Event, seconds: float) -> bool:
    """Return whether an event was set within some seconds."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):  # not `wait_for`, which may swallow being cancelled
            await heard.wait()
    return heard.is_set()
