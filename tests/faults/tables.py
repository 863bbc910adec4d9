"""What is deliberated in a world: the five protocols with small settings, and what every ask is going to be answered.

The reply to an ask is drawn from the form's own domain by the world's seed and the ask alone. So every run of a world
gets the same replies, whatever happens to it, and `undisturbed` tells without clock, store or calls how it must end.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any, assert_never

from quorate import catalog
from quorate.api.answers import offer_of
from quorate.codec import Malformed, digest_text, parse_reply, protocol_digest
from quorate.core.engine import check_reply
from quorate.core.errors import RuleViolation
from quorate.core.forms import Reply
from quorate.core.protocol import Protocol
from quorate.core.record import PERSON, Envelope, Opening, Record
from quorate.core.shapes import Choice, Flag, Group, Many, Number, OneKey, PerKey, Shape, Text, shape_of
from quorate.core.types import Absent, Ask, Question, Replied
from quorate.kit.offers import CHOICE
from tests.support.committee import CHANGE, CLAIMS
from tests.support.council_words import rfc
from tests.support.debating import PROBLEM
from tests.support.filling import fill
from tests.support.roundtables import DOCUMENTS, TOPIC
from tests.support.workshops import agenda, topic

MOST_EVENTS = 300
"""Entries of an undisturbed session; a world whose replies lead further than that would take long to drive."""

Replying = Callable[[Ask], Reply]
"""What a seat is going to say to an ask."""


@dataclass(frozen=True, slots=True)
class Table:
    """A protocol as a world has it: its settings and what it is about."""

    name: str
    settings: Mapping[str, Any]
    material: Mapping[str, str]


_DEBATE = {"problem": PROBLEM, "context": "A shop in one country."}
_REVIEW = {"change": CHANGE, "checks": "{}", "claims": json.dumps(CLAIMS)}
_COUNCIL = {"rfc": json.dumps(rfc(tickets=2)), "gates": "{}"}
_WORKSHOP = {
    "topic": "# An audit log",
    "agenda": json.dumps(agenda(topic("first", 1, "REQ", critical=True), topic("second"))),
}
_ROUNDTABLE = {"topic": TOPIC, "documents": json.dumps(DOCUMENTS), "meta": "{}"}
_PAIR = ["software-architect", "technical-lead"]

TABLES: tuple[Table, ...] = (
    Table("debate", {"agents": ["architect", "security"], "rounds": 1}, _DEBATE),
    Table(
        "debate",
        {"agents": ["architect", "security", "testing"], "rounds": 2, "termination_condition": {"type": "convergence"}},
        _DEBATE,
    ),
    Table("review", {"members": ["engineering-architect", "operations-sre"]}, _REVIEW),
    Table("review", {"members": ["engineering-architect", "knowledge-manager", "operations-sre"]}, _REVIEW),
    Table("council", {}, _COUNCIL),
    Table("workshop", {"participants": _PAIR, "strategy": "standard", "min_rounds": 1, "max_rounds": 3}, _WORKSHOP),
    Table("workshop", {"participants": _PAIR, "strategy": "disney", "min_rounds": 1, "max_rounds": 4}, _WORKSHOP),
    Table("roundtable", {"phase": "01-requirements", "step": "01-03"}, _ROUNDTABLE),
)


@cache
def built(table: int, seed: int) -> Protocol[Any]:
    """Build the protocol of a table."""
    return catalog.build(TABLES[table].name, TABLES[table].settings, seed=seed)


@cache
def _digest(table: int, seed: int) -> str:
    return protocol_digest(built(table, seed))


def opening_of(table: int, seed: int, session: str) -> tuple[Opening, dict[str, str]]:
    """Return a session's opening, and every text that its store has to keep, by digest."""
    protocol, texts = built(table, seed), TABLES[table].material
    opening = Opening(
        session=session,
        protocol=protocol.name,
        version=protocol.version,
        digest=_digest(table, seed),
        title=f"{protocol.name} of world {seed}",
        seed=seed,
        settings=dict(protocol.settings),
        panel={str(seat): PERSON if seat in protocol.people else f"simulated:{seat}" for seat in protocol.seats},
        material={name: digest_text(text) for name, text in texts.items()},
        briefs={name: digest_text(text) for name, text in protocol.briefs.items()},
    )
    return opening, {digest_text(text): text for text in (*texts.values(), *protocol.briefs.values())}


def replying(record: Record, seed: int) -> Replying:
    """Return what gives the usable reply that this world has for an ask, as it comes back from a wire or a person."""

    def reply(ask: Ask) -> Reply:
        chance = Random(f"reply {seed} {ask.id} {ask.seat} {ask.brief}")
        question = Question(ask.seat, ask.brief, ask.form, ask.keys)
        values = record.protocol.domains[ask.form].values(question)
        for drawn in (chance.choice(values) for _ in range(20)):
            data = written(drawn)
            offer = offer_of(record, ask)
            if offer is not None and (data.get(CHOICE) not in offer.does or offer.lacks(data)):
                continue
            while offer is not None and (beside := offer.misplaced(data)):
                data[beside[0]] = ""  # a person leaves blank what another choice asks for
            try:
                read = parse_reply(ask, data)
                check_reply(ask, read)
            except (Malformed, RuleViolation):
                continue
            return read
        return fill(ask)

    return reply


def written(reply: Reply) -> dict[str, Any]:
    """Return a reply as a participant writes it: plain data without the marks, which are made where it is read."""
    data: dict[str, Any] = _written(shape_of(type(reply)), reply)
    return data


def _written(shape: Shape, value: Any) -> Any:
    match shape:
        case Text() | OneKey():
            return str(value)
        case Choice():
            return value.value
        case Many(item):
            return [_written(item, each) for each in value]
        case PerKey(item):
            return {str(key): _written(item, each) for key, each in value.items()}
        case Group(fields=fields):
            return {each.name: _written(each.shape, getattr(value, each.name)) for each in fields if each.mark is None}
        case Flag() | Number():
            return value
    assert_never(shape)


def undisturbed(
    table: int, seed: int, absent: Callable[[Ask], Absent | None], order: Sequence[str] | None = None
) -> Record:
    """Return the record of the run in which nothing is late, lost or in the way: the pure core and nothing else.

    `absent` tells the asks that get no usable reply, whatever is done about it. Asks are answered as they are asked,
    or in an order of their ids; an order that does not fit ends early.
    """
    opening, _ = opening_of(table, seed, "undisturbed")
    record = Record(built(table, seed), opening, TABLES[table].material)
    reply = replying(record, seed)
    while record.session.conclusion is None and len(record.envelopes) < (MOST_EVENTS if order is None else len(order)):
        wanted = record.session.open[0].id if order is None else order[len(record.envelopes)]
        ask = next((ask for ask in record.session.open if ask.id == wanted), None)
        if ask is None:
            break
        gone = absent(ask)
        kept = gone if gone is not None else record.marked(ask, reply(ask))
        record.take(Replied(ask.id, kept), Envelope(seq=len(record.envelopes) + 1))
    return record
