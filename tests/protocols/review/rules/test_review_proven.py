"""The review is proven under its profiles: committees of one, two, four and six, and the literal table of the seed."""

from __future__ import annotations

import pytest

from quorate import catalog
from quorate.verify import ProofStatus, Report, verify
from tests.protocols.review.defects.mutants import MATERIAL

pytestmark = pytest.mark.xdist_group("review-proven")
PROMISED = (
    "no approval while a veto stands",
    "no verdict without its quorum",
    "a proven secret never ends APPROVED",
    "always ends within five ballots",
)
ALONE = "one member, the adjudicator"
SIZES = {
    ALONE: 1,
    "two members": 2,
    "two members, the literal table, evidence alone": 2,
    "four members": 4,
    "six members": 6,
}
SMALL = (*(name for name, size in SIZES.items() if size <= 2), "one member, a change in parts, two rounds")
BOUNDED = {6}
"""Views are looked at on typical sessions: that result is bounded by its nature."""


def proven(*profiles: str) -> Report:
    return verify(catalog.profiles("review", profiles), MATERIAL)


def unproven(report: Report) -> dict[int, str]:
    return {
        each.number: each.text()
        for each in report.results
        if each.status is not ProofStatus.PROVEN and not (each.number in BOUNDED and each.status is ProofStatus.BOUNDED)
    }


@pytest.fixture(scope="module", params=[(ALONE,), pytest.param(SMALL, marks=pytest.mark.slow)], ids=["one", "small"])
def small(request: pytest.FixtureRequest) -> Report:
    """What the tests of this file share; they stay in one process, so that it is proven once."""
    return proven(*request.param)


def test_small_committees_are_proven(small: Report) -> None:
    """One profile alone does not reach every row and every brief (results 1 and 9); together they do."""
    left = (1, 9) if len(small.profiles) == 1 else ()
    assert [number for number in unproven(small) if number not in left] == []


def test_nothing_was_left_out(small: Report) -> None:
    assert {name: profile.cuts for name, profile in small.profiles.items()} == dict.fromkeys(small.profiles, ())
    assert all(domain.exact for profile in small.profiles.values() for domain in profile.domains)


def test_no_session_holds_more_than_five_ballots(small: Report) -> None:
    """R5: counted on the longest way through every walk, not read from the state."""
    for name, profile in ((name, small.profiles[name]) for name in SIZES if name in small.profiles):
        assert profile.worst.rounds == 5
        assert profile.worst.by_brief["ballot"] == 5 * SIZES[name]


@pytest.mark.parametrize("name", catalog.profiles("review"))
def test_the_four_promises_are_among_the_invariants(name: str) -> None:
    kept = [invariant.name for invariant in catalog.profiles("review")[name].invariants]
    assert [promise for promise in PROMISED if promise not in kept] == []


def test_the_profiles_are_committees_of_one_two_four_and_six() -> None:
    sizes = {name: len(protocol.settings["members"]) for name, protocol in catalog.profiles("review").items()}
    assert {name: sizes.get(name) for name in SIZES} == SIZES
