"""Evidence knows no protocol by name: a vote that settles early, with tallies, and no template of its own."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from jsonschema import Draft202012Validator

from quorate.codec import encode_entry, encode_opening, protocol_digest
from quorate.codec.chain import GENESIS, Entry, chain
from quorate.core.decisions import Decision, Fact
from quorate.core.protocol import Protocol
from quorate.core.record import Envelope, Opening, Record
from quorate.core.session import Cause
from quorate.core.types import AskId, Event, Replied, Replies
from quorate.evidence.bundle import check_bundle, make_bundle, schema
from quorate.evidence.explain import explain
from quorate.evidence.report import GENERIC, html, markdown
from tests.support.toy import Ballot, Count, Voice, ballot, voting


def play(protocol: Protocol[Any], *events: Event) -> tuple[Record, list[Entry]]:
    opening = Opening(protocol.name, protocol.version, protocol_digest(protocol), "A vote", 1, {}, {}, {})
    record, bodies = Record(protocol, opening, {}), [encode_opening(opening, Envelope())]
    for seq, event in enumerate(events, start=1):
        record.take(event, Envelope(seq=seq))
        bodies.append(encode_entry(event, Envelope(seq=seq)))
    entries: list[Entry] = []
    for seq, body in enumerate(bodies):
        entries.append(Entry(seq, body, chain(entries[-1].hash if entries else GENESIS, body)))
    return record, entries


def aye(ask: str) -> Replied:
    return Replied(AskId(ask), ballot(Voice.AYE))


def test_an_early_settlement_says_so_and_whom_it_did_not_hear() -> None:
    protocol = voting(settles=True)
    record, entries = play(protocol, aye("1.0"), aye("1.2"))
    move = next(move for move in explain(record) if move.phase == "VOTE")
    assert move.cause is Cause.SETTLED
    assert [(heard.seat, heard.answer) for heard in move.heard] == [
        ("voter-1", "replied"),
        ("voter-2", "withdrawn"),
        ("voter-3", "replied"),
    ]
    assert {row.outcome: row.why for row in move.others} == {
        "AGAIN": "not reached, because T1 (ayes 2 >= needed 2) held before",
        "WRAPPED": "not reached, because T1 (ayes 2 >= needed 2) held before",
    }
    bundle = make_bundle(record, entries, "vote-1")
    assert Draft202012Validator(schema()).is_valid(bundle)
    assert check_bundle(bundle, protocol) == []
    assert bundle["transcript"][1]["status"] == "withdrawn"


def test_tallies_are_the_facts_of_that_name() -> None:
    plain = voting()

    def counted(state: Count, replies: Replies) -> Decision[Count]:
        ayes = sum(isinstance(reply, Ballot) and reply.voice is Voice.AYE for _, reply in replies)
        made = next(iter([node.decide for phase, node in plain.nodes.items() if phase.name == "VOTE"]))(state, replies)
        return replace(made, facts=(*made.facts, Fact.of("tally", ayes=ayes, of=len(replies), carried=ayes >= 2)))

    protocol = voting(decide=counted)
    record, entries = play(protocol, aye("1.0"), aye("1.1"), aye("1.2"))
    bundle = make_bundle(record, entries, "vote-1")
    assert [each["values"] for each in bundle["tallies"]] == [{"ayes": 3, "of": 3, "carried": True}]
    assert bundle["tallies"][0]["phase"] == "VOTE"
    assert check_bundle(bundle, protocol) == []


def test_a_protocol_without_a_template_gets_a_whole_report() -> None:
    record, entries = play(voting(), aye("1.0"), aye("1.1"), aye("1.2"))
    text = markdown(record, GENERIC, "vote-1", entries[-1].hash)
    assert text.startswith("# WON: A vote\n")
    assert "### VOTE, round 1: voter-2 on vote" in text
    assert "**voice**\n\n> aye" in text
    assert "T1 (ayes 3 >= needed 2)" in text
    assert "<h1>WON: A vote</h1>" in html(text)
