"""verify finds whatever lets the word of a seat count that has not passed the exam (W40, W41)."""

from __future__ import annotations

import pytest

from quorate.verify import ProofStatus, verify
from tests.protocols.workshop.defects.mutants import MATERIAL, fate, workshops
from tests.protocols.workshop.defects.note_walks import NOTED
from tests.protocols.workshop.defects.unqualified import planted
from tests.verify.mutants import BY_HAND, Mutant

PLANTED = planted()
QUICK = (
    "a note on the seat of the person rules",
    "a round of notes has no synthesis",
    "what a note was shown is read",
    "a facilitator that is a note endorses",
)
WALKED_AT_ONCE = ("nobody counts", "one reads", "judged by a note")


def test_there_are_enough_of_them() -> None:
    assert len(PLANTED) >= 20


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in PLANTED]
)
def test_whatever_lets_its_word_count_is_found(name: str) -> None:
    found = fate(Mutant(BY_HAND, name, PLANTED[name], MATERIAL))
    assert found.number is not None, found.says
    assert found.number == 5, found.says


@pytest.mark.parametrize(
    "name", [name if name in WALKED_AT_ONCE else pytest.param(name, marks=pytest.mark.slow) for name in NOTED]
)
def test_the_workshop_itself_holds_under_the_same_walks(name: str) -> None:
    report = verify(workshops(names=(name,)), MATERIAL)
    kept = [each.text() for each in report.results if each.status is ProofStatus.FAILED and each.number not in (1, 9)]
    assert kept == []
