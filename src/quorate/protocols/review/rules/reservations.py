"""Reservations: what was said against a change in ballots that did not count as vetoes, and what became of it (R41)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from quorate.core.record import Record
from quorate.core.types import Seat
from quorate.kit.qualification import NOTED
from quorate.kit.settings import read_settings
from quorate.protocols.review.rules.ballot_count import count_ballot
from quorate.protocols.review.rules.forms import Ballot
from quorate.protocols.review.rules.items import counted_ballots, cut_short_round
from quorate.protocols.review.rules.model import ReviewSettings, Stance, State
from quorate.protocols.review.rules.receipt import ballots

RAISED_AGAIN, ANSWERED, OUTVOTED = "raised again", "answered", "outvoted"
STANDS, NOT_COUNTED = "stands", "not counted"
AGAINST = (Stance.OPPOSE.value, Stance.VETO.value)
_Vote = tuple[int, str, str, str]
"""Round, seat, what it said and what that counts as."""


@dataclass(frozen=True, slots=True)
class Reservation:
    """A ballot against the change that did not count as a veto."""

    key: str
    seat: Seat
    ballot: Ballot
    counts: str
    became: str

    @property
    def withheld(self) -> bool:
        """Whether it is a veto that low confidence turned into an abstention (R38)."""
        return self.ballot.stance is Stance.VETO and self.counts == Stance.ABSTAIN.value and self.became != NOTED


def reservations(record: Record) -> tuple[Reservation, ...]:
    """Return every reservation, numbered in the order of rounds and of the committee (R41)."""
    return tuple(
        Reservation(f"O{number}", seat, ballot, counts, became)
        for number, (seat, ballot, counts, became) in enumerate((*_counted(record), *_cut_short(record)), start=1)
    )


def _counted(record: Record) -> Iterator[tuple[Seat, Ballot, str, str]]:
    settings, votes = read_settings(ReviewSettings, record.protocol.settings), list(_votes(record))
    for place, (round_, seat, said, counts) in enumerate(votes):
        if _is_reservation(said, counts):
            later = [vote for vote in votes[place + 1 :] if vote[1] == seat]
            became = _became(record, later) if settings.counts(Seat(seat)) else NOTED
            yield Seat(seat), ballots(record, round_)[Seat(seat)], counts, became


def _votes(record: Record) -> Iterator[_Vote]:
    for round_, facts in counted_ballots(record):
        for told in (dict(fact.values) for fact in facts if fact.name == "ballot"):
            yield round_, str(told["seat"]), str(told["said"]), str(told["counts"])


def _is_reservation(said: str, counts: str) -> bool:
    return said in AGAINST and counts != Stance.VETO.value


def _became(record: Record, later: Iterable[_Vote]) -> str:
    for _, _, said, counts in later:
        if said in AGAINST:
            return RAISED_AGAIN
        if counts == Stance.SYNTHESIS.value:
            return ANSWERED
    state: State = record.session.state
    return OUTVOTED if state.quorate else STANDS


def _cut_short(record: Record) -> Iterator[tuple[Seat, Ballot, str, str]]:
    """Yield what was said in a ballot that was cut short; it decided nothing (R29)."""
    settings = read_settings(ReviewSettings, record.protocol.settings)
    if (round_ := cut_short_round(record)) is not None:
        for seat, ballot in ballots(record, round_).items():
            counts = count_ballot(settings, seat, ballot).stance.value
            if _is_reservation(ballot.stance.value, counts):
                yield seat, ballot, counts, NOT_COUNTED
