"""Writes events: planned by the engine, made durable in the journal, then folded into the record.

Other processes may extend the journal at any time: a person answers, somebody cancels. On a conflict the writer reads
the new entries and tries again from there, so nothing is lost and nothing is counted twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from time import time
from typing import Any, assert_never

from quorate.codec import decode_entry, encode_entry
from quorate.core.engine import step
from quorate.core.errors import RuleViolation
from quorate.core.record import Envelope, Record
from quorate.core.session import Session, Step
from quorate.core.types import AskId, Event, Interrupted, Replied, Ruled
from quorate.core.values import value
from quorate.runtime.happenings import Watcher, Writing, Wrote, nobody_watches
from quorate.store.journal import Conflict, Journal, Status

FOR_RULING = "a ruling"
"""Shown in a list as what a concluded session waits for."""


async def append(
    session_id: str, record: Record, journal: Journal, event: Event, envelope: Envelope, watch: Watcher = nobody_watches
) -> bool:
    """Write an event and fold it into the record; False if entries of others have made it pointless.

    New entries of others are read first. An event that the rules do not allow raises RuleViolation and nothing is
    written.
    """
    return bool(await extend(session_id, record, journal, [(event, envelope)], watch))


async def extend(
    session_id: str,
    record: Record,
    journal: Journal,
    events: Sequence[tuple[Event, Envelope]],
    watch: Watcher = nobody_watches,
) -> int:
    """Write events atomically, as `append` does one; return how many were still relevant."""
    while planned := list(_planned(record, events)):
        first, last = planned[0], planned[-1]
        watch(Writing(first.envelope.seq, last.envelope.seq))
        drafts = [(encode_entry(each.event, each.envelope), each.ask) for each in planned]
        status = status_of(record, last.after, last.event)
        try:
            entries = await journal.extend(session_id, first.envelope.seq, drafts, status)
        except Conflict:
            if not await catch_up(session_id, record, journal, watch):
                raise
            continue
        for entry, each in zip(entries, planned, strict=True):
            record.take(each.event, each.envelope, each.after)
            watch(Wrote(entry, each.event, each.envelope, each.after.moves))
        return len(entries)
    return 0


@value(frozen=True, slots=True)
class _Planned:
    """An event to be written, and the step it leads to."""

    event: Event
    envelope: Envelope
    after: Step[Any]

    @property
    def ask(self) -> AskId | None:
        return self.event.ask if isinstance(self.event, Replied) else None


def _planned(record: Record, events: Iterable[tuple[Event, Envelope]]) -> Iterator[_Planned]:
    session, seq, now = record.session, len(record.envelopes), int(time() * 1000)
    for event, envelope in events:
        if _wanted(event, record, session):
            seq, after = seq + 1, step(record.protocol, session, event)
            session = after.session
            yield _Planned(event, envelope.placed(seq, now), after)


async def catch_up(session_id: str, record: Record, journal: Journal, watch: Watcher = nobody_watches) -> bool:
    """Fold entries written by others into the record; True if there were any."""
    entries = await journal.entries(session_id, after=len(record.envelopes))
    for entry in entries:
        event, envelope = decode_entry(entry.body, record.session.asks)
        after = record.take(event, envelope)
        watch(Wrote(entry, event, envelope, after.moves))
    return bool(entries)


def _wanted(event: Event, record: Record, session: Session[Any]) -> bool:
    """Whether an event is still relevant to this record; RuleViolation if it never belonged to it."""
    match event:
        case Ruled(verdict, by, reason):
            last = record.ruling  # the same ruling twice is harmless
            return last is None or (last.verdict.name, last.by, last.reason) != (verdict, by, reason)
        case Interrupted():
            return session.conclusion is None
        case Replied(ask_id):
            if session.is_open(ask_id):
                return True
            if session.conclusion is not None or record.was_asked(ask_id):
                return False
            raise RuleViolation(f"ask {ask_id} was never asked in this session")
    assert_never(event)


def status_of(record: Record, after: Step[Any], event: Event | None = None) -> Status:
    """Return the status of a session after a step, for lists."""
    session = after.session
    waiting: list[str] = sorted({ask.seat for ask in record.waits_for_people(session)})
    verdict, ruling = "", ""
    if session.conclusion is not None:
        verdict = session.conclusion.verdict.name
        if isinstance(event, Ruled):
            ruling = event.verdict
        elif session.conclusion.verdict in record.protocol.rulings:
            waiting = [FOR_RULING]
    return Status(session.phase.name, record.protocol.round(session.state), verdict, ",".join(waiting), ruling)
