"""The review does what the oracle expects of it, under all of its profiles; so does any review made of odd replies."""

from __future__ import annotations

from typing import Any

import pytest

from quorate import catalog
from quorate.protocols.review.rules.model import ReviewSettings
from quorate.verify import ProofStatus, Report, verify
from tests.protocols.review.defects.mutants import MATERIAL
from tests.protocols.review.oracle import oracle, with_oracle
from tests.support.moments import moments
from tests.support.reviewed import approved, compromised, inconclusive, vetoed

SMALL = "one member, the adjudicator"


def against_the_oracle(*profiles: str) -> Report:
    built = catalog.profiles("review", profiles)
    return verify({name: with_oracle(protocol) for name, protocol in built.items()}, MATERIAL)


def invariants_of(report: Report) -> tuple[ProofStatus, str]:
    found = next(result for result in report.results if result.number == 5)
    return found.status, found.text()


def test_a_committee_of_one_holds_against_the_oracle() -> None:
    status, told = invariants_of(against_the_oracle(SMALL))
    assert status is ProofStatus.PROVEN, told


@pytest.mark.slow
@pytest.mark.parametrize("profile", [name for name in catalog.profiles("review") if name != SMALL])
def test_every_profile_holds_against_the_oracle(profile: str) -> None:
    status, told = invariants_of(against_the_oracle(profile))
    assert status is ProofStatus.PROVEN, told


@pytest.mark.parametrize("session", [approved, vetoed, compromised, inconclusive])
def test_a_whole_session_holds_against_the_oracle(session: Any) -> None:
    record = session().record
    for moment in moments(record):
        broken = [each.name for each in with_oracle(record.protocol).invariants if not each.holds(moment)]
        assert broken == [], moment.outcome


def test_no_check_of_the_oracle_has_the_name_of_an_invariant() -> None:
    """A proof names what was broken, so one name is one statement."""
    own = {each.name for each in catalog.profiles("review", (SMALL,))[SMALL].invariants}
    assert own.isdisjoint(each.name for each in oracle(ReviewSettings()))
