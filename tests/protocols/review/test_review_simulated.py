"""What simulated members of a review do: oppose, veto, raise items, and doubt."""

from __future__ import annotations

import pytest

from quorate.simulate.agents import Agents
from tests.simulate.seating import ONE_ROUND, F, chances, seated

SRE, ARCHITECT, MANAGER = "operations-sre", "engineering-architect", "product-manager"


def test_one_holder_of_a_veto_that_sees_a_danger_is_enough() -> None:
    settings = {"members": [SRE, ARCHITECT, MANAGER], "veto_holders": [SRE], "rounds": 1}
    found = chances(seated("review", Agents(F(1, 2)), "dangerous", settings=settings))
    by_holder = F(1, 2)
    by_items = F(1, 2) * 2 * F(1, 4) * F(1, 2)  # one of the others opposes with an item, which the skeptic lets stand
    assert found["REQUEST_CHANGES"] == by_holder + by_items
    assert found["APPROVED"] == F(1, 8) + by_items, "all are blind, or the skeptic is"


@pytest.mark.parametrize("holders", [[], [SRE]])
def test_a_false_alarm_is_a_veto_where_its_member_holds_one_and_else_an_item(holders: list[str]) -> None:
    settings = {"members": [SRE, ARCHITECT], "veto_holders": holders, "rounds": 1}
    found = chances(seated("review", Agents(F(1), false_alarm=F(1, 4)), "sound", settings=settings))
    assert found.get("REQUEST_CHANGES", 0) == (F(1, 4) if holders else 0), "the skeptic refutes items, and no veto"


def test_the_skeptic_refutes_a_true_item_where_it_judges_wrongly() -> None:
    doubted = seated("review", Agents(recall=F(1)), "defective", seats=3, settings=ONE_ROUND)
    assert chances(doubted) == {"REQUEST_CHANGES": F(7, 10), "APPROVED": F(3, 10)}
    believed = seated(
        "review", Agents(recall=F(1)), "defective", seats=3, settings={**ONE_ROUND, "confirm_items": False}
    )
    assert chances(believed) == {"REQUEST_CHANGES": F(1)}


def test_who_has_missed_a_danger_sees_it_once_others_have_shown_it() -> None:
    """Nobody finds it alone but the one that always does; the others judge what they are shown."""
    settings = {"members": [ARCHITECT, MANAGER, "design-hci"], "veto_holders": [], "rounds": 2}
    blind = seated("review", Agents(F(1), recall=F(0)), "dangerous", settings=settings)
    assert chances(blind) == {"APPROVED": F(1)}
    half = seated("review", Agents(F(1), recall=F(1, 2)), "dangerous", settings=settings)
    assert chances(half)["APPROVED"] == F(1, 8)
    assert half.rounds.value > 1


def test_seats_are_named_after_the_personas() -> None:
    assert seated("review", Agents(), seats=1).voters == ("adjudicator",)
    assert seated("review", Agents(), seats=7, most_moves=0, samples=5).voters[-1] == "engineering-architect:2"
