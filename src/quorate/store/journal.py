"""The journal interface: what every store guarantees. `conformance.py` is the suite that checks it.

A journal knows nothing of protocols: it stores bodies (canonical JSON texts) in order. Entry 0 is the opening. An
append names the sequence it expects and (session, ask) is unique, so two processes can never both extend a journal, or
count a reply twice. Every entry is chained by SHA-256 to the one before.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from quorate.codec.canonical import clean, digest_text
from quorate.codec.chain import Drafts, Entry
from quorate.core.errors import StoreError
from quorate.core.values import value
from quorate.kit.strict_json import strict_json


class Conflict(StoreError):
    """Another process has extended this journal; read it again before continuing."""


class AlreadyReplied(Conflict):
    """This ask already has a reply; the first one counts."""


class SessionBusy(StoreError):
    """Another process drives this session and holds its lease."""


class UnknownSession(StoreError):
    """There is no such session; `what` says so without the place of the store, which is not for everybody."""

    def __init__(self, what: str, place: str = "") -> None:
        super().__init__(f"{what} in {place}" if place else what)
        self.what = what


class UnknownMaterial(StoreError):
    """The store can be read, and has no material with this digest."""

    def __init__(self, digest: str, place: str) -> None:
        super().__init__(f"there is no material with the digest {digest[:12]} in {place}")


def check_material(material: Mapping[str, str]) -> None:
    """Raise StoreError unless every text is valid and matches its digest; every `create` calls this first."""
    for digest, text in material.items():
        if clean(text) != text:
            raise StoreError(f"the material {digest[:12]} contains NUL or half of a surrogate pair; clean it first")
        if digest_text(text) != digest:
            raise StoreError(
                f"material was to be stored under the digest {digest[:12]}, which is not the digest of its text"
            )


def check_drafts(session: str, drafts: Drafts) -> None:
    """Raise AlreadyReplied if entries answer an ask twice; every `create` and `extend` calls this first."""
    seen: set[str] = set()
    for _, ask in drafts:
        if ask is not None and ask in seen:
            raise AlreadyReplied(f"session {session}: ask {ask} has two replies")
        if ask is not None:
            seen.add(ask)


@value(frozen=True, slots=True)
class Status:
    """Status of a session, stored beside its journal to make lists fast; derived, never used for decisions."""

    phase: str = ""
    round: int = 0
    verdict: str = ""
    waiting: str = ""
    """Seats of people who have open asks, separated by commas."""
    ruling: str = ""
    """What a person ruled on the verdict."""


_RULED = ", ruled "
"""What stood between verdict and ruling in stores of earlier releases."""


def stored_verdict(status: Status) -> str:
    """Return verdict and ruling as the one text that a store keeps: the verdict, or a JSON array of both."""
    alone = not status.ruling and not status.verdict.startswith("[") and _RULED not in status.verdict
    return status.verdict if alone else json.dumps([status.verdict, status.ruling], ensure_ascii=False)


def read_verdict(stored: str) -> tuple[str, str]:
    """Return the verdict and the ruling in a text of `stored_verdict`, or of an earlier release; never raises."""
    try:
        found = strict_json(stored) if stored.startswith("[") else None
    except (ValueError, RecursionError):
        found = None
    match found:
        case [str(verdict), str(ruling)]:
            return verdict, ruling
    verdict, _, ruling = stored.partition(_RULED)
    return verdict, ruling


START = Status()
"""Status of a session of which nothing else is known."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A session in a list."""

    id: str
    protocol: str
    title: str
    opened_at: int
    """Milliseconds since 1970 (UTC)."""
    last: int
    """The sequence of its last entry."""
    status: Status


@dataclass(frozen=True, slots=True)
class Hosted(Listed):
    """A session that is marked as hosted."""

    mark: int
    """Changes each time it is marked, so that a host that gave up sees the new request."""


def hosted_as(listed: Listed, mark: int) -> Hosted:
    """Return a session of a list with its mark."""
    return Hosted(listed.id, listed.protocol, listed.title, listed.opened_at, listed.last, listed.status, mark)


class Journal(Protocol):
    """A store of sessions. All methods are safe to call from several processes at once."""

    async def create(
        self,
        session: str,
        protocol: str,
        title: str,
        opened_at: int,
        body: str,
        material: Mapping[str, str],
        status: Status = START,
        past: Drafts = (),
    ) -> Entry:
        """Create a session with its entry 0, which is returned; `material` maps digests to texts.

        A fork passes the entries it begins with after its opening: all are written, or none. An existing id raises
        Conflict.
        """
        ...

    async def append(self, session: str, expected: int, body: str, ask: str | None, status: Status) -> Entry:
        """Write the entry `expected`, durably, or raise Conflict, AlreadyReplied or UnknownSession."""
        ...

    async def extend(self, session: str, expected: int, drafts: Drafts, status: Status) -> list[Entry]:
        """Write entries atomically and durably, the first as `expected`; raises as `append` does."""
        ...

    async def entries(self, session: str, after: int = -1) -> list[Entry]:
        """Return the entries after a sequence, in order; UnknownSession if there is no such session."""
        ...

    async def wait(self, session: str, after: int, seconds: float) -> None:
        """Return as soon as the session may have entries after `after`, or after a timeout; the caller checks.

        Returns at once if there are some already. Raises UnknownSession if there is no such session.
        """
        ...

    async def material(self, digest: str) -> str:
        """Return a text by its digest (SHA-256 of its UTF-8 bytes, hexadecimal)."""
        ...

    async def sessions(self) -> list[Listed]:
        """Return all sessions, the newest first. One damaged session does not hide the others."""
        ...

    async def host(self, session: str, wanted: bool) -> None:
        """Mark a session to be driven by host processes, or remove the mark; durable.

        Marking it again requests that it be driven again, and gives it a new mark.
        """
        ...

    async def hosted(self) -> list[Hosted]:
        """Return the sessions marked by this user on this machine, the newest first."""
        ...

    async def lease(self, session: str, owner: str, seconds: float) -> None:
        """Take or extend the lease to drive a session; SessionBusy while another owner holds it."""
        ...

    async def release(self, session: str, owner: str) -> None:
        """Release the lease, if `owner` holds it."""
        ...

    async def driver(self, session: str) -> str:
        """Return the owner of a session's current lease; empty if there is none."""
        ...

    async def close(self) -> None: ...
