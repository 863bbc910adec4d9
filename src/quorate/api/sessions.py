"""Find, read, run, interrupt and follow sessions."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quorate import catalog, exit_codes
from quorate.api import seats
from quorate.api.creation import FOLDER
from quorate.api.damage import DamageReport, damaged, entries_of
from quorate.api.reply_masks import cleaning, cleaning_text
from quorate.api.seats import Seating
from quorate.api.watchers import watched
from quorate.codec import (
    decode_entry,
    decode_opening,
    digest_text,
    read_record,
)
from quorate.codec.chain import Entry
from quorate.core.errors import RulesChanged, RuleViolation, SettingError, StoreError, nearest
from quorate.core.protocol import Degradation, Protocol
from quorate.core.record import Envelope, Opening, Record
from quorate.core.types import Ask, Interrupted, Reason
from quorate.participants.tools import ContextFolder
from quorate.runtime.budget import Budget, Purse
from quorate.runtime.executor import Executor
from quorate.runtime.happenings import Concluded, Happening, Watcher, Wrote, nobody_watches
from quorate.runtime.writer import append
from quorate.store.journal import Journal, UnknownSession
from quorate.store.process import a_driver
from quorate.workspace import Workspace
from quorate.worth.worth import NOTHING_LEARNT, Learnt

LOOK_ANYWAY = 10.0
"""Seconds after which a journal is polled without a notification."""
PAST_ALL = 2_000_000_000
"""A sequence that no journal reaches."""
MOST_SEARCHED = 500
"""Newest sessions that are searched for one of this folder; each has to be read."""
MOST_NAMED = 3
"""Sessions listed for an ambiguous name."""
AT_ONCE = 100
"""Entries folded in the event loop; more are folded in a thread, so the loop is not blocked."""


@dataclass(frozen=True, slots=True)
class Result:
    """Status and record of a session."""

    session: str
    record: Record
    entries: list[Entry]
    damage: DamageReport | None = None
    """Damage of the journal; the record then ends before the first invalid entry."""
    learnt: Learnt = NOTHING_LEARNT
    """What other sessions and labels tell of it, once it has concluded (`learning`): its worth is told with that."""

    @property
    def waiting(self) -> tuple[Ask, ...]:
        """Open asks for people; none if the journal is damaged, because nothing can be written."""
        return self.record.waits_for_people() if self.damage is None else ()

    @property
    def exit_code(self) -> int:
        """Exit code for programs: the verdict's code, 4 while it waits, 5 if too degraded to count.

        A ruling replaces the verdict's code. Success is 1 while something is owed.
        """
        conclusion, ruling = self.record.session.conclusion, self.record.ruling
        if self.damage is not None:
            return exit_codes.INTERNAL
        if ruling is not None:
            return self.record.protocol.exit_codes[ruling.verdict]
        if conclusion is None:
            return exit_codes.SUSPENDED
        code = self.record.protocol.exit_codes[conclusion.verdict]
        if code in (0, 1, 2) and conclusion.degradation is Degradation.BELOW_SETTINGS:
            return exit_codes.DEGRADED
        return exit_codes.OWED if code == 0 and self.owes else code

    @property
    def owes(self) -> str:
        """What remains to be done before the verdict applies to the input; empty for nothing."""
        return catalog.definition_of(self.record.opening).owes(self.record)


# Reading sessions


async def find_session(journal: Journal, name: str, folder: Path | None = None) -> str:
    """Return the id that a name stands for: an id, a prefix of one, or `latest`.

    In a store shared between folders, `latest` is the newest session opened from `folder`.
    """
    with suppress(StoreError):  # a whole id needs no list, and there may be very many sessions
        await journal.entries(name, after=PAST_ALL)
        return name
    known = [listed.id for listed in await journal.sessions()]
    if name in known:
        return name
    if name == "latest" and known:
        return known[0] if folder is None else await _latest_of(journal, known, folder)
    matching = [session for session in known if session.startswith(name)]
    if len(matching) == 1:
        return matching[0]
    if len(matching) > 1:
        rest = f" and {len(matching) - MOST_NAMED} more" if len(matching) > MOST_NAMED else ""
        raise SettingError(
            f"{name!r} matches {len(matching)} sessions: {', '.join(matching[:MOST_NAMED])}{rest}",
            expected="more characters of the id",
        )
    if name == "latest":
        raise UnknownSession("there are no sessions in this store yet; begin one, or name another store with --store")
    near = nearest(name, known)
    raise UnknownSession(
        f"there is no session {name!r} in this store"
        + (f"; did you mean {near!r}?" if near else "; `quorate list` shows all")
    )


async def _latest_of(journal: Journal, newest_first: list[str], folder: Path) -> str:
    wanted = digest_text(str(folder))
    for session in newest_first[:MOST_SEARCHED]:
        if await _folder_of(journal, session) == wanted:
            return session
    none = "none" if len(newest_first) <= MOST_SEARCHED else f"none of the newest {MOST_SEARCHED}"
    raise UnknownSession(
        f"{none} of the sessions in your own store was opened from this folder; "
        f"the newest is {newest_first[0]}: name it by its id, or `quorate list` shows all"
    )


async def _folder_of(journal: Journal, session: str) -> str:
    """Return the digest of the folder a session was opened in; empty if not recorded or unreadable."""
    try:
        entries = await journal.entries(session)
        return str(decode_opening(entries[0].body)[0].run.get(FOLDER, ""))
    except StoreError:
        return ""


async def load(workspace: Workspace, journal: Journal, session: str) -> Result:
    """Fold a session's journal. Raises RulesChanged if the rules have changed since it began.

    Raises DamagedSession for a damaged journal; `readable.read` opens it up to the damage.
    """
    return await with_history(workspace, journal, await load_alone(workspace, journal, session))


async def load_alone(workspace: Workspace, journal: Journal, session: str) -> Result:
    """Fold a session's journal without reading labels, for callers that do not show its worth."""
    try:
        entries = await entries_of(journal, session)
        built, material = await brought_back(journal, decode_opening(entries[0].body)[0])
        if len(entries) > AT_ONCE:
            record = await asyncio.to_thread(read_record, built, entries, material)
        else:
            record = read_record(built, entries, material)
    except StoreError as error:
        raise await damaged(journal, session, error) from error
    return Result(session, record, entries)


async def with_history(workspace: Workspace, journal: Journal, result: Result) -> Result:
    """Return a session with what labels and other sessions teach about it, once it has concluded."""
    if result.record.session.conclusion is None:
        return result
    from quorate.api.history import told  # it knows sessions

    return await told(workspace, journal, result)


async def brought_back(journal: Journal, opening: Opening) -> tuple[Protocol[Any], dict[str, str]]:
    """Return the protocol as a session began with it, prompts included, and the session's texts by name."""
    digests = {*opening.briefs.values(), *opening.material.values()}
    texts = dict(zip(digests, await asyncio.gather(*map(journal.material, digests)), strict=True))
    kept = {name: texts[digest] for name, digest in opening.briefs.items()}
    material = {name: texts[digest] for name, digest in opening.material.items()}
    return catalog.rebuild(opening, kept), material


# Driving a session


def check_current(record: Record) -> None:
    """Raise RulesChanged for a session of an earlier version: it can be read, and no longer goes on."""
    if told := outdated(record):
        raise RulesChanged(told)


def outdated(record: Record) -> str:
    """Return why a session of an earlier version cannot be continued; empty for one of the current version."""
    opening = record.opening
    if catalog.is_current(opening):
        return ""
    return (
        f"the session began under version {opening.version} of {opening.protocol}, whose rules have changed since: "
        "it can be read, reported and checked, but not continued; open a new session"
    )


async def run(
    workspace: Workspace,
    journal: Journal,
    session: str,
    *,
    panel: Seating | None = None,
    watch: Watcher = nobody_watches,
    slots: dict[str, asyncio.Semaphore] | None = None,
    holder: str | None = None,
) -> Result:
    """Drive a session until it concludes or waits for people. Finished work is not repeated.

    Sessions given the same `slots` share their limits on concurrent calls. Only one driver at a time, also within this
    process: others get SessionBusy. `holder` is an owner who already has the lease and keeps it. With the setting
    `temporal`, workers drive the session and this follows its journal.
    """
    record = (await load(workspace, journal, session)).record
    if record.session.conclusion is None:
        check_current(record)
    if record.session.conclusion is None and workspace.config.temporal is not None:
        from quorate.api.temporal import drive  # it knows sessions

        await drive(workspace, journal, session, record, watch, panel)
    elif record.session.conclusion is None:
        protocol, opening = record.protocol, record.opening
        table = seats.seat(protocol, panel, opening.run) if panel else seats.seat_again(protocol, opening)
        budget = Budget(**record.opening.run.get("budget", {}))
        context = record.opening.run.get("context", "")
        executor = Executor(
            session_id=session,
            record=record,
            journal=journal,
            panel=table,
            purse=Purse.of(budget, record.envelopes),
            owner=holder or a_driver(),
            holds=holder is not None,
            watch=watch,
            tools=ContextFolder(Path(context)) if context else None,
            clean=cleaning(record),
            clean_text=cleaning_text(record),
            slots={} if slots is None else slots,
            curtail=opening.run.get("curtail", True),
        )
        async with watched(workspace, journal, session, record, watch) as executor.watch:
            await executor.drive()
    return await with_history(workspace, journal, Result(session, record, await journal.entries(session)))


async def interrupt(
    workspace: Workspace, journal: Journal, session: str, reason: Reason, why: str = "", *, finishes: bool = True
) -> Result:
    """Cancel a session, or ask it to wrap up; its driver notices within a second.

    If this ends a session that nobody drives, it is finished here too, unless `finishes` is False.
    """
    from quorate.api.session_end import finish_ended  # it knows sessions

    result = await load(workspace, journal, session)
    if result.record.session.conclusion is not None:
        raise RuleViolation(f"session {session} has concluded; there is nothing to interrupt")
    check_current(result.record)
    kept = Envelope(detail=cleaning_text(result.record)(why))
    async with watched(workspace, journal, session, result.record, drives=False) as watch:
        written = await append(session, result.record, journal, Interrupted(reason), kept, watch)
    if written and workspace.config.temporal is not None:
        from quorate.api.temporal import told  # it knows sessions

        await told(workspace, session)
    after = Result(session, result.record, await journal.entries(session))
    if written and finishes:
        await finish_ended(workspace, journal, after, settle=False)
    return await with_history(workspace, journal, after)


# Watching a session


async def follow(workspace: Workspace, journal: Journal, session: str) -> AsyncIterator[Happening]:
    """Yield what has happened in a session and what happens from now on, until it concludes."""
    record = (await load(workspace, journal, session)).record
    seen = Record(record.protocol, record.opening, record.material)
    while True:
        for entry in await journal.entries(session, after=len(seen.envelopes)):
            event, envelope = decode_entry(entry.body, seen.session.asks)
            yield Wrote(entry, event, envelope, seen.take(event, envelope).moves)
        if seen.session.conclusion is not None:
            yield Concluded(seen.session.conclusion)
            return
        await journal.wait(session, len(seen.envelopes), LOOK_ANYWAY)
