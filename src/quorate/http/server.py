"""Run the server with uvicorn, from binding its address to a graceful shutdown."""

from __future__ import annotations

import asyncio
import errno
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import uvicorn
from fastapi import FastAPI

from quorate.api.host import Host, Says
from quorate.api.roots import Roots
from quorate.connections import BACKLOG, Crowd, bounded, room
from quorate.core.errors import SettingError
from quorate.http.access import Access
from quorate.http.app import Mounted, create_app
from quorate.http.limits import RequestLimits
from quorate.mcp.http import http_app
from quorate.workspace import Workspace

SIGNALS = (signal.SIGINT, signal.SIGTERM)
GRACE_SECONDS = 5


@dataclass(frozen=True)
class BindAddress:
    """Host and port a server listens on."""

    host: str = "127.0.0.1"
    port: int = 8420

    def bind(self, access: Access) -> socket.socket:
        """Bind the address. Raises SettingError if it is taken, not local, or reachable by others without a token."""
        access.check_address(self.host)
        try:
            found = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        except OSError as error:
            raise SettingError(
                f"{self.host} is not a host name or address", key="--host", expected="127.0.0.1"
            ) from error
        family, kind, number, _, place = found[0]
        made = socket.socket(family, kind, number)
        try:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            made.bind(place)
            access.check_address(str(made.getsockname()[0]))  # a name may lead elsewhere than it says
        except OSError as error:
            made.close()
            raise self._refused(error) from error
        except SettingError:
            made.close()
            raise
        return made

    def _refused(self, error: OSError) -> SettingError:
        match error.errno:
            case errno.EADDRINUSE:
                taken = f"another program listens on port {self.port} of {self.host} already"
                return SettingError(taken, key="--port", expected="another port; 0 takes one that is free")
            case errno.EACCES:
                return SettingError(
                    f"port {self.port} is reserved for the system", key="--port", expected="a port from 1024 on"
                )
            case errno.EADDRNOTAVAIL:
                return SettingError(
                    f"{self.host} is not an address of this machine", key="--host", expected="127.0.0.1, or 0.0.0.0"
                )
            case _:
                return SettingError(f"cannot be used: {error.strerror or error}", key="--host", expected="127.0.0.1")


def url_of(bound: socket.socket) -> str:
    """Return the URL of the server for a browser on this machine."""
    host, port = bound.getsockname()[:2]
    name = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)  # noqa: S104
    return f"http://{name}:{port}/"


class HttpServer(uvicorn.Server):
    """A uvicorn server that ends streams before waiting for connections, and does not re-raise handled signals."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None], ends: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready, self._ends = ready, ends

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._ends()
        await super().shutdown(sockets)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.signal(number, self.handle_exit) for number in SIGNALS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def make_server(app: FastAPI, limits: RequestLimits, ready: Callable[[], None]) -> HttpServer:
    """Return the server of an application. Its own logging is off; the application logs errors."""
    crowd = Crowd(limits.connections, limits.connections_of_one, limits.read_seconds, limits.write_seconds)
    config = uvicorn.Config(
        app,
        http=bounded(crowd),
        ws="none",
        lifespan="on",
        log_config=None,
        log_level="critical",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        backlog=BACKLOG,
        timeout_graceful_shutdown=GRACE_SECONDS,
        h11_max_incomplete_event_size=limits.header_bytes + limits.url_bytes,
    )
    return HttpServer(config, ready, app.state.desk.streams.end)


async def serve(
    workspace: Workspace,
    access: Access,
    roots: Roots,
    bound: socket.socket,
    *,
    ready: Callable[[], None] = lambda: None,
    says: Says | None = None,
    limits: RequestLimits | None = None,
) -> None:
    """Serve until a signal; then end streams and suspend sessions, which stay marked as hosted."""
    limits = (limits or RequestLimits()).within(room())
    journal = workspace.open()
    try:
        host = Host(workspace, journal, says=says)
        mcp, life = http_app(host, roots, any_name=access.asks)
        app = create_app(host, access, roots, limits=limits, mounted=Mounted("/mcp", mcp, life))
        try:
            await make_server(app, limits, ready).serve([bound])
        except SystemExit as error:
            raise getattr(app.state, "failed", None) or RuntimeError("the server did not start") from error
    finally:
        bound.close()
        await journal.close()


def run(
    workspace: Workspace,
    access: Access,
    folders: tuple[Path, ...],
    bound: socket.socket,
    ready: Callable[[], None],
    says: Says,
) -> None:
    """Like `serve`, for callers without an event loop."""
    asyncio.run(serve(workspace, access, Roots(folders, workspace.files), bound, ready=ready, says=says))
