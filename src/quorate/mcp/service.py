"""Run the server over stdio or streamable HTTP, until its client or a signal ends it."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.routing import Route

from quorate.api.host import Host
from quorate.api.roots import Roots
from quorate.api.worker import worker_folder
from quorate.core.errors import SettingError
from quorate.mcp.desk import Desk
from quorate.mcp.driver import Detached
from quorate.mcp.http import Allows, GuardedEndpoint, http_app
from quorate.mcp.server import create_server
from quorate.workspace import Workspace

PATH = "/mcp"
GRACE = 2
"""Seconds that open requests get when the server is asked to end; sessions do not need them."""


def serve_stdio(workspace: Workspace, roots: Roots) -> None:
    """Serve one client on stdin and stdout until it closes them; sessions continue without it.

    Raises SettingError for a store in memory, since the worker process could not reach it.
    """
    worker_folder(workspace)

    async def serve() -> None:
        journal = workspace.open()
        try:
            driving = Detached(workspace, journal)
            await driving.go_on()
            await create_server(Desk(workspace, journal, roots, driving)).run_stdio_async()
        finally:
            await journal.close()

    asyncio.run(serve())


def serve_http(
    workspace: Workspace, roots: Roots, place: socket.socket, allows: Allows | None, ready: Callable[[], None]
) -> None:
    """Serve on a bound socket until a signal ends it; unfinished hosted sessions are resumed at once.

    Without `allows` clients need no token, and a socket that other machines can reach raises SettingError.
    """
    import uvicorn  # stdio does without

    from quorate.connections import BACKLOG, MOST, Crowd, bounded, room

    if allows is None:
        check_own(place)
    most = min(MOST, room())

    async def serve() -> None:
        journal = workspace.open()
        try:
            async with Host(workspace, journal) as host:
                app = _application(host, roots, allows, ready)
                config = uvicorn.Config(
                    app,
                    http=bounded(Crowd(most, most // 2)),
                    ws="none",
                    backlog=BACKLOG,
                    log_level="warning",
                    timeout_graceful_shutdown=GRACE,
                    server_header=False,
                )
                await uvicorn.Server(config).serve(sockets=[place])
        finally:
            await journal.close()

    asyncio.run(serve())


def _application(host: Host, roots: Roots, allows: Allows | None, ready: Callable[[], None]) -> Starlette:
    endpoint, serving = http_app(host, roots, any_name=allows is not None)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with serving:
            ready()
            yield

    guarded = GuardedEndpoint(endpoint, allows) if allows is not None else endpoint
    return Starlette(routes=[Route(PATH, endpoint=guarded)], lifespan=lifespan)


def check_own(place: socket.socket) -> None:
    """Raise SettingError for a socket that other machines can reach."""
    address = str(place.getsockname()[0])
    if not ipaddress.ip_address(address.partition("%")[0]).is_loopback:
        what = f"{address} can be reached from other machines, and there is no token to ask them for"
        raise SettingError(what, key="--host", expected="a token in QUORATE_TOKEN; or 127.0.0.1 for this machine alone")


def bound(host: str, port: int) -> socket.socket:
    """Return a socket that listens on an address, or raise SettingError."""
    try:
        family, kind, number, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        place = socket.socket(family, kind, number)
        place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        place.bind(address)
        place.listen()
    except OSError as error:
        what = f"port {port} of {host} cannot be opened: {error.strerror or error}"
        raise SettingError(what, key="--port", expected="a free port of this machine") from error
    return place
