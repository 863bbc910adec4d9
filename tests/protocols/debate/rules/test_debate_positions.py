"""The positions of a debate, as far as they are typed."""

from __future__ import annotations

from random import Random

import pytest

from quorate import catalog
from quorate.kit.positions import MATTER, changes
from quorate.protocols.debate import DEFINITION
from quorate.protocols.debate.rules.model import Phase
from quorate.protocols.debate.rules.positions import GAPS, MET, positions
from tests.support.courses import course
from tests.support.debating import PROBLEM, TWO, Table


def test_critics_authors_and_the_judge_take_positions() -> None:
    table = Table(agents=TWO, rounds=1, summarization={"enabled": False}).until(Phase.CRITIQUE)
    critique = {"strengths": "s", "weaknesses": "w", "suggestion": "s", "weight": "major"}
    table.say("architect", critiques={table.ask("architect").keys[0]: critique})
    assert positions(table.record) == (), "what is said in a phase under way is not looked into"
    table.say("security", critiques={table.ask("security").keys[0]: {**critique, "weight": "minor"}})
    key = table.ask("security").keys[0]
    table.say("security", responses={key: {"reason": "no", "stance": "rejected"}}, text="t")
    table.rest().say("judge", solution="s", unfulfilled_major_requirements=[], confidence=82)
    told = [(each.seat, each.about, each.stance, each.holds, each.shown) for each in positions(table.record)]
    assert told[:2] == [
        ("architect", "the text of security in round 1", "major", False, ()),
        ("security", "the text of architect in round 1", "minor", True, ()),
    ]
    assert ("security", "the critique of architect in round 1", "rejected", False, ("architect",)) in told
    last = positions(table.record)[-1]
    assert (last.seat, last.about, last.stance, last.holds) == ("judge", MATTER, MET, True)
    assert (last.confidence, last.shown) == (82, tuple(TWO))
    assert DEFINITION.positions(table.record) == positions(table.record)


def test_the_judge_evaluates_and_its_confidence_is_capped_with_gaps() -> None:
    table = Table(
        agents=TWO, rounds=2, termination_condition={"type": "convergence"}, summarization={"enabled": False}
    ).until(Phase.EVALUATION)
    table.say("judge", reason="They differ.", confidence=30)
    table.until(Phase.SYNTHESIS)
    table.say("judge", solution="s", unfulfilled_major_requirements=["It must be fast."], confidence=90)
    judged = [each for each in positions(table.record) if each.seat == "judge"]
    assert [(each.about, each.holds, each.confidence) for each in judged] == [
        ("convergence after round 1", False, 30),
        (MATTER, False, 40),
    ]
    assert judged[-1].stance == GAPS


def test_what_is_said_of_another_round_is_of_another_thing() -> None:
    table = Table(agents=TWO, rounds=3).finish()
    assert list(changes(positions(table.record))) == []
    assert {each.round for each in positions(table.record)} == {1, 2, 3}


@pytest.mark.parametrize("seed", range(8))
def test_whatever_is_said_there_are_positions(seed: int) -> None:
    protocol = catalog.build("debate", {"termination_condition": {"type": "quality"}}, seed=7)
    for record in course(protocol, {"problem": PROBLEM}, Random(seed)):
        assert all(each.seat in protocol.seats and each.seq for each in positions(record))
