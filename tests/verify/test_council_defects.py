"""verify finds the defects planted in the council; `python tests/verify/council_mutants.py` prints them all."""

from __future__ import annotations

import pytest

from quorate.verify import verify
from tests.verify.council_mutants import EQUIVALENT, MATERIAL, councils, everything
from tests.verify.kinds import each_kind
from tests.verify.mutants import BY_HAND, missed, run

MUTANTS = everything()
BY_NAME = {mutant.name: mutant for mutants in MUTANTS.values() for mutant in mutants}
QUICK = (
    "by hand: a lone BLOCKER is dismissed silently",
    "by hand: findings of two tickets are merged",
    "by hand: a gate's finding is voted upon",
    "by hand: the quorum falls with a lost seat",
    "by hand: a vote that is missing opposes",
    "by hand: of two severities the milder counts",
    "by hand: duplicates are not counted as merged",
    "by hand: those who are left are unanimous",
    "by hand: a stranded BLOCKER is an agreement",
    "by hand: an edit of prose is a remedy",
    "by hand: without a report the gates are clean",
    "by hand: two lost seats do not end the council",
    "by hand: an abort forgets what was found",
)
"""One of each kind of promise, found in a second or two each."""


def test_there_are_enough_of_them() -> None:
    assert len(BY_NAME) >= 300
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
def test_the_council_itself_is_not_found_under_the_same_profiles() -> None:
    report = verify(councils(), MATERIAL)
    assert report.ok, report.text()
