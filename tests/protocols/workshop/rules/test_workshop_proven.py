"""The workshop is proven under its profiles: five strategies, three workflows, an interactive session and limits."""

from __future__ import annotations

from typing import Any

import pytest

from quorate import catalog
from quorate.core.protocol import Protocol
from quorate.protocols.workshop.rules.strategies import BY_NAME
from quorate.protocols.workshop.rules.workflows import WORKFLOWS
from quorate.verify import ProofStatus, Report, verify
from quorate.verify.counterexamples import Failures
from quorate.verify.explore import Walk
from tests.protocols.workshop.defects.mutants import MATERIAL, workshops
from tests.protocols.workshop.oracle import with_oracle

PROMISED = (
    "nothing is concluded before min_rounds but by a person or an error",
    "never more rounds than max_rounds, and the last one is the last",
    "no artifact without a round that made it",
    "terminal artifacts stay terminal",
    "ids are counted per type, and none is issued twice",
    "a topic closes only with everything that it needs",
    "the focus is one candidate of the first class",
    "a pass keeps its focus",
    "stages come in order and none is left out",
    "consensus comes by the strategy's rule alone",
    "what is contested has a conflict at once",
    "the next action is the ordered rule's",
    "COMPLETE only where the topics are closed and nothing stands against it",
    "a person's decision resolves what was put and nothing else",
    "two lost rounds in a row end the session, and none is complete",
    "a detour changes conflicts and nothing else",
)
QUICK = ("few episodes, no escalation",)


def against_the_oracle(names: list[str]) -> dict[str, Protocol[Any]]:
    return {name: with_oracle(protocol) for name, protocol in catalog.profiles("workshop", names).items()}


def failed(report: Report) -> dict[int, str]:
    return {each.number: each.text() for each in report.results if each.status is ProofStatus.FAILED}


@pytest.mark.parametrize("name", catalog.profiles("workshop"))
def test_the_promises_are_among_the_invariants(name: str) -> None:
    kept = [invariant.name for invariant in with_oracle(catalog.profiles("workshop")[name]).invariants]
    assert [promise for promise in PROMISED if promise not in kept] == []
    assert len(kept) == len(set(kept)) >= 40


def test_every_promise_cites_a_rule() -> None:
    (first, *_) = catalog.profiles("workshop").values()
    assert all(invariant.rule.startswith("W") for invariant in with_oracle(first).invariants)


def test_the_profiles_have_every_strategy_and_every_workflow() -> None:
    profiles = catalog.profiles("workshop")
    settings = [protocol.settings for protocol in profiles.values()]
    assert {each["workflow"] for each in settings} == {*WORKFLOWS, "open"}
    assert all(any(name in profile for profile in profiles) or name == "standard" for name in BY_NAME)
    assert {each["strategy"] for each in settings} >= {"standard", "six-hats"}
    for name, value in {"interactive": True, "escalation": False, "conclude_on": "required"}.items():
        assert value in [each[name] for each in settings]
    assert any(each["max_episodes"] and each["stall_after"] for each in settings)


@pytest.mark.parametrize("name", QUICK)
def test_a_small_profile_is_proven_and_holds_against_the_oracle(name: str) -> None:
    report = verify(against_the_oracle([name]), MATERIAL, whole=False)
    assert failed(report) == {}


@pytest.mark.slow
@pytest.mark.parametrize("name", catalog.profiles("workshop"))
def test_every_profile_holds_against_the_oracle(name: str) -> None:
    report = verify(against_the_oracle([name]), MATERIAL, whole=False)
    assert failed(report) == {}


def test_no_session_goes_on_beyond_max_rounds() -> None:
    """W34: on the longest way through a small walk, counted by verify and not read from the state."""
    report = verify(workshops(names=("rounds",)), MATERIAL, whole=False)
    assert failed(report) == {}
    assert report.profiles["rounds"].worst.rounds == 3


def test_detours_are_walked_in_every_phase() -> None:
    """W25"""
    walk = Walk(workshops(names=("rounds",))["rounds"], Failures())
    walk.run()
    asked = [vertex.session for vertex in walk.vertices if vertex.session.phase.name == "ESCALATION"]
    assert {session.state.stage.name for session in asked} >= {"QUESTION", "RESPONSES", "SYNTHESIS", "ARTIFACTS"}
    assert all(session.interrupted is None for session in asked)
