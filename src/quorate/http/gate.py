"""The gate: checks that every request must pass before it reaches a handler.

In this order: valid path, accepted `Host`, rate limit, `Origin`, authorisation, and body size. It is middleware, so no
handler can forget a check.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from quorate.connections import client_of
from quorate.http import access
from quorate.http.access import Access, same_place
from quorate.http.limits import Buckets, RequestLimits
from quorate.http.logins import cookie_name, login_in
from quorate.http.problems import problem

READING = ("GET", "HEAD")
LOGIN, LOGOUT = "/api/login", "/api/logout"
HEALTH, READY, METRICS = "/healthz", "/readyz", "/metrics"
ALLOWED, LOGIN_ID, HOST = "quorate.allowed", "quorate.login", "quorate.host"
"""What handlers find in a request's scope: what it may do, the id in its cookie, and the name we were called by."""
OVER = "quorate.over"
"""And where a login is all that lets it in, what can be awaited for the end of that login."""
_SINGLE = ("host", "origin", "authorization", "content-length", "content-type", "last-event-id", "sec-fetch-site")


class RequestGate:
    """ASGI middleware that answers rejected requests with a problem."""

    def __init__(self, app: ASGIApp, access: Access, limits: RequestLimits) -> None:
        self.app, self.access, self.limits = app, access, limits
        self.reads, self.writes = Buckets(limits.reads), Buckets(limits.writes)
        self.logins = Buckets(limits.logins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": "there are no web sockets here"})
        elif (refusal := self._refusal(scope)) is not None:
            await refusal(scope, receive, send)
        else:
            await self.app(scope, self._bounded(receive, self._most(scope)), send)

    def _refusal(self, scope: Scope) -> Response | None:
        try:
            headers = _headers(scope["headers"])
        except ValueError as error:
            return problem(400, str(error))
        return (
            self._senseless(scope)
            or self._misdirected(scope, headers)
            or self._too_often(scope)
            or self._foreign(scope, headers)
            or self._not_allowed(scope, headers)
            or self._too_large(headers, self._most(scope))
        )

    def _senseless(self, scope: Scope) -> Response | None:
        path: str = scope["path"]
        size = len(scope.get("raw_path") or path.encode("utf-8", "replace")) + len(scope["query_string"])
        if size > self.limits.url_bytes:
            return problem(414, f"the URL has {size} bytes; at most {self.limits.url_bytes} are read")
        header = sum(len(name) + len(value) for name, value in scope["headers"])
        if header > self.limits.header_bytes:
            return problem(431, f"the headers have {header} bytes; at most {self.limits.header_bytes} are read")
        strange = not path.startswith("/") or any(not char.isprintable() or char in "\\\ufffd" for char in path)
        if strange or any(part in (".", "..") for part in path.split("/")):
            return problem(400, "the URL has characters or path steps that are not allowed")
        return None

    def _misdirected(self, scope: Scope, headers: dict[str, str]) -> Response | None:
        host = headers.get("host", "")
        if not self.access.answers_to(host):
            known = "a name of this machine, such as localhost, because there is no token"
            return problem(
                403, f"this server does not answer to the host {host[:100]!r}", kind="host", key="Host", expected=known
            )
        scope[HOST] = host
        return None

    def _too_often(self, scope: Scope) -> Response | None:
        client = client_of(scope.get("client"))
        if scope["path"] == LOGIN:
            wait = self.logins.take(client)
        else:
            wait = (self.reads if scope["method"] in READING else self.writes).take(client)
        if not wait:
            return None
        headers = {"Retry-After": str(wait)}
        return problem(429, f"too many requests; try again in {wait} seconds", kind="rate", headers=headers)

    def _foreign(self, scope: Scope, headers: dict[str, str]) -> Response | None:
        """Reject requests from pages of other sites; plain navigation to this server is allowed."""
        origin, site = headers.get("origin"), headers.get("sec-fetch-site")
        if origin is not None:
            foreign = not same_place(origin, scope[HOST])
        else:
            navigates = scope["method"] in READING and headers.get("sec-fetch-mode") == "navigate"
            foreign = site not in (None, "same-origin", "none") and not navigates
        if not foreign:
            return None
        return problem(403, f"a page of {(origin or 'another site')[:100]!r} may not send this request", kind="origin")

    def _not_allowed(self, scope: Scope, headers: dict[str, str]) -> Response | None:
        login = login_in(headers.get("cookie", ""), cookie_name(scope[HOST]))
        found = self.access.of_request(headers.get("authorization"), login)
        scope[ALLOWED], scope[LOGIN_ID] = found, login
        if self.access.asks and login is not None and "authorization" not in headers:
            scope[OVER] = partial(self.access.logins.over, login)
        if _is_open(scope["method"], scope["path"]):
            return None
        if found is access.Scope.NONE:
            how = {"WWW-Authenticate": 'Bearer realm="quorate"'}
            said = "the token or login is not known" if headers.get("authorization") or login else "a token is needed"
            return problem(401, f"{said}; send `Authorization: Bearer …`, or log in", kind="token", headers=how)
        wanted = access.Scope.READ if scope["method"] in READING else access.Scope.WRITE
        if not found.allows(wanted):
            return problem(403, "this token may only read; send one that may write", kind="scope")
        return None

    def _most(self, scope: Scope) -> int:
        """Return the maximum body size; the login is open to everybody, so its body may hold a token and no more."""
        return self.limits.login_bytes if scope["path"] in (LOGIN, LOGOUT) else self.limits.body_bytes

    def _too_large(self, headers: dict[str, str], most: int) -> Response | None:
        length = headers.get("content-length", "0")
        if not length.isdecimal() or len(length) > 18:
            return problem(400, "Content-Length is not a number")
        if int(length) <= most:
            return None
        return problem(413, f"the body is larger than {most} bytes", kind="size", headers={"Connection": "close"})

    def _bounded(self, receive: Receive, most: int) -> Receive:
        """Enforce the size limit on a chunked body, which has no Content-Length."""
        seen = 0

        async def counted() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > most:
                raise HTTPException(413, f"the body is larger than {most} bytes", {"Connection": "close"})
            return message

        return counted


def _headers(raw: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    """Return the headers by name; a duplicate of a security-relevant header raises ValueError."""
    found: dict[str, str] = {}
    for name, value in raw:
        key = name.decode("latin-1").lower()
        if key in _SINGLE and key in found:
            raise ValueError(f"the header {key!r} is given twice")
        found[key] = f"{found[key]}; {value.decode('latin-1')}" if key in found else value.decode("latin-1")
    return found


def _is_open(method: str, path: str) -> bool:
    """Return whether a route needs no token: the page, its files, the login and the health probes."""
    if path in (LOGIN, LOGOUT):
        return True
    return method in READING and (path in ("/", "/api", "/favicon.ico", HEALTH, READY) or path.startswith("/static/"))
