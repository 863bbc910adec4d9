"""Connection limits: idle or stalled connections are closed, and no client can take them all.

Used by the HTTP and the MCP server, because uvicorn limits only the idle time between two requests: a request that
never ends, or a response that is never read, would be kept open for ever.
"""

from __future__ import annotations

import asyncio
import ipaddress
from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

MOST = 700
"""Connections of a server; a usual process may have 1,024 files open."""
READ_SECONDS = 10.0
"""For the head of a request, and once more for its body."""
WRITE_SECONDS = 30.0
"""Without a single byte of an answer being taken."""
BACKLOG = 100
"""Connections that are accepted at once, before any of them is looked at."""

SPARE_FILES = 300
FULL = b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nRetry-After: 5\r\nConnection: close\r\n\r\n"


@dataclass
class Crowd:
    """The open connections of a server, by client."""

    most: int
    most_of_one: int
    read_seconds: float = READ_SECONDS
    write_seconds: float = WRITE_SECONDS
    open: Counter[str] = field(default_factory=Counter)

    def comes(self, client: str) -> bool:
        """Count a connection; return whether it is within the limits."""
        self.open[client] += 1
        return self.open[client] <= self.most_of_one and self.open.total() <= self.most

    def goes(self, client: str) -> None:
        self.open[client] -= 1
        if not self.open[client]:
            del self.open[client]


class BoundedProtocol(H11Protocol):
    """uvicorn's HTTP/1.1 protocol, with timeouts for everything the client has to do."""

    def __init__(self, crowd: Crowd, **told: Any) -> None:
        super().__init__(**told)
        self._crowd, self._of = crowd, ""
        self._reading: asyncio.TimerHandle | None = None
        self._awaited: object = None
        self._writing: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._of = client_of(self.client)
        if self._crowd.comes(self._of):
            self._await_request()
        else:
            transport.write(FULL)
            transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        self._crowd.goes(self._of)
        for timer in (self._reading, self._writing):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    def handle_events(self) -> None:
        super().handle_events()
        self._await_request()

    def _await_request(self) -> None:
        """Start the read timeout for the next part of a request; stop it once the request is complete."""
        part = self.conn.their_state if self.conn.their_state in (h11.IDLE, h11.SEND_BODY) else None
        if part is self._awaited and self._reading is not None:
            return
        if self._reading is not None:
            self._reading.cancel()
        self._awaited = part
        wait = part is not None and not self.transport.is_closing()
        self._reading = self.loop.call_later(self._crowd.read_seconds, self.transport.abort) if wait else None

    def pause_writing(self) -> None:
        super().pause_writing()
        self._await_reader()

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._writing is not None:
            self._writing.cancel()
        if self.cycle.response_complete:
            self._await_reader()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._await_reader()  # a connection that is closed stays until the last byte of its answer was taken

    def _await_reader(self, before: int | None = None) -> None:
        """Abort the connection unless the client keeps reading the response."""
        if self._writing is not None:
            self._writing.cancel()
        left = self.transport.get_write_buffer_size()
        if before is not None and left >= before:
            self.transport.abort()
        elif left:
            self._writing = self.loop.call_later(self._crowd.write_seconds, self._await_reader, left)


def bounded(crowd: Crowd) -> Any:
    """Return the protocol factory to pass to uvicorn."""
    return partial(BoundedProtocol, crowd)


def room() -> int:
    """Return how many connections this process can hold, beside its files and subprocesses."""
    try:
        import resource
    except ImportError:  # Windows, which has no such limit
        return 2**16
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return 2**16 if files == resource.RLIM_INFINITY else max(files - SPARE_FILES, files // 2)


def client_of(address: tuple[str, int] | None) -> str:
    """Return the client that an address counts as; an IPv6 subscriber network is one client."""
    if address is None:
        return "unknown"
    try:
        parsed = ipaddress.ip_address(address[0])
    except ValueError:
        return address[0][:100]
    if isinstance(parsed, ipaddress.IPv6Address) and parsed.ipv4_mapped is None and not parsed.is_loopback:
        return str(ipaddress.ip_network((parsed, 64), strict=False))
    return str(parsed)
