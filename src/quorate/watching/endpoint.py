"""Minimal HTTP endpoint of a worker: /healthz, /readyz and /metrics, for probes and Prometheus.

For processes that run no other server. Without a token it listens on this machine only; with one, /metrics and the
reasons why the worker is not ready are only shown to clients that send it.
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
from collections.abc import Mapping
from dataclasses import dataclass
from hmac import compare_digest
from typing import Self

from quorate.core.errors import SettingError
from quorate.watching.metrics import Metrics
from quorate.watching.readiness import Readiness

HEALTH, READY, METRICS = "/healthz", "/readyz", "/metrics"
MOST_BYTES = 8_000
"""Of a request, its headers included; none of ours has a body."""
MOST_AT_ONCE = 32
SECONDS = 5.0
"""For which one request may take, from its first byte to the last of the answer."""
EXPECTED = "a port, such as 9090, or an address with one, such as 0.0.0.0:9090"
TOKENS = ("QUORATE_READ_TOKEN", "QUORATE_TOKEN")
REASONS = {200: "OK", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found"}
REASONS |= {405: "Method Not Allowed", 503: "Service Unavailable"}


@dataclass(frozen=True, slots=True)
class At:
    """Host and port an endpoint listens on."""

    host: str
    port: int


def read_address(text: str) -> At:
    """Parse `PORT` or `HOST:PORT`; a port alone means this machine."""
    host, colon, port = text.strip().rpartition(":")
    host = host.removeprefix("[").removesuffix("]") if colon else "127.0.0.1"
    if not host or not port.isascii() or not port.isdecimal() or int(port[:6]) > 65535:
        raise SettingError(f"{text[:80]!r} is not an address", key="--metrics", expected=EXPECTED)
    return At(host, int(port))


def tokens_in(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the tokens that may read metrics, the same as for `serve`."""
    return tuple(environment[name] for name in TOKENS if environment.get(name))


def is_local(host: str) -> bool:
    """Return whether a host name or address is loopback."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    body: bytes
    kind: str = "application/json"


class Endpoint:
    """Async context manager that serves the endpoint while it is entered."""

    def __init__(self, at: At, readiness: Readiness, metrics: Metrics | None, tokens: tuple[str, ...] = ()) -> None:
        if not tokens and not is_local(at.host):
            raise SettingError(
                f"{at.host} can be reached from other machines, and no token protects it",
                key="--metrics",
                expected="a token in QUORATE_READ_TOKEN; or a port alone, for this machine",
            )
        self._at, self._readiness, self._metrics = at, readiness, metrics
        self._tokens = tuple(token.encode() for token in tokens)
        self._server: asyncio.Server | None = None
        self._open = 0

    @property
    def port(self) -> int:
        """The bound port, useful if port 0 was asked for."""
        assert self._server is not None
        return int(self._server.sockets[0].getsockname()[1])

    async def __aenter__(self) -> Self:
        try:
            self._server = await asyncio.start_server(self._serve, self._at.host, self._at.port, limit=MOST_BYTES)
        except OSError as error:
            where = f"{self._at.host}:{self._at.port}"
            raise SettingError(
                f"{where} cannot be listened on: {error.strerror or error}", key="--metrics", expected=EXPECTED
            ) from error
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._server is not None:
            self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open += 1
        try:
            if self._open <= MOST_AT_ONCE:
                async with asyncio.timeout(SECONDS):
                    answer = await self._answer(await _request(reader))
                    writer.write(_written(answer))
                    await writer.drain()
        except (OSError, TimeoutError):
            pass  # whoever asked has gone, or never said what they want
        finally:
            self._open -= 1
            writer.close()

    async def _answer(self, request: tuple[str, str, Mapping[str, str]] | None) -> _Answer:
        if request is None:
            return _told(400, "this is not a request")
        method, path, headers = request
        if method not in ("GET", "HEAD"):
            return _told(405, "there is nothing to change here")
        if not self._tokens and not is_local(_name(headers.get("host", ""))):
            return _told(403, "this answers to names of this machine alone")
        answer = await self._of(path.partition("?")[0], self._may_read(headers.get("authorization", "")))
        return answer if method == "GET" else _Answer(answer.status, b"", answer.kind)

    async def _of(self, path: str, reads: bool) -> _Answer:
        if path == HEALTH:
            return _Answer(200, b'{"alive": true}')
        if path == READY:
            standing = await self._readiness.look()
            return _Answer(200 if standing.ready else 503, json.dumps(standing.data(why=reads)).encode())
        if path != METRICS or self._metrics is None:
            return _told(404, f"there are {HEALTH}, {READY} and {METRICS}")
        if not reads:
            return _told(401, "a token is needed: send `Authorization: Bearer ...`")
        kind, text = self._metrics.text()
        return _Answer(200, text, kind)

    def _may_read(self, authorization: str) -> bool:
        if not self._tokens:
            return True
        scheme, _, given = authorization.partition(" ")
        told = given.strip().encode("latin-1", "replace")
        right = [compare_digest(told, token) for token in self._tokens]  # all of them: the time tells nothing
        return scheme.lower() == "bearer" and any(right)


async def _request(reader: asyncio.StreamReader) -> tuple[str, str, dict[str, str]] | None:
    """Read the head of a request; None if it is malformed or too long."""
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except (asyncio.IncompleteReadError, asyncio.LimitOverrunError):
        return None
    first, *rest = head.split("\r\n")
    parts = first.split(" ")
    if len(parts) != 3 or not parts[2].startswith("HTTP/1.") or not parts[1].startswith("/"):
        return None
    pairs = [line.partition(":") for line in rest if line]
    return parts[0], parts[1], {name.strip().lower(): value.strip() for name, _, value in pairs}


def _name(host: str) -> str:
    """Return the host name in a `Host` header, without the port."""
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0]


def _told(status: int, words: str) -> _Answer:
    return _Answer(status, json.dumps({"detail": words}).encode())


def _written(answer: _Answer) -> bytes:
    lines = (
        f"HTTP/1.1 {answer.status} {REASONS[answer.status]}",
        f"Content-Type: {answer.kind}",
        f"Content-Length: {len(answer.body)}",
        "Cache-Control: no-store",
        "X-Content-Type-Options: nosniff",
        "Connection: close",
    )
    return "\r\n".join((*lines, "", "")).encode("latin-1") + answer.body
