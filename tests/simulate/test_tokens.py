"""The token model: T8 of the facts."""

from __future__ import annotations

import pytest

from quorate.core.errors import SettingError
from quorate.simulate.tokens import History, Tokens, tokens


def talked(agents: int, rounds: int, task: int, message: int, seen: int, history: History) -> Tokens:
    """A second derivation: make every call and add up what it reads and writes."""
    read = written = 0
    for turn in range(rounds):
        for _ in range(agents):
            earlier = turn if history is History.FULL else min(turn, 1)
            read += task + earlier * seen * message
            written += message
    return Tokens(read, written)


@pytest.mark.parametrize(
    ("agents", "rounds", "seen", "total"),
    [
        (1, 1, None, 2_500),
        (5, 1, None, 12_500),
        (3, 2, None, 19_500),
        (3, 3, None, 36_000),
        (5, 3, None, 75_000),
        (5, 5, None, 187_500),
        (5, 3, 2, 52_500),
        (5, 5, 2, 112_500),
    ],
)
def test_t8_tokens(agents: int, rounds: int, seen: int | None, total: int) -> None:
    result = tokens(agents, rounds, 2_000, 500, seen=seen)
    assert result.total == total
    assert result == talked(agents, rounds, 2_000, 500, agents if seen is None else seen, History.FULL)


def test_t8_the_last_round_alone_grows_with_the_rounds_and_not_with_their_square() -> None:
    for rounds in range(1, 8):
        result = tokens(4, rounds, 1_000, 300, seen=3, history=History.LAST)
        assert result == talked(4, rounds, 1_000, 300, 3, History.LAST)


def test_t8_agents_that_see_nobody_only_ask_again() -> None:
    assert tokens(3, 4, 100, 10, seen=0) == Tokens(input=1_200, output=120)


@pytest.mark.parametrize(
    "numbers", [(0, 1, 1, 1, None), (1, 0, 1, 1, None), (1, 1, -1, 1, None), (1, 1, 1, -1, None), (2, 1, 1, 1, 3)]
)
def test_impossible_shapes_are_refused(numbers: tuple[int, int, int, int, int | None]) -> None:
    *shape, seen = numbers
    agents, rounds, task, message = (value for value in shape if value is not None)
    with pytest.raises(SettingError):
        tokens(agents, rounds, task, message, seen=seen)
