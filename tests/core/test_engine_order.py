"""Whatever the replies, the order in which they arrive changes nothing, and a replay ends where the run did."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.core.engine import begin, replay, step
from quorate.core.protocol import Limits, Protocol
from quorate.core.session import Step
from quorate.core.types import Absent, AbsentReason, Ask, Event, Interrupted, Reason, Replied
from tests.support.examples import few, modest
from tests.support.toy import Ballot, Note, Voice, ballot, note, voting

SETTINGS: dict[str, dict[str, Any]] = {
    "plain": {},
    "settles": {"seats": 4, "settles": True, "needed": 3},
    "limits": {"limits": Limits(episodes=9, stall=4), "most": 9},
    "one seat": {"seats": 1, "needed": 1},
}


def reply_to(ask: Ask, seed: int) -> Ballot | Note | Absent:
    """The reply of this seat to this ask: drawn from the seed, not from the moment."""
    drawn = Random(f"{seed} {ask.id} {ask.seat}")
    if drawn.random() < 0.3:
        return Absent(drawn.choice(list(AbsentReason)))
    if ask.form is Note:
        return note()
    return ballot(drawn.choice(list(Voice)), *drawn.sample(ask.keys, drawn.randint(0, 2)))


def play(protocol: Protocol[Any], replies: int, arrival: Random) -> tuple[list[Event], Step[Any]]:
    """Play to the end; who is next among those asked is a matter of luck."""
    now, events = begin(protocol), list[Event]()
    while now.session.conclusion is None:
        ask = arrival.choice(now.session.open)
        events.append(Replied(ask.id, reply_to(ask, replies)))
        now = step(protocol, now.session, events[-1])
    return events, now


@modest
@given(st.integers(0, 10**6), st.integers(0, 10**6), st.sampled_from([name for name in SETTINGS if name != "settles"]))
def test_the_order_of_arrival_changes_nothing(replies: int, luck: int, name: str) -> None:
    one, first = play(voting(**SETTINGS[name]), replies, Random(0))
    other, second = play(voting(**SETTINGS[name]), replies, Random(luck))
    assert repr(first.session) == repr(second.session)
    protocol = voting(**SETTINGS[name])
    assert repr(replay(protocol, one).moves) == repr(replay(protocol, other).moves)


@modest
@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_settling_early_takes_the_same_rows_in_any_order(replies: int, luck: int) -> None:
    """Where a phase settles, what was heard may differ; the outcomes may not."""
    protocol = voting(**SETTINGS["settles"])
    patient = voting(**{**SETTINGS["settles"], "settles": False})
    hasty, _ = play(protocol, replies, Random(luck))
    waited, _ = play(patient, replies, Random(0))

    def path(which: Protocol[Any], events: list[Event]) -> list[Any]:
        return [(move.phase, move.outcome, move.to) for move in replay(which, events).moves]

    assert path(protocol, hasty) == path(patient, waited)


@modest
@given(st.integers(0, 10**6), st.integers(0, 10**6), st.sampled_from(sorted(SETTINGS)))
def test_a_replay_ends_where_the_run_did(replies: int, luck: int, name: str) -> None:
    protocol = voting(**SETTINGS[name])
    events, end = play(protocol, replies, Random(luck))
    for stop in range(len(events) + 1):
        resumed = replay(protocol, events[:stop])
        for event in events[stop:]:
            resumed = step(protocol, resumed.session, event)
        assert repr(resumed.session) == repr(end.session)


@few
@given(st.integers(0, 10**6), st.integers(0, 12), st.sampled_from(sorted(set(Reason) - {Reason.ESCALATION}, key=str)))
def test_wherever_an_interruption_comes_nothing_heard_is_lost(replies: int, moment: int, reason: Reason) -> None:
    protocol = voting(most=4)
    events, _ = play(protocol, replies, Random(1))
    heard = events[: min(moment, len(events) - 1)]
    session = replay(protocol, [*heard, Interrupted(reason)]).session
    while session.conclusion is None:
        ask = session.open[0]
        event = Replied(ask.id, Absent(AbsentReason.SILENT) if ask.form is Ballot else note())
        heard.append(event)
        session = step(protocol, session, event).session
    ballots = sum(isinstance(event, Replied) and isinstance(event.reply, Ballot) for event in heard)
    assert session.state.ayes + session.state.noes == ballots


@pytest.mark.parametrize("name", sorted(SETTINGS))
def test_every_play_ends(name: str) -> None:
    for seed in range(100):
        _, end = play(voting(**SETTINGS[name]), seed, Random(seed))
        assert end.session.conclusion is not None
