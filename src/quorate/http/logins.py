"""Browser logins, identified by a random id in a cookie. The token itself is never in a cookie."""

from __future__ import annotations

import asyncio
import re
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256

MOST_LOGINS = 500
"""Browsers at a time; the oldest has to log in again."""
LIFE_SECONDS = 12 * 60 * 60
_ID = re.compile(r"[A-Za-z0-9_-]{43}")
"""What `begin` returns; nothing else is looked up."""


@dataclass(frozen=True, slots=True)
class BrowserLogin:
    """One logged-in browser."""

    scope: str
    ends: float
    over: asyncio.Event = field(default_factory=asyncio.Event)


@dataclass
class Logins:
    """In-memory store of logins; after a restart everybody logs in again."""

    clock: Callable[[], float] = time.monotonic
    _known: OrderedDict[str, BrowserLogin] = field(default_factory=OrderedDict)
    """By the digest of the id, so that looking one up takes the same time whatever is asked."""

    def begin(self, scope: str) -> str:
        """Create a login with a scope and return its id."""
        name = secrets.token_urlsafe(32)
        self._known[_digest(name)] = BrowserLogin(scope, self.clock() + LIFE_SECONDS)
        while len(self._known) > MOST_LOGINS:
            self._known.popitem(last=False)[1].over.set()
        return name

    def find(self, name: str) -> str | None:
        """Return the scope of a login, or None if it is unknown or expired."""
        kept = self._known.get(_digest(name))
        if kept is None or self.clock() >= kept.ends:
            self.end(name)
            return None
        return kept.scope

    async def over(self, name: str) -> None:
        """Wait until a login is gone: ended, evicted by newer ones, or expired."""
        kept = self._known.get(_digest(name))
        if kept is not None:
            with suppress(TimeoutError):
                await asyncio.wait_for(kept.over.wait(), kept.ends - self.clock())

    def end(self, name: str) -> None:
        """Remove a login; an unknown one is ignored."""
        kept = self._known.pop(_digest(name), None)
        if kept is not None:
            kept.over.set()


def _digest(name: str) -> str:
    return sha256(name.encode("utf-8", "surrogatepass")).hexdigest()


def login_in(cookies: str, name: str) -> str | None:
    """Return the value of this cookie in a `Cookie` header, tolerating malformed cookies of other programs.

    The header is split without unquoting: our ids need no quotes, and the content is untrusted.
    """
    for each in cookies.split(";"):
        key, _, value = each.strip().partition("=")
        if key == name and _ID.fullmatch(value):
            return value
    return None


def cookie_name(host: str) -> str:
    """Return a cookie name that includes the port, since browsers share cookies across the ports of a host."""
    port = host.rpartition(":")[2]
    return f"quorate-{port}" if port.isdecimal() else "quorate"
