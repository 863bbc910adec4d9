"""Prints how long `quorate --help` takes: `python tests/cli/bench_help.py`. The promise is under 0.2 s."""

from __future__ import annotations

import statistics
import subprocess
import sys
from time import perf_counter

TIMES = 20


def main() -> None:
    taken = []
    for _ in range(TIMES):
        began = perf_counter()
        words = [sys.executable, "-c", "from quorate.cli.main import main; main()", "--help"]
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
        taken.append(perf_counter() - began)
    print(f"quorate --help: median {statistics.median(taken):.3f} s, fastest {min(taken):.3f} s of {TIMES}")


if __name__ == "__main__":
    main()
