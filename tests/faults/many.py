"""Runs many worlds, and keeps the seeds of those that have failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from tests.faults.kinds import Kind
from tests.faults.simulation import simulate
from tests.faults.tables import TABLES

SEEDS = Path(__file__).with_name("seeds.txt")
CHUNK = 20
"""Worlds that one process runs before it reports."""

Ran = tuple[int, list[str], Counter[Kind], str]
"""A seed, what went wrong, which faults it had, and the name of its protocol."""


def known_seeds() -> list[int]:
    """Return the seeds that have failed at some time."""
    lines = (line.partition("#")[0].strip() for line in SEEDS.read_text(encoding="utf-8").splitlines())
    return [int(line) for line in lines if line]


def run_all(seeds: Iterable[int], jobs: int) -> Iterator[Ran]:
    """Run worlds, in several processes where that helps."""
    wanted = list(seeds)
    if jobs <= 1:
        for seed in wanted:
            yield ran(seed)
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        yield from pool.map(ran, wanted, chunksize=CHUNK)


def ran(seed: int) -> Ran:
    """Run one world."""
    world = simulate(seed)
    return seed, world.problems, world.fired, TABLES[world.table].name


def table(fired: Counter[Kind], kinds: Iterable[Kind]) -> list[str]:
    """Return how often every kind fired, a line each."""
    return [f"  {kind.value:<34} {fired[kind]:>9,}{'' if fired[kind] else '   NEVER'}" for kind in kinds]


def remember(seeds: Iterable[int]) -> None:
    """Add seeds that have failed to the list, once each."""
    new = [seed for seed in seeds if seed not in known_seeds()]
    if new:
        with SEEDS.open("a", encoding="utf-8") as stream:
            stream.writelines(f"{seed}\n" for seed in new)
        print(f"added to {SEEDS}: {', '.join(map(str, new))}")
