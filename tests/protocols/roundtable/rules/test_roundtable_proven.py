"""The roundtable is proven under its profiles: it ends within its limit for every sequence of inputs."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from quorate import catalog
from quorate.core.protocol import Protocol
from quorate.protocols.roundtable import DEFINITION
from quorate.verify import ProofStatus, Report, verify
from quorate.verify.counterexamples import Failures
from quorate.verify.explore import Walk
from tests.protocols.roundtable.defects.mutants import MATERIAL, roundtables
from tests.protocols.roundtable.oracle import with_oracle

PROMISED = (
    "never above the turn limit",
    "the warning comes exactly once, two turns before the limit",
    "never more free moves in a row than allowed",
    "every move of a talk costs a turn, a free move or one reading",
    "only the lead redirects",
    "a disagreement is with somebody who has spoken",
    "who is said to have spoken has",
    "what the person says counts once it is heard",
    "a limit that cuts an elaboration short degrades it, or aborts what nobody has said",
    "documents are added to after a synthesis with something for them, never otherwise",
    "every elaboration is recorded",
    "an interruption loses nothing and wraps up",
    "after a limit no model is asked",
    "the verdict is the person's choice",
)


@cache
def profiles() -> dict[str, Protocol[Any]]:
    return catalog.profiles(DEFINITION)


def failed(report: Report) -> dict[int, str]:
    return {each.number: each.text() for each in report.results if each.status is ProofStatus.FAILED}


@pytest.mark.parametrize("name", DEFINITION.profiles)
def test_the_promises_are_among_the_invariants(name: str) -> None:
    kept = [invariant.name for invariant in profiles()[name].invariants]
    assert [promise for promise in PROMISED if promise not in kept] == []
    checked = with_oracle(profiles()[name]).invariants
    assert len(checked) == len({invariant.name for invariant in checked}) >= 30
    assert all(invariant.rule.startswith("T") for invariant in checked)


def test_the_profiles_keep_every_setting_of_the_rules_live() -> None:
    settings = [protocol.settings for protocol in profiles().values()]
    live: dict[str, set[Any]] = {
        "contexts": {"shared", "separate"},
        "classifier": {True, False},
        "start": {"menu", "entry"},
        "max_turns": {None, 3, 5},
        "documents": {0, 1, 2},
        "step": {""},
        "free_moves": {1, 3},
    }
    for name, values in live.items():
        assert values <= {each[name] for each in settings}
    assert any(each["max_episodes"] and each["stall_after"] for each in settings)


@pytest.mark.parametrize("name", ["no documents, one free move"])
def test_a_small_roundtable_is_proven(name: str) -> None:
    report = verify({name: with_oracle(profiles()[name])}, MATERIAL, whole=False)
    assert failed(report) == {}
    assert not any(profile.cuts for profile in report.profiles.values())


@pytest.mark.slow
@pytest.mark.parametrize("name", DEFINITION.profiles)
def test_every_profile_holds_against_the_oracle(name: str) -> None:
    report = verify({name: with_oracle(profiles()[name])}, MATERIAL, whole=False)
    assert failed(report) == {}


def test_no_sequence_of_inputs_comes_back_or_goes_above_the_limit() -> None:
    """T9, T17: counted on the walk, not read from an invariant."""
    walk = Walk(roundtables()["three personas"], Failures())
    walk.run()
    turns = [vertex.session.state.turn for vertex in walk.vertices]
    assert max(turns) == 4
    assert not walk.unfinished
    assert any(vertex.session.state.free == 2 for vertex in walk.vertices)
