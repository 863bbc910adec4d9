"""The engine's own cost in one table: steps, calls, debates, storage, replay, resume, crowds, memory, start and proofs.

    python benchmarks/engine.py [--json FILE] [--only GROUP ...] [--quick]

Times are CPU times of the process, the least of several, unless a row says wall time: what a disk or a busy machine
makes it wait is not in them. `raw` is the same by asyncio and an append-only log in SQLite alone (`rounds.py`), in the
same run, and as durable. A row that misses its goal says so; the exit code is 0 all the same, since the machine counts.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import engine_crowd
import engine_debate
import engine_journal
import engine_process
from figures import Figure, machine, table, write_json


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is measured."""

    times: int = 7
    """How often something of about a second is measured; what is shorter, more often."""
    steps: int = 30
    rounds: tuple[int, ...] = (50, 200)
    growth: int = 200
    crowd: tuple[int, ...] = (1, 100, 1_000)
    waiting: tuple[int, ...] = (1, 100, 1_000)
    proof_seconds: int = 60
    proofs: tuple[str, ...] = ()
    """Protocols that are proven; empty for all."""


QUICK = Sizes(1, 2, (4, 8), 8, (1, 5), (1, 2), 20, ("debate",))
"""Enough to see that everything is measured, and not how well."""

PARTS: dict[str, Callable[[Sizes], Iterator[Figure]]] = {
    "debate": lambda sizes: engine_debate.debates(5 * sizes.times),
    "step": lambda sizes: engine_debate.steps(sizes.times, sizes.steps),
    "growth": lambda sizes: engine_debate.growth(min(3, sizes.times), sizes.growth),
    "storage": lambda sizes: engine_journal.disk(sizes.rounds),
    "replay": lambda sizes: engine_journal.replays(3 * sizes.times, sizes.rounds[-1]),
    "resume": lambda sizes: engine_journal.resume(min(3, sizes.times), sizes.rounds[-1]),
    "crowd": lambda sizes: engine_crowd.at_once(min(3, sizes.times), sizes.crowd),
    "waiting": lambda sizes: engine_crowd.waiting(sizes.waiting),
    "start": lambda sizes: engine_process.starts(2 * sizes.times),
    "proof": lambda sizes: engine_process.proofs(sizes.proof_seconds, sizes.proofs),
}


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures here too")
    parser.add_argument("--only", nargs="+", choices=list(PARTS), metavar="GROUP", help=f"of {', '.join(PARTS)}")
    parser.add_argument("--quick", action="store_true", help="tiny sizes: whether it works, not how well")
    given = parser.parse_args(argv)
    sizes = QUICK if given.quick else Sizes()
    figures: list[Figure] = []
    for name in given.only or PARTS:
        sys.stderr.write(f"measuring: {name}\n")
        figures += PARTS[name](sizes)
    sys.stdout.write(told(figures))
    if given.json is not None:
        write_json(given.json, figures, quick=given.quick)
    return 0


def told(figures: list[Figure]) -> str:
    """Return the table, with the machine above it and the goals that were missed below."""
    at = machine()
    head = f"{at['python']}, {at['system']}, {at['cores']} cores, load {at['load']}, {at['at']}"
    goals, missed = [each for each in figures if each.goal], [each for each in figures if each.missed]
    last = f"{len(goals)} goals, {len(goals) - len(missed)} met"
    lines = [f"MISSED: {each.group.partition(',')[0]}: {each.name} ({each.goal})" for each in missed]
    return "\n".join([head, "", table(figures), "", last, *lines]) + "\n"


if __name__ == "__main__":
    sys.exit(main())
