"""Rulings: a person decides where a session could not, and nothing of what was concluded changes."""

from __future__ import annotations

from typing import Any

import pytest

from quorate.core.engine import replay, step
from quorate.core.errors import DefinitionError, RuleViolation
from quorate.core.protocol import Protocol
from quorate.core.record import Envelope, Opening, Record, Ruling
from quorate.core.types import AskId, Event, Interrupted, Reason, Replied, Ruled
from tests.support.toy import Verdict, Voice, ballot, note, voting

RULINGS: dict[Verdict, tuple[Verdict, ...]] = {Verdict.UNDECIDED: (Verdict.WON, Verdict.STOPPED)}
RULED = Ruled("WON", "Ann", "It is good enough")


def protocol(**changes: Any) -> Protocol[Any]:
    return voting(1, needed=1, most=1, rulings=RULINGS, **changes)


def replies(voice: Voice) -> list[Event]:
    said: list[Event] = [Replied(AskId("1.0"), ballot(voice))]
    return said if voice is Voice.AYE else [*said, Replied(AskId("2.0"), note())]


UNDECIDED = replies(Voice.NO)


def record(*events: Event) -> Record:
    rules = protocol()
    made = Record(rules, Opening("voting", "1", "", "A vote", 1, {}, {}, {}), {})
    for seq, event in enumerate(events, start=1):
        made.take(event, Envelope(seq=seq))
    return made


def test_a_ruling_leaves_the_session_as_it_was() -> None:
    concluded = replay(protocol(), UNDECIDED).session
    after = step(protocol(), concluded, RULED)
    assert (after.session, after.effects, after.moves) == (concluded, (), ())
    assert after.session.conclusion is not None
    assert after.session.conclusion.verdict is Verdict.UNDECIDED


def test_the_last_ruling_counts_and_all_stay_visible() -> None:
    second = Ruled("STOPPED", "Bob", "It was not")
    folded = record(*UNDECIDED, RULED, second)
    assert [(each.verdict, each.by) for each in folded.rulings] == [(Verdict.WON, "Ann"), (Verdict.STOPPED, "Bob")]
    assert folded.ruling == Ruling(Verdict.STOPPED, "Bob", "It was not", Envelope(seq=4))
    assert folded.log[-2:] == list(folded.rulings)
    assert len(folded.envelopes) == 4


def test_who_waits_for_a_ruling() -> None:
    assert not record().waits_for_ruling
    assert record(*UNDECIDED).waits_for_ruling
    assert not record(*UNDECIDED, RULED).waits_for_ruling
    assert not record(*replies(Voice.AYE)).waits_for_ruling


@pytest.mark.parametrize(
    ("events", "ruled", "says"),
    [
        ([], RULED, "still in VOTE; wait for its verdict"),
        (replies(Voice.AYE), RULED, "concluded WON, and only UNDECIDED can be ruled on"),
        ([Interrupted(Reason.CANCELLED)], RULED, "concluded STOPPED, and only UNDECIDED can be ruled on"),
        (
            UNDECIDED,
            Ruled("UNDECIDED", "Ann", "r"),
            "'UNDECIDED' is not a ruling that UNDECIDED allows; use WON or STOPPED",
        ),
        (UNDECIDED, Ruled("won", "Ann", "r"), "'won' is not a ruling"),
        (UNDECIDED, Ruled("WON", "Ann", " \n"), "needs a reason"),
        (UNDECIDED, Ruled("WON", "", "r"), "needs a name"),
        (UNDECIDED, Ruled("WON", "Ann", "r" * 4_001), "a reason of 1 to 4,000 characters"),
        (UNDECIDED, Ruled("WON", "A" * 201, "r"), "a name of 1 to 200 characters"),
    ],
)
def test_what_is_no_ruling_raises_and_changes_nothing(events: list[Event], ruled: Ruled, says: str) -> None:
    folded = record(*events)
    before = folded.session, list(folded.log), list(folded.envelopes)
    with pytest.raises(RuleViolation, match=says):
        folded.take(ruled, Envelope(seq=9))
    assert (folded.session, folded.log, folded.envelopes) == before


def test_a_protocol_without_rulings_says_so() -> None:
    plain = voting(1, needed=1)
    with pytest.raises(RuleViolation, match="concluded WON, and voting verdicts are final"):
        step(plain, replay(plain, replies(Voice.AYE)).session, RULED)


def test_after_a_ruling_nothing_but_a_ruling_is_taken() -> None:
    folded = record(*UNDECIDED, RULED)
    for event in (Replied(AskId("1.0"), ballot(Voice.AYE)), Interrupted(Reason.CANCELLED)):
        with pytest.raises(RuleViolation, match="has concluded with UNDECIDED"):
            folded.take(event, Envelope())


@pytest.mark.parametrize(
    "rulings", [{Verdict.UNDECIDED: ()}, {Verdict.UNDECIDED: (Verdict.UNDECIDED,)}, {Verdict.UNDECIDED: (Voice.AYE,)}]
)
def test_rulings_that_cannot_be_are_the_authors_mistake(rulings: Any) -> None:
    with pytest.raises(DefinitionError, match="voting: "):
        voting(rulings=rulings)
