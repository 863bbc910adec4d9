"""Whole sessions of every protocol under hostile ballots: one vote for each seat and ask, and rules that stay put."""

from __future__ import annotations

from collections import Counter
from functools import cache
from importlib import import_module
from typing import Any

from fuzzing.draws import Draws
from quorate import catalog
from quorate.codec import Malformed, decode_entry, encode_entry, parse_reply, protocol_digest
from quorate.core.engine import begin, replay, step
from quorate.core.errors import RuleViolation
from quorate.core.form_values import seal, with_marks
from quorate.core.protocol import Moment, Protocol
from quorate.core.record import Envelope
from quorate.core.session import Cause, Move, Session
from quorate.core.shapes import shape_of
from quorate.core.types import Absent, AbsentReason, Ask, AskId, Event, Interrupted, Question, Reason, Replied, Replies

MOST_EVENTS = 60
FROM_OUTSIDE = tuple(reason for reason in Reason if reason not in (Reason.STALL, Reason.EPISODES))


@cache
def protocols() -> tuple[Protocol[Any], ...]:
    """Return every protocol with the oracle of its tests, which states its rules a second time."""
    names = sorted(catalog.definitions())
    return tuple(import_module(f"tests.protocols.{name}.oracle").with_oracle(catalog.build(name, {})) for name in names)


@cache
def digests() -> dict[str, str]:
    return {protocol.name: protocol_digest(protocol) for protocol in protocols()}


def a_session(data: bytes) -> None:
    """No ballot counts twice, a refused one changes nothing, invariants hold, and the rules are the same afterwards."""
    draws = Draws(data)
    protocol = draws.pick(protocols())
    session = begin(protocol).session
    events: list[Event] = []
    counted: Counter[AskId] = Counter()
    for _ in range(MOST_EVENTS):
        if session.conclusion is not None or not draws.left:
            break
        before = session
        event = _event(draws, protocol, session)
        try:
            after = step(protocol, session, event)
        except RuleViolation:
            assert session == before
            continue
        if isinstance(event, Replied):
            counted[event.ask] += 1
            assert counted[event.ask] == 1, f"{event.ask} of a {protocol.name} counted twice"
            assert event.ask in {ask.id for ask in before.open}
            _refuses_again(protocol, after.session, event)
            kept = encode_entry(event, Envelope(seq=len(events)))
            assert decode_entry(kept, before.asks)[0] == event
        for number, move in enumerate(after.moves):
            first = number == 0
            asks, heard = (before.asks, _heard(before, event)) if first else ((), Replies())
            _check(protocol, move, asks, heard, after.session)
        events.append(event)
        session = after.session
    assert replay(protocol, events).session == session
    assert protocol_digest(protocol) == digests()[protocol.name], f"the rules of a {protocol.name} have changed"


def _event(draws: Draws, protocol: Protocol[Any], session: Session[Any]) -> Event:
    match draws.byte() % 16:
        case 0:
            # The others are the engine's own to find.
            return Interrupted(draws.pick([each for each in FROM_OUTSIDE if each in protocol.interrupts]))
        case 1:
            ask = draws.pick(session.asks)  # maybe answered already
            return Replied(ask.id, Absent(draws.pick(list(AbsentReason))))
        case 2:
            return Replied(AskId(draws.pick(("0.0", "99.0", "", "x", draws.text(6)))), Absent(AbsentReason.SILENT))
        case 3:
            ask, other = draws.pick(session.asks), draws.pick(session.asks)
            return Replied(other.id, _said(draws, protocol, ask))
        case _:
            ask = draws.pick(session.open)
            return Replied(ask.id, _said(draws, protocol, ask))


def _said(draws: Draws, protocol: Protocol[Any], ask: Ask) -> Any:
    """What a hostile seat says: data of its own where it fits the form, else a reply that the protocol expects."""
    made = draws.shaped(shape_of(ask.form), ask.keys, odd=1)
    try:
        return parse_reply(ask, made if isinstance(made, dict) else {})
    except Malformed:
        values = protocol.domains[ask.form].values(Question(ask.seat, ask.brief, ask.form, ask.keys))
        return with_marks(draws.pick(values)) if values else Absent(AbsentReason.MALFORMED)


def _refuses_again(protocol: Protocol[Any], session: Session[Any], event: Event) -> None:
    try:
        step(protocol, session, event)
    except RuleViolation:
        return
    raise AssertionError(f"a {protocol.name} took the same reply twice")


def _heard(before: Session[Any], event: Event) -> Replies:
    """All replies of a phase, this one included, as decisions see them."""
    heard = dict(before.replies)
    if isinstance(event, Replied):
        heard[event.ask] = event.reply if isinstance(event.reply, Absent) else seal(event.reply)
    return Replies(tuple((ask, heard[ask.id]) for ask in before.asks if ask.id in heard))


def _check(protocol: Protocol[Any], move: Move, asks: tuple[Ask, ...], heard: Replies, after: Session[Any]) -> None:
    end = after.conclusion if after.conclusion is not None and after.conclusion.phase is move.to else None
    moment = Moment(
        move.phase,
        move.before,
        asks,
        heard,
        move.outcome,
        move.to,
        move.after,
        None if end is None else end.verdict,
        move.outcome if isinstance(move.outcome, Reason) and move.cause is Cause.INTERRUPTED else None,
        move.facts,
        None if end is None else end.degradation,
    )
    for invariant in protocol.invariants:
        assert invariant.holds(moment), f"{protocol.name} broke {invariant.name} ({invariant.rule})"
