"""Regular expression search in a separate process, which is killed if an expression takes too long.

The lines are untrusted, and a rule's expression may backtrack catastrophically on them. `find` runs this very file as
a program that uses only the standard library.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path

MOST_LINE = 10_000
"""Characters of a line that are looked at."""
MOST_LOOKS = 5_000_000
"""Lines times expressions."""
SECONDS, ONCE = 120.0, 20.0


def find(jobs: Sequence[tuple[str, Sequence[str]]]) -> list[list[int] | None]:
    """Return, for each expression, the indexes of its matching lines; None if that took too long."""
    from quorate.protocols.review.world.checks.scratch import PYTHON, Scratch

    table: dict[str, int] = {}
    asked = [{"pattern": p, "at": [table.setdefault(line[:MOST_LINE], len(table)) for line in ls]} for p, ls in jobs]
    found: list[list[int] | None] = [None] * len(jobs)
    if sum(len(lines) for _, lines in jobs) > MOST_LOOKS:
        return found
    with Scratch(SECONDS) as scratch:
        first = 0
        while first < len(jobs) and scratch.left > 0:
            scratch.write("asked.json", json.dumps({"lines": list(table), "jobs": asked[first:]}))
            ran = scratch.run((*PYTHON, str(Path(__file__).resolve()), "asked.json"), ONCE)
            done = _answers(ran.out)
            found[first : first + len(done)] = done
            first += len(done) or 1  # the expression that a run begins with and does not get through is given up
    return found


def _answers(out: str) -> list[list[int] | None]:
    answers: list[list[int] | None] = []
    for line in out.splitlines(keepends=True):
        if not line.endswith("\n"):
            break
        answers.append(json.loads(line))
    return answers


def main(path: str) -> None:
    """Read the jobs from a file, and print one line per expression as soon as it is done."""
    asked = json.loads(Path(path).read_text(encoding="utf-8"))
    lines = asked["lines"]
    for job in asked["jobs"]:
        search = re.compile(job["pattern"]).search
        hits = [place for place, number in enumerate(job["at"]) if search(lines[number])]
        sys.stdout.write(json.dumps(hits) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1])
