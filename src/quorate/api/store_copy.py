"""Copy sessions from one store to another: entries byte for byte, with the seal intact.

Hashes are verified when read and again after writing. Nothing is overwritten: a session with other entries at the
target is refused, a partial one is extended, an equal one is left alone. Leases and host marks are not copied.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from enum import Enum

from quorate.codec import decode_opening
from quorate.codec.chain import Entry
from quorate.codec.journal_reader import check_chain
from quorate.core.errors import StoreError
from quorate.kit.strict_json import strict_json
from quorate.store.journal import Conflict, Journal, Listed, UnknownSession
from quorate.store.postgres_errors import Lost


class CopyOutcome(Enum):
    """What happened to one session."""

    COPIED = "copied"
    EXTENDED = "extended"
    EQUAL = "equal"
    """The same entries are there already."""
    AHEAD = "ahead"
    """The same entries are there already, and more follow."""
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Copied:
    """Result for one session: its outcome, the number of entries written, and the reason if refused."""

    session: str
    outcome: CopyOutcome
    entries: int = 0
    why: str = ""


async def copy_sessions(source: Journal, target: Journal, sessions: Sequence[str]) -> AsyncIterator[Copied]:
    """Copy sessions, yielding each result as soon as it is done; a refused session does not stop the others.

    A session that the source does not have raises UnknownSession before anything is written.
    """
    known = {listed.id: listed for listed in await source.sessions()}
    for session in sessions:
        if session not in known:
            raise UnknownSession(f"there is no session {session} in the source store")
    for session in sessions:
        try:
            yield await copy_session(source, target, known[session])
        except Lost:
            raise  # it would be the same with all that follow
        except StoreError as error:
            yield Copied(session, CopyOutcome.REFUSED, why=str(error))


async def copy_session(source: Journal, target: Journal, listed: Listed) -> Copied:
    """Copy one session; StoreError if it is damaged here, or differs there."""
    entries = await source.entries(listed.id)
    check_chain(entries)
    there = await _entries_of(target, listed.id)
    if there is None:
        await _create(source, target, listed, entries)
        outcome, written = CopyOutcome.COPIED, len(entries)
    else:
        shared = min(len(entries), len(there))
        if there[:shared] != entries[:shared]:
            at = next(seq for seq in range(shared) if there[seq] != entries[seq])
            raise Conflict(f"session {listed.id} exists in the target store already, and differs from entry {at} on")
        written = len(entries) - shared
        for entry in entries[shared:]:
            await target.append(listed.id, entry.seq, entry.body, _ask_of(entry), listed.status)
        outcome = CopyOutcome.EXTENDED if written else CopyOutcome.AHEAD if len(there) > shared else CopyOutcome.EQUAL
    if written and (await target.entries(listed.id))[: len(entries)] != entries:
        raise StoreError(
            f"session {listed.id} reads back from the target store differently than it was sent; "
            "check that store before using it"
        )
    return Copied(listed.id, outcome, written)


async def _entries_of(target: Journal, session: str) -> list[Entry] | None:
    try:
        found = await target.entries(session)
    except UnknownSession:
        return None
    check_chain(found)
    return found


async def _create(source: Journal, target: Journal, listed: Listed, entries: list[Entry]) -> None:
    """Create a whole session: texts, opening and all entries."""
    opening, _ = decode_opening(entries[0].body)
    digests = sorted({*opening.material.values(), *opening.briefs.values()})
    material = {digest: await source.material(digest) for digest in digests}
    past = [(entry.body, _ask_of(entry)) for entry in entries[1:]]
    await target.create(
        listed.id,
        listed.protocol,
        listed.title,
        listed.opened_at,
        entries[0].body,
        material,
        listed.status,
        past,
    )


def _ask_of(entry: Entry) -> str | None:
    """Return the id of the ask that an entry replies to, which the store keeps beside the body."""
    try:
        found = strict_json(entry.body)
    except (ValueError, RecursionError) as error:
        raise StoreError(f"entry {entry.seq} is not valid JSON: {error}") from error
    ask = found.get("ask") if isinstance(found, dict) else None
    if ask is not None and not isinstance(ask, str):
        raise StoreError(f"entry {entry.seq} replies to {ask!r}, which is not the id of an ask")
    return ask
