"""Whole debates with drawn replies: order, replay and the debate's own promises hold in all of them."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.core.engine import begin, replay, step
from quorate.core.forms import Reply
from quorate.core.protocol import Moment, Protocol
from quorate.core.session import Session
from quorate.core.types import Absent, AbsentReason, Ask, Event, Question, Reason, Replied, Replies
from tests.protocols.debate.oracle import with_oracle
from tests.support.debating import THREE, TWO, Table, debate
from tests.support.examples import few

SETTINGS: dict[str, dict[str, Any]] = {
    "three agents": {"agents": THREE, "rounds": 2},
    "convergence": {"agents": TWO, "termination_condition": {"type": "convergence"}},
    "clarifications": {"agents": TWO, "rounds": 1, "interactive_clarifications": True},
    "long texts": {"agents": THREE, "rounds": 3, "summarization": {"threshold": 100}, "retries": 2},
    "limits": {"agents": TWO, "rounds": 2, "max_episodes": 9, "stall_after": 3},
}
seeds = st.integers(0, 10**6)
named = st.sampled_from(sorted(SETTINGS))


def reply_to(protocol: Protocol[Any], ask: Ask, seed: int) -> Reply | Absent:
    """A reply from the form's domain, or an absence; it depends on the ask and the seed, not on the moment."""
    drawn = Random(f"{seed} {ask.id}")
    if drawn.random() < 0.15:
        return Absent(drawn.choice(list(AbsentReason)))
    values = protocol.domains[ask.form].values(Question(ask.seat, ask.brief, ask.form, ask.keys))
    return drawn.choice(values)


def play(protocol: Protocol[Any], replies: int, arrival: Random) -> list[Event]:
    now, events = begin(protocol), list[Event]()
    while now.session.conclusion is None:
        ask = arrival.choice(now.session.open)
        events.append(Replied(ask.id, reply_to(protocol, ask, replies)))
        now = step(protocol, now.session, events[-1])
    return events


@few
@given(named, seeds, seeds)
def test_the_order_of_arrival_changes_nothing(name: str, replies: int, luck: int) -> None:
    """D3."""
    protocol = debate(**SETTINGS[name])
    one = replay(protocol, play(protocol, replies, Random(0)))
    other = replay(protocol, play(protocol, replies, Random(luck)))
    assert repr(one.session) == repr(other.session)
    assert repr(one.moves) == repr(other.moves)


@few
@given(named, seeds)
def test_a_replay_from_any_moment_ends_as_the_run_did(name: str, replies: int) -> None:
    protocol = debate(**SETTINGS[name])
    events = play(protocol, replies, Random(replies))
    end = repr(replay(protocol, events).session)
    for stop in range(0, len(events), 3):
        session = replay(protocol, events[:stop]).session
        for event in events[stop:]:
            session = step(protocol, session, event).session
        assert repr(session) == end


def moments(protocol: Protocol[Any], events: list[Event]) -> list[Moment[Any]]:
    """Every move of a run, with what was asked and heard, as invariants see it."""
    found: list[Moment[Any]] = []
    now = begin(protocol)
    asked: tuple[Ask, ...] = ()
    heard = Replies()
    for event in (None, *events):
        if event is not None:
            before: Session[Any] = now.session
            now = step(protocol, before, event)
            asked = before.asks
            got = dict(before.replies)
            if isinstance(event, Replied):
                got[event.ask] = event.reply
            heard = Replies(tuple((ask, got[ask.id]) for ask in asked if ask.id in got))
        for place, move in enumerate(now.moves):
            last = place == len(now.moves) - 1
            conclusion = now.session.conclusion if last else None
            first = place == 0 and event is not None
            found.append(
                Moment(
                    move.phase,
                    move.before,
                    asked if first else (),
                    heard if first else Replies(),
                    move.outcome,
                    move.to,
                    move.after,
                    conclusion.verdict if conclusion is not None else None,
                    move.outcome if isinstance(move.outcome, Reason) else None,
                    move.facts,
                    conclusion.degradation if conclusion is not None else None,
                )
            )
    return found


@few
@given(named, seeds)
def test_every_promise_of_the_debate_holds_at_every_move(name: str, replies: int) -> None:
    protocol = with_oracle(debate(**SETTINGS[name]))
    for moment in moments(protocol, play(protocol, replies, Random(1))):
        broken = [each.name for each in protocol.invariants if not each.holds(moment)]
        assert not broken, f"{broken} at {moment.phase.name} by {moment.outcome.name}"


@few
@given(named, seeds, st.integers(0, 30), st.sampled_from([Reason.CANCELLED, Reason.BUDGET, Reason.WISH]))
def test_an_interruption_at_any_moment_ends_with_everything_said(name: str, replies: int, at: int, why: Reason) -> None:
    """D26."""
    protocol = debate(**SETTINGS[name])
    events = play(protocol, replies, Random(2))
    heard = events[: min(at, len(events) - 1)]
    table = Table(**SETTINGS[name])
    for event in heard:
        table.take(event)
    table.interrupt(why)
    texts = {seat: len(table.record.said(seat, "propose", "refine")) for seat in protocol.seats}
    table.finish()
    assert table.conclusion is not None
    assert all(len(table.record.said(seat, "propose", "refine")) >= count for seat, count in texts.items())
    if why is not Reason.WISH:
        assert table.conclusion.interrupted is why


@pytest.mark.parametrize("name", sorted(SETTINGS))
def test_every_play_ends_with_a_verdict_that_has_an_exit_code(name: str) -> None:
    protocol = debate(**SETTINGS[name])
    for seed in range(25):
        conclusion = replay(protocol, play(protocol, seed, Random(seed))).session.conclusion
        assert conclusion is not None
        assert conclusion.verdict in protocol.exit_codes
