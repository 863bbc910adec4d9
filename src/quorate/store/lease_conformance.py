"""Conformance cases for leases and the marks of hosted sessions."""

from __future__ import annotations

import subprocess
import sys

from quorate.store.expectations import NOW, PROPOSED, Case, Open, expect, expect_error, listing_of, new_session
from quorate.store.journal import SessionBusy, UnknownSession, hosted_as


async def a_lease_keeps_others_out(open_journal: Open) -> None:
    journal = await open_journal()
    session, other = await new_session(journal), await new_session(journal)
    await journal.lease(session, "me", 60)
    await journal.lease(session, "me", 60)  # the same owner extends it
    await expect_error(SessionBusy, journal.lease(session, "you", 60), "a session under another's lease")
    await journal.lease(other, "you", 60)
    await journal.release(session, "you")
    await expect_error(SessionBusy, journal.lease(session, "you", 60), "only the owner gives a lease back")
    await journal.release(session, "me")
    await journal.lease(session, "you", 60)


async def the_driver_is_who_holds_the_lease(open_journal: Open) -> None:
    journal = await open_journal()
    session = await new_session(journal)
    expect(await journal.driver(session) == "", "nobody drives a session that nobody has leased")
    await journal.lease(session, "me", 60)
    expect(await journal.driver(session) == "me", "whoever has the lease drives")
    await journal.release(session, "me")
    expect(await journal.driver(session) == "", "a lease that was given back is nobody's")
    await journal.lease(session, "me", 0)
    expect(await journal.driver(session) == "", "a lease that ran out is nobody's")
    await expect_error(UnknownSession, journal.driver("no-such-session"), "a session that is not there")


async def a_lease_runs_out(open_journal: Open) -> None:
    journal = await open_journal()
    session = await new_session(journal)
    await journal.lease(session, "me", 0)
    await journal.lease(session, "you", 60)
    await expect_error(SessionBusy, journal.lease(session, "me", 60), "a lease that ran out is gone")


async def a_dead_process_holds_nothing(open_journal: Open) -> None:
    journal = await open_journal()
    session = await new_session(journal)
    name = "from quorate.store.process import this_process; print(this_process(), end='')"
    dead = subprocess.run([sys.executable, "-c", name], check=True, capture_output=True, text=True)  # noqa: S603, ASYNC221
    await journal.lease(session, dead.stdout, 600)
    await journal.lease(session, "you", 60)
    await expect_error(SessionBusy, journal.lease(session, dead.stdout, 60), "the lease is the new owner's")


async def hosted_sessions_are_listed(open_journal: Open) -> None:
    journal = await open_journal()
    old, new, other = (
        await new_session(journal),
        await new_session(journal, opened_at=NOW + 1),
        await new_session(journal),
    )
    for session in (old, new, new):  # to host it twice is to host it
        await journal.host(session, True)
    ours = (old, new, other)
    found = [listed.id for listed in await journal.hosted() if listed.id in ours]
    expect(found == [new, old], "those that are hosted are listed, the newest first")
    await journal.append(old, 1, "{}", None, PROPOSED)
    before = next(listed for listed in await journal.hosted() if listed.id == old)
    expect(
        before == hosted_as(await listing_of(journal, old), before.mark),
        "they are listed as they stand, as all sessions are",
    )
    await journal.host(old, True)
    again = next(listed for listed in await journal.hosted() if listed.id == old)
    expect(again.mark != before.mark, "who marks a session again leaves another mark")
    await journal.close()
    journal = await open_journal()
    for session in (old, other):
        await journal.host(session, False)
    found = [listed.id for listed in await journal.hosted() if listed.id in ours]
    expect(found == [new], "the mark is durable, and can be taken away")
    await expect_error(UnknownSession, journal.host("nobody", True), "host of an unknown session")
    await expect_error(UnknownSession, journal.host("nobody", False), "host of an unknown session")


CASES: tuple[Case, ...] = (
    a_lease_keeps_others_out,
    the_driver_is_who_holds_the_lease,
    a_lease_runs_out,
    a_dead_process_holds_nothing,
    hosted_sessions_are_listed,
)
