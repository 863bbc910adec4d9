"""The record is the journal folded for people: everything that was asked, said and decided, in order."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from quorate.core.engine import replay
from quorate.core.errors import RuleViolation
from quorate.core.protocol import Protocol
from quorate.core.record import Asked, Envelope, Moved, Opening, Record, Said, Stopped, read
from quorate.core.session import Conclusion, Withdraw
from quorate.core.types import Absent, AbsentReason, AskId, Event, Interrupted, Reason, Replied, Seat
from tests.support.toy import CLERK, Ballot, Count, Phase, Voice, ballot, note, voting

OPENING = Opening("voting", "1", "digest", "A vote", 7, {}, {}, {})
AYE, NO = Voice.AYE, Voice.NO


def said(ask: str, voice: Voice, reason: str = "because") -> Replied:
    return Replied(AskId(ask), ballot(voice, reason=reason))


def kept(protocol: Protocol[Count], events: Iterable[Event]) -> Record:
    return read(protocol, OPENING, {}, [(event, Envelope(seq=seq)) for seq, event in enumerate(events, start=1)])


def kinds(record: Record) -> list[str]:
    return [type(line).__name__ for line in record.log]


STORY: list[Event] = [
    said("1.0", NO, "first"),
    said("1.2", AYE, "second"),
    Replied(AskId("1.1"), Absent(AbsentReason.TIMED_OUT)),
    said("2.1", NO, "third"),
    Interrupted(Reason.BUDGET),
    Replied(AskId("3.0"), note()),
]


def test_the_log_tells_the_story_in_order() -> None:
    record = kept(voting(), STORY)
    assert kinds(record) == [
        "Moved",  # OPENING to VOTE
        *["Asked"] * 3,
        *["Said"] * 3,
        "Moved",  # AGAIN
        *["Asked"] * 3,
        "Said",
        "Stopped",
        "Moved",
        *["Withdraw"] * 2,
        "Asked",
        "Said",
        "Moved",
        "Conclusion",
    ]
    stopped = next(line for line in record.log if isinstance(line, Stopped))
    assert (stopped.reason, stopped.envelope.seq) == (Reason.BUDGET, 5)
    assert [line.ask for line in record.log if isinstance(line, Withdraw)] == ["2.0", "2.2"]
    assert isinstance(record.log[-1], Conclusion)


def test_the_words_are_kept_whole() -> None:
    record = kept(voting(), STORY)
    words = [line.reply.reason.text for line in record.log if isinstance(line, Said) and isinstance(line.reply, Ballot)]
    assert words == ["first", "second", "third"]


def test_the_record_and_the_session_are_two_folds_of_one_journal() -> None:
    assert repr(kept(voting(), STORY).session) == repr(replay(voting(), STORY).session)


def test_every_line_knows_its_round() -> None:
    record = kept(voting(), STORY)
    assert [line.round for line in record.log if isinstance(line, Asked)] == [1, 1, 1, 2, 2, 2, 2]
    assert [line.round for line in record.log if isinstance(line, Said)] == [1, 1, 1, 2, 2]
    moved = [(line.move.phase, line.round) for line in record.log if isinstance(line, Moved)]
    assert moved == [(Phase.OPENING, 1), (Phase.VOTE, 1), (Phase.VOTE, 2), (Phase.WRAP_UP, 2)]


@pytest.mark.parametrize(
    "event", [said("9.0", AYE), said("1.0", AYE), Replied(AskId("1.1"), note())], ids=["unknown", "twice", "form"]
)
def test_what_the_rules_refuse_leaves_no_line(event: Event) -> None:
    record = kept(voting(), STORY[:1])
    before, session = list(record.log), record.session
    with pytest.raises(RuleViolation):
        record.take(event, Envelope(seq=2))
    assert record.log == before
    assert record.session is session
    assert len(record.envelopes) == 1
    assert [line.envelope.seq for line in record.said(Seat("voter-1"), "vote")] == [1]


def test_a_step_already_made_is_not_made_again() -> None:
    from quorate.core.engine import step

    one, two = kept(voting(), []), kept(voting(), [])
    made = step(one.protocol, one.session, STORY[0])
    assert one.take(STORY[0], Envelope(seq=1), made) is made
    two.take(STORY[0], Envelope(seq=1))
    assert one.session is made.session
    assert repr(one.session) == repr(two.session)


# What views and reports ask


def test_said_latest_and_in_round_leave_absences_out() -> None:
    record = kept(voting(), STORY)
    assert [line.ask.id for line in record.said(Seat("voter-2"), "vote")] == ["2.1"]
    assert record.latest(Seat("voter-3"), "vote", "note") == record.said(Seat("voter-3"), "vote")[0]
    assert record.latest(Seat("nobody"), "vote") is None
    assert [line.ask.seat for line in record.in_round("vote", 1)] == ["voter-1", "voter-3"]
    assert record.in_round("vote", 9) == []


def test_several_briefs_come_in_the_order_they_were_said() -> None:
    uneven = kept(voting(1, needed=2, most=2), [said("1.0", NO), said("2.0", NO), Replied(AskId("3.0"), note())])
    assert [line.ask.brief for line in uneven.said(CLERK, "vote", "note")] == ["note"]
    assert [line.envelope.seq for line in uneven.said(Seat("voter-1"), "note", "vote")] == [1, 2]


def test_occurrences_are_counted_from_one() -> None:
    record = kept(voting(), STORY[:3])
    asked = [line.ask for line in record.log if isinstance(line, Asked) and line.ask.seat == "voter-1"]
    assert [record.occurrence(ask) for ask in asked] == [1, 2]


def test_what_was_never_asked_is_known() -> None:
    record = kept(voting(), STORY[:3])
    assert record.was_asked(AskId("1.0"))
    assert record.was_asked(AskId("2.2"))
    assert not record.was_asked(AskId("3.0"))


def test_envelopes_are_kept_and_decide_nothing() -> None:
    costly: list[tuple[Event, Envelope]] = [
        (event, Envelope(seq=seq, at=99, model="m", tokens_in=5, cost=None, attempts=3, detail="x"))
        for seq, event in enumerate(STORY, start=1)
    ]
    dear = read(voting(), OPENING, {}, costly)
    assert repr(dear.session) == repr(kept(voting(), STORY).session)
    assert [envelope.tokens_in for envelope in dear.envelopes] == [5] * len(STORY)


def test_views_are_functions_of_the_record() -> None:
    record: Any = kept(voting(), STORY[:3])
    view = record.protocol.view(record, record.session.open[0])
    assert view.text() == "Votes so far\n1"
