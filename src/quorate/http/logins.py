"""Logins: browsers that have shown a token, known by a random id in a cookie. The token itself is never in a cookie."""

from __future__ import annotations

import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256

MOST_LOGINS = 500
"""Browsers at a time; the oldest has to log in again."""
LIFE_SECONDS = 12 * 60 * 60


@dataclass
class Logins:
    """Kept in memory alone: after a restart everybody logs in again."""

    clock: Callable[[], float] = time.monotonic
    _known: OrderedDict[str, tuple[str, float]] = field(default_factory=OrderedDict)
    """By the digest of the id, so that looking one up takes the same time whatever is asked: scope, and its end."""

    def begin(self, scope: str) -> str:
        """Begin a login with a scope and return its id."""
        name = secrets.token_urlsafe(32)
        self._known[_digest(name)] = (scope, self.clock() + LIFE_SECONDS)
        while len(self._known) > MOST_LOGINS:
            self._known.popitem(last=False)
        return name

    def find(self, name: str) -> str | None:
        """Return the scope of a login, or None where there is none any more."""
        scope, ends = self._known.get(_digest(name), ("", 0.0))
        if not scope or self.clock() >= ends:
            self.end(name)
            return None
        return scope

    def end(self, name: str) -> None:
        """Forget a login; one that is not known is forgotten already."""
        self._known.pop(_digest(name), None)


def _digest(name: str) -> str:
    return sha256(name.encode("utf-8", "surrogatepass")).hexdigest()


def cookie_name(host: str) -> str:
    """Return the name of the cookie at an address: browsers share cookies between all ports of a machine."""
    port = host.rpartition(":")[2]
    return f"quorate-{port}" if port.isdecimal() else "quorate"
