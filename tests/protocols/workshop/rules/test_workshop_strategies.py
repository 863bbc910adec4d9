"""Strategies: their stages, who sits on which side, and what chooses one (W3, W27 to W29, W32)."""

from __future__ import annotations

from typing import Any

import pytest

from quorate.core.errors import SettingError
from quorate.protocols.workshop.rules.plan import plan_of
from quorate.protocols.workshop.rules.settings import WorkshopSettings
from quorate.protocols.workshop.rules.strategies import BY_NAME, ConsensusRule
from quorate.protocols.workshop.rules.taxonomy import Workflow
from quorate.protocols.workshop.rules.workflows import suggest_strategy
from tests.support.workshops import FOUR, ONE, THREE, TWO, Meeting, agenda, broken, req, topic, workshop

BOTH = ("P1", "P2")
STAGES = {
    "standard": ["discussion"],
    "disney": ["dreamer", "realist", "critic"],
    "debate": ["opening", "rebuttal", "closing"],
    "consensus-driven": ["proposal", "refinement", "convergence"],
    "six-hats": ["blue-open", "white", "red", "black", "yellow", "green", "blue-close"],
}


@pytest.mark.parametrize("name", STAGES)
def test_stages_come_in_order_and_the_next_pass_begins_with_the_first(name: str) -> None:
    """W27, W28"""
    meeting = Meeting(agenda(topic("a", 20)), strategy=name, max_rounds=16)
    for _ in range(2 * len(STAGES[name])):
        meeting.round(requirements=[req(*BOTH)])
    assert meeting.stages == STAGES[name] * 2
    assert broken(meeting) == []


def test_a_stage_of_disney_takes_a_second_round_where_the_first_brought_nothing() -> None:
    """W28"""
    meeting = Meeting(agenda(topic("a", 20)), strategy="disney").round().round().round(covered=["K1"]).round().round()
    assert meeting.question().stages == ["dreamer", "dreamer", "realist", "critic", "critic", "dreamer"]


def test_a_stage_of_the_others_takes_one_round_whatever_it_brings() -> None:
    """W28"""
    meeting = Meeting(strategy="debate").round().round().round().question()
    assert meeting.stages == ["opening", "rebuttal", "closing", "opening"]


def test_a_lost_round_is_a_round_of_its_stage() -> None:
    """W13, W28"""
    meeting = Meeting(strategy="debate").round().question().respond().synthesise(lost=True).question()
    assert meeting.stages == ["opening", "rebuttal", "closing"]


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("standard", ConsensusRule.WEIGHTED),
        ("disney", ConsensusRule.WEIGHTED),
        ("debate", ConsensusRule.FACILITATOR),
        ("consensus-driven", ConsensusRule.CONSENT),
        ("six-hats", ConsensusRule.FACILITATOR),
    ],
)
def test_every_strategy_has_its_rule(name: str, rule: ConsensusRule) -> None:
    """W29"""
    assert BY_NAME[name].rule is rule


# Sides


@pytest.mark.parametrize(
    ("seats", "sides"),
    [
        ([ONE, TWO], ["pro", "con"]),
        ([ONE, TWO, THREE], ["pro", "con", "observer"]),
        ([ONE, TWO, THREE, FOUR], ["pro", "pro", "con", "con"]),
    ],
)
def test_a_debate_seats_half_pro_and_half_con_and_an_odd_one_observes(seats: list[str], sides: list[str]) -> None:
    """W3"""
    meeting = Meeting(participants=seats, strategy="debate").question()
    assert meeting.result["sides"] == dict(zip(seats, sides, strict=True))
    assert [ask.seat for ask in meeting.open] == seats
    assert [meeting.section(seat, "Your side") for seat in seats] == [f"You are {side}." for side in sides]
    meeting.respond()
    assert f"P1 {ONE}, {sides[0]}, confidence 80" in meeting.shown("facilitator")


@pytest.mark.parametrize(
    ("given", "sides"),
    [
        ({"pro": [TWO], "con": [ONE]}, ["con", "pro", "observer"]),
        ({"pro": [TWO]}, ["con", "pro", "con"]),
        ({"con": [TWO, THREE]}, ["pro", "con", "con"]),
    ],
)
def test_sides_are_as_given_and_who_was_given_none_observes(given: dict[str, Any], sides: list[str]) -> None:
    """W3"""
    meeting = Meeting(participants=[ONE, TWO, THREE], strategy="debate", **given)
    assert list(meeting.result["sides"].values()) == sides


@pytest.mark.parametrize(
    ("given", "key"),
    [
        ({"participants": [ONE]}, "participants"),
        ({"participants": [ONE, ONE]}, "participants"),
        ({"participants": [ONE, "facilitator"]}, "participants"),
        ({"participants": [ONE, "wizard"]}, "participants"),
        ({"participants": [ONE, TWO], "strategy": "debate", "pro": ["qa-lead"]}, "pro"),
        ({"participants": [ONE, TWO], "strategy": "debate", "pro": [ONE], "con": [ONE]}, "pro"),
        ({"participants": [ONE, TWO], "strategy": "debate", "pro": [ONE, TWO]}, "pro"),
        ({"strategy": "debates"}, "strategy"),
    ],
)
def test_what_cannot_be_seated_is_refused(given: dict[str, object], key: str) -> None:
    """W1, W3"""
    with pytest.raises(SettingError) as error:
        workshop(**given)
    assert error.value.key == key


# Choice


@pytest.mark.parametrize(
    ("word", "strategy"),
    [
        *((word, "disney") for word in ("creative", "innovation", "new", "brainstorm")),
        *((word, "debate") for word in ("vs", "compare", "evaluate", "choose", "decide")),
        *((word, "consensus-driven") for word in ("urgent", "fast", "quick", "asap")),
        *((word, "six-hats") for word in ("comprehensive", "thorough", "all angles", "deep")),
    ],
)
def test_a_word_of_the_topic_suggests_a_strategy(word: str, strategy: str) -> None:
    """W32"""
    assert suggest_strategy(f"Our plan: {word.upper()}, the log")[0] == strategy


@pytest.mark.parametrize("topic_", ["An audit log", "renewal of the breakfast", "versus", "deeply"])
def test_no_word_suggests_standard(topic_: str) -> None:
    """W32: whole words alone count."""
    assert suggest_strategy(topic_) == ("standard", "")


@pytest.mark.parametrize(
    ("workflow", "strategy", "first"),
    [
        ("specs", "consensus-driven", "product-manager"),
        ("design", "debate", "software-architect"),
        ("brainstorm", "disney", "product-manager"),
        ("open", "standard", "software-architect"),
    ],
)
def test_a_workflow_has_its_own_strategy_and_roster_and_a_setting_goes_first(
    workflow: str, strategy: str, first: str
) -> None:
    """W3, W32"""
    plan = plan_of(WorkshopSettings(workflow=Workflow(workflow)))
    assert (plan.strategy.name, plan.participants[0]) == (strategy, first)
    other = plan_of(WorkshopSettings(workflow=Workflow(workflow), strategy="six-hats", participants=(THREE, TWO)))
    assert (other.strategy.name, other.participants) == ("six-hats", (THREE, TWO))
