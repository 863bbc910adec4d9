"""The journal interface: what every store promises. `conformance.py` is the suite that proves it.

A journal knows nothing of protocols: it keeps bodies (canonical JSON texts) in order. Entry 0 is the opening.
An append names the sequence it expects and (session, ask) is unique, so two processes can never both extend a
journal, or count a reply twice. Every entry is chained by SHA-256 to the one before.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from quorate.codec.canonical import clean, digest_text
from quorate.codec.chain import Drafts, Entry
from quorate.core.errors import StoreError
from quorate.core.values import value


class Conflict(StoreError):
    """Somebody else has extended this journal; read it again before going on."""


class AlreadyReplied(Conflict):
    """This ask has its reply; the one that came first counts."""


class SessionBusy(StoreError):
    """Another process drives this session and holds its lease."""


class UnknownSession(StoreError):
    """There is no such session in this store."""


def check_material(material: Mapping[str, str]) -> None:
    """Raise StoreError unless every text is one and stands under its own digest; what every `create` asks first."""
    for digest, text in material.items():
        if clean(text) != text:
            raise StoreError(f"the material {digest[:12]} holds NUL or half a surrogate pair; clean it before")
        if digest_text(text) != digest:
            raise StoreError(f"material was to be kept under the digest {digest[:12]}, but that is not its own")


def check_drafts(session: str, drafts: Drafts) -> None:
    """Raise AlreadyReplied where entries answer an ask twice; what every `create` and `extend` asks first."""
    seen: set[str] = set()
    for _, ask in drafts:
        if ask is not None and ask in seen:
            raise AlreadyReplied(f"session {session}: ask {ask} is replied to twice")
        if ask is not None:
            seen.add(ask)


@value(frozen=True, slots=True)
class Status:
    """Where a session stands, kept beside its journal so that lists are fast; derived, never decided upon."""

    phase: str = ""
    round: int = 0
    verdict: str = ""
    waiting: str = ""
    """The seats whose people are waited for, separated by commas."""


START = Status()
"""Where a session stands that nobody has said more about."""


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
    """Another one each time that it is marked, so that whoever has given it up sees that it is wanted again."""


def hosted_as(listed: Listed, mark: int) -> Hosted:
    """Return a session of a list with its mark."""
    return Hosted(listed.id, listed.protocol, listed.title, listed.opened_at, listed.last, listed.status, mark)


class Journal(Protocol):
    """What a store does. All methods are safe to call from several processes at once."""

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
        """Open a journal with its entry 0, which is returned; `material` maps digests to texts.

        A session that has a past begins with these entries after its opening: all are written, or none. An existing
        id raises Conflict.
        """
        ...

    async def append(self, session: str, expected: int, body: str, ask: str | None, status: Status) -> Entry:
        """Write the entry `expected`, durably, or raise Conflict, AlreadyReplied or UnknownSession."""
        ...

    async def extend(self, session: str, expected: int, drafts: Drafts, status: Status) -> list[Entry]:
        """Write one entry or more, the first as `expected`: all of them, durably, or none, as `append` does one."""
        ...

    async def entries(self, session: str, after: int = -1) -> list[Entry]:
        """Return the entries after a sequence, in order. An unknown session raises UnknownSession."""
        ...

    async def wait(self, session: str, after: int, seconds: float) -> None:
        """Return as soon as the session may have entries after `after`, or after some seconds; the caller looks.

        It is at once where there are some already. An unknown session raises UnknownSession.
        """
        ...

    async def material(self, digest: str) -> str:
        """Return a text by its digest (SHA-256 of its UTF-8 bytes, hexadecimal)."""
        ...

    async def sessions(self) -> list[Listed]:
        """Return all sessions, the newest first. One damaged session does not hide the others."""
        ...

    async def host(self, session: str, wanted: bool) -> None:
        """Mark a session as one that processes which host sessions drive, or take the mark away; durable.

        To mark it again is to want it driven again: its mark is another one then.
        """
        ...

    async def hosted(self) -> list[Hosted]:
        """Return the sessions that are so marked by this user on this machine, the newest first."""
        ...

    async def lease(self, session: str, owner: str, seconds: float) -> None:
        """Take or extend the right to drive a session; raises SessionBusy while another owner's lease runs."""
        ...

    async def release(self, session: str, owner: str) -> None:
        """Give the lease back, if `owner` holds it."""
        ...

    async def driver(self, session: str) -> str:
        """Return who drives a session at this moment; empty for nobody."""
        ...

    async def close(self) -> None: ...
