"""Leases: who drives a session, until when, and when another owner may take over.

A lease expires by itself, so nobody has to clean up after a crash. An owner named by `this_process` can be found dead
before that.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from quorate.store.journal import SessionBusy
from quorate.store.process import is_gone


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to drive a session."""

    owner: str
    until: int
    """Milliseconds since 1970 (UTC)."""


LONGEST = 3_600_000
"""Milliseconds. Nobody takes a longer lease: one that seems to be longer was taken before the clock was set back, and
its owner has not renewed it since."""


def living(held: Lease | None, now: int) -> str:
    """Return the owner of the current lease; empty if there is none."""
    runs = held is not None and now < held.until <= now + LONGEST
    return held.owner if held is not None and runs and not is_gone(held.owner) else ""


def take(session: str, held: Lease | None, owner: str, seconds: float, now: int) -> Lease:
    """Return the new lease of `owner`; SessionBusy while the lease of another living owner runs."""
    if held is not None and living(held, now) not in ("", owner):
        until = datetime.fromtimestamp(held.until / 1000).isoformat(" ", timespec="seconds")
        raise SessionBusy(
            f"session {session} is being driven by {held.owner}, whose lease runs until {until}; "
            "wait for it, or end that process and try again"
        )
    return Lease(owner, now + round(seconds * 1000))
