"""Sums: nothing counted twice, nothing unknown taken for zero."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from quorate.core.record import Said
from quorate.core.types import Reason
from quorate.evidence.totals import Spent, dollars, duration, totals


def test_seats_and_phases_add_up_to_the_whole(full: Any) -> None:
    summed = totals(full.record)
    for parts in (summed.seats, summed.phases):
        added = Spent()
        for spent in parts.values():
            added += spent
        assert added == summed.whole
    said = [line for line in full.record.log if isinstance(line, Said)]
    assert summed.whole.replies + summed.whole.absent == len(said) == len(full.entries) - 1
    assert summed.whole.absent == summed.seats["testing"].absent == 2
    assert summed.whole.cost == 1200 * len(said)
    assert (summed.first, summed.last) == (full.record.envelopes[0].at, full.record.envelopes[-1].at)
    assert summed.models["judge"] == ("test:judge",)


def test_an_unknown_price_is_said_as_unknown(debate: Callable[..., Any]) -> None:
    assert totals(debate(cost=None).play().record).whole.money == "unknown"
    mixed = debate(cost=None)
    mixed.play(2)
    mixed = replace(mixed, cost=500_000)
    mixed.play(2)
    assert totals(mixed.record).whole.money == "at least $1.00 (2 of 4 prices are unknown)"


def test_withdrawn_asks_are_counted(debate: Callable[..., Any]) -> None:
    stopped = debate()
    stopped.play(1)
    whole = totals(stopped.stop(Reason.CANCELLED).record).whole
    assert (whole.asks, whole.replies, whole.withdrawn) == (3, 1, 2)


@pytest.mark.parametrize(
    ("cost", "words"),
    [(0, "$0.00"), (1, "$0.000001"), (120_000, "$0.12"), (1_234_567_890, "$1,234.56789"), (-5_000, "-$0.005")],
)
def test_money_is_exact(cost: int, words: str) -> None:
    assert dollars(cost) == words


@pytest.mark.parametrize(
    ("milliseconds", "words"),
    [(0, "0 ms"), (999, "999 ms"), (4_250, "4.2 s"), (200_000, "3 min 20 s"), (18_120_000, "5 h 2 min")],
)
def test_durations(milliseconds: int, words: str) -> None:
    assert duration(milliseconds) == words
