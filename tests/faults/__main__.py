"""`python -m tests.faults N`: run so many worlds, and print which faults they had and what came of them.

Every seed is one world, and runs the same way each time: `python -m tests.faults --seed S` tells its whole story.
A seed that fails is written to seeds.txt and stays there, so that every later run of the tests has it too.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from time import monotonic

from tests.faults.kinds import REAL, SIMULATED, Kind
from tests.faults.many import known_seeds, remember, run_all, table
from tests.faults.simulation import simulate


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__.splitlines()[0])
    parser.add_argument("worlds", type=int, nargs="?", default=2_000, help="how many worlds (default 2000)")
    parser.add_argument("--first", type=int, default=0, help="the first seed (default 0)")
    parser.add_argument("--seed", type=int, help="run this one world twice, and tell its story")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes (default: all cores)")
    parser.add_argument("--simulated", action="store_true", help="leave out what needs real servers and processes")
    given = parser.parse_args(argv)
    if given.seed is not None:
        return tell(given.seed)
    began = monotonic()
    seeds = list(dict.fromkeys((*known_seeds(), *range(given.first, given.first + given.worlds))))
    fired: Counter[Kind] = Counter()
    protocols: Counter[str] = Counter()
    failed: list[int] = []
    for number, (seed, problems, found, protocol) in enumerate(run_all(seeds, given.jobs), start=1):
        fired.update(found)
        protocols[protocol] += 1
        if problems:
            failed.append(seed)
            print(f"seed {seed}: {'; '.join(problems)[:500]}", flush=True)
        if number % 500 == 0:
            print(f"{number:,} of {len(seeds):,} worlds, {monotonic() - began:.0f} s", flush=True)
    kinds = list(SIMULATED)
    if not given.simulated:
        from tests.faults.real import run_real

        kinds += REAL
        for problem in run_real(fired):
            failed.append(-1)
            print(problem, flush=True)
    print(f"{len(seeds):,} worlds in {monotonic() - began:.0f} s: {_listed(protocols)}")
    print("faults, and how often each fired:")
    print("\n".join(table(fired, kinds)))
    never = [kind for kind in kinds if not fired[kind]]
    remember(seed for seed in failed if seed >= 0)
    print(f"{len(failed)} failed" + (f"; never fired: {', '.join(kind.value for kind in never)}" if never else ""))
    return 1 if failed or never else 0


def tell(seed: int) -> int:
    """Run one world twice, tell its story, and say whether both runs were the same."""
    world, again = simulate(seed), simulate(seed)
    print("\n".join(world.story()))
    same = world.digest() == again.digest()
    print(f"trace {world.digest()[:16]}, and the second run {'is the same' if same else 'DIFFERS'}")
    print("\n".join(world.problems) or "no problems")
    return 1 if world.problems or not same else 0


def _listed(counted: Counter[str]) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in sorted(counted.items()))


if __name__ == "__main__":
    sys.exit(main())
