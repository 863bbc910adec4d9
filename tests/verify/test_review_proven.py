"""The review is proven under its profiles: committees of one, two, four and six, and the literal table of the seed."""

from __future__ import annotations

import pytest

from quorate import catalog
from quorate.verify import Report, Status, verify
from tests.verify.review_mutants import MATERIAL

pytestmark = pytest.mark.xdist_group("review-proven")
PROMISED = (
    "no approval while a veto stands",
    "no verdict without its quorum",
    "a proven secret never ends APPROVED",
    "always ends within five ballots",
)
SIZES = {
    "one member, the adjudicator": 1,
    "two members": 2,
    "two members, the literal table, evidence alone": 2,
    "four members": 4,
    "six members": 6,
}
BOUNDED = {6}
"""Views are looked at on typical sessions: that result is bounded by its nature."""


def proven(*profiles: str) -> Report:
    return verify(catalog.profiles("review", profiles), MATERIAL)


def unproven(report: Report) -> dict[int, str]:
    return {
        each.number: each.text()
        for each in report.results
        if each.status is not Status.PROVEN and not (each.number in BOUNDED and each.status is Status.BOUNDED)
    }


@pytest.fixture(scope="module")
def small() -> Report:
    """What the tests of this file share; they stay in one process, so that it is proven once."""
    return proven(*(name for name, size in SIZES.items() if size <= 2))


def test_committees_of_one_and_two_are_proven(small: Report) -> None:
    assert unproven(small) == {}


def test_nothing_was_left_out(small: Report) -> None:
    assert {name: profile.cuts for name, profile in small.profiles.items()} == dict.fromkeys(small.profiles, ())
    assert all(domain.exact for profile in small.profiles.values() for domain in profile.domains)


def test_no_session_holds_more_than_five_ballots(small: Report) -> None:
    """R5: counted on the longest way through every walk, not read from the state."""
    for name, profile in small.profiles.items():
        assert profile.worst.rounds == 5
        assert profile.worst.by_brief["ballot"] == 5 * SIZES[name]


@pytest.mark.parametrize("name", catalog.profiles("review"))
def test_the_four_promises_are_among_the_invariants(name: str) -> None:
    kept = [invariant.name for invariant in catalog.profiles("review")[name].invariants]
    assert [promise for promise in PROMISED if promise not in kept] == []


def test_the_profiles_are_committees_of_one_two_four_and_six() -> None:
    sizes = {name: len(protocol.settings["members"]) for name, protocol in catalog.profiles("review").items()}
    assert {name: sizes.get(name) for name in SIZES} == SIZES
