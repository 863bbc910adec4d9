"""Streams: server-sent events to many listeners, each ended at once when it is left, or when the server stops."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, contextmanager, suppress
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from fastapi import Response
from starlette.exceptions import HTTPException
from starlette.types import Receive, Scope, Send

BEAT_SECONDS = 15.0
"""A stream that is silent for so long says so, or proxies would think that it is dead."""
RETRY_MILLISECONDS = 1_000
LAST_WORDS_SECONDS = 1.0
"""How long the end of a stream waits for a listener that does not read."""


@dataclass
class Streams:
    """All open streams of a server."""

    most: int
    _open: set[asyncio.Future[None]] = field(default_factory=set)
    _ended: bool = False

    def __len__(self) -> int:
        return len(self._open)

    def check_room(self) -> None:
        """Raise 503 where there are as many listeners as there may be, or the server stops."""
        if self._ended or len(self._open) >= self.most:
            raise HTTPException(503, "too many are listening already; try again later", {"Retry-After": "5"})

    @contextmanager
    def listening(self) -> Iterator[asyncio.Future[None]]:
        """Count a stream while it is open; the future is done when it has to end."""
        self.check_room()
        stop: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._open.add(stop)
        try:
            yield stop
        finally:
            self._open.discard(stop)

    def begin(self) -> None:
        """Allow streams again, after all were ended."""
        self._ended = False

    def end(self) -> None:
        """End all streams, and open none any more."""
        self._ended = True
        for stop in self._open:
            if not stop.done():
                stop.set_result(None)


def frame(data: str, event: str, seq: int | None = None) -> bytes:
    """Return one event as it goes over the wire; JSON has no line ends in it, so its data is one line."""
    head = "" if seq is None else f"id: {seq}\n"
    return f"{head}event: {event}\ndata: {data}\n\n".encode("utf-8", "replace")


def frame_of(value: Any, event: str) -> bytes:
    """Return an event with plain data."""
    return frame(json.dumps(value, ensure_ascii=False, separators=(",", ":")), event)


class EventStream(Response):
    """An answer that goes on: frames are sent as they come, and whoever leaves frees what they held at once."""

    media_type = "text/event-stream"

    def __init__(self, frames: AsyncIterator[bytes], streams: Streams, *, beat: float = BEAT_SECONDS) -> None:
        self.frames, self.streams, self.beat = frames, streams, beat
        self.status_code, self.background = 200, None
        self.init_headers({"Cache-Control": "no-store", "X-Accel-Buffering": "no"})
        self._spoke = 0.0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self.streams.listening() as stop:
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            pump = asyncio.create_task(self._pump(send))
            others = [asyncio.create_task(self._beat(send)), asyncio.create_task(_gone(receive))]
            try:
                await asyncio.wait({pump, stop, *others}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for task in (pump, *others):
                    task.cancel()
                ended = await asyncio.gather(pump, *others, return_exceptions=True)
        failed = next((each for each in ended if isinstance(each, Exception)), None)
        if failed is not None:
            raise failed
        with suppress(TimeoutError):
            last = send({"type": "http.response.body", "body": b"", "more_body": False})
            await asyncio.wait_for(last, LAST_WORDS_SECONDS)

    async def _pump(self, send: Send) -> None:
        await self._say(send, f"retry: {RETRY_MILLISECONDS}\n\n".encode())
        async with aclosing(self.frames) as frames:  # type: ignore[type-var]
            async for each in frames:
                await self._say(send, each)

    async def _say(self, send: Send, data: bytes) -> None:
        await send({"type": "http.response.body", "body": data, "more_body": True})
        self._spoke = monotonic()

    async def _beat(self, send: Send) -> None:
        while True:
            await asyncio.sleep(self.beat / 2)
            if monotonic() - self._spoke >= self.beat / 2:
                await self._say(send, b": still here\n\n")


async def _gone(receive: Receive) -> None:
    """Wait until the listener has left."""
    while (await receive())["type"] != "http.disconnect":
        pass
