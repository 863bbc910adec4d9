"""Simulations for tests: a built-in protocol with agents on its seats."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from random import Random
from typing import Any

from quorate import catalog
from quorate.kit.judgement import Judging
from quorate.simulate.agents import Agents
from quorate.simulate.outcomes import Outcomes
from quorate.simulate.runs import MOST_MOVES, simulate

F = Fraction
ONE_ROUND: Mapping[str, Any] = {"rounds": 1, "veto_holders": [], "quorum": "1/2"}
"""A review that is one plain vote."""


def judging_of(name: str) -> Judging:
    found = catalog.definition(name).judging
    assert found is not None
    return found


def seated(
    name: str,
    agents: Agents,
    truth: str | None = None,
    *,
    seats: int | None = None,
    settings: Mapping[str, Any] | None = None,
    most_moves: int = MOST_MOVES,
    samples: int = 2_000,
    seed: int = 1,
) -> Outcomes:
    """Simulate a protocol of the catalog."""
    judging = judging_of(name)
    given = {**(judging.seated(seats) if seats is not None else {}), **(settings or {})}
    return simulate(
        catalog.build(name, given),
        judging,
        agents,
        truth or next(iter(judging.truths)),
        chance=Random,
        samples=samples,
        seed=seed,
        most_moves=most_moves,
    )


def chances(found: Outcomes) -> dict[str, Fraction]:
    """The verdicts that can come about, by name."""
    return {verdict.name: each.value for verdict, each in found.verdicts.items() if each.value}
