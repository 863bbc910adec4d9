"""verify finds every defect in who reads what by the review's own statements, and none in the review (R43 to R45)."""

from __future__ import annotations

from typing import Any

import pytest

from quorate import catalog
from quorate.core.protocol import Protocol
from quorate.kit.settings import read_settings
from quorate.protocols import review
from quorate.verify import ProofStatus, Report, verify
from tests.protocols.review.defects.unread import DEFECTS, PROFILES
from tests.verify.kinds import spread

QUICK = (
    "a reader that is lost has read",
    "files beyond the limits are forgotten",
    "a ballot on some of the change has read all",
    "the verdict does not look at gaps",
    "the chair reads",
)


FAILED = ProofStatus.FAILED


def reviews() -> dict[str, Protocol[Any]]:
    definition = review.DEFINITION
    briefs = catalog.briefs(definition)
    made = {name: read_settings(definition.settings, values) for name, values in PROFILES.items()}
    return {name: review.build(settings, briefs, 7) for name, settings in made.items()}


def found(name: str) -> str:
    """Return what the invariants find of a defect, looking at one profile after the other; empty for a survivor."""
    for profile, protocol in reviews().items():
        planted = {profile: DEFECTS[name](protocol)}
        if told := broken(verify(planted, review.DEFINITION.proven_with(), stop_at_first=True)):
            return told
    return ""


def broken(report: Report) -> str:
    """Return what does not hold of replies and invariants; that small profiles use not every brief is no defect."""
    return "\n".join(each.text() for each in report.results if each.number in (3, 5) and each.status is FAILED)


def test_there_are_enough_of_them() -> None:
    assert len(DEFECTS) >= 20
    assert set(QUICK) <= set(DEFECTS)


@pytest.mark.parametrize("name", QUICK)
def test_a_defect_of_coverage_is_found(name: str) -> None:
    assert "rule R27 R43 R45" in found(name) or "rule R43 R44" in found(name)


@pytest.mark.parametrize("name", spread([name for name in DEFECTS if name not in QUICK], 6))
def test_every_defect_of_coverage_is_found(name: str) -> None:
    assert found(name)


@pytest.mark.slow
def test_the_review_itself_is_not_found() -> None:
    report = verify(reviews(), review.DEFINITION.proven_with())
    assert broken(report) == ""
