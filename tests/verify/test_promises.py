"""Each promise of issue 18 is an invariant of every protocol it concerns, which finds twenty planted defects by itself.

A sample is planted in `make test-slow`, all of them in `make test-long`.
"""

from __future__ import annotations

import pytest

from tests.verify.promises import ANSWERABLE, APPLIED, GATES, JUDGED, NO_FALL, ONE_FATE, PROMISES, SHOWN, TRACE, Promise

LEAST = 20
SAMPLE = 8
"""Every eighth defect is planted in the slow suite."""
CONCERNED = {
    ONE_FATE: {"council", "debate", "review", "roundtable", "workshop"},
    NO_FALL: {"council"},
    SHOWN: {"council", "review", "workshop"},
    TRACE: {"review"},
    JUDGED: {"council", "debate", "review", "roundtable", "workshop"},
    APPLIED: {"workshop"},
    GATES: {"council"},
    ANSWERABLE: {"council"},
}
"""Severities fall by votes in a council alone, vetoes are of a review, and rulings on what goes on of a workshop."""
each_promise = pytest.mark.parametrize("promise", PROMISES, ids=lambda each: f"{each.protocol}: {each.name}")


def test_every_promise_is_planted_against_wherever_it_concerns_a_protocol() -> None:
    found = {name: {each.protocol for each in PROMISES if each.name == name} for name in CONCERNED}
    assert found == CONCERNED
    assert {each.name for each in PROMISES} == set(CONCERNED)


@each_promise
def test_it_is_an_invariant_with_enough_planted_against_it(promise: Promise) -> None:
    assert promise.stated() == set(promise.invariants)
    assert len({each.name for each in promise.defects}) >= LEAST


@pytest.mark.slow
@each_promise
def test_a_sample_is_found(promise: Promise) -> None:
    assert promise.missed(promise.defects[::SAMPLE]) == []


@pytest.mark.long
@each_promise
def test_all_of_them_are_found(promise: Promise) -> None:
    assert promise.missed(promise.defects) == []


@pytest.mark.long
@each_promise
def test_twenty_and_more_are_found_by_it_alone(promise: Promise) -> None:
    missed = promise.missed(map(promise.alone, promise.defects))
    assert len(promise.defects) - len(missed) >= LEAST, missed
