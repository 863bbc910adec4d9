"""Bundles of sessions of all five protocols that went any way at all: random replies, absences and interruptions."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from random import Random
from typing import Any

from quorate import catalog
from quorate.codec import canonical, digest_text, encode_entry, encode_opening, protocol_digest
from quorate.codec.chain import GENESIS, Entry, chain
from quorate.core.protocol import Protocol
from quorate.core.record import Envelope, Opening, Record
from quorate.core.types import Absent, AbsentReason, Ask, Event, Interrupted, Question, Replied
from quorate.evidence.bundle import make_bundle
from quorate_verifier import verify
from tests.support.committee import CHANGE, CLAIMS
from tests.support.council_words import rfc
from tests.support.roundtables import DOCUMENTS, TOPIC
from tests.support.workshops import PLAIN
from tests.verifier.drawn import drawn

MATERIAL = {
    "debate": {"problem": "# How do we shard the ledger?", "context": ""},
    "review": {"change": CHANGE, "checks": "{}", "claims": json.dumps(CLAIMS)},
    "council": {"rfc": json.dumps(rfc()), "gates": "{}"},
    "workshop": {"topic": "# An audit log", "agenda": json.dumps(PLAIN)},
    "roundtable": {"topic": TOPIC, "documents": json.dumps(DOCUMENTS), "meta": "{}"},
}
PROTOCOLS = tuple(MATERIAL)
_LONG = {"max_rounds": 10, "max_rounds_per_conflict": 4, "confidence_below": 20}
MORE: dict[str, dict[str, dict[str, Any]]] = {
    "workshop": {
        "the roster of its workflow": {"workflow": "specs", "min_rounds": 1, **_LONG},
        "three, interactive, a high threshold": {
            **{"workflow": "brainstorm", "participants": ["qa-lead", "technical-lead", "software-architect"], **_LONG},
            **{"min_rounds": 2, "conclude_on": "required", "threshold": 80, "interactive": True, "escalate_on": "any"},
        },
    },
    "roundtable": {"many turns": {"max_turns": 25, "max_elaborations": 3, "free_moves": 2, "documents": 3}},
}
"""Settings beside those that a protocol is proven under: larger tables, longer sessions."""


@cache
def built(protocol: str, profile: str) -> Protocol[Any]:
    """Build a protocol under one of its profiles, once."""
    known = {**catalog.definition(protocol).profiles, **MORE.get(protocol, {})}
    return catalog.build(protocol, known[profile], seed=7)


def profiles(protocol: str) -> list[str]:
    """The names of the settings that sessions are played under."""
    return sorted({**catalog.definition(protocol).profiles, **MORE.get(protocol, {})})


def bundle_of(
    name: str,
    profile: str,
    seed: int,
    absent: float = 0.06,
    stopped: float = 0.015,
    *,
    freely: bool = False,
    most: int = 160,
) -> dict[str, Any]:
    """Play one session to its end, or until it has gone on for long, and return its bundle.

    `freely` draws replies from all that the forms allow, instead of the domains of the proofs; `most` is how many
    entries it may have.
    """
    protocol, chance, material = built(name, profile), Random(seed), MATERIAL[name]
    digests = {each: digest_text(text) for each, text in material.items()}
    panel = {str(seat): "script" for seat in protocol.seats}
    opening = Opening(name, protocol.version, protocol_digest(protocol), "Played", 7, protocol.settings, panel, digests)
    opening = replace(
        opening, session=f"{name}-{seed}", briefs={each: digest_text(text) for each, text in protocol.briefs.items()}
    )
    record = Record(protocol, opening, material)
    body = encode_opening(opening, Envelope())
    entries = [Entry(0, body, chain(GENESIS, body))]
    while record.session.conclusion is None and len(entries) < most:
        event, envelope = _event(record, chance, absent, stopped, freely), Envelope(seq=len(entries), at=len(entries))
        body = encode_entry(event, envelope)
        record.take(event, envelope)
        entries.append(Entry(len(entries), body, chain(entries[-1].hash, body)))
    return make_bundle(record, entries, opening.session, fates=catalog.definition_of(opening).fates)


def unfinished(protocol: str) -> dict[str, Any]:
    """Return the bundle of a session that was left after its first reply."""
    made = (bundle_of(protocol, profiles(protocol)[0], seed, 0, 0, most=2) for seed in range(100))
    return next(each for each in made if each["verdict"] is None)


def _event(record: Record, chance: Random, absent: float, stopped: float, freely: bool) -> Event:
    if chance.random() < stopped:
        return Interrupted(chance.choice(sorted(record.protocol.interrupts, key=lambda reason: reason.value)))
    ask: Ask = chance.choice(record.session.open)
    if chance.random() < absent:
        return Replied(ask.id, Absent(chance.choice(list(AbsentReason))))
    if freely:
        return Replied(ask.id, drawn(ask, chance))
    replies = record.protocol.domains[ask.form].values(Question(ask.seat, ask.brief, ask.form, ask.keys))
    return Replied(ask.id, record.marked(ask, chance.choice(replies)))


def resealed(bundle: dict[str, Any]) -> dict[str, Any]:
    """Let a careful forger seal a changed bundle: sequence, chain, head, and what the transcript repeats."""
    before, told = GENESIS, {each["ask"]: each for each in bundle["transcript"]}
    for seq, entry in enumerate(bundle["entries"]):
        entry["seq"] = seq
        if seq:
            entry["body"]["seq"] = seq
        entry["hash"] = before = chain(before, canonical(entry["body"]))
        line = told.get(entry["body"].get("ask"))
        if line is not None:
            line |= {name: entry["body"][name] for name in ("reply", "absent") if name in entry["body"]} | {"seq": seq}
    bundle["seal"] |= {"head": before, "entries": len(bundle["entries"])}
    return bundle


def found_at(bundle: dict[str, Any]) -> list[str]:
    """The places at which the verifier finds a difference."""
    return [each.place for each in verify(bundle).differences]
