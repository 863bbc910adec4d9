"""verify finds the defects planted in the roundtable; mutants.py, run as a program, prints them all."""

from __future__ import annotations

import pytest

from quorate.verify import verify
from tests.protocols.roundtable.defects.mutants import EQUIVALENT, MATERIAL, everything, roundtables
from tests.verify.kinds import each_kind, sample
from tests.verify.mutants import BY_HAND, missed, run

MUTANTS = everything()
BY_NAME = {mutant.name: mutant for mutants in MUTANTS.values() for mutant in mutants}
QUICK = (
    "by hand: the limit is noticed one turn late",
    "by hand: the warning is given again",
    "by hand: anybody redirects",
    "by hand: one answers for the group",
    "by hand: documents are added to without a synthesis",
    "by hand: an immediate exit leaves no record",
    "by hand: words of those who said nothing are kept silently",
    "by hand: a loss is forgotten at the menu",
    "by hand: a wish forgets the talk",
    "by hand: a budget goes on asking models",
    "by hand: words beside an exit were not said",
    "by hand: who is asked passes in silence",
    "by hand: a limit at the framing leaves no mark",
)
"""One of each kind of promise, found in a second or two each."""


def test_there_are_enough_of_them() -> None:
    assert len(BY_NAME) >= 200
    assert len(MUTANTS[BY_HAND]) >= 40
    assert set(EQUIVALENT) <= set(BY_NAME)


@pytest.mark.parametrize("name", QUICK)
def test_a_representative_defect_is_found(name: str) -> None:
    fate = run(BY_NAME[name])
    assert fate.number == 5, fate.says


@pytest.mark.slow
def test_a_sample_of_those_made_by_hand_is_found() -> None:
    assert missed(sample(MUTANTS[BY_HAND])) <= set(EQUIVALENT)


@pytest.mark.parametrize("kind", each_kind(MUTANTS))
def test_all_of_a_kind_are_found(kind: str) -> None:
    """Exactly those survive that change no decision."""
    assert missed(MUTANTS[kind]) == {name for name in EQUIVALENT if BY_NAME[name].kind == kind}


@pytest.mark.slow
def test_the_roundtable_itself_is_not_found_under_the_same_profiles() -> None:
    report = verify(roundtables(), MATERIAL)
    assert report.ok, report.text()
