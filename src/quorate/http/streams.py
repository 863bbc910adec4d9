"""Server-sent event streams, each closed as soon as its client disconnects or the server stops."""

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

from quorate.connections import client_of
from quorate.http.gate import OVER

BEAT_SECONDS = 15.0
"""A stream that is silent for so long says so, or proxies would think that it is dead."""
RETRY_MILLISECONDS = 1_000
LAST_WORDS_SECONDS = 1.0
"""How long the end of a stream waits for a listener that does not read."""


@dataclass
class Streams:
    """All open streams of a server."""

    most: int
    most_of_one: int | None = None
    """Of one client; all of them where it is not said."""
    _open: dict[asyncio.Future[None], str] = field(default_factory=dict)
    """With the client that listens."""
    _ended: bool = False

    def __len__(self) -> int:
        return len(self._open)

    def check_room(self) -> None:
        """Raise HTTP 503 if the maximum number of streams is open, or the server is stopping."""
        if self._ended or len(self._open) >= self.most:
            raise HTTPException(503, "too many event streams are open; try again later", {"Retry-After": "5"})

    @contextmanager
    def listening(self, client: str = "") -> Iterator[asyncio.Future[None]]:
        """Register a client's stream while it is open; the future is done when the stream must end."""
        self.check_room()
        if self.most_of_one is not None and list(self._open.values()).count(client) >= self.most_of_one:
            raise HTTPException(
                503, "too many event streams are open from your address; try again later", {"Retry-After": "5"}
            )
        stop: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._open[stop] = client
        try:
            yield stop
        finally:
            del self._open[stop]

    def begin(self) -> None:
        """Allow streams again after `end`."""
        self._ended = False

    def end(self) -> None:
        """End all streams and refuse new ones."""
        self._ended = True
        for stop in self._open:
            if not stop.done():
                stop.set_result(None)


def frame(data: str, event: str, seq: int | None = None) -> bytes:
    """Return one event in wire format; JSON contains no newlines, so the data is one line."""
    head = "" if seq is None else f"id: {seq}\n"
    return f"{head}event: {event}\ndata: {data}\n\n".encode("utf-8", "replace")


def frame_of(value: Any, event: str) -> bytes:
    """Return one event in wire format, from plain data."""
    return frame(json.dumps(value, ensure_ascii=False, separators=(",", ":")), event)


class EventStream(Response):
    """A streaming response: frames are sent as they come, and a disconnect frees its resources at once."""

    media_type = "text/event-stream"

    def __init__(self, frames: AsyncIterator[bytes], streams: Streams, *, beat: float = BEAT_SECONDS) -> None:
        self.frames, self.streams, self.beat = frames, streams, beat
        self.status_code, self.background = 200, None
        self.init_headers({"Cache-Control": "no-store", "X-Accel-Buffering": "no"})
        self._spoke = 0.0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self.streams.listening(client_of(scope.get("client"))) as stop:
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            pump = asyncio.create_task(self._pump(send))
            others = [asyncio.create_task(self._beat(send)), asyncio.create_task(_gone(receive))]
            if OVER in scope:
                others.append(asyncio.create_task(scope[OVER]()))
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
    """Wait until the client has disconnected."""
    while (await receive())["type"] != "http.disconnect":
        pass
