"""verify finds the defects planted in the review; `python tests/verify/review_mutants.py` prints them all."""

from __future__ import annotations

import pytest

from quorate.verify import verify
from tests.verify.kinds import each_kind
from tests.verify.mutants import BY_HAND, missed, run
from tests.verify.review_mutants import EQUIVALENT, MATERIAL, everything, reviews

MUTANTS = everything()
BY_NAME = {mutant.name: mutant for mutants in MUTANTS.values() for mutant in mutants}
QUICK = (
    "by hand: a majority outvotes a veto",
    "by hand: abstainers are in the denominator",
    "by hand: an absent member counts as an aye",
    "by hand: everybody's veto counts",
    "by hand: low confidence is ignored",
    "by hand: a refutation without a quotation",
    "by hand: a proven secret is voted away",
    "by hand: one round too many",
    "by hand: nobody voting is a quorum",
    "by hand: members ballot twice",
)
"""One of each kind of promise, found in a second each."""


def test_there_are_enough_of_them() -> None:
    assert len(BY_NAME) >= 200
    assert len(MUTANTS[BY_HAND]) >= 40
    assert set(EQUIVALENT) <= set(BY_NAME)


@pytest.mark.parametrize("name", QUICK)
def test_a_representative_defect_is_found(name: str) -> None:
    fate = run(BY_NAME[name])
    assert fate.number == 5, fate.says


@pytest.mark.parametrize("kind", each_kind(MUTANTS))
def test_all_of_a_kind_are_found(kind: str) -> None:
    """Exactly those survive that change no decision."""
    assert missed(MUTANTS[kind]) == {name for name in EQUIVALENT if BY_NAME[name].kind == kind}


@pytest.mark.slow
def test_the_review_itself_is_not_found_under_the_same_profiles() -> None:
    report = verify(reviews(), MATERIAL)
    assert report.ok, report.text()
