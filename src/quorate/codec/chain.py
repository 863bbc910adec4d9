"""Journal entries, each chained to the one before by SHA-256, so that any changed byte is detected."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from quorate.core.values import value

GENESIS = "0" * 64
"""The hash before the first entry."""
Drafts = Sequence[tuple[str, str | None]]
"""Bodies of entries in order, each with the ask that it replies to, if it is a reply."""


@value(frozen=True, slots=True)
class Entry:
    """One stored event: its sequence, its body, and the hash over the previous hash and the body."""

    seq: int
    body: str
    hash: str


def chain(previous: str, body: str) -> str:
    """Return the hash of an entry that follows one with the hash `previous`."""
    return sha256(f"{previous}\n{body}".encode()).hexdigest()


def chained(previous: str, first: int, drafts: Drafts) -> list[Entry]:
    """Return entries with these bodies, numbered from `first`, chained to the hash `previous`."""
    entries: list[Entry] = []
    for seq, (body, _) in enumerate(drafts, start=first):
        previous = chain(previous, body)
        entries.append(Entry(seq, body, previous))
    return entries
