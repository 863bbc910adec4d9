"""Totals: what a session has cost in asks, tokens, money and time, as a whole, by seat and by phase."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from quorate.core.record import Asked, Envelope, Record, Said
from quorate.core.types import Absent, Withdraw

DOLLAR = 1_000_000
"""Costs are kept in millionths of a US dollar."""


@dataclass(frozen=True, slots=True)
class Spent:
    """A sum. A price that is not known is counted as such and never taken for nothing."""

    asks: int = 0
    replies: int = 0
    absent: int = 0
    withdrawn: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: int = 0
    """Millionths of a US dollar, of the replies whose price is known."""
    unpriced: int = 0
    """Replies and absences whose price is not known."""
    elapsed: int = 0
    """Milliseconds from ask to reply, added up; seats work at the same time."""

    @property
    def tokens(self) -> int:
        return self.tokens_in + self.tokens_out

    @property
    def money(self) -> str:
        """The cost in words: `$0.0123`, `unknown`, or `at least $0.0123 (2 of 9 prices are unknown)`."""
        known = dollars(self.cost)
        if not self.unpriced:
            return known
        answered = self.replies + self.absent
        if self.unpriced == answered:
            return "unknown"
        return f"at least {known} ({self.unpriced} of {answered} prices are unknown)"

    def with_said(self, said: Said) -> Spent:
        absent, envelope = isinstance(said.reply, Absent), said.envelope
        return replace(
            self,
            replies=self.replies + (not absent),
            absent=self.absent + absent,
            tokens_in=self.tokens_in + envelope.tokens_in,
            tokens_out=self.tokens_out + envelope.tokens_out,
            cost=self.cost + (envelope.cost or 0),
            unpriced=self.unpriced + (envelope.cost is None),
            elapsed=self.elapsed + envelope.elapsed,
        )


@dataclass(frozen=True, slots=True)
class Totals:
    """What a session has cost. Seats and phases that were never asked are not listed."""

    whole: Spent
    seats: Mapping[str, Spent]
    phases: Mapping[str, Spent]
    models: Mapping[str, tuple[str, ...]]
    """Who answered, by seat, as the replies say."""
    first: int
    """When the first reply or interruption came, in milliseconds since 1970 (UTC); 0 before any."""
    last: int


def totals(record: Record) -> Totals:
    """Add up the whole record."""
    whole, where = Spent(), {}
    seats: dict[str, Spent] = {}
    phases: dict[str, Spent] = {}
    models: dict[str, list[str]] = {}
    for line in record.log:
        match line:
            case Asked(ask, phase, _):
                where[ask.id] = (str(ask.seat), phase.name)
                seat, place = where[ask.id]
                add = _asked
            case Withdraw(ask_id):
                seat, place = where[ask_id]
                add = _withdrawn
            case Said(ask, _, phase, _, envelope):
                seat, place = str(ask.seat), phase.name
                add = line.with_said_to
                _note(models.setdefault(seat, []), envelope)
            case _:
                continue
        whole = add(whole)
        seats[seat] = add(seats.get(seat, Spent()))
        phases[place] = add(phases.get(place, Spent()))
    times = [envelope.at for envelope in record.envelopes if envelope.at]
    named = {seat: tuple(names) for seat, names in models.items()}
    return Totals(whole, seats, phases, named, min(times, default=0), max(times, default=0))
