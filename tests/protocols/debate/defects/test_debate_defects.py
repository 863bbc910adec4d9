"""verify finds the defects planted in the debate; mutants.py, run as a program, prints them all."""

from __future__ import annotations

import pytest

from quorate.verify import verify
from tests.protocols.debate.defects.mutants import EQUIVALENT, MATERIAL, debates, everything
from tests.verify.kinds import each_kind, sample
from tests.verify.mutants import BY_HAND, Mutant, run

MUTANTS = everything()


def fates(mutants: list[Mutant]) -> tuple[set[str], set[str]]:
    """Return the names of the mutants that survived although they should not, and of those listed but found."""
    found = {mutant.name: run(mutant).number is not None for mutant in mutants}
    return (
        {name for name, was_found in found.items() if not was_found and name not in EQUIVALENT},
        {name for name, was_found in found.items() if was_found and name in EQUIVALENT},
    )


def test_there_are_enough_of_them_and_most_are_mechanical() -> None:
    mechanical = [mutant for kind, mutants in MUTANTS.items() if kind != BY_HAND for mutant in mutants]
    assert len(mechanical) >= 200
    assert len(MUTANTS[BY_HAND]) >= 20
    assert set(EQUIVALENT) <= {mutant.name for mutant in mechanical}


@pytest.mark.parametrize("kind", MUTANTS)
def test_some_of_every_kind_are_found(kind: str) -> None:
    mutants = [mutant for mutant in MUTANTS[kind] if mutant.name not in EQUIVALENT]
    quick = 8 if kind == BY_HAND else 2
    assert fates(mutants[:quick]) == (set(), set())


@pytest.mark.slow
def test_a_sample_of_those_made_by_hand_is_found() -> None:
    assert fates(sample(MUTANTS[BY_HAND])) == (set(), set())


@pytest.mark.parametrize("kind", each_kind(MUTANTS))
def test_all_of_a_kind_are_found(kind: str) -> None:
    missed, listed_but_found = fates(MUTANTS[kind])
    print(f"{kind}: {len(MUTANTS[kind])} mutants, {len(missed)} missed")
    assert missed == set()
    assert listed_but_found == set()


@pytest.mark.slow
def test_the_debate_itself_is_not_found_under_the_same_profiles() -> None:
    report = verify(debates(), MATERIAL)
    assert report.ok, report.text()
