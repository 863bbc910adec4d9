"""Budgets: reservations, what the journal says was spent, and what counts as time at work."""

from __future__ import annotations

from quorate.core.record import Envelope
from quorate.runtime.budget import Amount, Budget, Purse


def test_a_call_fits_only_with_its_worst_case_and_all_reservations() -> None:
    purse = Purse(Budget(tokens=1_000))
    assert purse.refusal(Amount(600), 0) is None
    purse.reserve("1.0", Amount(600))
    assert purse.refusal(Amount(600), 0) == "tokens: 1200 would be needed at worst, 1000 are allowed"
    purse.settle("1.0", Envelope(tokens_in=100, tokens_out=200))
    assert purse.spent == Amount(300)
    assert purse.refusal(Amount(600), 0) is None


def test_a_released_reservation_costs_nothing() -> None:
    purse = Purse(Budget(cents=1))
    purse.reserve("1.0", Amount(1, 10_000))
    purse.release("1.0")
    assert purse.refusal(Amount(1, 10_000), 0) is None
    assert purse.refusal(Amount(1, 10_001), 0) == "money: $0.0100 would be needed at worst, $0.0100 are allowed"


def test_the_account_is_opened_from_the_journal() -> None:
    envelopes = [Envelope(at=1_000, elapsed=500, tokens_in=5, tokens_out=6, cost=7), Envelope(at=2_000, cost=None)]
    purse = Purse.of(Budget(), envelopes)
    assert purse.spent == Amount(11, 7)


def test_pauses_are_not_work() -> None:
    week = 7 * 24 * 3600 * 1000
    envelopes = [Envelope(at=10_000, elapsed=4_000), Envelope(at=week, elapsed=3_000)]
    purse = Purse.of(Budget(seconds=8), envelopes)
    assert purse.worked_ms == 7_000
    assert purse.refusal(Amount(), 0) is None
    assert purse.refusal(Amount(), 1_000) == "time: 8 s at work, 8 s are allowed"


def test_replies_that_overlap_are_counted_once() -> None:
    envelopes = [Envelope(at=10_000, elapsed=4_000), Envelope(at=10_100, elapsed=4_100)]
    assert Purse.of(Budget(), envelopes).worked_ms == 4_100
