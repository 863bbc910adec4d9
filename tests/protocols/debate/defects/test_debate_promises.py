"""verify finds every planted defect of the promises of D33 and D34, by the debate's own invariants alone."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from quorate import catalog
from quorate.core.protocol import Protocol
from quorate.kit.settings import read_settings
from quorate.protocols import debate
from quorate.protocols.debate.rules.model import State
from tests.protocols.debate.defects.mutants import MATERIAL, PROFILES
from tests.protocols.debate.defects.planted_promises import ALL
from tests.verify.mutants import BY_HAND, Mutant, run
from tests.verify.planted import Defect

QUICK = 5
"""Every fifth defect is planted in the quick suite."""


def planted(name: str, defect: Defect) -> Mutant:
    def build() -> Mapping[str, Protocol[State]]:
        settings, briefs = debate.DEFINITION.settings, catalog.briefs(debate.DEFINITION)
        first = "clarifications" if "question" in name else ""  # where it lives is walked first
        order = sorted(PROFILES, key=lambda each: each != first)
        made = {each: read_settings(settings, PROFILES[each]) for each in order}
        return {each: defect(debate.build(values, briefs, 7)) for each, values in made.items()}

    return Mutant(BY_HAND, name, build, MATERIAL)


def missed(defects: Mapping[str, Defect]) -> list[str]:
    return [name for name, defect in defects.items() if run(planted(name, defect)).number is None]


@pytest.mark.parametrize("promise", ALL)
def test_there_are_enough_of_them_and_some_are_found(promise: str) -> None:
    assert len(ALL[promise]) >= 20
    assert missed(dict(list(ALL[promise].items())[::QUICK])) == []


@pytest.mark.slow
@pytest.mark.parametrize("promise", ALL)
def test_all_of_them_are_found(promise: str) -> None:
    assert missed(ALL[promise]) == []


@pytest.mark.slow
def test_without_a_defect_nothing_is_found() -> None:
    assert missed({"none": lambda protocol: protocol}) == ["none"]
