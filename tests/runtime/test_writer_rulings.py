"""Rulings in the journal: appended after the conclusion, once, in order, and read back under the same rules."""

from __future__ import annotations

from typing import Any

import pytest

from quorate.codec import decode_entry, encode_entry, encode_opening, protocol_digest, read_record
from quorate.core.errors import RulesChanged, RuleViolation, StoreError
from quorate.core.record import Envelope, Opening, Record
from quorate.core.types import AskId, Interrupted, Reason, Replied, Ruled
from quorate.runtime.writer import append
from quorate.store.memory import MemoryJournal
from tests.support.toy import Verdict, Voice, ballot, note, voting

RULES = voting(1, needed=1, most=1, rulings={Verdict.UNDECIDED: (Verdict.WON, Verdict.STOPPED)})
RULED = Ruled("WON", "Ann", "It is good enough")


async def concluded(journal: MemoryJournal) -> Record:
    opening = Opening(RULES.name, RULES.version, protocol_digest(RULES), "A vote", 1, {}, {}, {})
    await journal.create("vote-1", RULES.name, opening.title, 0, encode_opening(opening, Envelope()), {})
    record = Record(RULES, opening, {})
    for event in (Replied(AskId("1.0"), ballot(Voice.NO)), Replied(AskId("2.0"), note())):
        assert await append("vote-1", record, journal, event, Envelope())
    return record


async def standing(journal: MemoryJournal) -> tuple[str, str, str]:
    (listed,) = await journal.sessions()
    return listed.status.verdict, listed.status.ruling, listed.status.waiting


async def test_a_ruling_is_appended_after_the_conclusion() -> None:
    journal = MemoryJournal()
    record = await concluded(journal)
    assert await standing(journal) == ("UNDECIDED", "", "a ruling")
    assert await append("vote-1", record, journal, RULED, Envelope(model="person"))
    assert await standing(journal) == ("UNDECIDED", "WON", "")
    again = read_record(RULES, await journal.entries("vote-1"), {})
    assert again.rulings == record.rulings
    assert again.session == record.session


async def test_the_same_ruling_twice_is_kept_once_and_another_beside_it() -> None:
    journal = MemoryJournal()
    record = await concluded(journal)
    assert await append("vote-1", record, journal, RULED, Envelope())
    assert not await append("vote-1", record, journal, RULED, Envelope())
    assert await append("vote-1", record, journal, Ruled("STOPPED", "Bob", "No"), Envelope())
    assert await standing(journal) == ("UNDECIDED", "STOPPED", "")
    assert [ruling.by for ruling in record.rulings] == ["Ann", "Bob"]


async def test_two_people_who_rule_at_once_are_both_heard() -> None:
    journal = MemoryJournal()
    ann = await concluded(journal)
    bob = read_record(RULES, await journal.entries("vote-1"), {})
    assert await append("vote-1", ann, journal, RULED, Envelope())
    assert await append("vote-1", bob, journal, Ruled("STOPPED", "Bob", "No"), Envelope())
    assert [ruling.by for ruling in bob.rulings] == ["Ann", "Bob"]


async def test_what_the_rules_do_not_allow_is_not_written() -> None:
    journal = MemoryJournal()
    record = await concluded(journal)
    with pytest.raises(RuleViolation):
        await append("vote-1", record, journal, Ruled("UNDECIDED", "Ann", "r"), Envelope())
    assert not await append("vote-1", record, journal, Interrupted(Reason.CANCELLED), Envelope())
    assert not await append("vote-1", record, journal, Replied(AskId("1.0"), ballot(Voice.AYE)), Envelope())
    assert len(await journal.entries("vote-1")) == 3


def test_a_ruling_is_encoded_and_decoded_as_it_is() -> None:
    odd = Ruled("WON", "Ann \u202e", 'a "reason"\nin two lines')
    body = encode_entry(odd, Envelope(seq=3, at=5, model="person"))
    assert decode_entry(body, ()) == (odd, Envelope(seq=3, at=5, model="person"))
    broken = encode_entry(Ruled("WON", "A\ud800", "\0"), Envelope())
    assert decode_entry(broken, ())[0] == Ruled("WON", "A\ufffd", "\ufffd"), "what is no character is replaced"


@pytest.mark.parametrize(
    "body",
    [
        '{"ruled":"WON"}',
        '{"ruled":{"verdict":"WON","by":"A"}}',
        '{"ruled":{"verdict":"WON","by":"A","reason":1}}',
        '{"ruled":{"verdict":"WON","by":"A","reason":"r","more":1}}',
        '{"ruled":{"verdict":"WON","by":"A","reason":"r"},"interrupted":"wish"}',
    ],
)
def test_what_is_no_ruling_is_no_event(body: str) -> None:
    with pytest.raises(StoreError, match="not an event that this version knows"):
        decode_entry(body, ())


async def test_a_journal_with_a_ruling_needs_rules_that_allow_it() -> None:
    journal = MemoryJournal()
    await append("vote-1", await concluded(journal), journal, RULED, Envelope())
    entries = await journal.entries("vote-1")
    with pytest.raises(RulesChanged):
        read_record(voting(1, needed=1, most=1), entries, {})


def test_rulings_are_a_part_of_the_digest() -> None:
    def digest(rulings: Any) -> str:
        return protocol_digest(voting(rulings=rulings))

    one, two = {Verdict.UNDECIDED: (Verdict.WON,)}, {Verdict.UNDECIDED: (Verdict.WON, Verdict.STOPPED)}
    assert len({digest({}), digest(one), digest(two)}) == 3
