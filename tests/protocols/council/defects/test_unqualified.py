"""verify finds whatever lets the word of a seat count that has not passed the exam (C48)."""

from __future__ import annotations

import pytest

from quorate import catalog
from quorate.verify import ProofStatus, verify
from tests.protocols.council.defects.mutants import MATERIAL
from tests.protocols.council.defects.unqualified import PLANTED, PROFILES, councils
from tests.protocols.council.oracle import with_oracle

QUICK = ("an artifact counts", "nobody is told")


@pytest.mark.parametrize(
    "planted", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in PLANTED]
)
def test_whatever_lets_its_word_count_is_found(planted: str) -> None:
    report = verify(councils(planted), MATERIAL, stop_at_first=True)
    failed = [result.number for result in report.results if result.status is ProofStatus.FAILED]
    assert failed[:1] == [5], report.text()


@pytest.mark.slow
@pytest.mark.parametrize("profile", PROFILES)
def test_the_council_itself_holds_against_the_oracle(profile: str) -> None:
    built = {profile: with_oracle(catalog.profiles("council", (profile,))[profile])}
    found = next(each for each in verify(built, MATERIAL).results if each.number == 5)
    assert found.status is ProofStatus.PROVEN, found.text()
