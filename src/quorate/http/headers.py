"""Security headers on every response: no scripts, framing, content sniffing or caching beyond what is needed."""

from __future__ import annotations

from starlette.datastructures import MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from quorate.http.problems import internal, tell_log

DATA_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox"
"""The content security policy of everything that is not the page."""
ALWAYS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
UNLESS_SAID = {"Content-Security-Policy": DATA_POLICY, "Cache-Control": "no-store"}


class Guarded:
    """ASGI middleware that adds the headers, and turns unhandled exceptions into a problem without internals."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started = False

        async def guarded(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                headers = MutableHeaders(scope=message)
                for name, value in ALWAYS.items():
                    headers[name] = value
                for name, value in UNLESS_SAID.items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            await self.app(scope, receive, guarded)
        except ClientDisconnect:
            return  # whoever left before all was said needs no answer, and is no error of ours
        except Exception as error:
            if started:
                tell_log(error)  # the answer breaks off, and the server closes the connection
            else:
                await internal(error)(scope, receive, guarded)
