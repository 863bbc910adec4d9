"""A detour: an interruption after which the session goes on as if nothing had happened."""

from __future__ import annotations

from dataclasses import replace

import pytest

from quorate.core.decisions import choose, otherwise
from quorate.core.engine import begin, replay, step
from quorate.core.errors import RuleViolation
from quorate.core.protocol import Interrupt, Limits, Node, Protocol, When
from quorate.core.session import Cause, Session, Withdraw
from quorate.core.types import AskId, Event, Interrupted, Question, Reason, Replied, Replies, Seat
from quorate.verify.counterexamples import Failures
from quorate.verify.explore import Walk
from tests.support.toy import CLERK, Count, Note, Outcome, Phase, Verdict, Voice, ballot, note, voting

PERSON = Seat("person")
ASKED = Interrupted(Reason.ESCALATION)
WISHED = Interrupted(Reason.WISH)


def with_detour(when: When = When.AFTER_PHASE, **more: object) -> Protocol[Count]:
    """The vote, in which a person may wish to be heard; WRAP_UP asks that person and leads back to the vote."""
    plain = voting(**more)  # type: ignore[arg-type]
    nodes = {
        **plain.nodes,
        Phase.WRAP_UP: Node(
            lambda _: (Question(PERSON, "note", Note),),
            lambda s, _: choose(s, [otherwise("T5", Outcome.AGAIN)]),
        ),
    }
    to_end = {Reason.WISH: Phase.END, Reason.STALL: Phase.END, Reason.BUDGET: Phase.END, Reason.EPISODES: Phase.END}
    interrupts = {
        **{reason: replace(plain.interrupts[reason], to=to) for reason, to in to_end.items()},
        Reason.CANCELLED: plain.interrupts[Reason.CANCELLED],
        Reason.ESCALATION: Interrupt(Phase.WRAP_UP, when, Count.with_, detour=True),
    }
    rows = {
        Phase.OPENING: {Outcome.START: Phase.VOTE},
        Phase.VOTE: {Outcome.WON: Phase.END, Outcome.AGAIN: Phase.VOTE, Outcome.WRAPPED: Phase.END},
        Phase.WRAP_UP: {Outcome.AGAIN: Phase.VOTE},
    }
    seats = (*(seat for seat in plain.seats if seat != CLERK), PERSON)
    return replace(
        plain, nodes=nodes, table=rows, interrupts=interrupts, seats=seats, people=frozenset({PERSON}) | plain.people
    )


def votes(entry: int, *voices: Voice) -> list[Event]:
    return [Replied(AskId(f"{entry}.{index}"), ballot(voice)) for index, voice in enumerate(voices)]


NO, AYE = Voice.NO, Voice.AYE


def after(protocol: Protocol[Count], *events: Event) -> Session[Count]:
    return replay(protocol, events).session


def test_it_waits_for_the_phase_and_then_goes_there() -> None:
    protocol = with_detour()
    waiting = step(protocol, begin(protocol).session, ASKED)
    assert (waiting.session.phase, waiting.session.pending, waiting.effects) == (Phase.VOTE, Reason.ESCALATION, ())
    session = after(protocol, ASKED, *votes(1, NO, NO, NO))
    assert (session.phase, session.pending, session.interrupted) == (Phase.WRAP_UP, None, None)
    assert [ask.seat for ask in session.open] == [PERSON]


def test_the_session_goes_on_as_if_nothing_had_happened() -> None:
    protocol = with_detour()
    whole = replay(protocol, [ASKED, *votes(1, NO, NO, NO), Replied(AskId("3.0"), note())])
    assert (whole.session.phase, whole.session.interrupted, whole.session.state.votes) == (Phase.VOTE, None, 1)
    assert [(move.outcome, move.cause) for move in whole.moves[1:]] == [
        (Outcome.AGAIN, Cause.DECIDED),
        (Reason.ESCALATION, Cause.INTERRUPTED),
        (Outcome.AGAIN, Cause.DECIDED),
    ]
    session = after(protocol, ASKED, *votes(1, NO, NO, NO), Replied(AskId("3.0"), note()), *votes(4, AYE, AYE, NO))
    assert session.conclusion is not None
    assert (session.conclusion.verdict, session.conclusion.interrupted) == (Verdict.WON, None)


def test_it_may_be_taken_again_and_again_but_not_while_it_is_under_way() -> None:
    protocol = with_detour()
    there = after(protocol, ASKED, *votes(1, NO, NO, NO))
    assert step(protocol, there, ASKED).session is there
    once_more = after(
        protocol, ASKED, *votes(1, NO, NO, NO), Replied(AskId("3.0"), note()), ASKED, *votes(4, NO, NO, NO)
    )
    assert once_more.phase is Phase.WRAP_UP


def test_asking_twice_is_harmless() -> None:
    protocol = with_detour()
    once = after(protocol, ASKED)
    assert step(protocol, once, ASKED).session is once


def test_a_verdict_reached_by_the_phase_itself_stands() -> None:
    session = after(with_detour(), ASKED, *votes(1, AYE, AYE, NO))
    assert session.conclusion is not None
    assert (session.conclusion.verdict, session.conclusion.interrupted) == (Verdict.WON, None)


@pytest.mark.parametrize("events", [[ASKED, WISHED], [WISHED, ASKED]])
def test_what_ends_the_session_goes_before_a_detour(events: list[Event]) -> None:
    """Whichever came first: a wish to close is never lost because somebody wanted to be asked."""
    session = after(with_detour(), *events, *votes(1, NO, NO, NO))
    assert session.conclusion is not None
    assert session.conclusion.interrupted is Reason.WISH


def test_on_the_way_the_session_can_still_be_ended() -> None:
    protocol = with_detour()
    session = after(protocol, ASKED, *votes(1, NO, NO, NO), WISHED, Replied(AskId("3.0"), note()))
    assert session.conclusion is not None
    assert session.conclusion.interrupted is Reason.WISH
    session = after(protocol, ASKED, *votes(1, NO, NO, NO), Interrupted(Reason.CANCELLED))
    assert session.conclusion is not None
    assert session.conclusion.verdict is Verdict.STOPPED


def test_where_the_phase_leads_there_anyway_nothing_is_marked() -> None:
    rows = {Outcome.WON: Phase.END, Outcome.AGAIN: Phase.WRAP_UP, Outcome.WRAPPED: Phase.END}
    protocol = with_detour()
    protocol = replace(protocol, table={**protocol.table, Phase.VOTE: rows})
    whole = replay(protocol, [ASKED, *votes(1, NO, NO, NO)])
    assert (whole.session.phase, whole.session.interrupted, whole.session.pending) == (Phase.WRAP_UP, None, None)
    assert [move.cause for move in whole.moves] == [Cause.DECIDED, Cause.DECIDED]


def test_now_it_withdraws_what_is_open_and_keeps_what_was_heard() -> None:
    protocol = with_detour(When.NOW)
    left = step(protocol, after(protocol, *votes(1, AYE)), ASKED)
    assert left.session.phase is Phase.WRAP_UP
    assert left.session.state.ayes == 1
    assert left.effects[:2] == (Withdraw(AskId("1.1")), Withdraw(AskId("1.2")))
    assert left.session.interrupted is None


def test_replies_without_progress_are_counted_across_a_detour() -> None:
    """A person who is asked neither ends a stall nor begins one."""
    protocol = with_detour(limits=Limits(stall=6), progress=lambda _: False)
    events = [ASKED, *votes(1, NO, NO, NO), Replied(AskId("3.0"), note())]
    assert (after(protocol, *events).idle, after(protocol, *events).phase) == (3, Phase.VOTE)
    session = after(protocol, *events, *votes(4, NO, NO, NO))
    assert session.conclusion is not None
    assert session.conclusion.interrupted is Reason.STALL


def test_episodes_are_counted_across_a_detour() -> None:
    protocol = with_detour(limits=Limits(episodes=6))
    session = after(protocol, ASKED, *votes(1, NO, NO, NO), Replied(AskId("3.0"), note()))
    assert (session.phase, session.episodes) == (Phase.VOTE, 6)


def test_a_protocol_without_a_way_for_it_refuses() -> None:
    protocol = voting()
    with pytest.raises(RuleViolation, match="cannot be interrupted for ESCALATION"):
        step(protocol, begin(protocol).session, ASKED)


def test_verify_walks_a_detour_as_one() -> None:
    """Every state after it is walked as one that was never interrupted, and a second detour is tried as well."""
    findings = Failures()
    walk = Walk(with_detour(seats=2, most=3), findings)
    walk.run()
    assert [each.what for number in range(1, 6) for each in findings.of(number)] == []
    marks = {vertex.session.interrupted for vertex in walk.vertices if vertex.session.conclusion is None}
    assert marks == {None}
    heard = [vertex.session.state.votes for vertex in walk.vertices if vertex.session.phase is Phase.WRAP_UP]
    assert set(heard) == {1, 2}


def test_the_fold_is_given_what_was_heard_now_and_nothing_later() -> None:
    seen: list[int] = []

    def fold(state: Count, heard: Replies) -> Count:
        seen.append(len(heard))
        return state

    for when, expected in ((When.NOW, 1), (When.AFTER_PHASE, 0)):
        seen.clear()
        protocol = with_detour(when)
        interrupt = replace(protocol.interrupts[Reason.ESCALATION], fold=fold)
        protocol = replace(protocol, interrupts={**protocol.interrupts, Reason.ESCALATION: interrupt})
        late = votes(1, NO, NO, NO)[1:] if when is When.AFTER_PHASE else []
        after(protocol, votes(1, NO)[0], ASKED, *late)
        assert seen == [expected]
