"""Interruptions lose nothing; episodes and stalls are counted by the engine."""

from __future__ import annotations

import pytest

from quorate.core.engine import begin, replay, step
from quorate.core.protocol import Limits, Protocol
from quorate.core.session import Cause, Conclude, Session, Withdraw
from quorate.core.types import Absent, AbsentReason, AskId, Event, Interrupted, Reason, Replied, Seat
from tests.support.toy import CLERK, Ballot, Count, Outcome, Phase, Verdict, Voice, ballot, note, voting

AYE, NO = Voice.AYE, Voice.NO
GONE = Absent(AbsentReason.TIMED_OUT)


def votes(entry: int, *voices: Voice | Absent) -> list[Event]:
    """The replies of a whole vote, in the order of the seats."""
    replies = [voice if isinstance(voice, Absent) else ballot(voice) for voice in voices]
    return [Replied(AskId(f"{entry}.{index}"), reply) for index, reply in enumerate(replies)]


def after(protocol: Protocol[Count], *events: Event) -> Session[Count]:
    return replay(protocol, events).session


# Now


def test_now_leaves_at_once_withdraws_and_keeps_what_was_heard() -> None:
    protocol = voting(4)
    session = after(protocol, *votes(1, AYE, NO, GONE)[:3])
    stopped = step(protocol, session, Interrupted(Reason.BUDGET))
    assert stopped.session.phase is Phase.WRAP_UP
    assert (stopped.session.state.ayes, stopped.session.state.noes, stopped.session.state.missing) == (1, 1, 1)
    assert stopped.effects[0] == Withdraw(AskId("1.3"))
    assert [ask.seat for ask in stopped.session.open] == [CLERK]
    (move,) = stopped.moves
    assert (move.phase, move.outcome, move.to, move.cause) == (
        Phase.VOTE,
        Reason.BUDGET,
        Phase.WRAP_UP,
        Cause.INTERRUPTED,
    )


def test_now_may_lead_straight_to_a_verdict() -> None:
    protocol = voting()
    stopped = step(protocol, after(protocol, votes(1, AYE)[0]), Interrupted(Reason.CANCELLED))
    assert stopped.session.conclusion is not None
    assert (stopped.session.conclusion.verdict, stopped.session.conclusion.interrupted) == (
        Verdict.STOPPED,
        Reason.CANCELLED,
    )
    assert stopped.session.state.ayes == 1
    assert isinstance(stopped.effects[-1], Conclude)


def test_a_withdrawn_ask_takes_no_reply() -> None:
    protocol = voting()
    session = after(protocol, Interrupted(Reason.BUDGET))
    with pytest.raises(Exception, match="not open in WRAP_UP"):
        step(protocol, session, votes(1, AYE)[0])


@pytest.mark.parametrize("when", range(4))
def test_at_any_moment_the_replies_already_in_are_counted(when: int) -> None:
    protocol = voting(4)
    events = votes(1, AYE, NO, NO, AYE)[:when]
    session = after(protocol, *events, Interrupted(Reason.BUDGET))
    assert session.state.ayes + session.state.noes == when


# After the phase


def test_after_the_phase_waits_until_everybody_was_heard() -> None:
    protocol = voting()
    wished = step(protocol, after(protocol, votes(1, AYE)[0]), Interrupted(Reason.WISH))
    assert (wished.session.phase, wished.effects, wished.moves) == (Phase.VOTE, (), ())
    assert len(wished.session.open) == 2
    _, *others = votes(1, AYE, NO, NO)
    session = after(protocol, votes(1, AYE)[0], Interrupted(Reason.WISH), *others)
    assert (session.phase, session.interrupted, session.pending) == (Phase.WRAP_UP, Reason.WISH, None)
    assert (session.state.ayes, session.state.noes, session.state.votes) == (1, 2, 1)


def test_after_the_phase_the_decision_is_made_and_recorded_first() -> None:
    events = [Interrupted(Reason.WISH), *votes(1, AYE, NO, NO)]
    moves = replay(voting(), events).moves
    assert [(move.outcome, move.cause) for move in moves] == [
        (Outcome.START, Cause.DECIDED),
        (Outcome.AGAIN, Cause.DECIDED),
        (Reason.WISH, Cause.INTERRUPTED),
    ]
    assert [move.entry for move in moves] == [0, 1, 2]


def test_a_verdict_reached_by_the_phase_itself_stands() -> None:
    session = after(voting(), Interrupted(Reason.WISH), *votes(1, AYE, AYE, NO))
    assert session.conclusion is not None
    assert (session.conclusion.verdict, session.conclusion.interrupted) == (Verdict.WON, None)


def test_where_the_phase_leads_there_anyway_the_session_is_marked_and_nothing_is_counted_twice() -> None:
    session = after(voting(most=1), Interrupted(Reason.WISH), *votes(1, AYE, NO, NO))
    assert (session.phase, session.interrupted) == (Phase.WRAP_UP, Reason.WISH)
    assert (session.state.ayes, session.state.noes, session.state.votes) == (1, 2, 1)


def test_in_the_phase_it_leads_to_a_wish_changes_nothing() -> None:
    protocol = voting(most=1)
    session = after(protocol, *votes(1, NO, NO, NO))
    assert session.phase is Phase.WRAP_UP
    assert step(protocol, session, Interrupted(Reason.WISH)).session is session


def test_settlement_and_a_waiting_wish_go_together() -> None:
    protocol = voting(3, settles=True)
    session = after(protocol, Interrupted(Reason.WISH), *votes(1, AYE, AYE))
    assert session.conclusion is not None
    assert session.conclusion.verdict is Verdict.WON


# Twice, and one after the other


@pytest.mark.parametrize("reason", [Reason.BUDGET, Reason.EPISODES, Reason.STALL, Reason.WISH])
def test_the_same_reason_twice_is_harmless(reason: Reason) -> None:
    protocol = voting()
    once = after(protocol, votes(1, AYE)[0], Interrupted(reason))
    twice = step(protocol, once, Interrupted(reason))
    assert twice.session is once
    assert (twice.effects, twice.moves) == ((), ())


@pytest.mark.parametrize("reason", [Reason.STALL, Reason.WISH])
def test_the_same_reason_in_the_wrap_up_it_led_to_is_harmless(reason: Reason) -> None:
    protocol = voting()
    session = after(protocol, Interrupted(reason), *votes(1, NO, NO, NO))
    assert session.phase is Phase.WRAP_UP
    assert step(protocol, session, Interrupted(reason)).session is session


def test_a_wrap_up_can_still_be_cancelled() -> None:
    protocol = voting()
    session = after(protocol, *votes(1, AYE), Interrupted(Reason.BUDGET), Interrupted(Reason.CANCELLED))
    assert session.conclusion is not None
    assert (session.conclusion.verdict, session.conclusion.interrupted) == (Verdict.STOPPED, Reason.CANCELLED)
    assert session.state.ayes == 1


def test_now_overtakes_what_waits_for_the_end_of_the_phase() -> None:
    protocol = voting()
    session = after(protocol, votes(1, AYE)[0], Interrupted(Reason.WISH), Interrupted(Reason.BUDGET))
    assert (session.phase, session.interrupted, session.pending) == (Phase.WRAP_UP, Reason.BUDGET, None)
    assert session.state.ayes == 1


def test_the_wrap_up_concludes_with_the_reason() -> None:
    protocol = voting()
    session = after(protocol, Interrupted(Reason.BUDGET), Replied(AskId("2.0"), note()))
    assert session.conclusion is not None
    assert (session.conclusion.phase, session.conclusion.interrupted) == (Phase.END, Reason.BUDGET)


# Episodes


def test_episodes_are_counted_before_they_are_asked() -> None:
    session = after(voting(limits=Limits(episodes=6)), *votes(1, NO, NO, NO))
    assert (session.phase, session.episodes) == (Phase.VOTE, 6)


def test_a_phase_that_would_pass_the_episode_limit_is_not_begun() -> None:
    whole = replay(voting(limits=Limits(episodes=5)), votes(1, NO, NO, NO))
    session = whole.session
    assert (session.phase, session.interrupted) == (Phase.WRAP_UP, Reason.EPISODES)
    assert session.state.votes == 1
    assert whole.moves[-1].outcome is Reason.EPISODES
    assert [ask.id for ask in session.open] == ["3.0"]


def test_the_wrap_up_of_an_episode_limit_is_not_stopped_by_it() -> None:
    session = begin(voting(limits=Limits(episodes=1))).session
    assert (session.phase, session.interrupted, len(session.open)) == (Phase.WRAP_UP, Reason.EPISODES, 1)


def test_people_and_checks_cost_no_episodes() -> None:
    limits = Limits(episodes=2)
    session = after(voting(limits=limits, people=frozenset({Seat("voter-3")})))
    assert (session.phase, session.episodes) == (Phase.VOTE, 2)


# Stall


def quiet_noes(**more: object) -> Protocol[Count]:
    """Only an aye is progress."""
    return voting(progress=lambda reply: isinstance(reply, Ballot) and reply.voice is AYE, **more)  # type: ignore[arg-type]


def test_a_stall_is_so_many_replies_in_a_row_without_progress() -> None:
    limits = Limits(stall=3)
    assert after(quiet_noes(limits=limits), *votes(1, NO, NO, AYE)).phase is Phase.VOTE
    session = after(quiet_noes(limits=limits), *votes(1, NO, NO, NO))
    assert (session.phase, session.interrupted) == (Phase.WRAP_UP, Reason.STALL)
    assert session.state.noes == 3


def test_replies_of_one_phase_stand_side_by_side() -> None:
    """Where one of them is progress none of the others is idle, in whatever order the seats are asked."""
    limits = Limits(stall=2)
    for voices in ((AYE, NO, NO), (NO, AYE, NO), (NO, NO, AYE)):
        session = after(quiet_noes(limits=limits), *votes(1, *voices))
        assert (session.phase, session.idle) == (Phase.VOTE, 0)


def test_a_stall_is_counted_across_phases() -> None:
    limits = Limits(stall=4)
    one = after(quiet_noes(limits=limits), *votes(1, NO, NO, NO))
    assert (one.phase, one.idle) == (Phase.VOTE, 3)
    two = after(quiet_noes(limits=limits), *votes(1, NO, NO, NO), *votes(2, NO, NO, NO))
    assert two.interrupted is Reason.STALL


def test_progress_begins_the_count_anew() -> None:
    session = after(quiet_noes(limits=Limits(stall=4)), *votes(1, NO, NO, AYE), *votes(2, NO, NO, AYE))
    assert (session.phase, session.idle) == (Phase.VOTE, 0)


def test_an_absence_is_no_progress() -> None:
    session = after(voting(limits=Limits(stall=3)), *votes(1, GONE, GONE, GONE))
    assert session.interrupted is Reason.STALL


def test_uncounted_seats_neither_stall_nor_progress() -> None:
    uncounted = frozenset({Seat("voter-2"), Seat("voter-3")})
    session = after(quiet_noes(limits=Limits(stall=2), people=uncounted), *votes(1, NO, NO, NO))
    assert (session.phase, session.idle) == (Phase.VOTE, 1)


def test_a_stall_does_not_undo_a_verdict() -> None:
    session = after(quiet_noes(needed=1, limits=Limits(stall=2)), *votes(1, AYE, NO, NO))
    assert session.conclusion is not None
    assert (session.conclusion.verdict, session.conclusion.interrupted) == (Verdict.WON, None)


def test_the_wrap_up_of_a_stall_is_not_stalled_again() -> None:
    protocol = quiet_noes(limits=Limits(stall=1))
    session = after(protocol, *votes(1, NO, NO, NO), Replied(AskId("3.0"), GONE))
    assert session.conclusion is not None
    assert session.conclusion.interrupted is Reason.STALL
