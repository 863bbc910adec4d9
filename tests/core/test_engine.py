"""The engine: what is legal, what is not, and that nothing changes where it is not."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace
from typing import Any

import pytest

from quorate.core.decisions import Decision
from quorate.core.engine import begin, replay, step
from quorate.core.errors import DefinitionError, RuleViolation
from quorate.core.forms import SEALED, SealedProse
from quorate.core.protocol import Protocol
from quorate.core.session import Cause, Conclude, Session, Withdraw
from quorate.core.types import Absent, AbsentReason, Ask, AskId, Event, Interrupted, Reason, Replied, Replies
from tests.support.toy import ITEMS, Ballot, Count, Outcome, Phase, Verdict, Voice, ballot, note, voting

AYE, NO = Voice.AYE, Voice.NO


def aye(ask: str) -> Replied:
    return Replied(AskId(ask), ballot(AYE))


def no(ask: str) -> Replied:
    return Replied(AskId(ask), ballot(NO))


def gone(ask: str, reason: AbsentReason = AbsentReason.FAILED) -> Replied:
    return Replied(AskId(ask), Absent(reason))


def after(protocol: Protocol[Count], *events: Event) -> Session[Count]:
    return replay(protocol, events).session


def refused(protocol: Protocol[Count], session: Session[Count], event: Event) -> str:
    """The event is a violation and leaves the session as it was."""
    before = repr(session)
    with pytest.raises(RuleViolation) as error:
        step(protocol, session, event)
    assert repr(session) == before
    return str(error.value)


# begin and step


def test_begin_passes_phases_that_ask_nobody_and_asks_the_first_that_does() -> None:
    opened = begin(voting())
    assert opened.session.phase is Phase.VOTE
    assert [(move.phase, move.outcome, move.to) for move in opened.moves] == [
        (Phase.OPENING, Outcome.START, Phase.VOTE)
    ]
    asks = opened.session.asks
    assert opened.effects == asks
    assert [(ask.id, ask.seat, ask.brief, ask.form, ask.keys) for ask in asks] == [
        (f"1.{index}", f"voter-{index + 1}", "vote", Ballot, ITEMS) for index in range(3)
    ]


def test_a_phase_hears_everybody_before_it_decides() -> None:
    protocol = voting()
    session = after(protocol, aye("1.0"), aye("1.1"))
    assert (session.phase, session.conclusion) == (Phase.VOTE, None)
    assert [ask.seat for ask in session.open] == ["voter-3"]
    last = step(protocol, session, no("1.2"))
    assert last.session.conclusion is not None
    assert last.session.conclusion.verdict is Verdict.WON
    assert last.effects == (Conclude(last.session.conclusion),)


def test_a_move_says_why_and_what_came_of_it() -> None:
    protocol = voting()
    *_, move = replay(protocol, [aye("1.0"), no("1.1"), no("1.2")]).moves
    assert (move.entry, move.phase, move.outcome, move.to, move.cause) == (
        1,
        Phase.VOTE,
        Outcome.AGAIN,
        Phase.VOTE,
        Cause.DECIDED,
    )
    assert [(test.rule, test.claim, test.held) for test in move.because] == [
        ("T1", "ayes 1 >= needed 2", False),
        ("T2", "votes before 0 < 2", True),
        ("T3", "none of the above", True),
    ]
    assert [(fact.name, dict(fact.values)) for fact in move.facts] == [("counted", {"ayes": 1})]
    assert (move.before.votes, move.after.votes) == (0, 1)


def test_entering_a_phase_again_asks_under_new_ids() -> None:
    session = after(voting(), no("1.0"), no("1.1"), no("1.2"))
    assert [ask.id for ask in session.open] == ["2.0", "2.1", "2.2"]


def test_absence_is_an_ordinary_reply() -> None:
    protocol = voting(needed=2)
    session = after(protocol, aye("1.0"), *(gone(f"1.{i}", r) for i, r in ((1, AbsentReason.REFUSED),)), aye("1.2"))
    assert session.conclusion is not None
    assert (session.state.ayes, session.state.missing) == (2, 1)


@pytest.mark.parametrize("reason", AbsentReason)
def test_everybody_absent_has_a_defined_outcome(reason: AbsentReason) -> None:
    session = after(voting(), *(gone(f"1.{index}", reason) for index in range(3)))
    assert (session.phase, session.entry, session.state.missing) == (Phase.VOTE, 2, 3)


def test_decisions_get_sealed_prose_only() -> None:
    def reads(state: Count, replies: Replies) -> Decision[Count]:
        ((_, reply), *_) = replies
        assert isinstance(reply, Ballot)
        return Decision(Outcome.WON if "yes" in reply.reason.text else Outcome.WRAPPED, state)

    protocol = voting(seats=1, decide=reads)
    with pytest.raises(SealedProse, match="declare a mark"):
        step(protocol, begin(protocol).session, aye("1.0"))
    session = after(voting(), aye("1.0"))
    kept = session.replies[AskId("1.0")]
    assert isinstance(kept, Ballot)
    assert kept.reason is SEALED
    assert kept.voice is AYE


def test_sessions_cannot_be_written_to_in_tests_and_by_whoever_checks_types() -> None:
    session = begin(voting()).session
    with pytest.raises(FrozenInstanceError):
        session.phase = Phase.END  # type: ignore[misc]


# What the rules do not allow


def test_a_reply_to_an_ask_that_is_not_open_is_refused() -> None:
    protocol = voting()
    session = begin(protocol).session
    assert "9.9 is not open in VOTE" in refused(protocol, session, aye("9.9"))
    second = after(protocol, no("1.0"), no("1.1"), no("1.2"))
    assert "1.0 is not open" in refused(protocol, second, aye("1.0"))


def test_a_second_reply_is_refused_even_if_it_is_the_same() -> None:
    protocol = voting()
    session = after(protocol, aye("1.0"))
    assert "voter-1 already has a reply" in refused(protocol, session, aye("1.0"))
    refused(protocol, session, gone("1.0"))


def test_a_reply_in_another_form_is_refused() -> None:
    protocol = voting()
    event = Replied(AskId("1.0"), note())
    assert "expects the form Ballot, not Note" in refused(protocol, begin(protocol).session, event)


def test_an_unknown_key_is_refused_and_the_known_ones_are_named() -> None:
    protocol = voting()
    session = begin(protocol).session
    sentence = refused(protocol, session, Replied(AskId("1.0"), ballot(AYE, "red", "green")))
    assert "unknown key 'green'" in sentence
    assert "use red, blue" in sentence
    assert len(step(protocol, session, Replied(AskId("1.0"), ballot(AYE, "red", "blue"))).session.replies) == 1


def test_a_repeated_key_is_refused() -> None:
    protocol = voting()
    sentence = refused(protocol, begin(protocol).session, Replied(AskId("1.0"), ballot(AYE, "red", "red")))
    assert "'red'" in sentence


@pytest.mark.parametrize("event", [aye("1.0"), aye("2.0"), Interrupted(Reason.CANCELLED), Interrupted(Reason.WISH)])
def test_a_concluded_session_takes_nothing_more(event: Event) -> None:
    protocol = voting()
    session = after(protocol, aye("1.0"), aye("1.1"), aye("1.2"))
    assert "concluded with WON" in refused(protocol, session, event)


# What a protocol's author may get wrong


def test_a_missing_row_is_an_error_with_a_name() -> None:
    protocol = voting(
        rows={
            Phase.OPENING: {Outcome.START: Phase.VOTE},
            Phase.VOTE: {Outcome.WON: Phase.END, Outcome.WRAPPED: Phase.WRAP_UP},
            Phase.WRAP_UP: {Outcome.WRAPPED: Phase.END},
        }
    )
    session = after(protocol, no("1.0"), no("1.1"))
    before = repr(session)
    with pytest.raises(DefinitionError, match="voting: VOTE has no row for AGAIN"):
        step(protocol, session, no("1.2"))
    assert repr(session) == before


def test_a_missing_row_is_found_in_silent_phases_too() -> None:
    rows: dict[Phase, dict[Outcome, Phase]] = {Phase.OPENING: {}, Phase.VOTE: {}, Phase.WRAP_UP: {}}
    with pytest.raises(DefinitionError, match="OPENING has no row for START"):
        begin(voting(rows=rows))


def test_phases_that_never_ask_anybody_are_a_loop_with_a_name() -> None:
    rows = {Phase.OPENING: {Outcome.START: Phase.OPENING}, Phase.VOTE: {}, Phase.WRAP_UP: {}}
    with pytest.raises(DefinitionError, match="phases in a row asked nobody"):
        begin(voting(rows=rows))


def test_a_decision_in_which_no_test_holds_is_an_error() -> None:
    from quorate.core.decisions import choose, compare

    with pytest.raises(DefinitionError, match="T1 ayes 1 > 2"):
        choose(None, [compare("T1", Outcome.WON, ("ayes", 1), ">", 2)])


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"table": {}}, "OPENING, VOTE, WRAP_UP needs both a node and a row in the table"),
        ({"initial": Outcome.WON}, "the table leads to WON, which is neither a phase nor an end"),
        ({"interrupts": {}}, "no interrupt is declared for BUDGET, CANCELLED, EPISODES, STALL, WISH"),
    ],
)
def test_a_protocol_with_holes_cannot_be_made(change: dict[str, Any], says: str) -> None:
    with pytest.raises(DefinitionError, match=says):
        replace(voting(), **change)


def test_an_end_cannot_be_a_phase_that_asks() -> None:
    protocol = voting()
    with pytest.raises(DefinitionError, match="VOTE cannot be both"):
        replace(protocol, verdicts={**protocol.verdicts, Phase.VOTE: lambda _: Verdict.WON})


# Settlement


def test_settling_early_withdraws_what_is_open() -> None:
    protocol = voting(5, settles=True)
    session = after(protocol, aye("1.3"))
    settled = step(protocol, session, aye("1.1"))
    assert settled.session.conclusion is not None
    assert [effect.ask for effect in settled.effects if isinstance(effect, Withdraw)] == ["1.0", "1.2", "1.4"]
    assert settled.moves[0].cause is Cause.SETTLED
    assert isinstance(settled.effects[-1], Conclude)


def test_the_last_reply_is_decided_not_settled() -> None:
    protocol = voting(2, settles=True)
    last = step(protocol, after(protocol, aye("1.0")), aye("1.1"))
    assert last.moves[0].cause is Cause.DECIDED


def test_nothing_is_settled_that_is_not_certain() -> None:
    session = after(voting(5, settles=True), no("1.0"), no("1.1"), aye("1.2"))
    assert (session.phase, len(session.open)) == (Phase.VOTE, 2)


# replay


def test_replay_gives_the_session_and_all_effects_and_moves() -> None:
    protocol = voting()
    events: list[Event] = [
        no("1.0"),
        gone("1.2"),
        no("1.1"),
        aye("2.0"),
        Interrupted(Reason.WISH),
        no("2.1"),
        no("2.2"),
    ]
    now = begin(protocol)
    effects, moves = list(now.effects), list(now.moves)
    for event in events:
        now = step(protocol, now.session, event)
        effects += now.effects
        moves += now.moves
    whole = replay(protocol, events)
    assert repr(whole.session) == repr(now.session)
    assert whole.effects == tuple(effects)
    assert repr(whole.moves) == repr(tuple(moves))
    assert [ask.id for ask in whole.effects if isinstance(ask, Ask)][-1] == "4.0"


def test_replaying_a_journal_with_an_illegal_event_raises() -> None:
    with pytest.raises(RuleViolation):
        replay(voting(), [aye("1.0"), aye("1.0")])
