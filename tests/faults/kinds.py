"""The kinds of faults that a world can have, and how they are told."""

from __future__ import annotations

from enum import Enum


class Kind(Enum):
    """One kind of fault; its value is how the table names it."""

    # Processes
    CRASH_BEFORE_WRITE = "crash before a write"
    CRASH_AFTER_WRITE = "crash after a write"
    CRASH_INSIDE_WRITE = "crash inside a transaction"
    CRASH_DURING_CALL = "crash while a call is under way"
    RIVAL = "two processes drive at once"
    # Replies
    DUPLICATE = "duplicate reply"
    LATE = "late reply"
    OUT_OF_ORDER = "replies out of order"
    SILENCE = "silence"
    MALFORMED = "malformed reply"
    TRUNCATED = "truncated reply"
    REFUSED = "refusal"
    PROVIDER_ERROR = "provider error"
    RATE_LIMIT = "rate limit"
    BROKEN_PARTICIPANT = "participant that raises"
    # The machine
    CLOCK_FORWARD = "clock jumps forward"
    CLOCK_BACK = "clock jumps back"
    FULL_DISK = "full disk"
    FAILING_FSYNC = "failing fsync, nothing kept"
    LYING_FSYNC = "failing fsync, but kept"
    LOCKED = "locked database"
    CORRUPTED = "corrupted database"
    # On real servers and processes
    SERVER_RESTART = "PostgreSQL restarts"
    NETWORK_CUT = "network cut to the database"
    WORKER_KILLED = "worker killed with -9"


REAL = (Kind.SERVER_RESTART, Kind.NETWORK_CUT, Kind.WORKER_KILLED)
"""Kinds that need real servers and processes; these are no part of a simulated world."""
SIMULATED = tuple(kind for kind in Kind if kind not in REAL)
ON_DISK = (
    Kind.CRASH_INSIDE_WRITE,
    Kind.FULL_DISK,
    Kind.FAILING_FSYNC,
    Kind.LYING_FSYNC,
    Kind.LOCKED,
    Kind.CORRUPTED,
)
"""Kinds that only a store in a file can have."""
