"""Entries, openings, digests, and reading a journal back."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quorate.codec import (
    canonical,
    decode_entry,
    decode_opening,
    digest_text,
    encode_entry,
    encode_opening,
    protocol_digest,
    read_record,
    reply_from_data,
    reply_to_data,
)
from quorate.codec.chain import Entry
from quorate.core.engine import replay
from quorate.core.errors import RulesChanged, StoreError
from quorate.core.form_values import Measured, Unfit, seal
from quorate.core.forms import Key, Keyed, Prose, Reply
from quorate.core.protocol import Domain, Limits, Protocol, When
from quorate.core.record import Envelope, Opening, Said
from quorate.core.types import Absent, AbsentReason, Ask, AskId, Interrupted, Reason, Replied, Seat
from quorate.protocols.debate.rules.model import (
    Answer,
    Answers,
    Evaluation,
    Outcome,
    Phase,
    Proposal,
    State,
    Summary,
    Synthesis,
    Verdict,
)

EVALUATE = Ask(AskId("4.1"), Seat("judge"), "evaluate-quality", Evaluation)
NAMES = st.text(max_size=12)
COUNTS = st.integers(0, 2**40)

ENVELOPES = st.builds(
    Envelope,
    seq=COUNTS,
    at=COUNTS,
    model=NAMES,
    tokens_in=COUNTS,
    tokens_out=COUNTS,
    cost=COUNTS | st.none(),
    elapsed=COUNTS,
    attempts=COUNTS,
    detail=NAMES,
    unfit=st.lists(st.builds(Unfit, NAMES, NAMES, NAMES, NAMES), max_size=2).map(tuple),
    measured=st.lists(
        st.builds(
            Measured,
            *(NAMES, NAMES, NAMES),
            shares=st.lists(st.tuples(NAMES, st.integers(0, 1_000)), max_size=3).map(tuple),
            seen=st.integers(0, 1_000),
            confidence=st.none() | st.integers(0, 100),
            stated=st.none() | st.integers(0, 100),
        ),
        max_size=2,
    ).map(tuple),
)
EVENTS = st.one_of(
    st.builds(Evaluation, st.builds(Prose, NAMES), st.integers(0, 100)).map(lambda reply: Replied(AskId("4.1"), reply)),
    st.builds(Absent, st.sampled_from(AbsentReason)).map(lambda absent: Replied(AskId("4.1"), absent)),
    st.builds(Interrupted, st.sampled_from(Reason)),
)
OPENINGS = st.builds(
    Opening,
    protocol=NAMES,
    version=NAMES,
    digest=NAMES,
    title=NAMES,
    seed=st.integers(),
    settings=st.dictionaries(NAMES, st.none() | st.booleans() | st.integers() | NAMES | st.lists(NAMES)),
    panel=st.dictionaries(NAMES, NAMES),
    material=st.dictionaries(NAMES, NAMES),
)


@settings(deadline=None)
@given(EVENTS, ENVELOPES)
def test_entries_come_back_as_they_went(event: Replied | Interrupted, envelope: Envelope) -> None:
    body = encode_entry(event, envelope)
    assert decode_entry(body, (EVALUATE,)) == (event, envelope)
    assert body == canonical(json.loads(body)), "the body is canonical JSON"


@settings(deadline=None)
@given(OPENINGS, ENVELOPES)
def test_openings_come_back_as_they_went(opening: Opening, envelope: Envelope) -> None:
    body = encode_opening(opening, envelope)
    assert decode_opening(body) == (opening, envelope)
    assert body == canonical(json.loads(body))


def test_a_body_is_small_and_readable() -> None:
    body = encode_entry(Replied(AskId("4.1"), Evaluation(Prose('Größe\n"x"'), 80)), Envelope(seq=7, at=5, cost=None))
    assert body == ('{"ask":"4.1","at":5,"cost":null,"reply":{"confidence":80,"reason":"Größe\\n\\"x\\""},"seq":7}')
    assert encode_entry(Interrupted(Reason.WISH), Envelope()) == '{"interrupted":"wish"}'
    absent = Replied(AskId("4.1"), Absent(AbsentReason.TIMED_OUT))
    assert encode_entry(absent, Envelope(seq=1)) == '{"absent":"timed_out","ask":"4.1","seq":1}'


def test_details_with_half_a_surrogate_pair_can_be_kept() -> None:
    body = encode_entry(Interrupted(Reason.BUDGET), Envelope(seq=1, detail="cut \ud83d"))
    assert body.encode()
    assert decode_entry(body, ())[1].detail == "cut \ufffd"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ('{"seq":3,"vote":1}', "entry 3 is not an event that this version knows; it has the keys"),
        ('{"seq":3,"ask":"4.1"}', "entry 3 is not an event"),
        ('{"seq":3,"ask":"4.1","absent":[]}', "entry 3 is not an event"),
        ('{"seq":3,"ask":"4.1","absent":"failed","reply":{}}', "entry 3 is not an event"),
        ('{"seq":3,"reply":{"reason":"r","confidence":1}}', "entry 3 is not an event"),
        ('{"seq":3,"ask":"4.1","absent":"asleep"}', "entry 3 is not an event"),
        ('{"seq":3,"interrupted":"whim"}', "entry 3 is not an event"),
        ('{"seq":3,"interrupted":"wish","mood":1}', "entry 3 has the unknown key 'mood'"),
        (
            '{"seq":3,"interrupted":"wish","ask":"4.1"}',
            "entry 3 is not an event that this version knows; it has the keys ask, interrupted, seq",
        ),
        ('{"seq":3,"interrupted":"wish","unfit":"all"}', "entry 3 has 'all' in `unfit`, which is not an object with"),
        ('{"seq":3,"interrupted":"wish","unfit":[{"at":"a"}]}', "entry 3 has {'at': 'a'} in `unfit`, which is not"),
        ('{"seq":3,"interrupted":"wish","measured":"all"}', "entry 3 has 'all' in `measured`, which is not what was"),
        ('{"seq":3,"interrupted":"wish","measured":[{"at":"a"}]}', "entry 3 has [{'at': 'a'}] in `measured`"),
        ('{"seq":3,"interrupted":"wish","at":"noon"}', "entry 3 has 'noon' as its at, which is of the wrong kind"),
        (
            '{"seq":3,"interrupted":"wish","tokens_in":-9}',
            "entry 3 has -9 as its tokens_in, which is not a number from 0",
        ),
        (
            f'{{"seq":3,"interrupted":"wish","cost":1{"0" * 40}}}',
            "entry 3 has a number of more than 30 digits as its cost",
        ),
        ('{"seq":3,"interrupted":"wish","at":1.5}', "entry 3 has 1.5 as its at, which is of the wrong kind"),
        (
            '{"seq":3,"ask":"4.1","reply":{"reason":"r"}}',
            "entry 3 has no valid Evaluation: 'confidence' is unknown or missing",
        ),
        (
            '{"seq":3,"ask":"4.1","reply":{"reason":"r","confidence":1,"mood":2}}',
            "entry 3 has no valid Evaluation: 'mood' is unknown or missing",
        ),
        (
            '{"seq":3,"ask":"4.1","reply":{"reason":"r","confidence":101}}',
            "entry 3 has no valid Evaluation: 101 is not a whole number from 0 to 100",
        ),
        ('{"seq":3,"ask":"4.1","reply":[]}', "entry 3 has no valid Evaluation"),
        (
            '{"seq":3,"ask":"4.1","reply":{"reason":1,"confidence":1}}',
            "entry 3 has no valid Evaluation: 1 is not a text",
        ),
        ("[]", "an entry is not a JSON object"),
        ('{"seq":', "an entry is not valid JSON"),
        ("[" * 100_000, "an entry is not valid JSON"),
    ],
)
def test_what_is_no_entry_is_refused_by_name(body: str, words: str) -> None:
    with pytest.raises(StoreError) as caught:
        decode_entry(body, (EVALUATE,))
    assert str(caught.value).startswith(words)


@pytest.mark.parametrize(
    "change",
    [
        {"mood": 1},
        {"seed": "7"},
        {"seed": True},
        {"title": None},
        {"panel": []},
        {"material": {"a": 1}},
        {"settings": 1},
        {"run": None},
    ],
)
def test_a_strange_opening_is_refused(change: dict[str, Any]) -> None:
    opening = Opening("debate", "1", "d", "t", 7, {}, {}, {})
    data = json.loads(encode_opening(opening, Envelope()))
    data["opening"] |= change
    with pytest.raises(StoreError, match="entry 0"):
        decode_opening(json.dumps(data))
    with pytest.raises(StoreError, match="entry 0 is not an opening"):
        decode_opening('{"interrupted":"wish"}')


def test_nothing_strange_is_written() -> None:
    with pytest.raises(StoreError, match=r"the data.opening.settings.share is 0.5"):
        encode_opening(Opening("debate", "1", "d", "t", 7, {"share": 0.5}, {}, {}), Envelope())
    with pytest.raises(StoreError, match="has the key 1"):
        canonical({1: 2})
    with pytest.raises(StoreError, match="this Proposal cannot be stored: None is not a whole number"):
        reply_to_data(Proposal(Prose("r"), Prose("t")))  # its mark was never computed
    with pytest.raises(StoreError, match="this Evaluation cannot be stored"):
        reply_to_data(Evaluation(Prose("r"), 101))
    with pytest.raises(StoreError, match="this Evaluation cannot be stored"):
        reply_to_data(Evaluation("r", 1))  # type: ignore[arg-type]


def test_prose_that_was_sealed_is_never_written_as_nothing() -> None:
    with pytest.raises(Exception, match="tried to read prose"):
        reply_to_data(seal(Evaluation(Prose("r"), 1)))


def test_keys_come_back_as_keys() -> None:
    reply = Answers(Keyed({Key("q1"): Answer(Prose("NA"), False)}))
    again = reply_from_data(Answers, reply_to_data(reply))
    assert again == reply
    assert all(type(key) is Key for key in again.answers)


# The digest of a protocol


def changed_forms(protocol: Protocol[State], without: type[Reply]) -> dict[type[Reply], Domain]:
    return {form: domain for form, domain in protocol.domains.items() if form is not without}


CHANGES: dict[str, Callable[[Protocol[State]], dict[str, Any]]] = {
    "name": lambda _: {"name": "dispute"},
    "version": lambda _: {"version": "3"},
    "a row": lambda p: {"table": {**p.table, Phase.EVALUATION: {Outcome.CONTINUE: Phase.ROUND_MANAGER}}},
    "where a row leads": lambda p: {"table": {**p.table, Phase.INITIALIZATION: {Outcome.START: Phase.PROPOSAL}}},
    "an interrupt's phase": lambda p: {
        "interrupts": {**p.interrupts, Reason.WISH: replace(p.interrupts[Reason.WISH], to=Phase.ABORTED)}
    },
    "an interrupt's time": lambda p: {
        "interrupts": {**p.interrupts, Reason.WISH: replace(p.interrupts[Reason.WISH], when=When.NOW)}
    },
    "an exit code": lambda p: {"exit_codes": {**p.exit_codes, Verdict.UNJUDGED: 0}},
    "a form": lambda p: {"domains": changed_forms(p, Summary)},
    "a brief's text": lambda p: {"briefs": {**p.briefs, "propose": "Propose!"}},
    "a brief more": lambda p: {"briefs": {**p.briefs, "roles/clown": "You jest."}},
    "a setting": lambda p: {"settings": {**p.settings, "rounds": 9}},
    "a seat": lambda p: {"seats": (*p.seats, Seat("guest"))},
    "a seat of people": lambda p: {"people": frozenset()},
    "a seat of a check": lambda p: {"checks": frozenset({p.seats[0]})},
    "a limit": lambda p: {"limits": Limits(episodes=5)},
    "the first phase": lambda _: {"initial": Phase.CLARIFICATION},
    "an end more": lambda p: {"verdicts": {**p.verdicts, Verdict.FAILED: lambda _: Verdict.FAILED}},
}


@pytest.mark.parametrize("what", CHANGES)
def test_the_digest_covers(what: str, debate: Protocol[State]) -> None:
    assert protocol_digest(replace(debate, **CHANGES[what](debate))) != protocol_digest(debate)


def test_the_digest_covers_fields_bounds_and_marks_of_forms(debate: Protocol[State]) -> None:
    summary = debate.domains[Summary]
    digests = set()
    for form in _variants():
        digests.add(protocol_digest(replace(debate, domains={**changed_forms(debate, Summary), form: summary})))
    assert len(digests) == len(_variants())


def _variants() -> list[type[Reply]]:
    """Forms of one name that differ in one declared thing each."""
    from dataclasses import make_dataclass
    from typing import Annotated

    from quorate.core.forms import AtMost, is_blank, mark

    def form(*fields: Any) -> type[Reply]:
        return make_dataclass("Summary", fields, bases=(Reply,), frozen=True)

    text = ("text", Annotated[Prose, AtMost(100), "the summary"])
    blank = mark(lambda reply: is_blank(reply.text))
    white = mark(lambda reply: is_blank(reply.text))
    note = ("note", Prose)
    return [
        form(text),
        form(("text", Annotated[Prose, AtMost(101), "the summary"])),
        form(("text", Annotated[Prose, AtMost(100), "a summary"])),
        form(text, ("blank", bool, blank)),
        form(text, ("white", bool, white)),
        form(text, note),
        form(note, text),
        form(("text", Keyed[Prose])),
        form(("text", Keyed[bool])),
    ]


def test_the_digest_is_of_what_is_declared_alone(debate: Protocol[State]) -> None:
    """Not of the seed, the functions, or the order in which mappings happen to stand."""
    same = replace(
        debate,
        briefs=dict(reversed(list(debate.briefs.items()))),
        table=dict(reversed(list(debate.table.items()))),
        settings=dict(reversed(list(debate.settings.items()))),
        invariants=(),
        start=State(()),
        progress=lambda _: False,
    )
    assert protocol_digest(same) == protocol_digest(debate)
    assert len(protocol_digest(debate)) == 64


def test_digest_of_a_text() -> None:
    assert digest_text("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


# Reading a journal

Journal = Callable[[Protocol[Any]], list[Entry]]
Rechain = Callable[[list[str]], list[Entry]]


def test_a_journal_folds_into_the_record_of_its_run(
    debate: Protocol[State], journal_of: Journal, material: dict[str, str]
) -> None:
    entries = journal_of(debate)
    record = read_record(debate, entries, material)
    assert record.session.conclusion is not None
    assert record.session.conclusion.verdict is Verdict.SOLUTION
    assert [envelope.seq for envelope in record.envelopes] == list(range(1, len(entries)))
    said = [line for line in record.log if isinstance(line, Said)]
    assert isinstance(said[-1].reply, Synthesis)
    again = replay(debate, [Replied(line.ask.id, line.reply) for line in said])
    assert again.session == record.session


def test_every_prefix_of_a_journal_folds(
    debate: Protocol[State], journal_of: Journal, material: dict[str, str]
) -> None:
    entries = journal_of(debate)
    for end in range(1, len(entries)):
        assert read_record(debate, entries[:end], material).session.open


def test_a_flipped_character_is_found_where_it_is(
    debate: Protocol[State], journal_of: Journal, material: dict[str, str]
) -> None:
    entries = journal_of(debate)
    for seq, entry in enumerate(entries):
        forged = list(entries)
        forged[seq] = replace(entry, body=entry.body.replace('"at":1', '"at":2', 1))
        with pytest.raises(StoreError, match=f"entry {seq} does not match its hash"):
            read_record(debate, forged, material)


def test_missing_swapped_and_absent_entries_are_found(
    debate: Protocol[State], journal_of: Journal, material: dict[str, str]
) -> None:
    entries = journal_of(debate)
    with pytest.raises(StoreError, match="entry 2 is missing; entry 3 is in its place"):
        read_record(debate, entries[:2] + entries[3:], material)
    with pytest.raises(StoreError, match="entry 0 is missing"):
        read_record(debate, entries[1:], material)
    with pytest.raises(StoreError, match="no entries"):
        read_record(debate, [], material)


def test_other_rules_meet_an_old_session_with_a_clear_error(
    debate: Protocol[State],
    make_debate: Callable[..., Protocol[State]],
    journal_of: Journal,
    material: dict[str, str],
) -> None:
    entries = journal_of(debate)
    with pytest.raises(RulesChanged, match="began under other rules of debate"):
        read_record(make_debate(rounds=1), entries, material)
    with pytest.raises(RulesChanged, match="began under version 2 of debate; this is version 3"):
        read_record(replace(debate, version="3"), entries, material)
    with pytest.raises(RulesChanged, match="the session is a debate, not a review"):
        read_record(replace(debate, name="review"), entries, material)


def test_an_entry_that_the_rules_do_not_ask_for_is_named(
    debate: Protocol[State], journal_of: Journal, rechain: Rechain, material: dict[str, str]
) -> None:
    """The chain holds, the declared rules are the same, but a decision would go another way now."""
    bodies = [entry.body for entry in journal_of(debate)]
    bodies[2] = bodies[2].replace('"ask":"', '"ask":"9')
    with pytest.raises(RulesChanged, match="entry 2 answers ask"):
        read_record(debate, rechain(bodies), material)
    twice = [entry.body for entry in journal_of(debate)]
    twice[2] = twice[1].replace('"seq":1', '"seq":2')
    with pytest.raises(RulesChanged, match=r"entry 2 is not possible under these rules: ask .* already has a reply"):
        read_record(debate, rechain(twice), material)


def test_an_entry_in_the_wrong_place_is_named(
    debate: Protocol[State], journal_of: Journal, rechain: Rechain, material: dict[str, str]
) -> None:
    bodies = [entry.body for entry in journal_of(debate)]
    bodies[1], bodies[2] = bodies[2], bodies[1]
    with pytest.raises(StoreError, match="entry 1 says that it is entry 2"):
        read_record(debate, rechain(bodies), material)


def test_other_material_is_refused(debate: Protocol[State], journal_of: Journal, material: dict[str, str]) -> None:
    entries = journal_of(debate)
    with pytest.raises(StoreError, match="the material problem is not the text"):
        read_record(debate, entries, {"problem": "something else"})
    with pytest.raises(StoreError, match="material problem is missing"):
        read_record(debate, entries, {})
    with pytest.raises(StoreError, match="material notes is missing or was not part of it"):
        read_record(debate, entries, material | {"notes": ""})
