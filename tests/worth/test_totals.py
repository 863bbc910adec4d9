"""Sums: nothing counted twice, nothing unknown taken for zero."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from quorate.core.record import Asked, Record, Said
from quorate.core.session import Withdraw
from quorate.core.types import Reason
from quorate.evidence.derivation import totals_of
from quorate.worth.totals import Spent, dollars, duration, totals
from tests.support import councils_ended as ended


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
    free = debate(cost=0)
    free.play(1)
    free = replace(free, cost=None)
    free.play(3)
    assert totals(free.record).whole.money == "unknown", "that a person or a check costs nothing makes it no $0.00"


def test_an_ask_that_was_withdrawn_is_counted_as_that_and_as_no_ask(debate: Callable[..., Any]) -> None:
    stopped = debate()
    stopped.play(1)
    assert totals(stopped.record).whole.asks == 1, "two are open"
    whole = totals(stopped.stop(Reason.CANCELLED).record).whole
    assert (whole.put, whole.asks, whole.replies, whole.withdrawn, whole.spared) == (3, 1, 1, 2, 0)


def settled() -> Record:
    """A council in which two of three votes decide: three readings, six assessments and answers, two votes."""
    record = ended.with_remediation().record
    assert [line.ask for line in record.log if isinstance(line, Withdraw)], "the third vote is not waited for"
    return record


def test_a_vote_that_was_settled_without_a_seat_spares_its_ask() -> None:
    found = totals(settled())
    assert (found.whole.asks, found.whole.spared, found.whole.withdrawn) == (11, 1, 0)
    assert (found.seats["SA-3"].asks, found.seats["SA-3"].spared) == (3, 1)


def test_where_all_are_asked_at_once_a_call_may_have_been_under_way() -> None:
    record = settled()
    record.opening = replace(record.opening, run={"curtail": False})
    assert (totals(record).whole.spared, totals(record).whole.withdrawn) == (0, 1)


def test_what_code_is_asked_is_counted_by_itself() -> None:
    found = totals(settled())
    said = Counter(str(line.ask.seat) for line in settled().log if isinstance(line, Said))
    assert (found.seats["gates"].asks, found.seats["gates"].by_code) == (0, said["gates"])
    assert found.whole.by_code == said["gates"] + said["matcher"]
    assert found.whole.answers == sum(said.values())


def test_a_bundle_counts_everything_that_was_asked_as_it_always_has() -> None:
    record = settled()
    asked = sum(isinstance(line, Asked) for line in record.log)
    said = sum(isinstance(line, Said) for line in record.log)
    whole = totals_of(record)["all"]
    assert (whole["asks"], whole["replies"], whole["absent"], whole["withdrawn"]) == (asked, said, 0, 1)
    assert asked == said + 1


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
