"""What simulated personas do at a roundtable: speak until the limit, or pass."""

from __future__ import annotations

from quorate.simulate.agents import Agents
from tests.simulate.simulations import F, chances, seated


def test_personas_talk_until_the_limit() -> None:
    found = seated("roundtable", Agents(), settings={"max_turns": 5})
    assert chances(found) == {"CONTINUE": F(1)}
    assert found.asks.value == 5 + 1, "the framing, four utterances and the synthesis"
    assert found.right is None


def test_who_always_passes_is_asked_as_long_as_passing_is_free() -> None:
    talking = seated("roundtable", Agents(), settings={"max_turns": 5})
    passing = seated("roundtable", Agents(abstain=F(1)), settings={"max_turns": 5})
    assert passing.asks.value > talking.asks.value


def test_an_episode_limit_shows_in_the_asks() -> None:
    found = seated("roundtable", Agents(), settings={"max_turns": 10, "max_episodes": 4})
    assert found.asks.value == 4
