"""What simulated participants of a workshop do: support, block or stand aside; and what that takes."""

from __future__ import annotations

from quorate.simulate.agents import Agents
from tests.simulate.simulations import F, chances, seated


def test_where_all_support_it_three_topics_take_three_passes() -> None:
    found = seated("workshop", Agents(F(1)), seats=3, settings={"workflow": "specs"})
    assert chances(found) == {"COMPLETE": F(1)}
    assert (found.right, found.wrong) == (None, None), "nothing is right or wrong here"
    assert found.rounds.value == 9
    assert found.people.value == 0


def test_a_block_takes_more_rounds_and_then_a_person() -> None:
    calm = seated("workshop", Agents(F(1)), seats=2, settings={"workflow": "specs"})
    blocked = seated("workshop", Agents(F(0)), seats=2, settings={"workflow": "specs"})
    assert blocked.rounds.value > calm.rounds.value
    assert blocked.people.value > 0
    alone = seated("workshop", Agents(F(0)), seats=2, settings={"workflow": "specs", "escalation": False})
    assert chances(alone) == {"INCOMPLETE": F(1)}
    assert alone.undecided.value == 1


def test_a_weighted_majority_needs_its_threshold() -> None:
    """Standard strategy, threshold 60: three of three or two of three support it, and of two both."""
    settings = {"strategy": "standard", "workflow": "open"}
    three, two = (seated("workshop", Agents(), seats=seats, settings=settings) for seats in (3, 2))
    assert chances(three)["COMPLETE"] == F(784, 1000)
    assert chances(two)["COMPLETE"] == F(49, 100)
