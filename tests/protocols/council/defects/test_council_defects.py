"""verify finds the defects planted in the council; mutants.py in this folder prints them all."""

from __future__ import annotations

import pytest

from quorate.verify import verify
from tests.protocols.council.defects.mutants import EQUIVALENT, MATERIAL, councils, everything
from tests.protocols.council.defects.vanished import PLANTED
from tests.verify.kinds import each_kind, sample
from tests.verify.mutants import BY_HAND, missed, run

MUTANTS = everything()
BY_NAME = {mutant.name: mutant for mutants in MUTANTS.values() for mutant in mutants}
QUICK = (
    "by hand: a lone BLOCKER is dismissed silently",
    "by hand: what is the same at two places is kept apart",
    "by hand: a gate's finding is voted upon",
    "by hand: the quorum falls with a lost seat",
    "by hand: a vote that is missing opposes",
    "by hand: the mildest severity counts",
    "by hand: what was joined is not noted",
    "by hand: those who are left are unanimous",
    "by hand: a stranded BLOCKER is an agreement",
    "by hand: an edit of prose is a remedy",
    "by hand: without a report the gates are clean",
    "by hand: two lost seats do not end the council",
    "by hand: an abort forgets what was found",
    "every finding raised has exactly one fate: the last finding is dropped with the reviews",
    "no severity falls without a vote: a BLOCKER becomes MAJOR when texts are matched",
    "no approval while something was shown to nobody: what nobody was shown is approved",
    "no approval over a finding that nobody could answer: what was refused is approved",
)
"""One of each kind of promise, found in a second or two each."""
LATE = (
    "no approval that nobody judged: what a seat alone did not judge is approved",
    "no gate passes on nothing: a gate that read nothing passes",
)
"""Found only where one seat sits, after the walks of three seats."""


def test_there_are_enough_of_them() -> None:
    assert len(BY_NAME) >= 300
    assert len(MUTANTS[BY_HAND]) >= 40
    assert set(EQUIVALENT) <= set(BY_NAME)
    assert min(map(len, PLANTED.values())) >= 20
    assert set(PLANTED) <= set(MUTANTS)


@pytest.mark.parametrize("name", [*QUICK, *(pytest.param(name, marks=pytest.mark.slow) for name in LATE)])
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
def test_the_council_itself_is_not_found_under_the_same_profiles() -> None:
    report = verify(councils(), MATERIAL)
    assert report.ok, report.text()
