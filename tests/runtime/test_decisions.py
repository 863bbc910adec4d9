"""Typed decisions: what a workflow folds is what the journal folds to, and no word of prose is in it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from quorate import catalog
from quorate.codec import decode_entry, encode_entry
from quorate.core.engine import begin, step
from quorate.core.forms import Keyed, Prose
from quorate.core.protocol import Protocol
from quorate.core.record import Envelope
from quorate.core.session import Session
from quorate.core.shapes import Group, Many, PerKey, Shape, Text, shape_of
from quorate.core.types import Absent, Event, Interrupted, Replied, Ruled
from quorate.runtime.budget import Budget, Purse
from quorate.runtime.durable.decisions import decision, event_of
from quorate.verify.options import Choices

PROTOCOLS = ("debate", "review", "council", "workshop", "roundtable")
MOST_EVENTS = 120
WORDS = "SAID-ALOUD"


def _worded(shape: Shape, value: Any, chance: random.Random) -> Any:
    """Put words into every prose of a reply; its marks stay as they are."""
    match shape:
        case Text():
            return Prose(f"{WORDS} {chance.random()} \N{SNOWMAN}")
        case Many(item=item):
            return tuple(_worded(item, each, chance) for each in value)
        case PerKey(item=item):
            return Keyed({key: _worded(item, each, chance) for key, each in value.items()})
        case Group(type=made, fields=fields):
            return made(**{each.name: _worded(each.shape, getattr(value, each.name), chance) for each in fields})
        case _:
            return value


def _walk(protocol: Protocol[Any], seed: int) -> Iterator[tuple[Event, Envelope, Session[Any]]]:
    """Walk through a session by chance: replies of the forms' domains, absences, interruptions, and a ruling."""
    chance, choices = random.Random(seed), Choices(protocol)
    session = begin(protocol).session
    for seq in range(1, MOST_EVENTS):
        event: Event
        if session.conclusion is not None:
            allowed = protocol.rulings.get(session.conclusion.verdict, ())
            if not allowed:
                return
            event = Ruled(allowed[0].name, f"{WORDS} by", f"{WORDS} reason")
        elif protocol.interrupts and chance.random() < 0.03:
            event = Interrupted(chance.choice(sorted(protocol.interrupts, key=lambda each: each.value)))
        else:
            ask = chance.choice(session.open)
            said = choices.of(ask).said
            reply = chance.choice(said)
            if not isinstance(reply, Absent):
                reply = _worded(shape_of(ask.form), reply, chance)
            event = Replied(ask.id, reply)
        envelope = Envelope(
            seq, 1_000 * seq, "a model", chance.randrange(999), seq, chance.choice((None, 0, 7)), 900, 2, f"{WORDS} why"
        )
        yield event, envelope, session
        session = step(protocol, session, event).session
        if isinstance(event, Ruled):
            return


@pytest.mark.parametrize("name", PROTOCOLS)
def test_sessions_folded_from_decisions_are_those_of_the_journal(name: str) -> None:
    concluded = events = 0
    for profile in catalog.profiles(name).values():
        for seed in range(30):
            from_journal = from_decisions = begin(profile).session
            for event, envelope, before in _walk(profile, seed):
                assert from_journal == before
                kept, _ = decode_entry(encode_entry(event, envelope), from_journal.asks)
                text = decision(event, envelope)
                assert WORDS not in text
                taken, _ = event_of(text, from_decisions.asks)
                from_journal = step(profile, from_journal, kept).session
                from_decisions = step(profile, from_decisions, taken).session
                assert from_decisions == from_journal
                assert from_decisions.open == from_journal.open
                events += 1
            concluded += from_decisions.conclusion is not None
    assert events > 100
    assert concluded > 0


def test_a_purse_opened_from_decisions_is_that_of_the_journal() -> None:
    protocol = catalog.build("debate")
    envelopes, decided = list[Envelope](), list[Envelope]()
    for event, envelope, session in _walk(protocol, 3):
        envelopes.append(envelope)
        decided.append(event_of(decision(event, envelope), session.asks)[1])
    of_journal, of_decisions = Purse.of(Budget(), envelopes), Purse.of(Budget(), decided)
    assert of_decisions.spent.tokens > 0
    assert (of_decisions.spent, of_decisions.worked_ms) == (of_journal.spent, of_journal.worked_ms)


def test_a_decision_is_small_however_much_was_said() -> None:
    protocol = catalog.build("debate")
    ask = begin(protocol).session.open[0]
    reply = next(each for each in Choices(protocol).of(ask).said if not isinstance(each, Absent))
    long = _worded(shape_of(ask.form), reply, random.Random(1))
    event = Replied(ask.id, long)
    assert len(decision(event, Envelope(seq=1, detail="x" * 10_000))) < 300
