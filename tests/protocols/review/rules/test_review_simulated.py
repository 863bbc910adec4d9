"""What simulated members of a review do: oppose, veto, raise items, and doubt."""

from __future__ import annotations

import json
from random import Random

import pytest

from quorate import catalog
from quorate.api.simulations import agents_of
from quorate.kit.judgement import Judging
from quorate.protocols.review.rules.simulation import JUDGING
from quorate.simulate.agents import Agents
from quorate.simulate.seats import Sizes, Table
from tests.simulate.simulations import ONE_ROUND, F, chances, seated

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


def test_a_simulated_change_in_parts_is_read_before_it_is_tabled_r43() -> None:
    """So that an estimate knows the readings of the change that was brought."""
    spans = [{"file": number, "first": number, "last": number} for number in range(1, 8)]
    parts = [{"number": span["file"], "sensitive": False, "spans": [span]} for span in spans]
    checks = {"divided": True, "parts": parts, "files": 7, "hunks": 7, "beyond": 0}
    material = {"change": "", "checks": json.dumps(checks), "claims": "[]"}
    review = catalog.build("review", {"members": ["engineering-architect", "operations-sre"]}, seed=1)
    agents = agents_of({"accuracy": "0.7"})

    def read(judging: Judging) -> int:
        table = Table(review, judging, agents, "sound", Sizes())
        moment, asked = table.drawn(Random(1)), 0
        while moment.verdict is None:
            asked += sum(ask.brief == "read" for ask in moment.session.asks)
            moment = table.after(moment, tuple(choice.drawn(Random(1)) for choice in moment.choices))
        return asked

    assert read(JUDGING) == 0
    assert read(JUDGING.about(material)) == 7
    assert JUDGING.about({}) is JUDGING
