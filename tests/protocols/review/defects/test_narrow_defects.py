"""verify finds every defect of narrow reviews by the review's own statements, and none in the review (R50 to R54)."""

from __future__ import annotations

from typing import Any

import pytest

from quorate import catalog
from quorate.core.protocol import Protocol
from quorate.kit.settings import read_settings
from quorate.protocols import review
from quorate.verify import verify
from tests.protocols.review.defects.narrow import DEFECTS, PROFILES
from tests.protocols.review.defects.test_unread import broken
from tests.protocols.review.oracle import with_oracle

QUICK = (
    "a hit of which the skeptic cannot tell is dropped",
    "a hit is put to whoever raised it",
    "a reader that is lost has answered",
    "silence is a quorum",
    "the verdict does not look at hits",
)


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


def test_there_are_enough_of_them() -> None:
    assert len(DEFECTS) >= 20
    assert set(QUICK) <= set(DEFECTS)


@pytest.mark.parametrize("name", QUICK)
def test_a_defect_of_a_narrow_review_is_found(name: str) -> None:
    assert found(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in DEFECTS if name not in QUICK])
def test_every_defect_of_a_narrow_review_is_found(name: str) -> None:
    assert found(name)


@pytest.mark.slow
def test_the_narrow_review_itself_is_not_found() -> None:
    report = verify({name: with_oracle(each) for name, each in reviews().items()}, review.DEFINITION.proven_with())
    assert broken(report) == ""
