"""verify finds the defects planted in the review; `python tests/protocols/review/defects/mutants.py` prints them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from quorate.verify import verify
from tests.protocols.review.defects.lost import FATES, UNJUDGED, VETOES, VETOES_COUNTED
from tests.protocols.review.defects.mutants import EQUIVALENT, MATERIAL, everything, reviews
from tests.protocols.review.defects.unqualified import COUNTED, RULED
from tests.verify.kinds import each_kind, sample
from tests.verify.mutants import BY_HAND, missed, run

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
    "by hand: silence ends an item",
    "by hand: items are lost where it decides REDEBATE",
    "by hand: what is taken back is not told",
    "by hand: a veto withheld leaves no trace",
    "by hand: a veto withheld approves",
    "by hand: a veto withheld is lifted by opposing",
    "by hand: all abstain, and that is a quorum",
    "by hand: whatever is quoted is ground",
)
"""One of each kind of promise, found in a second each."""


def test_there_are_enough_of_them() -> None:
    assert len(BY_NAME) >= 200
    assert len(MUTANTS[BY_HAND]) >= 40
    assert set(EQUIVALENT) <= set(BY_NAME)


@pytest.mark.parametrize("planted", [FATES, {**VETOES, **VETOES_COUNTED}, UNJUDGED], ids=["fates", "vetoes", "judged"])
def test_twenty_and_more_are_planted_for_each_of_the_promises_about_what_was_said(planted: Mapping[str, Any]) -> None:
    assert len(planted) >= 20
    assert {f"{BY_HAND}: {name}" for name in planted} <= set(BY_NAME)


@pytest.mark.slow
def test_whatever_lets_the_words_of_whoever_failed_the_exam_count_is_found() -> None:
    """One of them: all are found with the others in the long suite."""
    planted = [BY_NAME[f"{BY_HAND}: {name}"] for name in (*COUNTED, *RULED)]
    assert len(planted) >= 14
    assert missed(planted[:1]) == set()


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
def test_the_review_itself_is_not_found_under_the_same_profiles() -> None:
    report = verify(reviews(), MATERIAL)
    assert report.ok, report.text()
