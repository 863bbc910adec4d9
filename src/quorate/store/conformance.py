"""Conformance suite for journals; run it on a store of your own with `await check(open_journal)`.

`open_journal` opens the same store each time it is called. The cases use sessions of their own, so the store may have
others. The first broken promise raises `Nonconforming`, which names the case and says what was expected.
"""

from __future__ import annotations

import asyncio
from uuid import uuid4

from quorate.codec.canonical import digest_text
from quorate.codec.chain import GENESIS, Entry, chain
from quorate.core.errors import QuorateError, StoreError
from quorate.store.expectations import (
    NOW,
    PROPOSED,
    Case,
    Nonconforming,
    Open,
    expect,
    expect_error,
    listing_of,
    new_session,
)
from quorate.store.journal import AlreadyReplied, Conflict, Journal, Listed, Status, UnknownMaterial, UnknownSession
from quorate.store.lease_conformance import CASES as LEASE_CASES

__all__ = ["CASES", "Case", "Nonconforming", "Open", "check", "run"]


# Entries


async def the_opening_is_entry_zero(open_journal: Open) -> None:
    journal = await open_journal()
    session = f"conformance-{uuid4().hex}"
    body = '{"opening":"Größe \\"1\\"\\n \N{GRINNING FACE}"}'
    entry = await journal.create(session, "protocol", "A title", NOW, body, {})
    expect(entry == Entry(0, body, chain(GENESIS, body)), "create returns entry 0, chained to the genesis hash")
    expect(await journal.entries(session) == [entry], "what create wrote is read back as it was")


async def an_id_is_opened_once(open_journal: Open) -> None:
    journal = await open_journal()
    session = await new_session(journal)
    again = journal.create(session, "protocol", "Another", NOW, "{}", {})
    await expect_error(Conflict, again, "a session that exists cannot be created again")
    expect((await listing_of(journal, session)).title == "A title", "a refused create changes nothing")


async def entries_are_chained_and_in_order(open_journal: Open) -> None:
    journal = await open_journal()
    session = await new_session(journal)
    bodies = [f'{{"seq":{seq},"text":"{"x" * seq * 997}"}}' for seq in range(1, 12)]
    written = [await journal.append(session, seq, body, f"{seq}.0", PROPOSED) for seq, body in enumerate(bodies, 1)]
    entries = await journal.entries(session)
    expect(entries[1:] == written, "entries come back in order, as append returned them")
    expect([entry.body for entry in entries[1:]] == bodies, "bodies come back as they were")
    previous = GENESIS
    for entry in entries:
        previous = chain(previous, entry.body)
        expect(entry.hash == previous, f"entry {entry.seq} is chained to the one before")
    expect(await journal.entries(session, after=7) == entries[8:], "entries after a sequence are those that follow it")
    expect(await journal.entries(session, after=11) == [], "there is nothing after the last entry")


async def a_large_entry_is_kept_whole(open_journal: Open) -> None:
    journal = await open_journal()
    session = await new_session(journal)
    body = '{"text":"' + "äöü \N{GRINNING FACE} " * 150_000 + '"}'
    await journal.append(session, 1, body, None, PROPOSED)
    expect((await journal.entries(session))[1].body == body, "a body of two megabytes comes back as it was")


async def an_append_names_the_sequence(open_journal: Open) -> None:
    journal = await open_journal()
    session = await new_session(journal)
    for wrong in (0, 2, -1):
        call = journal.append(session, wrong, "{}", f"{wrong}.9", PROPOSED)
        await expect_error(Conflict, call, f"entry {wrong} is not the next")
    expect(len(await journal.entries(session)) == 1, "a refused append writes nothing")
    await journal.append(session, 1, "{}", "2.9", PROPOSED)


async def an_ask_has_one_reply(open_journal: Open) -> None:
    journal = await open_journal()
    session, other = await new_session(journal), await new_session(journal)
    await journal.append(session, 1, '{"first":1}', "3.0", PROPOSED)
    for expected in (1, 2):
        again = journal.append(session, expected, '{"second":1}', "3.0", PROPOSED)
        await expect_error(AlreadyReplied, again, "a second reply to an ask")
    expect(len(await journal.entries(session)) == 2, "a second reply is not written")
    await journal.append(other, 1, "{}", "3.0", PROPOSED)
    for seq in (2, 3):
        await journal.append(session, seq, "{}", None, PROPOSED)  # entries that answer no ask do not get in the way


async def several_entries_are_written_whole_or_not_at_all(open_journal: Open) -> None:
    journal = await open_journal()
    session = await new_session(journal)
    drafts = [('{"n":1}', "1.0"), ('{"n":2}', None), ('{"n":3}', "1.1")]
    written = await journal.extend(session, 1, drafts, PROPOSED)
    entries = await journal.entries(session)
    expect(entries[1:] == written, "entries that are written together come back in order, as extend returned them")
    expect([entry.body for entry in written] == [body for body, _ in drafts], "with the bodies that were given")
    previous = GENESIS
    for entry in entries:
        previous = chain(previous, entry.body)
        expect(entry.hash == previous, f"entry {entry.seq} is chained to the one before, also within one call")
    expect((await listing_of(journal, session)).last == 3, "a list shows the last of them")
    late = journal.extend(session, 4, [("{}", "2.0"), ("{}", "1.1")], PROPOSED)
    await expect_error(AlreadyReplied, late, "where one of them replies a second time, none is written")
    twice = journal.extend(session, 4, [("{}", "2.0"), ("{}", "2.0")], PROPOSED)
    await expect_error(AlreadyReplied, twice, "nor where they reply to one ask twice")
    await expect_error(Conflict, journal.extend(session, 3, [("{}", "2.0")], PROPOSED), "nor at another place")
    expect(len(await journal.entries(session)) == 4, "what was refused is not there")
    await journal.extend(session, 4, [("{}", "2.0"), ("{}", "2.1")], PROPOSED)


async def unknown_sessions_are_named_so(open_journal: Open) -> None:
    journal = await open_journal()
    await expect_error(UnknownSession, journal.entries("nobody"), "entries of an unknown session")
    await expect_error(
        UnknownSession, journal.append("nobody", 1, "{}", None, PROPOSED), "append to an unknown session"
    )
    await expect_error(UnknownSession, journal.lease("nobody", "me", 1), "lease of an unknown session")


async def of_racing_appends_one_wins(open_journal: Open) -> None:
    journals = [await open_journal() for _ in range(4)]
    session = await new_session(journals[0])
    calls = (
        journal.append(session, 1, f'{{"by":{number}}}', f"{number}.0", PROPOSED)
        for number, journal in enumerate(journals)
    )
    results = await asyncio.gather(*calls, return_exceptions=True)
    won = [result for result in results if isinstance(result, Entry)]
    expect(len(won) == 1, "exactly one of several appends of the same entry succeeds")
    expect(sum(isinstance(result, Conflict) for result in results) == 3, "the others get Conflict")
    for journal in journals:
        expect((await journal.entries(session))[1:] == won, "all see the entry of the one that won")


async def who_waits_is_told_of_what_is_written(open_journal: Open) -> None:
    journal, other = await open_journal(), await open_journal()
    session = await new_session(journal)
    for after in (-1, 0):
        call = journal.wait(session, after, 0 if after == 0 else 60)
        await asyncio.wait_for(call, 30)  # at once where there is something, and no longer than was said
    for seq, writer in enumerate((journal, other), start=1):
        waiting = [asyncio.create_task(each.wait(session, seq - 1, 60)) for each in (journal, journal, other)]
        await asyncio.sleep(0.05)  # they are listening by now, or look later
        await writer.append(session, seq, "{}", None, PROPOSED)
        done, late = await asyncio.wait(waiting, timeout=30)
        for task in late:
            task.cancel()
        expect(not late, "whoever waits is told of an entry, whichever process wrote it, before the time is over")
        expect(not any(task.exception() for task in done), "waiting for entries raises nothing")
    waits = asyncio.create_task(journal.wait(session, 2, 60))
    await asyncio.sleep(0.05)
    waits.cancel()
    await asyncio.wait([waits], timeout=30)
    expect(waits.cancelled(), "who waits can be called away")
    await expect_error(UnknownSession, journal.wait("nobody", 0, 1), "wait for an unknown session")


async def a_store_keeps_what_it_has(open_journal: Open) -> None:
    journal = await open_journal()
    session = await new_session(journal, "the problem")
    await journal.append(session, 1, "{}", "1.0", PROPOSED)
    before = await journal.entries(session)
    await journal.close()
    journal = await open_journal()
    expect(await journal.entries(session) == before, "closing and opening again loses nothing")
    expect(await journal.material(digest_text("the problem")) == "the problem", "nor does it lose material")
    await expect_error(AlreadyReplied, journal.append(session, 2, "{}", "1.0", PROPOSED), "asks are remembered")


# Lists and material


async def lists_show_the_newest_first(open_journal: Open) -> None:
    journal = await open_journal()
    middle = await new_session(journal, opened_at=NOW + 1)
    old = await new_session(journal)
    new = await new_session(journal, opened_at=NOW + 2)
    tie = await new_session(journal, opened_at=NOW + 1)
    order = [listed.id for listed in await journal.sessions() if listed.id in (old, middle, new, tie)]
    expect(order == [new, tie, middle, old], "sessions are listed by opening, the newest first")


async def lists_show_where_a_session_stands(open_journal: Open) -> None:
    journal = await open_journal()
    session = f"conformance-{uuid4().hex}"
    await journal.create(session, "protocol", "A title", NOW, "{}", {}, PROPOSED)
    expect(
        await listing_of(journal, session) == Listed(session, "protocol", "A title", NOW, 0, PROPOSED),
        "a new session is listed with the status it was opened with",
    )
    ended = Status("CONCLUDED", 3, "INCONCLUSIVE", "", "APPROVED")
    await journal.append(session, 1, "{}", None, ended)
    expect(
        await listing_of(journal, session) == Listed(session, "protocol", "A title", NOW, 1, ended),
        "an append sets the last sequence and the status; verdict and ruling stay two",
    )


async def a_past_is_there_from_the_beginning(open_journal: Open) -> None:
    journal = await open_journal()
    session = f"conformance-{uuid4().hex}"
    past = [('{"seq":1}', "0.1"), ('{"seq":2}', None), ('{"seq":3}', None), ('{"seq":4}', "3.0")]
    first = await journal.create(session, "protocol", "A title", NOW, '{"opening":1}', {}, PROPOSED, past)
    entries = await journal.entries(session)
    expect(entries[0] == first and first.seq == 0, "create returns entry 0, whatever follows it")
    expect([entry.body for entry in entries[1:]] == [body for body, _ in past], "the past follows it in order")
    expect([entry.seq for entry in entries] == list(range(5)), "the entries of a past are numbered from 1")
    previous = GENESIS
    for entry in entries:
        previous = chain(previous, entry.body)
        expect(entry.hash == previous, f"entry {entry.seq} of a past is chained to the one before")
    listed = Listed(session, "protocol", "A title", NOW, 4, PROPOSED)
    expect(
        await listing_of(journal, session) == listed, "a list shows the last entry of the past, and the status given"
    )
    await expect_error(
        AlreadyReplied, journal.append(session, 5, "{}", "3.0", PROPOSED), "asks of the past have replies"
    )
    await expect_error(Conflict, journal.append(session, 4, "{}", None, PROPOSED), "the past cannot be written again")
    await journal.append(session, 5, "{}", "3.1", PROPOSED)


async def a_past_is_written_whole_or_not_at_all(open_journal: Open) -> None:
    journal = await open_journal()
    session = f"conformance-{uuid4().hex}"
    twice = journal.create(session, "protocol", "", NOW, "{}", {}, PROPOSED, [("{}", "0.0"), ("{}", "0.0")])
    await expect_error(AlreadyReplied, twice, "a past that replies to an ask twice")
    await expect_error(UnknownSession, journal.entries(session), "what is refused leaves no session")
    await journal.create(session, "protocol", "", NOW, "{}", {}, PROPOSED, [("{}", "0.0")])
    again = journal.create(session, "protocol", "", NOW, "{}", {}, PROPOSED, [("{}", "0.0"), ("{}", "0.1")])
    await expect_error(Conflict, again, "a session that exists cannot be created again with a past")
    expect(len(await journal.entries(session)) == 2, "a refused create adds nothing to a past")


async def material_is_kept_by_digest(open_journal: Open) -> None:
    journal = await open_journal()
    texts = ["", "Größe\r\n\tmit \N{GRINNING FACE}", f"{uuid4()}" * 10_000]
    session = await new_session(journal, *texts)
    await new_session(journal, texts[2])
    for text in texts:
        expect(await journal.material(digest_text(text)) == text, "material comes back as it was")
    await expect_error(UnknownMaterial, journal.material(digest_text(f"{uuid4()}")), "a digest that nobody kept")
    wrong = journal.create(f"{session}-2", "protocol", "", NOW, "{}", {digest_text("a"): "b"})
    await expect_error(StoreError, wrong, "material under another text's digest")


CASES: tuple[Case, ...] = (
    the_opening_is_entry_zero,
    an_id_is_opened_once,
    entries_are_chained_and_in_order,
    a_large_entry_is_kept_whole,
    an_append_names_the_sequence,
    an_ask_has_one_reply,
    several_entries_are_written_whole_or_not_at_all,
    unknown_sessions_are_named_so,
    of_racing_appends_one_wins,
    who_waits_is_told_of_what_is_written,
    a_store_keeps_what_it_has,
    lists_show_the_newest_first,
    lists_show_where_a_session_stands,
    a_past_is_there_from_the_beginning,
    a_past_is_written_whole_or_not_at_all,
    material_is_kept_by_digest,
    *LEASE_CASES,
)


async def check(open_journal: Open) -> None:
    """Run every case; the first failure raises Nonconforming with its name."""
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
