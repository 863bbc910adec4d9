"""verify finds whatever lets the word of a seat count that has not passed the exam (D36)."""

from __future__ import annotations

import pytest

from quorate.verify import ProofStatus, verify
from tests.protocols.debate.defects.mutants import MATERIAL
from tests.protocols.debate.defects.unqualified import PLANTED, built
from tests.protocols.debate.oracle import with_oracle


@pytest.mark.parametrize("planted", PLANTED)
def test_whatever_lets_its_word_count_is_found(planted: str) -> None:
    report = verify(built(PLANTED[planted]), MATERIAL, stop_at_first=True)
    assert any(result.status is ProofStatus.FAILED for result in report.results), report.text()


def test_the_debate_itself_holds_against_the_oracle() -> None:
    found = next(each for each in verify(built(with_oracle), MATERIAL).results if each.number == 5)
    assert found.status is ProofStatus.PROVEN, found.text()
