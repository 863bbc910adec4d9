"""Helpers of the conformance suite: test sessions, and assertions that name the promise."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any
from uuid import uuid4

from quorate.codec.canonical import digest_text
from quorate.core.errors import QuorateError, StoreError
from quorate.store.journal import Journal, Listed, Status

Open = Callable[[], Awaitable[Journal]]
Case = Callable[[Open], Awaitable[None]]
NOW = 1_770_000_000_000
PROPOSED = Status("PROPOSAL", 1, "", "person")


class Nonconforming(QuorateError):
    """A store breaks a promise of the journal interface."""


def expect(held: bool, promise: str) -> None:
    """Raise Nonconforming unless a promise holds."""
    if not held:
        raise Nonconforming(promise)


async def expect_error(error: type[StoreError], call: Awaitable[Any], promise: str) -> None:
    """Raise Nonconforming unless a call fails with this error."""
    try:
        await call
    except error:
        return
    raise Nonconforming(f"{promise}: {error.__name__} was expected")


async def new_session(journal: Journal, *texts: str, opened_at: int = NOW) -> str:
    """Create a session with this material, and return its id."""
    session = f"conformance-{uuid4().hex}"
    material = {digest_text(text): text for text in texts}
    await journal.create(session, "protocol", "A title", opened_at, '{"opening":1}', material)
    return session


async def listing_of(journal: Journal, session: str) -> Listed:
    """Return a session as listed."""
    return next(listed for listed in await journal.sessions() if listed.id == session)
