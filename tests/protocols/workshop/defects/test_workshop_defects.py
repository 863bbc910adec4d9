"""verify finds the workshop's planted defects; `python tests/protocols/workshop/defects/mutants.py` prints them all."""

from __future__ import annotations

import pytest

from quorate.verify import ProofStatus, verify
from tests.protocols.workshop.defects.mutants import EQUIVALENT, MATERIAL, everything, fate, missed, workshops
from tests.protocols.workshop.defects.promised import PROMISED
from tests.protocols.workshop.defects.walks import SMALL
from tests.verify.kinds import each_kind, sample, spread
from tests.verify.mutants import BY_HAND

MUTANTS = everything()
BY_NAME = {mutant.name: mutant for mutants in MUTANTS.values() for mutant in mutants}
QUICK = (
    "by hand: it concludes before min_rounds",
    "by hand: an artifact is of another round",
    "by hand: a closed topic opens again",
    "by hand: words of the absent are looked for",
    "by hand: an optional topic comes first",
    "by hand: what is gone cannot even be named",
    "by hand: every closed session is COMPLETE",
    "by hand: a round skips a stage",
    "by hand: a detour leaves a doubt",
    "by hand: one lost round ends it",
)
"""One of each kind of promise, found in a second or two each."""


def test_there_are_enough_of_them() -> None:
    assert len(BY_NAME) >= 200
    assert len(MUTANTS[BY_HAND]) >= 40
    assert set(EQUIVALENT) <= set(BY_NAME)


@pytest.mark.parametrize("promise", PROMISED)
def test_every_promise_has_twenty_of_its_own(promise: str) -> None:
    """All of them are found with the others; two of each here."""
    assert len(PROMISED[promise]) >= 20
    for name in list(PROMISED[promise])[:2]:
        found = fate(BY_NAME[f"{BY_HAND}: {name}"])
        assert found.number is not None, found.says


@pytest.mark.parametrize("name", QUICK)
def test_a_representative_defect_is_found(name: str) -> None:
    found = fate(BY_NAME[name])
    assert found.number is not None, found.says


@pytest.mark.slow
def test_a_sample_of_those_made_by_hand_is_found() -> None:
    assert missed(sample(MUTANTS[BY_HAND])) <= set(EQUIVALENT)


@pytest.mark.parametrize("kind", each_kind(MUTANTS))
def test_all_of_a_kind_are_found(kind: str) -> None:
    """Exactly those survive that change no decision."""
    assert missed(MUTANTS[kind]) == {name for name in EQUIVALENT if BY_NAME[name].kind == kind}


@pytest.mark.parametrize("name", spread(list(SMALL), 3))
def test_the_workshop_itself_is_not_found_under_the_same_walks(name: str) -> None:
    report = verify(workshops(names=(name,)), MATERIAL)
    kept = [each.text() for each in report.results if each.status is ProofStatus.FAILED and each.number not in (1, 9)]
    assert kept == []
