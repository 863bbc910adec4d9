"""Limits: how much one client may ask for in a time, how large a request may be, and how many may listen at once."""

from __future__ import annotations

import ipaddress
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from math import ceil

MOST_CLIENTS = 10_000
"""Clients that are counted at a time; whoever has not been heard of longest is forgotten first."""


@dataclass(frozen=True, slots=True)
class Rate:
    """A bucket of tokens: so many at once, and so many a second after that."""

    at_once: int
    a_second: float


@dataclass(frozen=True, slots=True)
class Limits:
    """What one server allows. The defaults are far above what people and their pages need."""

    reads: Rate = Rate(2_000, 300.0)
    writes: Rate = Rate(120, 10.0)
    logins: Rate = Rate(10, 0.2)
    body_bytes: int = 2_000_000
    url_bytes: int = 8_000
    header_bytes: int = 32_000
    streams: int = 1_000


@dataclass
class Buckets:
    """How much each client has left of one rate."""

    rate: Rate
    clock: Callable[[], float] = time.monotonic
    _left: OrderedDict[str, tuple[float, float]] = field(default_factory=OrderedDict)
    """By client: tokens at a moment, and that moment."""

    def take(self, client: str) -> int:
        """Take one token; 0 where there was one, otherwise the whole seconds until there is."""
        now = self.clock()
        left, then = self._left.pop(client, (float(self.rate.at_once), now))
        left = min(float(self.rate.at_once), left + (now - then) * self.rate.a_second)
        taken = left >= 1
        self._left[client] = (left - 1 if taken else left, now)
        while len(self._left) > MOST_CLIENTS:
            self._left.popitem(last=False)
        return 0 if taken else max(1, ceil((1 - left) / self.rate.a_second))


def client_of(address: tuple[str, int] | None) -> str:
    """Return whom an address is counted as: in IPv6 a whole network of one subscriber is one client."""
    if address is None:
        return "unknown"
    try:
        parsed = ipaddress.ip_address(address[0])
    except ValueError:
        return address[0][:100]
    if isinstance(parsed, ipaddress.IPv6Address) and parsed.ipv4_mapped is None and not parsed.is_loopback:
        return str(ipaddress.ip_network((parsed, 64), strict=False))
    return str(parsed)
