"""Who answered: said where several models spoke on one seat, or where nobody was asked anew; nothing otherwise."""

from __future__ import annotations

from quorate.core.record import Envelope, Opening, Record
from quorate.core.types import Absent, AbsentReason, Replied
from quorate.worth.answerers import answered_text
from tests.support.toy import Voice, ballot, voting


def voted(*rounds: tuple[str, ...], detail: str = "", attempts: int = 1) -> Record:
    """A vote of two that nobody wins, round after round, by these models."""
    record = Record(voting(2, needed=2, most=len(rounds) + 1), Opening("voting", "1", "", "t", 1, {}, {}, {}), {})
    for models in rounds:
        for ask, model in zip(record.session.open, models, strict=True):
            record.take(Replied(ask.id, ballot(Voice.NO)), Envelope(model=model, detail=detail, attempts=attempts))
    return record


def test_where_each_seat_had_one_voice_there_is_nothing_to_say() -> None:
    assert answered_text(voted(("a", "b"), ("a", "b"))) == ""


def test_the_seats_that_several_spoke_on_are_named_with_their_rounds() -> None:
    found = answered_text(voted(("cheap", "b"), ("strong", "b"), ("strong", "b")))
    assert found == "On the seat voter-1 spoke cheap in round 1, strong in rounds 2, 3."


def test_what_came_from_a_cache_is_counted() -> None:
    assert answered_text(voted(("a", "b"), attempts=0)).startswith("2 of 2 replies came from a cache")


def test_the_words_for_people_decide_nothing() -> None:
    assert answered_text(voted(("a", "b"), detail="from the cache of 2026-11-16, so the model says")) == ""


def test_a_model_that_was_never_reached_is_no_cache() -> None:
    record = voted()
    for ask in record.session.open:
        record.take(Replied(ask.id, Absent(AbsentReason.FAILED)), Envelope(model="a", attempts=0))
    assert answered_text(record) == ""
