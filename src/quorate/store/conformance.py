"""The suite that every journal has to pass; run it on a store of your own with `await check(open_journal)`.

`open_journal` opens the same store each time it is called. The cases use sessions of their own, so the store may have
others. The first promise that is broken raises `Nonconforming`, which names the case and says what was expected.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import uuid4

from quorate.core.errors import QuorateError, StoreError
from quorate.store.canonical import digest_text
from quorate.store.journal import (
    GENESIS,
    AlreadyReplied,
    Conflict,
    Entry,
    Journal,
    Listed,
    SessionBusy,
    Status,
    UnknownSession,
    chain,
)

Open = Callable[[], Awaitable[Journal]]
Case = Callable[[Open], Awaitable[None]]
NOW = 1_770_000_000_000
PROPOSED = Status("PROPOSAL", 1, "", "person")


class Nonconforming(QuorateError):
    """A store breaks a promise of the journal interface."""


def _expect(held: bool, promise: str) -> None:
    if not held:
        raise Nonconforming(promise)


async def _refused(error: type[StoreError], call: Awaitable[Any], promise: str) -> None:
    try:
        await call
    except error:
        return
    raise Nonconforming(f"{promise}: {error.__name__} was expected")


async def _opened(journal: Journal, *texts: str, opened_at: int = NOW) -> str:
    session = f"conformance-{uuid4().hex}"
    material = {digest_text(text): text for text in texts}
    await journal.create(session, "debate", "A title", opened_at, '{"opening":1}', material)
    return session


async def _listed(journal: Journal, session: str) -> Listed:
    return next(listed for listed in await journal.sessions() if listed.id == session)


# Entries


async def the_opening_is_entry_zero(open_journal: Open) -> None:
    journal = await open_journal()
    session = f"conformance-{uuid4().hex}"
    body = '{"opening":"Größe \\"1\\"\\n \N{GRINNING FACE}"}'
    entry = await journal.create(session, "debate", "A title", NOW, body, {})
    _expect(entry == Entry(0, body, chain(GENESIS, body)), "create returns entry 0, chained to the genesis hash")
    _expect(await journal.entries(session) == [entry], "what create wrote is read back as it was")


async def an_id_is_opened_once(open_journal: Open) -> None:
    journal = await open_journal()
    session = await _opened(journal)
    again = journal.create(session, "debate", "Another", NOW, "{}", {})
    await _refused(Conflict, again, "a session that exists cannot be created again")
    _expect((await _listed(journal, session)).title == "A title", "a refused create changes nothing")


async def entries_are_chained_and_in_order(open_journal: Open) -> None:
    journal = await open_journal()
    session = await _opened(journal)
    bodies = [f'{{"seq":{seq},"text":"{"x" * seq * 997}"}}' for seq in range(1, 12)]
    written = [await journal.append(session, seq, body, f"{seq}.0", PROPOSED) for seq, body in enumerate(bodies, 1)]
    entries = await journal.entries(session)
    _expect(entries[1:] == written, "entries come back in order, as append returned them")
    _expect([entry.body for entry in entries[1:]] == bodies, "bodies come back as they were")
    previous = GENESIS
    for entry in entries:
        previous = chain(previous, entry.body)
        _expect(entry.hash == previous, f"entry {entry.seq} is chained to the one before")
    _expect(await journal.entries(session, after=7) == entries[8:], "entries after a sequence are those that follow it")
    _expect(await journal.entries(session, after=11) == [], "there is nothing after the last entry")


async def a_large_entry_is_kept_whole(open_journal: Open) -> None:
    journal = await open_journal()
    session = await _opened(journal)
    body = '{"text":"' + "äöü \N{GRINNING FACE} " * 150_000 + '"}'
    await journal.append(session, 1, body, None, PROPOSED)
    _expect((await journal.entries(session))[1].body == body, "a body of two megabytes comes back as it was")


async def an_append_names_the_sequence(open_journal: Open) -> None:
    journal = await open_journal()
    session = await _opened(journal)
    for wrong in (0, 2, -1):
        call = journal.append(session, wrong, "{}", f"{wrong}.9", PROPOSED)
        await _refused(Conflict, call, f"entry {wrong} is not the next")
    _expect(len(await journal.entries(session)) == 1, "a refused append writes nothing")
    await journal.append(session, 1, "{}", "2.9", PROPOSED)


async def an_ask_has_one_reply(open_journal: Open) -> None:
    journal = await open_journal()
    session, other = await _opened(journal), await _opened(journal)
    await journal.append(session, 1, '{"first":1}', "3.0", PROPOSED)
    for expected in (1, 2):
        again = journal.append(session, expected, '{"second":1}', "3.0", PROPOSED)
        await _refused(AlreadyReplied, again, "a second reply to an ask")
    _expect(len(await journal.entries(session)) == 2, "a second reply is not written")
    await journal.append(other, 1, "{}", "3.0", PROPOSED)
    for seq in (2, 3):
        await journal.append(session, seq, "{}", None, PROPOSED)  # entries that answer no ask do not get in the way


async def unknown_sessions_are_named_so(open_journal: Open) -> None:
    journal = await open_journal()
    await _refused(UnknownSession, journal.entries("nobody"), "entries of an unknown session")
    await _refused(UnknownSession, journal.append("nobody", 1, "{}", None, PROPOSED), "append to an unknown session")
    await _refused(UnknownSession, journal.lease("nobody", "me", 1), "lease of an unknown session")


async def of_racing_appends_one_wins(open_journal: Open) -> None:
    journals = [await open_journal() for _ in range(4)]
    session = await _opened(journals[0])
    calls = (
        journal.append(session, 1, f'{{"by":{number}}}', f"{number}.0", PROPOSED)
        for number, journal in enumerate(journals)
    )
    results = await asyncio.gather(*calls, return_exceptions=True)
    won = [result for result in results if isinstance(result, Entry)]
    _expect(len(won) == 1, "exactly one of several appends of the same entry succeeds")
    _expect(sum(isinstance(result, Conflict) for result in results) == 3, "the others get Conflict")
    for journal in journals:
        _expect((await journal.entries(session))[1:] == won, "all see the entry of the one that won")


async def a_store_keeps_what_it_has(open_journal: Open) -> None:
    journal = await open_journal()
    session = await _opened(journal, "the problem")
    await journal.append(session, 1, "{}", "1.0", PROPOSED)
    before = await journal.entries(session)
    await journal.close()
    journal = await open_journal()
    _expect(await journal.entries(session) == before, "closing and opening again loses nothing")
    _expect(await journal.material(digest_text("the problem")) == "the problem", "nor does it lose material")
    await _refused(AlreadyReplied, journal.append(session, 2, "{}", "1.0", PROPOSED), "asks are remembered")


# Lists and material


async def lists_show_the_newest_first(open_journal: Open) -> None:
    journal = await open_journal()
    middle = await _opened(journal, opened_at=NOW + 1)
    old = await _opened(journal)
    new = await _opened(journal, opened_at=NOW + 2)
    tie = await _opened(journal, opened_at=NOW + 1)
    order = [listed.id for listed in await journal.sessions() if listed.id in (old, middle, new, tie)]
    _expect(order == [new, tie, middle, old], "sessions are listed by opening, the newest first")


async def lists_show_where_a_session_stands(open_journal: Open) -> None:
    journal = await open_journal()
    session = f"conformance-{uuid4().hex}"
    await journal.create(session, "debate", "A title", NOW, "{}", {}, PROPOSED)
    _expect(
        await _listed(journal, session) == Listed(session, "debate", "A title", NOW, 0, PROPOSED),
        "a new session is listed with the status it was opened with",
    )
    ended = Status("CONCLUDED", 3, "SOLUTION", "")
    await journal.append(session, 1, "{}", None, ended)
    _expect(
        await _listed(journal, session) == Listed(session, "debate", "A title", NOW, 1, ended),
        "an append sets the last sequence and the status",
    )


async def material_is_kept_by_digest(open_journal: Open) -> None:
    journal = await open_journal()
    texts = ["", "Größe\r\n\tmit \N{GRINNING FACE}", f"{uuid4()}" * 10_000]
    session = await _opened(journal, *texts)
    await _opened(journal, texts[2])
    for text in texts:
        _expect(await journal.material(digest_text(text)) == text, "material comes back as it was")
    await _refused(StoreError, journal.material(digest_text(f"{uuid4()}")), "a digest that nobody kept")
    wrong = journal.create(f"{session}-2", "debate", "", NOW, "{}", {digest_text("a"): "b"})
    await _refused(StoreError, wrong, "material under another text's digest")


# Leases


async def a_lease_keeps_others_out(open_journal: Open) -> None:
    journal = await open_journal()
    session, other = await _opened(journal), await _opened(journal)
    await journal.lease(session, "me", 60)
    await journal.lease(session, "me", 60)  # the same owner extends it
    await _refused(SessionBusy, journal.lease(session, "you", 60), "a session under another's lease")
    await journal.lease(other, "you", 60)
    await journal.release(session, "you")
    await _refused(SessionBusy, journal.lease(session, "you", 60), "only the owner gives a lease back")
    await journal.release(session, "me")
    await journal.lease(session, "you", 60)


async def a_lease_runs_out(open_journal: Open) -> None:
    journal = await open_journal()
    session = await _opened(journal)
    await journal.lease(session, "me", 0)
    await journal.lease(session, "you", 60)
    await _refused(SessionBusy, journal.lease(session, "me", 60), "a lease that ran out is gone")


async def a_dead_process_holds_nothing(open_journal: Open) -> None:
    journal = await open_journal()
    session = await _opened(journal)
    name = "from quorate.store.process import this_process; print(this_process(), end='')"
    dead = subprocess.run([sys.executable, "-c", name], check=True, capture_output=True, text=True)  # noqa: S603, ASYNC221
    await journal.lease(session, dead.stdout, 600)
    await journal.lease(session, "you", 60)
    await _refused(SessionBusy, journal.lease(session, dead.stdout, 60), "the lease is the new owner's")


CASES: tuple[Case, ...] = (
    the_opening_is_entry_zero,
    an_id_is_opened_once,
    entries_are_chained_and_in_order,
    a_large_entry_is_kept_whole,
    an_append_names_the_sequence,
    an_ask_has_one_reply,
    unknown_sessions_are_named_so,
    of_racing_appends_one_wins,
    a_store_keeps_what_it_has,
    lists_show_the_newest_first,
    lists_show_where_a_session_stands,
    material_is_kept_by_digest,
    a_lease_keeps_others_out,
    a_lease_runs_out,
    a_dead_process_holds_nothing,
)


async def check(open_journal: Open) -> None:
    """Run every case; the first one that does not hold raises Nonconforming with its name."""
    for case in CASES:
        await run(case, open_journal)


async def run(case: Case, open_journal: Open) -> None:
    """Run one case, and close every journal that it opened."""
    opened: list[Journal] = []

    async def open_one() -> Journal:
        opened.append(await open_journal())
        return opened[-1]

    try:
        await case(open_one)
    except QuorateError as error:
        raise Nonconforming(f"{case.__name__.replace('_', ' ')}: {error}") from error
    finally:
        for journal in opened:
            await journal.close()
