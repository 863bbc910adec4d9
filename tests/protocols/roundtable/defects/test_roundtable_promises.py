"""verify finds every planted defect of the promises of T30 to T34, by the roundtable's own invariants alone."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from quorate import catalog
from quorate.core.protocol import Protocol
from quorate.kit.settings import read_settings
from quorate.protocols import roundtable
from quorate.protocols.roundtable.rules.model import State
from tests.protocols.roundtable.defects.mutants import MATERIAL, PROFILES
from tests.protocols.roundtable.defects.planted_promises import ALL
from tests.verify.mutants import BY_HAND, Mutant, run
from tests.verify.planted import Defect

QUICK = 5
"""Every fifth defect is planted in the quick suite."""


def planted(name: str, defect: Defect) -> Mutant:
    def build() -> Mapping[str, Protocol[State]]:
        settings, briefs = roundtable.DEFINITION.settings, catalog.briefs(roundtable.DEFINITION)
        made = {each: read_settings(settings, values) for each, values in PROFILES.items()}
        return {each: defect(roundtable.build(values, briefs, 7)) for each, values in made.items()}

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
