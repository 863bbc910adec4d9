"""What simulated agents of a debate do: propose, refine after reading, and let a judge say what most hold."""

from __future__ import annotations

from quorate.simulate.agents import Agents
from quorate.simulate.voters import Independent
from tests.simulate.decision_rules import majority
from tests.simulate.simulations import F, chances, seated

SEVEN = F(7, 10)


def test_the_judge_decides_where_agents_are_tied() -> None:
    found = seated("debate", Agents(), seats=2)
    assert found.right is not None
    assert found.right.value == SEVEN**2 + 2 * SEVEN * (1 - SEVEN) * SEVEN


def test_following_each_other_brings_agreement_and_no_better_answer() -> None:
    settings = {"termination_condition": {"type": "convergence"}, "rounds": 3}
    apart = seated("debate", Agents(), settings=settings)
    together = seated("debate", Agents(conform=F(1)), settings=settings)
    assert apart.right == together.right
    assert apart.right is not None
    assert apart.right.value == majority(Independent((SEVEN,) * 3)).right
    unanimous = SEVEN**3 + (1 - SEVEN) ** 3
    assert together.rounds.value == 1, "who follows agrees within one round"
    assert apart.rounds.value == unanimous + 3 * (1 - unanimous)


def test_a_judge_of_quality_stops_where_it_holds_the_texts_good() -> None:
    settings = {"termination_condition": {"type": "quality"}, "rounds": 2}
    found = seated("debate", Agents(F(1)), settings=settings)
    assert found.rounds.value == 1


def test_a_judge_that_is_missing_leaves_it_open() -> None:
    found = seated("debate", Agents(fail=F(1, 2)), settings={"retries": 0, "rounds": 1}, seats=2)
    assert found.undecided.value == chances(found)["UNJUDGED"] + chances(found)["FAILED"]
    assert found.right is not None
    assert chances(found)["SOLUTION"] == F(1, 2) ** 7, "two agents in three phases, and the judge, all reply"
