"""`python -m tests.kills N`: kill commands, servers and workers N times in all, and print what came of it."""

from __future__ import annotations

import argparse
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import monotonic

from tests.kills.killing import Tally, folder_of, kill_again_and_again, share, table
from tests.kills.processes import KINDS


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.kills", description=__doc__)
    parser.add_argument("kills", type=int, nargs="?", default=200, help="how many in all (default 200)")
    parser.add_argument("--seed", type=int, default=0, help="decides when they come, as far as a clock lets it")
    parser.add_argument("--jobs", type=int, default=2, help="kinds that are killed at the same time (default 2)")
    given = parser.parse_args(argv)
    began = monotonic()
    with TemporaryDirectory(prefix="quorate-kills-") as root, ThreadPoolExecutor(given.jobs) as pool:
        running = [
            pool.submit(
                kill_again_and_again,
                kind(folder_of(Path(root), kind)),
                kills,
                Random(f"{given.seed} {kind.name}"),
                _tell,
            )
            for kind, kills in zip(KINDS, share(given.kills, len(KINDS)), strict=True)
        ]
        tallies = [each.result() for each in running]
    print(table(tallies))
    problems = [problem for each in tallies for problem in each.problems]
    kills = sum(each.kills for each in tallies)
    print(f"\n{kills} kills in {monotonic() - began:.0f} s: {len(problems) or 'no'} problems")
    for problem in problems:
        print(f"  {problem}")
    return 1 if problems else 0


def _tell(tally: Tally) -> None:
    """Say now and then how far it is."""
    if tally.kills % 10 == 0:
        print(f"{tally.kind}: {tally.kills} kills, {len(tally.problems)} problems", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
