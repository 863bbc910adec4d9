"""A small debate, and a journal of a whole run of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from quorate.codec import digest_text, encode_entry, encode_opening, protocol_digest
from quorate.codec.chain import GENESIS, Entry, chain
from quorate.core.protocol import Protocol
from quorate.core.record import Envelope, Opening, Record
from quorate.core.types import Question, Replied
from quorate.kit.settings import read_settings
from quorate.protocols.debate import build
from quorate.protocols.debate.rules.model import DebateSettings, State

MATERIAL = {"problem": "Choose a queue; it must survive a restart."}
BRIEFS = {"roles/architect": "You design.", "roles/security": "You defend.", "propose": "Propose."}


def build_debate(**settings: Any) -> Protocol[State]:
    values: dict[str, Any] = {"agents": ["architect", "security"], "rounds": 2} | settings
    return build(read_settings(DebateSettings, values), BRIEFS, 7)


def opening_of(protocol: Protocol[Any]) -> Opening:
    return Opening(
        protocol=protocol.name,
        version=protocol.version,
        digest=protocol_digest(protocol),
        title="A queue",
        seed=7,
        settings=protocol.settings,
        panel={"architect": "script", "judge": "script"},
        material={name: digest_text(text) for name, text in MATERIAL.items()},
    )


def bodies_of(protocol: Protocol[Any]) -> Iterator[str]:
    """Run the protocol to its end; every seat gives the first reply of its form's domain."""
    opening = opening_of(protocol)
    yield encode_opening(opening, Envelope(at=1_000))
    record = Record(protocol, opening, MATERIAL)
    seq = 1
    while record.session.open:
        ask = record.session.open[-1]
        reply = protocol.domains[ask.form].values(Question(ask.seat, ask.brief, ask.form, ask.keys))[0]
        event, envelope = Replied(ask.id, reply), Envelope(seq=seq, at=1_000 + seq, model="script", tokens_out=9)
        record.take(event, envelope)
        yield encode_entry(event, envelope)
        seq += 1


def chained(bodies: Iterator[str] | list[str]) -> list[Entry]:
    entries, previous = [], GENESIS
    for seq, body in enumerate(bodies):
        previous = chain(previous, body)
        entries.append(Entry(seq, body, previous))
    return entries


@pytest.fixture
def debate() -> Protocol[State]:
    return build_debate()


@pytest.fixture
def make_debate() -> Callable[..., Protocol[State]]:
    return build_debate


@pytest.fixture
def journal_of() -> Callable[[Protocol[Any]], list[Entry]]:
    return lambda protocol: chained(bodies_of(protocol))


@pytest.fixture
def rechain() -> Callable[[list[str]], list[Entry]]:
    """Chain bodies anew, as somebody would who forges a journal with care."""
    return chained


@pytest.fixture
def material() -> dict[str, str]:
    return dict(MATERIAL)
