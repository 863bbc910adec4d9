"""Streamable HTTP transport: the server as an ASGI app, with Host, Origin and token checks.

The transport is stateless: clients refer to a run by the id of its session in the journal, so they can continue after a
restart of the server without a new handshake.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

from mcp.server.transport_security import TransportSecuritySettings
from starlette.types import ASGIApp, Receive, Scope, Send

from quorate.api.host import Host
from quorate.api.roots import Roots
from quorate.mcp.desk import Desk
from quorate.mcp.driver import HostedDriver
from quorate.mcp.server import create_server

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
MOST_BYTES = 4 * 1024 * 1024
"""Of one request."""
Allows = Callable[[str | None], bool]
"""Whether an `Authorization` header, if there is one, lets its sender write."""


def http_app(host: Host, roots: Roots, *, any_name: bool = False) -> tuple[ASGIApp, AbstractAsyncContextManager[None]]:
    """Return the server over a host as an ASGI app, and its lifespan context.

    Enter the context once, inside that of the host. The app ignores the path: mount it with
    `Route("/mcp", endpoint=app)`. It checks no token; a caller that does passes `any_name` to accept any `Host`.
    """
    return asgi_app(Desk(host.workspace, host.journal, roots, HostedDriver(host)), any_name=any_name)


def asgi_app(desk: Desk, *, any_name: bool = False) -> tuple[ASGIApp, AbstractAsyncContextManager[None]]:
    """Return the server over a desk as an ASGI app, and its lifespan context; see `http_app`."""
    server = create_server(desk)
    server.streamable_http_app(
        stateless_http=True, max_request_body_size=MOST_BYTES, transport_security=transport_security(any_name)
    )
    manager = server.session_manager
    return McpEndpoint(manager.handle_request), manager.run()


def transport_security(any_name: bool) -> TransportSecuritySettings:
    """Return the Host and Origin checks: only loopback names, with any port.

    With a token they are off, because a page of another site cannot send it.
    """
    names = [each for name in LOOPBACK for each in (name, f"{name}:*")]
    return TransportSecuritySettings(
        enable_dns_rebinding_protection=not any_name,
        allowed_hosts=names,
        allowed_origins=[f"http://{name}" for name in names],
    )


class McpEndpoint:
    """The MCP endpoint. It takes POST only; there is no separate event stream."""

    def __init__(self, handle: ASGIApp) -> None:
        self._handle = handle

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] == "POST":
            await self._handle(scope, receive, send)
        else:
            await refuse(send, 405, "Method Not Allowed", "this address takes only POST", (b"allow", b"POST"))


class GuardedEndpoint:
    """ASGI middleware that rejects requests without write permission."""

    def __init__(self, app: ASGIApp, allows: Allows) -> None:
        self._app, self._allows = app, allows

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        given = next((value.decode("latin-1") for name, value in scope["headers"] if name == b"authorization"), None)
        if self._allows(given):
            await self._app(scope, receive, send)
        else:
            detail = "a token that may write is needed: Authorization: Bearer …"
            await refuse(send, 401, "Unauthorized", detail, (b"www-authenticate", b"Bearer"))


async def refuse(send: Send, status: int, title: str, detail: str, header: tuple[bytes, bytes]) -> None:
    """Answer a request with a problem (RFC 9457)."""
    body = json.dumps({"type": "about:blank", "title": title, "status": status, "detail": detail}).encode()
    headers = [(b"content-type", b"application/problem+json"), (b"content-length", str(len(body)).encode()), header]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
