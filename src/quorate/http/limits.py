"""Limits of a server: request rates, request sizes, and concurrent streams."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from math import ceil

from quorate.connections import MOST, READ_SECONDS, WRITE_SECONDS

MOST_CLIENTS = 10_000
"""Clients that are counted at a time; whoever has not been heard of longest is forgotten first."""


@dataclass(frozen=True, slots=True)
class Rate:
    """A token bucket: its burst size, and its refill per second."""

    at_once: int
    a_second: float


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """The limits of one server. The defaults are far above what people and pages need."""

    reads: Rate = Rate(2_000, 300.0)
    writes: Rate = Rate(120, 10.0)
    logins: Rate = Rate(10, 0.2)
    body_bytes: int = 2_000_000
    login_bytes: int = 2_000
    url_bytes: int = 8_000
    header_bytes: int = 32_000
    connections: int = MOST
    connections_of_one: int = MOST // 2
    """Of one client: those of an address, or of a network of IPv6."""
    read_seconds: float = READ_SECONDS
    write_seconds: float = WRITE_SECONDS
    streams: int = 500
    streams_of_one: int = 250

    def within(self, most: int) -> RequestLimits:
        """Return the limits for a process that can hold this many connections, leaving some spare."""
        half, three_quarters = most // 2, most * 3 // 4
        return replace(
            self,
            connections=min(self.connections, most),
            connections_of_one=min(self.connections_of_one, half),
            streams=min(self.streams, three_quarters),
            streams_of_one=min(self.streams_of_one, three_quarters // 2),
        )


@dataclass
class Buckets:
    """The token buckets of all clients for one rate."""

    rate: Rate
    clock: Callable[[], float] = time.monotonic
    _left: OrderedDict[str, tuple[float, float]] = field(default_factory=OrderedDict)
    """By client: tokens at a moment, and that moment."""

    def take(self, client: str) -> int:
        """Take one token. Return 0 on success, otherwise the whole seconds until one is available."""
        now = self.clock()
        left, then = self._left.pop(client, (float(self.rate.at_once), now))
        left = min(float(self.rate.at_once), left + (now - then) * self.rate.a_second)
        taken = left >= 1
        self._left[client] = (left - 1 if taken else left, now)
        while len(self._left) > MOST_CLIENTS:
            self._left.popitem(last=False)
        return 0 if taken else max(1, ceil((1 - left) / self.rate.a_second))
