"""Running a simulation: all sessions with their exact probabilities, or a sample drawn from a seed."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from fractions import Fraction
from itertools import product
from typing import Any

from quorate.core.errors import DefinitionError, SettingError
from quorate.core.protocol import Protocol
from quorate.kit.judgement import Judging
from quorate.simulate.agents import Agents
from quorate.simulate.agreement import effective_votes
from quorate.simulate.outcomes import Estimate, Outcomes, measured, share
from quorate.simulate.seats import Moment, Sizes, Table
from quorate.simulate.voters import ZERO, Source, mean_correlation

MOST_MOVES = 10_000
"""Moves of sessions up to which all of them are followed; more are drawn."""
MOST_SAMPLES = 10_000_000
MOST_KEPT = 100_000
"""Moments that are remembered while sessions are drawn; beyond that they are worked out anew."""
MOST_STEPS = 100_000
"""Moves of one session; more is a protocol that does not end."""


def simulate(
    protocol: Protocol[Any],
    judging: Judging,
    agents: Agents,
    truth: str,
    *,
    chance: Callable[[int], Source],
    samples: int = 20_000,
    seed: int = 1,
    sizes: Sizes | None = None,
    most_moves: int = MOST_MOVES,
) -> Outcomes:
    """Simulate a protocol with agents on its seats; exact if at most `most_moves` moves cover every session.

    Otherwise `samples` sessions are drawn from `chance(seed)`, for which `random.Random` will do.
    """
    if not 1 <= samples <= MOST_SAMPLES:
        raise SettingError(f"is {samples}", key="samples", expected=f"a number from 1 to {MOST_SAMPLES:,}")
    table = Table(protocol, judging, agents, truth, sizes or Sizes())
    found = exactly(table, most_moves) if most_moves else None
    return found if found is not None else sampled(table, samples, seed, chance(seed))


def exactly(table: Table, most_moves: int) -> Outcomes | None:
    """Follow every session with its probability; None if there are too many."""
    starts = table.starts()
    if starts is None:
        return None
    sums = [ZERO, ZERO, ZERO, ZERO]
    verdicts: dict[Enum, Fraction] = {}
    grades: dict[bool | None, Fraction] = {}
    now = starts
    for _ in range(MOST_STEPS):
        then: dict[Moment, Fraction] = {}
        if table.moves + sum(moment.ways - len(moment.next) for moment in now) > most_moves:
            return None
        for moment, weight in now.items():
            if moment.verdict is not None:
                verdicts[moment.verdict] = verdicts.get(moment.verdict, ZERO) + weight
                grades[moment.grade] = grades.get(moment.grade, ZERO) + weight
                sums[0] += weight * moment.round
                continue
            for place, number in enumerate((moment.asks, moment.people, moment.tokens), start=1):
                sums[place] += weight * number
            for picks in product(*(range(len(choice.options)) for choice in moment.choices)):
                likely = weight
                for choice, pick in zip(moment.choices, picks, strict=True):
                    likely *= choice.shares[pick]
                after = table.after(moment, picks)
                then[after] = then.get(after, ZERO) + likely
        if not then:
            told = {each: Estimate(verdicts.get(each, ZERO)) for each in table.protocol.exit_codes}
            graded = {each: Estimate(grades.get(each, ZERO)) for each in (True, False, None)}
            return _outcomes(table, told, graded, [Estimate(each) for each in sums])
        now = then
    raise _endless(table)


def _endless(table: Table) -> DefinitionError:
    name = table.protocol.name
    return DefinitionError(f"{name}: a session did not end in {MOST_STEPS:,} moves; `quorate verify` says why")


def sampled(table: Table, samples: int, seed: int, source: Source) -> Outcomes:
    """Draw this many sessions from a source with this seed."""
    verdicts: dict[Enum, int] = {}
    grades: dict[bool | None, int] = {}
    totals, squares = [0, 0, 0, 0], [0, 0, 0, 0]
    for _ in range(samples):
        if len(table.moments) > MOST_KEPT:
            table.moments.clear()
        end, costs = _walk(table, source)
        assert end.verdict is not None
        verdicts[end.verdict] = verdicts.get(end.verdict, 0) + 1
        grades[end.grade] = grades.get(end.grade, 0) + 1
        for place, number in enumerate((end.round, *costs)):
            totals[place] += number
            squares[place] += number * number
    told = {each: share(verdicts.get(each, 0), samples) for each in table.protocol.exit_codes}
    graded = {each: share(grades.get(each, 0), samples) for each in (True, False, None)}
    means = [measured(total, square, samples) for total, square in zip(totals, squares, strict=True)]
    return _outcomes(table, told, graded, means, samples, seed)


def _walk(table: Table, source: Source) -> tuple[Moment, tuple[int, int, int]]:
    moment, asks, people, tokens = table.drawn(source), 0, 0, 0
    for _ in range(MOST_STEPS):
        if moment.verdict is not None:
            return moment, (asks, people, tokens)
        asks, people, tokens = asks + moment.asks, people + moment.people, tokens + moment.tokens
        moment = table.after(moment, tuple([choice.drawn(source) for choice in moment.choices]))
    raise _endless(table)


def _outcomes(
    table: Table,
    verdicts: dict[Enum, Estimate],
    grades: dict[bool | None, Estimate],
    means: list[Estimate],
    samples: int | None = None,
    seed: int | None = None,
) -> Outcomes:
    judged = bool(table.truth.right) or table.judging.answer is not None
    rounds, asks, people, tokens = means
    return Outcomes(
        truth=table.name,
        verdicts=verdicts,
        right=grades[True] if judged else None,
        wrong=grades[False] if judged else None,
        undecided=grades[None],
        rounds=rounds,
        asks=asks,
        people=people,
        tokens=tokens,
        voters=table.voters,
        malicious=table.malicious,
        obstructing=table.obstructing,
        effective=effective(table),
        alone=table.agents.alone(table.truth.favourable, table.alone),
        paths=table.moves,
        samples=samples,
        seed=seed,
    )


def effective(table: Table) -> Fraction | None:
    """Effective votes of the honest voters: n / (1 + (n - 1) phi), phi the mean over their pairs (Kish)."""
    honest = len(table.voters) - len(table.settled)
    if honest < 1:
        return None
    return effective_votes(honest, mean_correlation(table.agents.voters(honest)) or ZERO)
